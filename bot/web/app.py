"""The web application: what is behind each address, and what an error looks like."""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping

from flask import Flask, Response, jsonify, request
from werkzeug.exceptions import HTTPException

from bot.seen.figures import Figures, Reading
from bot.web.asgi import Site
from bot.web.health import health
from bot.web.pages.means import Means
from bot.web.pages.site import add_pages
from bot.web.webhook import Keeping, SignOut, Webhook, nobody_signs_in

_AGAIN_S = "60"
_READ_BYTES = 1024 * 1024

log = logging.getLogger(__name__)


def create_app(
    *,
    webhook_secret: str,
    label: str,
    bot_login: str,
    inbox: Keeping,
    ready: Callable[[], Mapping[str, str]],
    figures: Figures,
    readings: Callable[[], Iterable[Reading]] = tuple,
    trusted_bots: Collection[str] = frozenset(),
    means: Means | None = None,
    sign_out: SignOut = nobody_signs_in,
) -> Site:
    """The application that a web process serves. `ready` and `readings` are as in `watch_pages`.

    With `means` there are pages that show what runs; `sign_out` lets nobody look at them any more as somebody.

    It only verifies, decides and enqueues; nothing of a run happens in it.
    """
    webhook = Webhook(
        secret=webhook_secret,
        label=label,
        bot_login=bot_login,
        inbox=inbox,
        count=figures.delivery,
        trusted_bots=trusted_bots,
        sign_out=sign_out,
    )
    pages = watch_pages(ready=ready, figures=figures, readings=readings)
    if means is None:
        return Site(webhook, pages)
    add_pages(pages, means)
    return Site(webhook, pages, means.live.close)


def waiting_pages(*, problem: Callable[[], str], part: str) -> Flask:
    """The pages of a process that waits for a part of ours: what keeps it, and that deliveries are to be sent again."""
    app = watch_pages(ready=lambda: {part: problem()}, figures=Figures(), readings=tuple)

    @app.post("/webhook")
    def _not_yet() -> tuple[Response, int, dict[str, str]]:
        request.stream.read(_READ_BYTES)  # who is cut off while sending may not read the answer
        return jsonify(error="the delivery can't be kept yet; please send it again"), 503, {"Retry-After": _AGAIN_S}

    return app


def watch_pages(
    *, ready: Callable[[], Mapping[str, str]], figures: Figures, readings: Callable[[], Iterable[Reading]]
) -> Flask:
    """The pages that watch over us, and nothing else.

    `ready` names our parts, each with what keeps it from working, in words for the operator, or "". `readings` are
    what is asked for at each look at the figures.
    """
    app = Flask(__name__, static_folder=None)
    app.register_blueprint(health(problems=ready, figures=lambda: figures.text(readings())))
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _bug)
    return app


def _http_error(error: HTTPException) -> tuple[Response, int]:
    return jsonify(error=error.name.lower()), error.code or 500


def _bug(error: Exception) -> tuple[Response, int]:
    """The outermost frame: the sender learns that it failed, the operator's log has the rest."""
    log.error("bug in a web page", exc_info=error)
    return jsonify(error="internal error"), 500

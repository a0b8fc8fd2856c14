"""The web application: what is behind each address, and what an error looks like."""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping

from flask import Flask, Response, jsonify, request
from werkzeug.exceptions import HTTPException

from bot.records import Inbox
from bot.seen.about import about
from bot.seen.figures import Figures, Reading
from bot.web.health import health
from bot.web.webhook import ABOUT, PAYLOAD_LIMIT_BYTES, webhook

log = logging.getLogger(__name__)


def create_app(
    *,
    webhook_secret: str,
    label: str,
    bot_login: str,
    inbox: Inbox,
    ready: Callable[[], Mapping[str, str]],
    figures: Figures,
    readings: Callable[[], Iterable[Reading]] = tuple,
    trusted_bots: Collection[str] = frozenset(),
) -> Flask:
    """The application that a web process serves. `ready` and `readings` are as in `watch_pages`.

    It only verifies, decides and enqueues; nothing of a run happens in it.
    """
    app = watch_pages(ready=ready, figures=figures, readings=readings)
    app.config["MAX_CONTENT_LENGTH"] = PAYLOAD_LIMIT_BYTES
    app.register_blueprint(
        webhook(
            secret=webhook_secret,
            label=label,
            bot_login=bot_login,
            inbox=inbox,
            count=figures.delivery,
            trusted_bots=trusted_bots,
        )
    )
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
    with about(**request.environ.get(ABOUT, {})):
        log.error("bug in a web page", exc_info=error)
    return jsonify(error="internal error"), 500

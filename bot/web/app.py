"""The web application: what is behind each address, and what an error looks like."""

import logging
from collections.abc import Callable, Collection, Sequence

from flask import Flask, Response, jsonify
from werkzeug.exceptions import HTTPException

from bot.records import Inbox
from bot.web.health import health
from bot.web.webhook import PAYLOAD_LIMIT_BYTES, webhook

log = logging.getLogger(__name__)


def create_app(
    *,
    webhook_secret: str,
    label: str,
    bot_login: str,
    inbox: Inbox,
    ready: Callable[[], Sequence[str]],
    trusted_bots: Collection[str] = frozenset(),
) -> Flask:
    """The application that a web process serves. `ready` names what keeps us from working, in words for the operator.

    It only verifies, decides and enqueues; nothing of a run happens in it.
    """
    from bot.web.metrics import Metrics  # noqa: PLC0415 - see there

    metrics = Metrics()
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = PAYLOAD_LIMIT_BYTES
    app.register_blueprint(
        webhook(
            secret=webhook_secret,
            label=label,
            bot_login=bot_login,
            inbox=inbox,
            count=metrics.count_delivery,
            trusted_bots=trusted_bots,
        )
    )
    app.register_blueprint(health(problems=ready, figures=metrics.figures))
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _bug)
    return app


def _http_error(error: HTTPException) -> tuple[Response, int]:
    return jsonify(error=error.name.lower()), error.code or 500


def _bug(error: Exception) -> tuple[Response, int]:
    """The outermost frame: the sender learns that it failed, the operator's log has the rest."""
    log.error("bug in a web page", exc_info=error)
    return jsonify(error="internal error"), 500

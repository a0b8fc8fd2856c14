"""The pages as a whole: what they have in common, who gets in, what an error looks like."""

import hashlib
import logging
from pathlib import Path

from flask import Blueprint, Flask, Response, abort, g, jsonify, render_template, request
from werkzeug.exceptions import HTTPException, InternalServerError, ServiceUnavailable
from werkzeug.routing import RequestRedirect

from bot.errors import Unavailable
from bot.web.pages import events, numbers, parts, runs, signing, words
from bot.web.pages.doorkeeper import NotKnown
from bot.web.pages.forgery import form_token, keep_token
from bot.web.pages.headers import OWN, guard
from bot.web.pages.means import Means, means
from bot.web.pages.place import HOME, own_path
from bot.web.pages.signing import sign_in_page
from bot.web.pages.visitors import Visitor

FOR_PROGRAMS = ("/webhook", "/healthz", "/readyz", "/metrics")
"""Addresses at which an error is told to a program."""

FOLDER = Path(__file__).parent

log = logging.getLogger(__name__)


def add_pages(app: Flask, given: Means) -> None:
    """Add the pages to an application. To everyone who is not recognized there is nothing here."""
    app.jinja_env.filters.update(words.Words(given.secrets).filters)
    app.jinja_env.globals.update(
        form_token=form_token,
        github_url=given.github_url,
        label=given.label,
        can_sign_in=given.door is not None,
        retention_days=given.retention_days,
        standing=words.standing,
        version=_version(),
    )
    app.extensions["selfcode"] = given
    for each in (runs.blueprint, parts.blueprint, numbers.blueprint, events.blueprint, signing.blueprint):
        app.register_blueprint(each)
    app.register_blueprint(
        Blueprint("site", __name__, static_folder="static", static_url_path="/static", template_folder="templates")
    )
    app.before_request(_lead_nowhere)
    app.after_request(_finish)
    app.register_error_handler(HTTPException, _error)
    app.register_error_handler(Unavailable, _away)
    app.register_error_handler(Exception, _bug)


def _lead_nowhere() -> None:
    """An address with a slash too many is none: the framework would lead to the right one on the host that is named."""
    if isinstance(request.routing_exception, RequestRedirect):
        abort(404)


def _finish(response: Response) -> Response:
    if request.endpoint == "site.static" and response.status_code < 400:
        response.headers["Cache-Control"] = "public, max-age=86400"
    if not request.path.startswith(FOR_PROGRAMS):
        guard(response, forms=g.get("forms", (OWN,)))
        keep_token(response)
    return response


def _error(error: HTTPException) -> tuple[Response, int]:
    code = error.code or 500
    if request.path.startswith(FOR_PROGRAMS):
        return jsonify(error=error.name.lower()), code
    who = g.get("visitor") if code == 503 else _who()
    if who is None and means().door is not None and code in _UNKNOWN:
        return sign_in_page(_wanted(), 401), 401
    away = error.description or "" if code == 503 else ""
    return Response(render_template("error.html", code=code, name=error.name, visitor=who, away=away)), code


_UNKNOWN = (401, 404, 405)
"""What is said to everybody who has not signed in, whatever they asked for."""


def _wanted() -> str:
    """The page to be led to after signing in."""
    return own_path(request.full_path.rstrip("?")) if request.method == "GET" else HOME


def _who() -> Visitor | None:
    """Who looks at a page that there is not; nobody where that can't be known."""
    try:
        return g.get("visitor") or means().recognize(request)
    except Unavailable:
        return None


def _away(problem: Unavailable) -> tuple[Response, int]:
    log.warning("a page could not be made: %s", problem)
    return _error(ServiceUnavailable(_WHO_IS_NOT_KNOWN if isinstance(problem, NotKnown) else ""))


_WHO_IS_NOT_KNOWN = """\
GitHub does not answer, and so nobody knows who may see what. Nothing is lost: load this page again in a moment."""


def _bug(error: Exception) -> tuple[Response, int]:
    """The outermost frame: who looks learns that it failed, the operator's log has the rest."""
    log.error("bug in a page", exc_info=error)
    return _error(InternalServerError())


def _version() -> str:
    """What tells the style sheets and the script of one version from those of another."""
    known = hashlib.sha256()
    for path in sorted((FOLDER / "static").iterdir()):
        known.update(path.read_bytes())
    return known.hexdigest()[:12]

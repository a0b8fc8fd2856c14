"""The pages that create the App: all that `selfcode serve` has to show where there is none yet."""

import json
import logging
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from flask import Flask, Response, abort, jsonify, request
from werkzeug.exceptions import HTTPException

from bot.errors import ConfigError, Gone, Refused, Unavailable
from bot.records import WantedApp
from bot.triggers.manifest import CREATED, WEBHOOK, Manifest, complaints, manifest_for
from bot.web.pages.creating_shown import Look, Shown, confirm_page, created_page, form_page, problem_page
from bot.web.pages.desk import Desk, Session
from bot.web.pages.headers import guard

log = logging.getLogger(__name__)

COOKIE = "selfcode-setup"
SETUP = "/setup"
AGAIN = "/setup/again"
FORM_LIMIT_BYTES = 16 * 1024


def create_setup_app(desk: Desk, manifest: Manifest, look: Look) -> Flask:
    """The application that creates the App. No line that it logs holds what is secret."""
    app = Flask(__name__, static_folder=None, template_folder="templates")
    app.config["MAX_CONTENT_LENGTH"] = FORM_LIMIT_BYTES
    pages = _Pages(desk, manifest, look)
    for method, path, shown in (
        ("GET", "/healthz", _alive),
        ("GET", f"{SETUP}/<token>", pages.enter),
        ("GET", SETUP, pages.ask),
        ("POST", SETUP, pages.confirm),
        ("GET", CREATED, pages.created),
        ("POST", AGAIN, pages.again),
    ):
        app.add_url_rule(path, f"{method} {path}".replace(".", "_"), shown, methods=[method])
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _bug)
    return app


class _Pages:
    """One method a page."""

    def __init__(self, desk: Desk, manifest: Manifest, look: Look) -> None:
        self._desk = desk
        self._manifest = manifest
        self._look = look

    def enter(self, token: str) -> Response:
        """Let a browser in. A look at the headers alone, as of a program that shows previews of links, uses up none."""
        session = self._desk.enter(token) if request.method == "GET" else None
        if session is None:
            abort(404)
        answer = Response(status=303, headers={"Location": SETUP})
        secure = _here().startswith("https:")
        answer.set_cookie(COOKIE, session.id, path=SETUP, httponly=True, samesite="Lax", secure=secure)
        return guard(answer)

    def ask(self) -> Shown:
        session, place = self._session(), self._look()
        reach = "push" if place.public_url else ""
        wanted = WantedApp(self._manifest.name, address=place.public_url)
        return form_page(session, place, wanted, address=place.public_url or "", reach=reach, wrong={})

    def confirm(self) -> Shown:
        session, place = self._session(sent=True), self._look()
        wanted, reach = _wish(request.form), request.form.get("reach", "")
        wrong = dict(complaints(wanted, web_address=place.web_address))
        if reach not in ("push", "poll"):
            wrong = {**wrong, "address": "", "reach": "Say whether GitHub reaches this machine."}
        if wrong or place.problem:
            address = request.form.get("address", "")
            return form_page(session, place, wanted, address=address, reach=reach, wrong=wrong)
        asked = manifest_for(self._manifest, wanted, here=_here(wanted.address or place.public_url))
        owner = f"/organizations/{quote(wanted.organization)}" if wanted.organization else ""
        action = f"{place.web_address}{owner}/settings/apps/new?state={quote(self._desk.ask(wanted))}"
        return confirm_page(place, wanted, action=action, asked=asked, sent=json.dumps(asked))

    def created(self) -> Shown:
        if self._desk.arrive(request.args.get("state", ""), request.args.get("code", "")):
            return self._finish()
        return problem_page(
            400,
            "This answer belongs to no question of ours",
            "It was asked for more than an hour ago or by another program, or it was used already. No App was taken "
            "over. If GitHub has created one just now, delete it there before you begin again.",
            self._look(),
        )

    def again(self) -> Shown:
        self._session(sent=True)
        return self._finish()

    def _finish(self) -> Shown:
        place, again = self._look(), self._known_session()
        try:
            app, wanted = self._desk.finish()
        except Gone:
            self._desk.forget_arrived()
            return problem_page(
                410,
                "GitHub no longer takes the code that it sent",
                "A code is good for one hour, and once. The App that you have just created is of no use, for its key "
                "was never handed over: delete it on GitHub, then begin again.",
                place,
            )
        except Unavailable as away:
            log.warning("the App is created on GitHub, and its key could not be fetched: %s", away)
            words = f"{away}. The App is created; its key is still to be fetched, which is possible for an hour."
            return problem_page(503, "GitHub does not answer just now", words, place, again=again)
        except ConfigError as problem:
            log.warning("the App is created on GitHub, and can't be kept: %s", problem)
            words = (
                f"{problem}. Its key is in the memory of this program alone: mend that without ending the program, "
                "then try again."
            )
            return problem_page(507, "The App is created, but can't be kept", words, place, again=again)
        except Refused as refusal:
            words = f"{refusal} If GitHub has created a second App just now, delete it there."
            return problem_page(409, "Not created by this answer", words, place)
        answer = created_page(app, wanted, place)
        answer.call_on_close(self._desk.shown.set)
        return answer

    def _session(self, *, sent: bool = False) -> Session:
        """The browser that was let in; with `sent`, by a form that we gave it. Else 403."""
        session = self._known_session()
        if session is None or (sent and not session.sent_with(request.form.get("form", ""))):
            abort(403)
        return session

    def _known_session(self) -> Session | None:
        return self._desk.session(request.cookies.get(COOKIE, ""))


def _alive() -> Response:
    return jsonify(alive=True)


def _wish(form: Mapping[str, str]) -> WantedApp:
    address = form.get("address", "").strip().rstrip("/").removesuffix(WEBHOOK)
    return WantedApp(
        name=form.get("name", "").strip(),
        organization=form.get("organization", "").strip() if form.get("owner") == "organization" else "",
        address=address if form.get("reach") != "poll" else None,
    )


def _here(expected: str | None = None) -> str:
    """Our address as the browser sees it; where it is the one that GitHub is to use, by that one's words."""
    if expected and urlsplit(expected).netloc == request.host:
        return expected
    scheme = "https" if request.headers.get("X-Forwarded-Proto") == "https" else request.scheme
    return f"{scheme}://{request.host}"


_BY_THE_LINK = """\
Open the link that `selfcode serve` has printed in its terminal. Each link lets one browser in; for another one there is
another link, below it. Cookies have to be allowed for this page."""

_NO_APP_YET = """\
There is nothing here but the page that creates the App: its link is in the terminal of `selfcode serve`, the lowest one
if there are several."""

_HINTS = {403: ("Come by the link", _BY_THE_LINK), 404: ("selfcode has no App yet", _NO_APP_YET)}


def _http_error(error: HTTPException) -> Shown:
    status = error.code or 500
    title, words = _HINTS.get(status, (error.name, ""))
    return problem_page(status, title, words)


def _bug(error: Exception) -> Shown:
    log.error("bug in the page that creates the App", exc_info=error)
    return problem_page(500, "Something is wrong in selfcode", "The terminal of `selfcode serve` has more.")

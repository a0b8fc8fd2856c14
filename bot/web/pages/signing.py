"""Signing in by GitHub, and signing out.

A browser takes a secret along, in a cookie, before it goes to GitHub; what comes back counts with that secret alone,
once and for ten minutes. So nobody can be signed in as somebody else by a link.
"""

import logging
import threading
from hmac import compare_digest
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, g, render_template, request

from bot.errors import Gone, Unavailable
from bot.records import SESSION_LASTS_S
from bot.triggers.manifest import SIGNED_IN
from bot.web.pages import doorkeeper
from bot.web.pages.doorkeeper import Doorkeeper, NotKnown, Session
from bot.web.pages.forgery import renew_token, require_own_form
from bot.web.pages.headers import OWN
from bot.web.pages.means import means
from bot.web.pages.place import HOME, own_path
from bot.web.pages.sealing import Secret, challenge_for

UNDER_WAY = "sign-in"
"""The cookie of a browser that is under way."""

UNDER_WAY_S = 600

_NOT_YOURS = (
    "What has come back from GitHub belongs to no sign-in that this browser began in the last ten minutes. It may have "
    "been begun in another browser, or at another address than the one that GitHub sends people back to. Begin again "
    "here."
)
_DECLINED = "GitHub says that you did not let it tell us who you are. To sign in, begin again and say yes there."
_NO_ADDRESS = "Nobody can sign in from another machine yet: the operator has to set SELFCODE_PUBLIC_URL."

blueprint = Blueprint("signing", __name__)
log = logging.getLogger(__name__)


@blueprint.get("/sign-in")
def page() -> Response:
    """The page with the button. Who is signed in is led on."""
    door = _door()
    leads_to = own_path(request.args.get("next", ""))
    return _led(leads_to) if door.session(request) is not None else sign_in_page(leads_to, 200)


@blueprint.post("/sign-in")
def begin() -> Response:
    """Send the browser to GitHub."""
    door = _door()
    require_own_form(request)
    back = door.place.back(request)
    if back is None:
        return sign_in_page(HOME, 503, _NO_ADDRESS)
    secret = Secret.new()
    door.sessions.ask(secret.key, own_path(request.form.get("next", "")), door.clock())
    challenge = challenge_for(secret.made_for("verifier"))
    answer = _led(door.signing_in.address(state=secret.made_for("state"), challenge=challenge, back=back))
    door.place.give(answer, UNDER_WAY, secret.text, lasts_s=UNDER_WAY_S)
    _let_forms_go_to_github()
    return answer


@blueprint.get(SIGNED_IN)
def arrive() -> Response:
    """Take what comes back from GitHub, once, and let the browser in."""
    door = _door()
    secret = Secret.read(door.place.given(request, UNDER_WAY))
    state = request.args.get("state", "")
    if secret is None or not compare_digest(state.encode(), secret.made_for("state").encode()):
        return sign_in_page(HOME, 400, _NOT_YOURS)
    leads_to, back = door.sessions.arrive(secret.key, door.clock() - UNDER_WAY_S), door.place.back(request)
    if leads_to is None or back is None:
        return _tried(sign_in_page(HOME, 400, _NOT_YOURS))
    if not request.args.get("code"):
        return _tried(sign_in_page(leads_to, 401, _DECLINED))
    try:
        grant = door.signing_in.redeem(request.args["code"], verifier=secret.made_for("verifier"), back=back)
        person = door.signing_in.person(grant)
    except Gone:
        return _tried(sign_in_page(leads_to, 400, "GitHub no longer takes the code that it sent. Begin again."))
    except Unavailable as away:
        raise NotKnown(f"nobody can sign in: {away}", away.retry_after_s) from away
    if person.id is None:
        raise NotKnown("nobody can sign in: GitHub does not say who that is")
    before = door.session(request)
    session = door.begin(grant, person.id)
    log.info("%s has signed in", person.login)
    answer = _tried(_led(leads_to))
    if before is not None:
        _end(before, answer)
    door.place.give(answer, doorkeeper.COOKIE, session.secret.text, lasts_s=SESSION_LASTS_S)
    renew_token()
    return answer


@blueprint.post("/sign-out")
def leave() -> Response:
    """Sign out here; with `everywhere`, in every browser.

    What GitHub gave to the other browsers can be read by nobody then, and ends by itself.
    """
    door = _door()
    require_own_form(request)
    session = door.session(request)
    answer = _led("/sign-in")
    if session is not None:
        _end(session, answer)  # before all others: its token, as it is by now, is told by its row alone
        if "everywhere" in request.form:
            door.sign_out(session.row.user_id)
    door.place.take(answer, doorkeeper.COOKIE)
    renew_token()
    return answer


def _end(session: Session, answer: Response) -> None:
    """Let a session in no more; its token is revoked once the answer is there, so that nobody waits for GitHub."""
    door = _door()
    ended = door.end(session)
    revoking = threading.Thread(target=door.revoke, args=(ended,), name="revoking", daemon=True)
    answer.call_on_close(revoking.start)


def sign_in_page(leads_to: str, status: int, problem: str = "") -> Response:
    """What those see who are not signed in, whatever they wanted to see."""
    _let_forms_go_to_github()
    return Response(render_template("sign_in.html", next=leads_to, problem=problem, visitor=None), status)


def _let_forms_go_to_github() -> None:
    """The form goes to us, and is led on from here, which browsers count as well."""
    parts = urlsplit(means().github_url)
    g.forms = (OWN, f"{parts.scheme}://{parts.netloc}")


def _door() -> Doorkeeper:
    """The doorkeeper; where nobody can sign in, there is no such page."""
    found = means().door
    if found is None:
        abort(404)
    return found


def _tried(answer: Response) -> Response:
    _door().place.take(answer, UNDER_WAY)
    return answer


def _led(address: str) -> Response:
    return Response(status=303, headers={"Location": address})

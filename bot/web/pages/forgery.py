"""That a form was sent by who looked at it: a token in the form, which must be the one in a cookie of the same browser.

No other site can read the cookie, nor have it sent with a form of its own.
"""

import secrets
from hmac import compare_digest

from flask import Request, Response, abort, g, request
from markupsafe import Markup

from bot.web.pages.means import means

COOKIE = "form"
FIELD = "form_token"
_LENGTH = 43


def form_token() -> Markup:
    """What goes into each form of the page that is being made."""
    if "form_token" not in g:
        known = means().place.given(request, COOKIE)
        g.form_token = known if len(known) == _LENGTH else secrets.token_urlsafe(32)
    return Markup('<input type="hidden" name="{}" value="{}">').format(FIELD, g.form_token)


def keep_token(response: Response) -> None:
    """Let the browser have the token of the page that it gets."""
    place = means().place
    if "form_token" in g and place.given(request, COOKIE) != g.form_token:
        place.give(response, COOKIE, g.form_token)


def renew_token() -> None:
    """Have forms of before be no good any more: the browser is somebody else's from now on."""
    g.form_token = secrets.token_urlsafe(32)


def require_own_form(request: Request) -> None:
    """Answer 403 unless the form is one of ours."""
    known, given = means().place.given(request, COOKIE), request.form.get(FIELD, "")
    is_ours = len(known) == _LENGTH and compare_digest(known.encode(), given.encode())
    if not is_ours or not _from_here(request):
        abort(403)


def _from_here(request: Request) -> bool:
    """By what a browser says of where a form stood; not all of them say it.

    Our pages tell nobody where one came from: the origin of their own forms is “null”, and says nothing.
    """
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None and site not in ("same-origin", "none"):
        return False
    return origin in (None, "null") or means().place.is_own(origin, request)

"""What the pages that create the App look like: each is whole in itself, for nobody is left to ask for more of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any
from urllib.parse import quote, urlsplit

from flask import Response, render_template

from bot.records import NewApp, WantedApp
from bot.triggers.manifest import NAME_LIMIT
from bot.web.pages.desk import Session
from bot.web.pages.headers import OWN, guard, hashed

Shown = Response | tuple[Response, int]


@dataclass(frozen=True, slots=True)
class Place:
    """Where we are, for the operator who creates an App.

    `notes` are what will keep selfcode from starting once the App is there, `problem` what keeps the App from being
    kept, or "".
    """

    web_address: str
    public_url: str | None
    kept_in: str
    poll_seconds: float
    notes: Sequence[str] = ()
    problem: str = ""


Look = Callable[[], Place]
"""Says where we are, at each look: what was wrong may have been mended."""


def form_page(
    session: Session, place: Place, wanted: WantedApp, *, address: str, reach: str, wrong: Mapping[str, str]
) -> Shown:
    """The form, with what was entered and what is wrong with it."""
    shown = _page(
        "setup/form.html",
        session=session,
        place=place,
        wanted=wanted,
        address=address,
        reach=reach,
        wrong=wrong,
        name_limit=NAME_LIMIT,
    )
    return shown, 400 if wrong else 200


def confirm_page(place: Place, wanted: WantedApp, *, action: str, asked: Mapping[str, Any], sent: str) -> Response:
    """What will be created, and the way to GitHub."""
    parts = urlsplit(place.web_address)
    return _page(
        "setup/confirm.html",
        forms=(OWN, f"{parts.scheme}://{parts.netloc}"),
        place=place,
        wanted=wanted,
        action=action,
        asked=asked,
        sent=sent,
    )


def created_page(app: NewApp, wanted: WantedApp, place: Place) -> Response:
    """What was created, and where it is installed."""
    return _page("setup/created.html", app=app, wanted=wanted, place=place, install=_install_address(app, place))


def problem_page(
    status: int, title: str, words: str, place: Place | None = None, *, again: Session | None = None
) -> Shown:
    """What went wrong, and what can be done; `again`: who may try the same again."""
    return _page("setup/problem.html", title=title, words=words, place=place, again=again), status


def _install_address(app: NewApp, place: Place) -> str:
    """Where the App is installed: never another server than the one that was asked."""
    page = f"{place.web_address}/apps/{quote(app.slug)}"
    given = app.html_url.rstrip("/")
    ours = given.startswith(f"{place.web_address}/")
    return f"{given if ours else page}/installations/new"


def _page(template: str, *, forms: Sequence[str] = (OWN,), **values: Any) -> Response:
    style = (resources.files("bot.web.pages") / "static" / "style.css").read_text(encoding="utf-8")
    answer = Response(render_template(template, style=style, **values))
    return guard(answer, styles=hashed(style), scripts="'none'", forms=forms)

"""What the pages are made of, and who looks, within a request."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from flask import abort, current_app, g, request

from bot.records import Steering, Viewing
from bot.web.pages.doorkeeper import Doorkeeper
from bot.web.pages.live import Live
from bot.web.pages.place import Place
from bot.web.pages.visitors import Recognize, Visitor, operator_here

_RUN_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")


@dataclass(frozen=True, slots=True)
class Means:
    """What the pages are made of. `github_url` is where its own pages are; `secrets` are values that none shows.

    `retention_days` is how long runs are kept, 0 for ever. `label` is the one that starts them. With a `door` people
    can sign in.
    """

    viewing: Viewing
    steering: Steering
    github_url: str = "https://github.com"
    secrets: tuple[str, ...] = ()
    retention_days: float = 90.0
    label: str = "selfcode"
    recognize: Recognize = operator_here
    door: Doorkeeper | None = None
    live: Live = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "live", Live(self.viewing))
        if self.door is not None:
            object.__setattr__(self, "recognize", self.door.recognize)

    @property
    def place(self) -> Place:
        """Where we are, as browsers see it."""
        return self.door.place if self.door is not None else Place()


def means() -> Means:
    """What the application was made of, within a request."""
    found: Means = current_app.extensions["selfcode"]
    return found


def visitor() -> Visitor:
    """Who looks."""
    found: Visitor = g.visitor
    return found


def let_in() -> None:
    """Know who looks, before anything is shown. Who is not recognized has to sign in, or finds nothing here."""
    found = means().recognize(request)
    if found is None:
        abort(404 if means().door is None else 401)
    run_id = (request.view_args or {}).get("run_id", "")
    if run_id and not _RUN_ID.fullmatch(run_id):
        abort(404)
    g.visitor = found


def may_act(repository_id: int) -> bool:
    """Whether who looks may have runs there stopped and done again, as of now."""
    door = means().door
    return visitor().may_write(repository_id) if door is None else door.may_act(request, visitor(), repository_id)


def still() -> Callable[[], bool]:
    """What says, outside of a request too, whether who looks is let in still."""
    door = means().door
    return (lambda: True) if door is None else door.still(request)


def given(name: str) -> str:
    """What an address says of this name, as far as it can be looked for; "" for nothing."""
    return request.args.get(name, "").replace("\x00", "")[:300]

"""What GitHub tells afterwards: what `records.Hindsight` promises, through the App."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from bot.errors import Gone, Unavailable
from bot.github import deliveries, labelled
from bot.github.failures import Expired, Moved
from bot.github.place import Places
from bot.github.server import Purpose, Server
from bot.github.tokens import REFUSED_KEY, Tokens
from bot.records import (
    DeliveryPage,
    Installed,
    IssueRef,
    LabelledIssue,
    Labelling,
    RepositoryRef,
)

T = TypeVar("T")

_WHO_LABELLED = Purpose("read who put the label on", "issues: read")


class Patiently(Protocol):
    """Does a task, and again where GitHub was away for a moment."""

    def __call__(self, task: Callable[[], T], /) -> T: ...


class AppHindsight:
    """Looks back, as the App. Reads alone, one after the other."""

    def __init__(self, *, server: Server, tokens: Tokens, places: Places, patiently: Patiently) -> None:
        self._server = server
        self._tokens = tokens
        self._places = places
        self._patiently = patiently

    def deliveries(self, cursor: str | None = None) -> DeliveryPage:
        return self._as_app(lambda: deliveries.page(self._server, self._tokens.as_app, cursor))

    def body(self, attempt_id: int) -> bytes:
        return self._as_app(lambda: deliveries.body(self._server, self._tokens.as_app, attempt_id))

    def installations(self) -> Sequence[Installed]:
        return self._as_app(lambda: labelled.installations(self._server, self._tokens.as_app))

    def sees(self, repository: RepositoryRef) -> bool:
        if repository.id == 0:
            there = {each.id for each in self.installations() if not each.is_suspended}
            return repository.installation_id in there
        self._tokens.forget(repository)  # one from before shows a public repository still
        try:
            self._patiently(lambda: self._places.look(repository))
        except (Gone, Moved):
            return False
        return True

    def labelled(self, installation: Installed, label: str, *, since: float) -> Iterator[LabelledIssue]:
        ref = RepositoryRef(installation.id, 0, installation.account, "")
        token = self._patiently(lambda: self._tokens.for_issues(ref))
        found = labelled.labelled(self._server, token, installation, label, since=since)
        try:
            yield from found
        except Expired as expired:
            raise Unavailable(f"GitHub does not accept a fresh token: {expired}") from expired

    def labelling(self, at: IssueRef, label: str) -> Labelling | None:
        return self._patiently(
            lambda: self._places.work(
                at.repository, _WHO_LABELLED, lambda place: labelled.labelling(place, at.number, label)
            )
        )

    def _as_app(self, task: Callable[[], T]) -> T:
        try:
            return self._patiently(task)
        except Expired as expired:
            raise Unavailable(f"{REFUSED_KEY}: {expired}") from expired
        except Moved as moved:
            raise Unavailable(f"GitHub's API is at another address: {moved}") from moved

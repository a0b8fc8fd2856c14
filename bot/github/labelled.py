"""Which open issues have a label, and who put it on, on all accounts that the App is on."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator

from bot.errors import Gone, Refused
from bot.github.answers import Account, LabelName, Slice, Text, read
from bot.github.connections import Connections
from bot.github.failures import Moved
from bot.github.place import PAGE, Place
from bot.github.server import Purpose, Server
from bot.records import Installed, IssueRef, LabelledIssue, Labelling, RepositoryRef

T = TypeVar("T")

log = logging.getLogger(__name__)

_INSTALLED = Purpose("list where the App is installed", "metadata: read")
_COVERED = Purpose("list the repositories of the installation", "metadata: read")
_LABELLED = Purpose("list the issues with the label", "issues: read")


class Owner(Slice):
    """An account; an enterprise has a slug in the place of a login."""

    login: str = ""


class Installation(Slice):
    """The App on one account."""

    id: int
    account: Annotated[Owner, BeforeValidator(lambda value: value or {})] = Owner()
    created_at: datetime
    suspended_at: datetime | None = None


class Repository(Slice):
    """A repository that the installation covers."""

    id: int
    full_name: str
    archived: bool = False
    open_issues_count: int | None = None

    @property
    def may_have_issues(self) -> bool:
        """Whether something can be open there, and be worked on."""
        return not self.archived and self.open_issues_count != 0


class Covered(Slice):
    """A page of an installation's repositories."""

    repositories: tuple[Repository, ...] = ()


class Issue(Slice):
    """An issue in a list; a pull request is one too."""

    number: int
    updated_at: datetime
    labels: tuple[LabelName, ...] = ()
    user: Account | None = None
    author_association: Text = ""
    pull_request: dict[str, Any] | None = None


class Happening(Slice):
    """Something that happened to an issue. `actor` is None where the account is gone."""

    event: str
    created_at: datetime
    actor: Account | None = None
    label: LabelName | None = None


def installations(server: Server, as_app: Connections) -> tuple[Installed, ...]:
    """Every account that the App is on. Raises as `Server.send` does."""

    def page(parameters: Mapping[str, int]) -> Sequence[Installation]:
        answer = server.send(as_app, "GET", "/app/installations", purpose=_INSTALLED, parameters=parameters)
        return read(list[Installation], answer)

    return tuple(
        Installed(each.id, each.account.login, each.created_at.timestamp(), each.suspended_at is not None)
        for each in _all_pages(page)
    )


def labelled(
    server: Server, token: Connections, installation: Installed, label: str, *, since: float
) -> Iterator[LabelledIssue]:
    """See `records.Hindsight`. The token is one of the whole installation."""
    for repository in covered(server, token, installation):
        if not repository.may_have_issues:
            continue
        place = Place(server, token, repository.full_name, _LABELLED, installation.id)
        owner, _, name = repository.full_name.partition("/")
        ref = RepositoryRef(installation.id, repository.id, owner, name)
        moment = datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        try:
            found = list(place.pages("issues", Issue, state="open", labels=label, since=moment))
        except (Gone, Refused, Moved) as problem:
            log.warning("the issues of %s can't be looked through: %s", repository.full_name, problem)
            continue
        for issue in found:
            names = tuple(each.name for each in issue.labels)
            if issue.pull_request is None and label.casefold() in {each.casefold() for each in names}:
                at, author = IssueRef(ref, issue.number), issue.user.person() if issue.user else None
                yield LabelledIssue(at, names, issue.updated_at.timestamp(), author, issue.author_association)


def covered(server: Server, token: Connections, installation: Installed) -> Iterator[Repository]:
    """Every repository that the installation covers. Raises as `Server.send` does."""

    def page(parameters: Mapping[str, int]) -> Sequence[Repository]:
        server.pace.ask(installation.id)
        answer = server.send(token, "GET", "/installation/repositories", purpose=_COVERED, parameters=parameters)
        return read(Covered, answer).repositories

    return _all_pages(page)


def _all_pages(page: Callable[[Mapping[str, int]], Sequence[T]]) -> Iterator[T]:
    """What is listed, page by page, up to the first that is not full."""
    for number in count(1):
        found = page({"per_page": PAGE, "page": number})
        yield from found
        if len(found) < PAGE:
            return


def labelling(place: Place, number: int, label: str) -> Labelling | None:
    """Who put the label on last; None where nobody did by this name, as where the label was renamed since.

    Events, not the timeline: the same facts, without the conversation in between.
    Source: https://docs.github.com/en/rest/issues/events
    """
    wanted = label.casefold()
    put_on = [
        event
        for event in place.pages(f"issues/{number}/events", Happening)
        if event.event == "labeled" and event.label is not None and event.label.name.casefold() == wanted
    ]
    if not put_on:
        return None
    last = put_on[-1]
    return Labelling(last.actor.person() if last.actor else None, last.created_at.timestamp())

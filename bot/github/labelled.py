"""Which open issues have a label, and who put it on, on all accounts that the App is on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Annotated, TypeVar

from pydantic import BeforeValidator

from bot.errors import Unavailable
from bot.github.answers import Account, LabelName, Slice, Text, read
from bot.github.connections import Connections
from bot.github.place import PAGE, Place
from bot.github.server import Purpose, Server
from bot.records import Installed, IssueRef, LabelledIssue, Labelling, RepositoryRef

T = TypeVar("T")

_INSTALLED = Purpose("list where the App is installed", "metadata: read")
_COVERED = Purpose("list the repositories of the installation", "metadata: read")
_SEARCHING = Purpose("search for issues with the label", "issues: read")

PAGES = 10
"""How many pages of one search GitHub shows."""


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


class Covered(Slice):
    """A page of an installation's repositories."""

    repositories: tuple[Repository, ...] = ()


class Issue(Slice):
    """An issue that was found. Of its repository it tells the address alone, which ends with its name."""

    number: int
    repository_url: str
    updated_at: datetime
    labels: tuple[LabelName, ...] = ()
    user: Account | None = None
    author_association: Text = ""

    @property
    def full_name(self) -> str:
        """The repository's."""
        return "/".join(self.repository_url.split("/")[-2:])


class Found(Slice):
    """A page of what a search has found."""

    items: tuple[Issue, ...] = ()
    incomplete_results: bool = False


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
    """See `records.Hindsight`. The token is one of the whole installation.

    By a search, which takes one request of an account where nothing happened, and has a limit of its own. It finds
    public issues of repositories, too, that the App is not on. `Unavailable` where it says that it has not seen all.
    Source: https://docs.github.com/en/rest/search/search
    """
    there: Mapping[str, Repository] | None = None
    for issue in _search(server, token, installation, label, since):
        if there is None:
            there = {each.full_name.casefold(): each for each in covered(server, token, installation)}
        names, repository = tuple(each.name for each in issue.labels), there.get(issue.full_name.casefold())
        if repository is None or label.casefold() not in {each.casefold() for each in names}:
            continue
        owner, _, name = repository.full_name.partition("/")
        at = IssueRef(RepositoryRef(installation.id, repository.id, owner, name), issue.number)
        author = issue.user.person() if issue.user else None
        yield LabelledIssue(at, names, issue.updated_at.timestamp(), author, issue.author_association)


def _search(server: Server, token: Connections, installation: Installed, label: str, since: float) -> Iterator[Issue]:
    """The open issues that have the label, those first that nothing has happened to for longest; each once.

    It is searched on from where a page ended: what something happens to meanwhile moves to the end of the list, and all
    behind it would change the page. Only what happened in one second takes turning pages.
    """
    page, seen = 1, set[tuple[str, int]]()
    while page <= PAGES:
        found = _page(server, token, _query(installation, label, since), page)
        for issue in found:
            if (key := (issue.repository_url, issue.number)) not in seen:
                seen.add(key)
                yield issue
        if len(found) < PAGE:
            return
        reached = found[-1].updated_at.timestamp()
        since, page = max(since, reached), 1 if reached > since else page + 1
    raise Unavailable(f"GitHub's search shows no more than {PAGES * PAGE} issues of one second")


def _page(server: Server, token: Connections, query: str, page: int) -> Sequence[Issue]:
    parameters = {"q": query, "sort": "updated", "order": "asc", "per_page": PAGE, "page": page}
    answer = server.send(token, "GET", "/search/issues", purpose=_SEARCHING, parameters=parameters)
    found = read(Found, answer)
    if found.incomplete_results:
        raise Unavailable("GitHub's search was not done in time")
    return found.items


def _query(installation: Installed, label: str, since: float) -> str:
    name = label.replace("\\", "\\\\").replace('"', '\\"')
    moment = datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f'is:issue is:open archived:false user:{installation.account} updated:>={moment} label:"{name}"'


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
    last: Happening | None = None
    off_at: float | None = None
    off_before: float | None = None
    for event in place.pages(f"issues/{number}/events", Happening):
        if event.label is None or event.label.name.casefold() != wanted:
            continue
        if event.event == "labeled":
            last, off_before = event, off_at
        elif event.event == "unlabeled":
            off_at = event.created_at.timestamp()
    if last is None:
        return None
    return Labelling(last.actor.person() if last.actor else None, last.created_at.timestamp(), off_before)

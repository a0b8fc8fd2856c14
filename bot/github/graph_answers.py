"""What GraphQL answers, as values, in its own spelling."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from bot.github.answers import GHOST, Slice, Text
from bot.records import Person


class PageInfo(Slice):
    """Where a list goes on."""

    hasNextPage: bool = False  # noqa: N815 - GitHub's name
    endCursor: str | None = None  # noqa: N815 - GitHub's name


class Numbered(Slice):
    """What is read of a thing where its number in the REST API is enough: `databaseId` has no room for today's."""

    fullDatabaseId: int  # noqa: N815 - GitHub's name


class Actor(Slice):
    """Who did something; bots have no `[bot]` in their names here."""

    login: str
    kind: Annotated[str, Field(alias="__typename")] = "User"
    databaseId: int | None = None  # noqa: N815 - GitHub's name

    def person(self) -> Person:
        is_bot = self.kind == "Bot"
        return Person(f"{self.login.removesuffix('[bot]')}[bot]" if is_bot else self.login, is_bot, self.databaseId)


Someone = Annotated[Actor, BeforeValidator(lambda value: Actor(login=GHOST.login) if value is None else value)]


class ThreadComment(Slice):
    """A comment of a thread."""

    fullDatabaseId: int  # noqa: N815 - GitHub's name
    body: Text = ""
    createdAt: Text = ""  # noqa: N815 - GitHub's name
    diffHunk: Text = ""  # noqa: N815 - GitHub's name
    pullRequestReview: Numbered | None = None  # noqa: N815 - GitHub's name
    author: Someone


class ThreadComments(Slice):
    """A page of a thread's comments, oldest first."""

    pageInfo: PageInfo = PageInfo()  # noqa: N815 - GitHub's name
    nodes: tuple[ThreadComment, ...] = ()


class Thread(Slice):
    """A review thread. `originalLine` is that of the file as it was when the comment was made."""

    id: str
    path: str
    isResolved: bool = False  # noqa: N815 - GitHub's name
    isOutdated: bool = False  # noqa: N815 - GitHub's name
    originalLine: int | None = None  # noqa: N815 - GitHub's name
    originalStartLine: int | None = None  # noqa: N815 - GitHub's name
    diffSide: Text = ""  # noqa: N815 - GitHub's name
    comments: ThreadComments


class Threads(Slice):
    """A page of a pull request's review threads."""

    pageInfo: PageInfo = PageInfo()  # noqa: N815 - GitHub's name
    nodes: tuple[Thread, ...] = ()


class GraphError(Slice):
    """What GraphQL says instead of a status."""

    type: Text = ""
    message: Text = ""


class GraphAnswer(Slice):
    """An answer of the GraphQL API: its status is 200 even where it did nothing."""

    data: Any = None
    errors: tuple[GraphError, ...] = ()

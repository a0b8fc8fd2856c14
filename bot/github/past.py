"""Merged pull requests that close an issue, with its words as they were before anybody knew of the fix."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.github.answers import Slice, Text, read
from bot.github.graph_answers import PageInfo
from bot.github.place import Place
from bot.records import FixSource, PastFix

HISTORY = 30
"""How far back a merged commit is looked at: of a rebase of as many commits or more nobody would say one fix."""

_MERGED = f"""\
query($owner: String!, $name: String!, $branch: String!, $after: String) {{
  repository(owner: $owner, name: $name) {{
    nameWithOwner
    pullRequests(
      states: MERGED, baseRefName: $branch, first: 20, after: $after, orderBy: {{field: CREATED_AT, direction: DESC}}
    ) {{
      pageInfo {{ hasNextPage endCursor }}
      nodes {{
        number url createdAt mergedAt
        mergeCommit {{ oid message history(first: {HISTORY}) {{ nodes {{ oid }} }} }}
        commits(last: 1) {{ totalCount nodes {{ commit {{ message }} }} }}
        closingIssuesReferences(first: 5) {{
          nodes {{
            number title body createdAt lastEditedAt repository {{ nameWithOwner }}
            userContentEdits(first: 50) {{ nodes {{ editedAt diff }} }}
            timelineItems(first: 50, itemTypes: [RENAMED_TITLE_EVENT]) {{
              nodes {{ ... on RenamedTitleEvent {{ createdAt previousTitle }} }}
            }}
          }}
        }}
      }}
    }}
  }}
}}"""
"""Source: https://docs.github.com/en/graphql/reference/objects#pullrequest. An edit's `diff` is the whole body that it
left, not a difference; the first one is that of the beginning.
"""


class Edit(Slice):
    """What a body became at some moment; `diff` is None where that was deleted from its history."""

    editedAt: datetime  # noqa: N815 - GitHub's name
    diff: str | None = None


class Edits(Slice):
    """A body's history, in no order that is promised."""

    nodes: tuple[Edit, ...] = ()


class Renaming(Slice):
    """A title was changed."""

    createdAt: datetime  # noqa: N815 - GitHub's name
    previousTitle: str  # noqa: N815 - GitHub's name


class Renamings(Slice):
    """A title's history."""

    nodes: tuple[Renaming, ...] = ()


class Named(Slice):
    """What is read of a repository where its name is enough."""

    nameWithOwner: str  # noqa: N815 - GitHub's name


class Closed(Slice):
    """An issue that a pull request closes."""

    number: int
    title: str
    body: Text = ""
    createdAt: datetime  # noqa: N815 - GitHub's name
    lastEditedAt: datetime | None = None  # noqa: N815 - GitHub's name
    repository: Named
    userContentEdits: Edits = Edits()  # noqa: N815 - GitHub's name
    timelineItems: Renamings = Renamings()  # noqa: N815 - GitHub's name


class ClosedOnes(Slice):
    """The issues that a pull request closes; None for one that can't be seen."""

    nodes: tuple[Closed | None, ...] = ()


class Ancestor(Slice):
    """A commit by its id."""

    oid: str


class History(Slice):
    """A commit and those before it, newest first."""

    nodes: tuple[Ancestor, ...] = ()


class MergeCommit(Slice):
    """What a pull request became on its base branch: a merge, its only commit, or the last one of a rebase."""

    oid: str
    message: Text = ""
    history: History = History()


class Said(Slice):
    """A commit's words."""

    message: Text = ""


class Last(Slice):
    """A commit of a pull request."""

    commit: Said


class Commits(Slice):
    """How many commits a pull request has, and the last one."""

    totalCount: int = 0  # noqa: N815 - GitHub's name
    nodes: tuple[Last, ...] = ()


class Merged(Slice):
    """A merged pull request."""

    number: int
    url: str
    createdAt: datetime  # noqa: N815 - GitHub's name
    mergedAt: datetime  # noqa: N815 - GitHub's name
    mergeCommit: MergeCommit | None = None  # noqa: N815 - GitHub's name
    commits: Commits = Commits()
    closingIssuesReferences: ClosedOnes = ClosedOnes()  # noqa: N815 - GitHub's name


class MergedOnes(Slice):
    """A page of merged pull requests."""

    pageInfo: PageInfo = PageInfo()  # noqa: N815 - GitHub's name
    nodes: tuple[Merged, ...] = ()


class Home(Named):
    """A repository with such a page."""

    pullRequests: MergedOnes  # noqa: N815 - GitHub's name


class Answer(Slice):
    """What the question is answered with."""

    repository: Home


@dataclass(frozen=True, slots=True)
class Page:
    """Some fixes, the newest first, and the cursor of those before them; None where there are none."""

    fixes: tuple[PastFix, ...]
    before: str | None


def page(place: Place, branch: str, after: str | None) -> Page:
    """A page of what was merged into a branch and closes an issue of the same repository, with that issue's words.

    Left out is what closes no issue that was there before the pull request was, and whose words of then are known.
    """
    owner, _, name = place.full_name.partition("/")
    found = read(Answer, place.query(_MERGED, owner=owner, name=name, branch=branch, after=after)).repository
    fixes = (_as_fix(pull, found.nameWithOwner) for pull in found.pullRequests.nodes)
    info = found.pullRequests.pageInfo
    return Page(tuple(fix for fix in fixes if fix is not None), info.endCursor if info.hasNextPage else None)


def _as_fix(pull: Merged, home: str) -> PastFix | None:
    merged = pull.mergeCommit
    told = [words for each in _issues(pull, home) if (words := _words_before(each, pull.createdAt)) is not None]
    base = _base(pull, merged) if merged else None
    if merged is None or base is None or not told:
        return None
    title, body = told[0]
    more = [f"{further}\n\n{text}".strip() for further, text in told[1:]]
    return PastFix(
        id=f"pull-{pull.number}",
        name=f"#{pull.number}",
        base=base,
        head=merged.oid,
        title=title,
        body="\n\n".join([body, *more]).strip(),
        source=FixSource.PULL_REQUEST,
        at=pull.mergedAt.timestamp(),
        url=pull.url,
    )


def _issues(pull: Merged, home: str) -> Sequence[Closed]:
    """Those of this repository, which everybody who sees it sees; the first one first."""
    seen = (each for each in pull.closingIssuesReferences.nodes if each is not None)
    own = (each for each in seen if each.repository.nameWithOwner.casefold() == home.casefold())
    return sorted(own, key=lambda each: each.number)


def _words_before(issue: Closed, moment: datetime) -> tuple[str, str] | None:
    """Title and body as they were then; None where there was none yet, or its words of then are not known."""
    body = _body_before(issue, moment)
    if issue.createdAt > moment or body is None:
        return None
    later = sorted(
        (each for each in issue.timelineItems.nodes if each.createdAt > moment), key=lambda each: each.createdAt
    )
    return (later[0].previousTitle if later else issue.title), body


def _body_before(issue: Closed, moment: datetime) -> str | None:
    if issue.lastEditedAt is None or issue.lastEditedAt <= moment:
        return issue.body
    earlier = [each for each in issue.userContentEdits.nodes if each.editedAt <= moment]
    return max(earlier, key=lambda each: each.editedAt).diff if earlier else None


def _base(pull: Merged, merged: MergeCommit) -> str | None:
    """The commit before a rebase of several commits; "" where it is the first parent; None where it is too far back.

    A rebase is told by the last commit's words, which it leaves as they are.
    """
    count = pull.commits.totalCount
    last = pull.commits.nodes[-1].commit.message if pull.commits.nodes else ""
    if count < 2 or last.strip() != merged.message.strip():
        return ""
    return merged.history.nodes[count].oid if count < len(merged.history.nodes) else None

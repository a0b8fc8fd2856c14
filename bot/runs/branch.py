"""Which branch a run works on, what it goes on from there, and what became of the branch meanwhile. Pure."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.records import PullRequest
from bot.repository import Commit, Update


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch by one of the issue's names, as it is now. `head` is None where it is not there.

    `pull` is the newest pull request of ours from it, the open one first. `is_ours`: a run of ours has pushed to it.
    `is_related`: it has a commit in common with the base. `is_peoples`: people have a pull request of their own from
    it, and we have none that is open.
    """

    name: str
    head: str | None = None
    pull: PullRequest | None = None
    is_ours: bool = False
    is_related: bool = True
    is_peoples: bool = False

    @property
    def open_pull(self) -> PullRequest | None:
        return self.pull if self.pull is not None and self.pull.state == "open" else None

    @property
    def is_free(self) -> bool:
        """Whether a run may work on it: one whose pull request was merged is done with, another's is another's."""
        if self.is_peoples or (self.pull is not None and self.pull.state == "merged"):
            return False
        return self.head is None or (self.is_related and (self.is_ours or self.pull is not None))


def chosen(branches: Iterable[Branch]) -> Branch:
    """The branch to work on: the first by its name that a run may work on."""
    return next(branch for branch in branches if branch.is_free)


class Advance(StrEnum):
    """What is to be done with a branch whose base has moved on.

    ANEW: the base holds all of the branch, so that work begins at the base. SOLVE: what conflicts is the run's own
    work, for a person asked for it. LEAVE: the base stays where the branch left it.
    """

    ANEW = "anew"
    MERGE = "merge"
    REBASE = "rebase"
    SOLVE = "solve"
    LEAVE = "leave"


def advance(*, is_held: bool, update: Update, all_ours: bool, is_clean: bool, is_asked: bool) -> Advance:
    """How a branch is brought up to its base.

    `is_held`: by the base, whole; `is_clean`: the two merge; `is_asked`: a person wants conflicts solved.
    """
    if is_held:
        return Advance.ANEW
    if update is Update.OFF:
        return Advance.LEAVE
    if not is_clean:
        return Advance.SOLVE if is_asked else Advance.LEAVE
    return Advance.REBASE if update is Update.REBASE and all_ours else Advance.MERGE


@dataclass(frozen=True, slots=True)
class Footing:
    """What a run goes on from: settled once, when its base is.

    `branch` is its name; `head` the commit that it was at, None where it was not there, and `pull_request` the one that
    was open from it. What the run changes is judged over `base`, which moves once people bring more of it into the
    branch meanwhile. Its commits come on top of `onto`; the work begins with `tree`, "" where that is the tree of
    `onto`. Where `conflicts` are to be solved it holds their markers, and `onto` and the base become parents of a
    merge. `carried` is that tree with what a run did that asked a question: nothing of it was judged or pushed, so that
    it is this run's doing. `unmerged` are files that would conflict with the base as it is now, and are left so.
    `by_people` are the branch's commits that are not ours. `was_rebased`: what is pushed takes the place of `head`.
    """

    branch: str
    base: str
    onto: str
    head: str | None = None
    tree: str = ""
    conflicts: tuple[str, ...] = ()
    unmerged: tuple[str, ...] = ()
    by_people: tuple[str, ...] = ()
    pull_request: int | None = None
    was_rebased: bool = False
    carried: str = ""

    @property
    def start(self) -> str:
        """The tree, or the commit, that the work begins with."""
        return self.carried or self.held

    @property
    def held(self) -> str:
        """The tree, or the commit, that was there before any work of this run: what is judged is all since."""
        return self.tree or self.onto

    @property
    def built_on(self) -> str:
        """The commit of the branch that the run goes on from, "" where it makes the branch."""
        return self.head or ""


@dataclass(frozen=True, slots=True)
class Joined:
    """A run's work and what people pushed meanwhile, in one commit; `theirs` are their commits.

    `times`: how often they did. `over` is the base that the work itself was done over.
    """

    head: str
    theirs: tuple[str, ...]
    times: int = 1
    over: str = ""


def by_people(commits: Sequence[Commit], ours: Collection[str]) -> tuple[str, ...]:
    """Those commits that no run of ours has made. Whose name is on them says nothing."""
    return tuple(commit.sha for commit in commits if commit.sha not in ours)


class Standing(StrEnum):
    """How a branch is beside what a run is about to push.

    PUSHED: it is there already. AS_LEFT: the branch is where the run found it. GONE: somebody deleted it. AHEAD:
    somebody pushed on top of what the run goes on from. ELSEWHERE: its history is another one by now.
    """

    PUSHED = "pushed"
    AS_LEFT = "as left"
    GONE = "gone"
    AHEAD = "ahead"
    ELSEWHERE = "elsewhere"


def standing(there: str | None, *, expected: str | None, holds_ours: bool, holds_expected: bool) -> Standing:
    """`there` is where the branch is now; `holds_…`: whether that commit has what we push, what we expect, in it."""
    if there is not None and holds_ours:
        return Standing.PUSHED
    if there == expected:
        return Standing.AS_LEFT
    if there is None:
        return Standing.GONE
    return Standing.AHEAD if expected is not None and holds_expected else Standing.ELSEWHERE

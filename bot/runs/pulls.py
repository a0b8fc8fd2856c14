"""Which of the pull requests from a branch is ours: what we opened, and what a run of ours is known to have."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.errors import Gone
from bot.records import IssueRef, PullRequest
from bot.repository import branch_for
from bot.runs.house import House
from bot.runs.store import Store


@dataclass(frozen=True, slots=True)
class Pulls:
    """The pull requests from a branch, as they concern us.

    `ours` is the open one of ours, else the newest; None where there is none. `is_peoples`: somebody else has one of
    their own from it, which is open or was merged, and we have none open.
    """

    ours: PullRequest | None = None
    is_peoples: bool = False


def told_apart(found: Sequence[PullRequest], known: Collection[int]) -> Pulls:
    """Ours among these, the newest of which comes first. `known` are numbers of ours, whoever GitHub names for them."""
    ours = [pull for pull in found if pull.is_ours or pull.number in known]
    for pull in ours:
        if pull.state == "open":
            return Pulls(pull)
    others = {pull.state for pull in found if pull not in ours}
    return Pulls(ours[0] if ours else None, is_peoples=not others.isdisjoint({"open", "merged"}))


def pulls_from(house: House, at: IssueRef, branch: str) -> Pulls:
    """The pull requests from an issue's branch as they are now. The one that is known is asked for first."""
    known = _numbers(house.store, at, branch)
    if known:
        newest = _numbered(house, at, known[-1])
        if newest is not None and newest.state == "open":
            return Pulls(newest)
    return told_apart(house.github.pull_requests(at.repository, branch), known)


def our_pull(house: House, at: IssueRef, branch: str) -> PullRequest | None:
    """Our pull request from an issue's branch: the open one, else the newest."""
    return pulls_from(house, at, branch).ours


def _numbers(store: Store, at: IssueRef, branch: str) -> tuple[int, ...]:
    """What runs of the issue published from the branch, in the order of the runs."""
    kept = [store.facts(run.id) for run in store.runs_of(at.repository.id, at.number)]
    pushed = [facts for facts in kept if facts.get("head_sha") and facts.get("branch", branch_for(at.number)) == branch]
    return tuple(facts["pull_request"] for facts in pushed if facts.get("pull_request"))


def _numbered(house: House, at: IssueRef, number: int) -> PullRequest | None:
    try:
        return house.github.pull_request_numbered(at.repository, number)
    except Gone:
        return None

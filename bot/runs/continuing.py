"""What a run goes on from: the issue's branch as it is now, beside the base as it is now."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from bot.errors import Refused
from bot.records import Change, IssueRef, TriggerKind
from bot.repository import GitFailed, Mirror, branch_for, read_config
from bot.runs.branch import Advance, Branch, Footing, advance, by_people, chosen
from bot.runs.commits import commit_merge, words_of
from bot.runs.earlier import question_before
from bot.runs.house import House
from bot.runs.known import Known
from bot.runs.pulls import pulls_from
from bot.runs.stopping import StopFlag
from bot.runs.store import Store

NAMED_AT_MOST = 10
START_AT_MOST = 4_000_000
"""Characters of the patch that a run goes on from; it is kept with the run."""

log = logging.getLogger(__name__)


def branch_of(store: Store, at: IssueRef) -> str:
    """The branch that runs of an issue worked on last."""
    return next(reversed(_branches_named(store, at)), branch_for(at.number))


def start_of(mirror: Mirror, footing: Footing) -> Change:
    """The change that the work begins with. Raises `Refused` for one that is more than a run can go on from."""
    change = mirror.change(footing.base, footing.start)
    if len(change.patch) > START_AT_MOST:
        raise Refused(
            f"The branch `{footing.branch}` differs from its base by a patch of {len(change.patch):,} characters: that "
            f"is more than a run goes on from ({START_AT_MOST:,})."
        )
    return change


def our_commits(store: Store, mirror: Mirror, at: IssueRef) -> frozenset[str]:
    """The commits that runs of this issue made, whatever name others carry."""
    found: set[str] = set()
    for run in store.runs_of(at.repository.id, at.number):
        facts = store.facts(run.id)
        head, base = facts.get("head_sha"), facts.get("base")
        if "commits" in facts:
            found.update(facts["commits"])
        elif head and base and mirror.has(head) and mirror.has(base):  # a run from before the commits were kept
            found.update(commit.sha for commit in mirror.commits(base, head))
    return frozenset(found)


def _branches_named(store: Store, at: IssueRef) -> tuple[str, ...]:
    """The branches that runs of an issue pushed to, in the order of the runs."""
    facts = [store.facts(run.id) for run in store.runs_of(at.repository.id, at.number)]
    return tuple(each.get("branch", branch_for(at.number)) for each in facts if each.get("head_sha"))


@dataclass(frozen=True, slots=True)
class Continuing:
    """Settles what a run goes on from. The mirror is up to date, and no other run works on the issue meanwhile."""

    known: Known
    stop: StopFlag

    @property
    def _house(self) -> House:
        return self.known.house

    def settle(self, newest: str) -> Footing:
        """The footing of the run; `newest` is the base branch's commit. Raises `Refused` for a wrong configuration."""
        branch = chosen(self._branches(newest))
        footing = self._footing(branch, newest)
        return self._carried(footing)

    def had(self, footing: Footing | None) -> Footing | None:
        """A footing that was settled before. None where there was none, or it can't be had again in this mirror.

        What was made for it on another machine alone is made once more: it comes to the same.
        """
        mirror = self.known.mirror
        if footing is None or not mirror.has(footing.base):
            return None
        if mirror.has(footing.onto) and mirror.has(footing.start):
            return footing
        if footing.head is None or not mirror.has(footing.head):
            return None
        made = self._carried(self._footing(Branch(footing.branch, footing.head), footing.base))
        return footing if (made.onto, made.start) == (footing.onto, footing.start) else None

    def _branches(self, newest: str) -> Iterator[Branch]:
        """The issue's branches by their names. GitHub is asked only for those that there is or was something of."""
        known, at = self.known, self.known.at
        ours, named = our_commits(self._house.store, known.mirror, at), _branches_named(self._house.store, at)
        for place in count(1):
            name = branch_for(at.number, place)
            head = known.mirror.head(name)
            if head is None and name not in named:
                yield Branch(name)
                continue
            pulls = pulls_from(self._house, at, name)
            held = {commit.sha for commit in known.mirror.commits(newest, head)} | {head} if head else set()
            is_related = head is None or known.mirror.merge_base(newest, head) is not None
            yield Branch(
                name,
                head,
                pulls.ours,
                is_ours=bool(held & ours),
                is_related=is_related,
                is_peoples=pulls.is_peoples,
            )

    def _footing(self, branch: Branch, newest: str) -> Footing:
        known, mirror, head = self.known, self.known.mirror, branch.head
        number = branch.open_pull.number if branch.open_pull else None
        fresh = Footing(branch.name, base=newest, onto=newest, head=head, pull_request=number)
        left = mirror.merge_base(newest, head) if head else None
        if head is None or left is None:
            return fresh
        ours = our_commits(self._house.store, mirror, known.at)
        footing = replace(fresh, onto=head, by_people=by_people(mirror.commits(newest, head), ours))
        return footing if left == newest else self._brought_up(footing, left=left, newest=newest)

    def _brought_up(self, footing: Footing, *, left: str, newest: str) -> Footing:
        """The footing beside a base that has moved on since the branch `left` it."""
        known, mirror, head = self.known, self.known.mirror, footing.onto
        update = read_config(lambda path: mirror.read(newest, path)).update
        merge = mirror.merge(head, newest, stop=self.stop)
        match advance(
            is_held=left == head,
            update=update,
            all_ours=not footing.by_people,
            is_clean=merge.is_clean,
            is_asked=self._is_asked_to_solve,
        ):
            case Advance.ANEW:
                return replace(footing, onto=newest)
            case Advance.MERGE:
                words = words_of(known)
                message = words.of_merge(known.info.default_branch, footing.branch)
                return replace(footing, onto=commit_merge(mirror, merge.tree, [head, newest], message, words))
            case Advance.REBASE:
                return replace(footing, onto=newest, tree=merge.tree, was_rebased=True)
            case Advance.SOLVE if merge.unmarked:
                raise Refused(_not_for_a_run(footing.branch, known.info.default_branch, merge.unmarked))
            case Advance.SOLVE:
                return replace(footing, tree=merge.tree, conflicts=merge.conflicts)
            case Advance.LEAVE:
                return replace(footing, base=left, unmerged=merge.conflicts)

    @property
    def _is_asked_to_solve(self) -> bool:
        """Whether a person wants conflicts solved: by a retry, or by the answer to what the run asked that did so."""
        before, reviewed = self._question_before, self.known.reviewed
        earlier = before.footing_or_none if before else None
        is_retry = self.known.trigger.kind is TriggerKind.RETRY or (reviewed is not None and reviewed.is_retry)
        return is_retry or (earlier is not None and bool(earlier.conflicts))

    @property
    def _question_before(self) -> Known | None:
        earlier = question_before(self._house.store, self.known.run_id)
        return Known(self._house, earlier.id) if earlier is not None else None

    def _carried(self, footing: Footing) -> Footing:
        """The footing with what the run did that asked a question, where this run is the answer, and it fits still."""
        earlier = self._question_before
        if earlier is None or footing.conflicts or footing.was_rebased:
            return footing
        mirror, words = self.known.mirror, words_of(self.known)
        change, before = earlier.progress.change, earlier.footing_or_none
        if change.is_empty or (before is not None and before.conflicts):  # that holds what the base did, too
            return footing
        try:
            tree = mirror.apply(earlier.base, change.patch)
            onto = before.onto if before and mirror.has(before.onto) else earlier.base
            work = commit_merge(mirror, tree, [onto], "What was done before the question", words)
            merge = mirror.merge(footing.onto, work, stop=self.stop)
        except (Refused, GitFailed, KeyError) as lost:
            log.warning("run %s: the earlier work is not gone on with: %s", self.known.run_id, lost)
            return footing
        return replace(footing, carried=merge.tree) if merge.is_clean else footing


def paths_in_words(paths: Sequence[str]) -> str:
    """The paths as code, in one sentence: of many the first."""
    more = f" and {len(paths) - NAMED_AT_MOST:,} more" if len(paths) > NAMED_AT_MOST else ""
    return ", ".join(f"`{path}`" for path in paths[:NAMED_AT_MOST]) + more


def _not_for_a_run(branch: str, base: str, paths: tuple[str, ...]) -> str:
    return (
        f"`{branch}` and `{base}` have changed {paths_in_words(paths)} in two ways, and no text can show "
        f"both: a run would have to drop one unseen. Merge `{base}` into `{branch}` by hand and decide there; then "
        "`/selfcode retry`."
    )

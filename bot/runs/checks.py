"""Checks of the repository's own that failed on a change whose proof was green: said, and mended where that is wished.

Kept and told like a run, and short: it takes no place.
"""

import logging
from dataclasses import dataclass

from bot.errors import Refused
from bot.records import IssueRef, Outcome, PullRequest, Trigger, TriggerKind
from bot.repository import OnFailedChecks, read_config
from bot.runs.continuing import branch_of
from bot.runs.describing import describe_again
from bot.runs.groundwork import Groundwork
from bot.runs.house import House
from bot.runs.judgement import FailedOn, Judgement, failed_on, newest_judgement
from bot.runs.known import Known
from bot.runs.pulls import our_pull
from bot.runs.stopping import StopFlag
from bot.runs.store import WORK, Store

JUDGING = (*WORK, TriggerKind.ACCEPT, TriggerKind.RENEW)
"""What takes proofs."""

log = logging.getLogger(__name__)


def may_concern(store: Store, at: IssueRef, head: str) -> bool:
    """Whether a proof of ours may be of a commit, by what is kept here alone.

    A fork may have a branch that is called like ours, whose checks are none of our business.
    """
    kept = (store.facts(run.id) for run in store.runs_of(at.repository.id, at.number) if run.trigger.kind in JUDGING)
    return any(head in (facts.get("judged"), facts.get("head_sha")) for facts in kept)


@dataclass(frozen=True, slots=True)
class Checks:
    """Failed checks of one commit, told step by step. Each looks at what the branch holds by then."""

    known: Known
    stop: StopFlag

    @property
    def house(self) -> House:
        return self.known.house

    def look(self) -> str:
        """Which checks failed on the branch's commit. Returns the commit, or "" where there is nothing new to say.

        GitHub tells of a check and of the suite that it is in, so that the same is often heard twice. That none fails
        any more is new where it was said that some do.
        """
        known, github, ref = self.known, self.house.github, self.known.at.repository
        known.learn(info=github.repository(ref))
        if (found := self._found()) is None:
            return ""
        head = found[0].head_sha
        failed = tuple(github.failed_checks(ref, head))
        is_told = "failed" not in known.facts and failed == failed_on(self.house.store, known.at, head)
        if is_told:
            return ""
        known.learn(failed=FailedOn(head, failed))
        return head

    def update_pull_request(self) -> None:
        """Say it in the pull request, behind what the proof shows."""
        if (found := self._found()) is None:
            return
        describe_again(self.known, *found)

    def ask_to_mend(self) -> bool:
        """Leave a trigger for a run that mends it, where the repository wishes that: once for a commit."""
        known, found = self.known, self._found()
        if found is None or not self._is_wished(found[1]):
            return False
        head, trigger = found[0].head_sha, known.trigger
        if not failed_on(self.house.store, known.at, head):
            return False
        mend = Trigger(
            key=f"{TriggerKind.MEND}:{known.at.repository.id}/{known.at.number}@{head}",
            kind=TriggerKind.MEND,
            issue=known.at,
            sender=trigger.sender,
            occurred_at=trigger.occurred_at,
            because="checks failed",
            head_sha=head,
        )
        self.house.inbox.accept(mend)
        return True

    def _is_wished(self, before: Judgement) -> bool:
        """Whether the configuration that the proof was made by says so. What such a run pushed is left to people."""
        store, at, mirror = self.house.store, self.known.at, self.known.mirror
        mends = [run.id for run in store.runs_of(at.repository.id, at.number) if run.trigger.kind is TriggerKind.MEND]
        if before.head in {store.facts(run_id).get("head_sha") for run_id in mends}:
            return False
        if not mirror.has(before.base):
            Groundwork(self.known, self.stop).update_mirror()
        if not mirror.has(before.base):
            return False
        try:
            config = read_config(lambda path: mirror.read(before.base, path))
        except Refused:
            return False
        return config.on_failed_checks is OnFailedChecks.FIX

    def _found(self) -> tuple[PullRequest, Judgement] | None:
        """The pull request, open still, and its green proof, of the commit that is meant and the branch is at."""
        known, at = self.known, self.known.at
        pull = our_pull(self.house, at, branch_of(self.house.store, at))
        if pull is None or pull.state != "open" or pull.head_sha != known.trigger.head_sha:
            return None
        before = newest_judgement(self.house.store, at.repository.id, pull.number, told=True)
        is_green = before is not None and before.proof.holds and before.head == pull.head_sha
        return (pull, before) if before is not None and is_green else None

    def finish(self, outcome: Outcome, reason: str) -> None:
        """End it in the store."""
        self.house.store.finish(self.known.run_id, outcome, reason)
        log.info("failed checks %s are told: %s %s", self.known.run_id, outcome, reason)

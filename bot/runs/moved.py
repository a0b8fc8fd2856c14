"""What a person's push to our branch does to the proof of its pull request: it is stale, and says so."""

import logging
from dataclasses import dataclass

from bot.records import Outcome, PullRequest
from bot.runs.continuing import branch_of
from bot.runs.describing import describe_again
from bot.runs.groundwork import Groundwork
from bot.runs.house import House
from bot.runs.judgement import Judgement, newest_judgement
from bot.runs.known import Known
from bot.runs.publishing import set_check
from bot.runs.pulls import our_pull
from bot.runs.stopping import StopFlag
from bot.writing.check import stale_check

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Moved:
    """One push, told step by step. Each looks at what the branch holds by then, whichever push that was."""

    known: Known
    stop: StopFlag

    @property
    def house(self) -> House:
        return self.known.house

    def look(self) -> str:
        """Whether there is anything to say: the commit that the branch is at, or "" where no proof of ours is hit."""
        known = self.known
        known.learn(info=self.house.github.repository(known.at.repository))
        if (found := self._found()) is None:
            return ""
        if not known.mirror.has(found[1].base):
            Groundwork(known, self.stop).update_mirror()
        return found[0].head_sha

    def update_pull_request(self) -> None:
        """Put it before everything else in the pull request; or take it away, where the branch is back."""
        if (found := self._found()) is None:
            return
        describe_again(self.known, *found)

    def set_check(self) -> None:
        """Say it on the commit as well, where CI results are read."""
        found = self._found()
        if found and found[0].head_sha != found[1].head:
            pull, before = found
            set_check(self.known, pull.head_sha, stale_check(before.head, pull.head_sha, run_id=self.known.run_id))

    def _found(self) -> tuple[PullRequest, Judgement] | None:
        """The pull request, open still, and its proof; None where what was pushed is ours, and told by its own run."""
        at = self.known.at
        pull = our_pull(self.house, at, branch_of(self.house.store, at))
        if pull is None or pull.state != "open":
            return None
        store, number = self.house.store, pull.number
        before = newest_judgement(store, at.repository.id, number, told=True)
        before = before or newest_judgement(store, at.repository.id, number)
        if before is None:
            return None
        return None if pull.head_sha != before.head and self._is_told_yet(pull.head_sha) else (pull, before)

    def _is_told_yet(self, head: str) -> bool:
        """Whether a run pushed it that has its end still to tell. What an ended one pushed, anyone may put back."""
        store, at = self.house.store, self.known.at
        at_work = [run.id for run in store.runs_of(at.repository.id, at.number) if not run.is_finished]
        return any(store.facts(run_id).get("head_sha") == head for run_id in at_work)

    def finish(self, outcome: Outcome, reason: str) -> None:
        """End it in the store."""
        self.house.store.finish(self.known.run_id, outcome, reason)
        log.info("push %s is told: %s %s", self.known.run_id, outcome, reason)

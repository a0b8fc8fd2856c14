"""What a run has pushed that no pull request tells of, for it was cut off in between: taken back, or named."""

import logging
from dataclasses import dataclass

from bot.errors import Gone, Refused
from bot.records import Outcome
from bot.repository import GitFailed, Moved
from bot.runs.known import Known
from bot.runs.pulls import pulls_from

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Leftovers:
    """The branch of a run that ended between push and pull request. `head` is the commit that the run pushes."""

    known: Known
    head: str

    def settle(self, outcome: Outcome) -> None:
        """Take the branch back where the run was stopped and has made it; else see to it that the result names it.

        It goes from where the run has put it alone, and stays where a pull request came all the same, ours or a
        person's. May be called again after it was cut off. Raises: `Unavailable`.
        """
        known, footing = self.known, self.known.footing
        pulls = pulls_from(known.house, known.at, footing.branch)
        came = pulls.ours
        if came is not None and came.state == "open" and came.head_sha == self.head:
            known.learn(head_sha=self.head, pull_request=came.number, branch_left="")
        elif outcome is not Outcome.STOPPED or footing.head is not None or pulls.is_peoples:
            self._name(footing.branch)
        else:
            known.learn(branch_left=footing.branch)
            self._take_back(footing.branch)

    def _name(self, branch: str) -> None:
        """Keep where the work is, if it is there: the push itself may have been cut off."""
        known = self.known
        is_there = known.facts.get("head_sha") or known.mirror.fetch_branch(
            known.info.clone_url, branch, credentials=known.credentials(), ca_bundle=known.house.ca_bundle
        )
        if is_there == self.head:
            known.learn(head_sha=self.head, branch_left=branch)

    def _take_back(self, branch: str) -> None:
        known = self.known
        url, credentials, ca_bundle = known.info.clone_url, known.credentials(), known.house.ca_bundle
        try:
            known.mirror.prepare()
            known.house.store.require_held()
            known.mirror.delete_branch(url, branch, expect=self.head, credentials=credentials, ca_bundle=ca_bundle)
        except Moved:
            if not known.facts.get("head_sha"):  # it is somebody else's: ours was never there
                known.learn(branch_left="")
        except (Refused, Gone, GitFailed) as no:
            log.warning("run %s: its branch %s is left on the server: %s", known.run_id, branch, no)
        else:
            known.learn(head_sha="", branch_left="")
            log.info("run %s: its branch %s is taken back", known.run_id, branch)

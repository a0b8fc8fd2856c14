"""A proof taken once more: of what the branch of a pull request holds now, or with a person's word on altered tests.

Kept and queued like a run. What it stands on is the base alone: nothing of the branch says how it is judged.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.errors import Refused, Stopped
from bot.records import Outcome, Proof, PullRequest, RunResult, TriggerKind
from bot.runs import solving
from bot.runs.admission import admit_who_asked
from bot.runs.continuing import branch_of
from bot.runs.describing import describe_judged
from bot.runs.ground import Ground
from bot.runs.groundwork import Groundwork
from bot.runs.hidden import hidden_tests_for
from bot.runs.house import House
from bot.runs.judgement import PATCH_KEPT, Judgement, newest_judgement, result_of
from bot.runs.known import Known
from bot.runs.provenance import with_head
from bot.runs.publishing import make_draft_again, make_ready, set_check
from bot.runs.pulls import our_pull
from bot.runs.seen import can_be_seen, refuse_unacceptable
from bot.runs.stopping import StopFlag
from bot.runs.verifying import missing_of_protected
from bot.runs.voice import Voice
from bot.writing.check import check, unrenewed_check
from bot.writing.outcomes import short
from bot.writing.renewing import answer
from bot.writing.replies import reply_marker
from bot.writing.result import result_comment

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Renewal:
    """One proof once more, step by step. Every method may be called again after it was cut off."""

    known: Known
    stop: StopFlag

    @property
    def run_id(self) -> str:
        return self.known.run_id

    @property
    def house(self) -> House:
        return self.known.house

    @property
    def groundwork(self) -> Groundwork:
        return Groundwork(self.known, self.stop)

    # --- The steps

    def admit(self) -> None:
        """Look who asks, as of now, and which proof is meant. Raises `Refused` where there is nothing to do it to."""
        known, at = self.known, self.known.at
        if known.is_admitted:
            return
        info = self.house.github.repository(at.repository)
        admit_who_asked(known)
        known.learn(info=info)
        pull = self._pull()
        before = newest_judgement(self.house.store, at.repository.id, pull.number)
        if before is None:
            raise Refused(f"No proof of #{pull.number} is kept here.")
        shown = newest_judgement(self.house.store, at.repository.id, pull.number, told=True)
        self._refuse_needless(shown, pull.head_sha)
        known.learn(
            task=Known(self.house, before.origin).task,
            origin=before.origin,
            pull_request=pull.number,
            judged=pull.head_sha,
            accepted_by=self._accepted_by(shown, pull),
        )

    def _pull(self) -> PullRequest:
        pull = our_pull(self.house, self.known.at, branch_of(self.house.store, self.known.at))
        if pull is None or pull.state != "open":
            raise Refused("There is no open pull request of selfcode's for this issue.")
        return pull

    def _refuse_needless(self, shown: Judgement | None, head: str) -> None:
        """Raise `Refused` where the newest proof that was told leaves nothing to do, or is another than was seen."""
        store, trigger = self.house.store, self.known.trigger
        ended = store.run(shown.run_id).finished_at if shown else None
        asked = store.accepted_at(trigger.key)
        if trigger.kind is TriggerKind.ACCEPT:
            is_seen = can_be_seen(ended, accepted_at=asked, occurred_at=trigger.occurred_at)
            refuse_unacceptable(shown, head, is_seen=is_seen)
        elif shown and shown.head == head and ended and asked and ended > asked:
            raise Refused(f"The proof of `{short(head)}` was taken again in the meantime.")

    def _accepted_by(self, shown: Judgement | None, pull: PullRequest) -> str:
        """Whose word counts: that of who gives it now, or what was given before, for the very same commit."""
        if self.known.trigger.kind is TriggerKind.ACCEPT:
            return self.known.trigger.sender.login
        return shown.proof.accepted_by if shown and shown.head == pull.head_sha else ""

    def fetch(self) -> None:
        """Bring the branch here, and fix the base: where the branch left the default branch."""
        known, mirror, head = self.known, self.known.mirror, self._judged
        self.groundwork.update_mirror()
        if not mirror.has(head):
            raise Refused(f"The branch does not hold `{short(head)}` any more: it was pushed to in the meantime.")
        default = mirror.head(known.info.default_branch)
        base = mirror.merge_base(default, head) if default else None
        if base is None:
            raise Refused("The branch has no commit in common with the default branch.")
        change = mirror.change(base, head)
        if change.is_empty:
            raise Refused("The default branch holds everything of the branch already: there is nothing to prove.")
        known.learn(base=base)
        if head != self.house.store.facts(self._origin).get("head_sha"):
            known.learn(change=change if len(change.patch) <= PATCH_KEPT else replace(change, patch=""))
        self.groundwork.find_plan()

    def take_proof(self) -> None:
        """Judge what the branch holds in clean workspaces."""
        known, head = self.known, self._judged
        hidden = hidden_tests_for(self.house.acceptance_tests, known.at.repository.full_name)

        def prove(ground: Ground) -> Proof:
            return solving.prove_tree(
                ground,
                head,
                known.baseline,
                hidden=hidden,
                accepted_by=self.house.store.facts(self.run_id).get("accepted_by", ""),
                left_s=60 * known.caps.minutes,
            )

        proof = with_head(self.groundwork.standing(prove), head)
        touched = missing_of_protected(known.mirror, known.base, head, known.config.protect)
        known.learn(proof=replace(proof, missing=(*proof.missing, *touched)))

    def update_pull_request(self) -> None:
        """Say in the pull request what the proof comes to now; where it is proven, it is a draft no more."""
        if self.stop():
            raise Stopped
        known, pull = self.known, self._pull()
        result = self.result
        if result.outcome is Outcome.PROVEN and pull.is_draft and pull.head_sha == self._judged:
            make_ready(known, pull)
        if result.outcome is Outcome.UNPROVEN and pull.head_sha == self._judged and not known.config.draft:
            make_draft_again(known, pull.number)
        describe_judged(known, pull, self.result, known.task, run_id=self.run_id, judged=self._judged)

    # --- The end

    def last_words(self, outcome: Outcome, reason: str) -> Sequence[tuple[str, Callable[[], None]]]:
        """What is said at the end, by name. Who may not ask at all gets no word."""
        return (
            ("check", lambda: self.set_check(outcome, reason)),
            ("result", lambda: self.show_result(outcome)),
            ("answer", lambda: self.give_answer(outcome, reason)),
        )

    def set_check(self, outcome: Outcome, reason: str) -> None:
        """Set the check run on the commit that was judged, or was to be."""
        if not self.known.is_admitted:
            return
        if self._is_judged(outcome):
            text = check(self.result, run_id=self.run_id, in_head=self.known.mirror.entries(self._judged))
            set_check(self.known, self._judged, text)
        elif self.known.trigger.kind is TriggerKind.RENEW:
            set_check(self.known, self._judged, unrenewed_check(outcome, reason, run_id=self.run_id))

    def show_result(self, outcome: Outcome) -> None:
        """Bring the issue's comment of the run that worked up to date."""
        if self.known.is_admitted and self._is_judged(outcome):
            origin = Known(self.house, self._origin)
            pages = self.house.pages
            body = result_comment(self.result, run_id=origin.run_id, caps=origin.shown_caps, pages=pages)
            Voice(origin).write(body)

    def give_answer(self, outcome: Outcome, reason: str) -> None:
        """Answer, in a line, who asked by a comment."""
        known, trigger = self.known, self.known.trigger
        if trigger.subject is None or "info" not in self.house.store.facts(self.run_id):
            return
        result = self.result if self._is_judged(outcome) else RunResult(outcome, reason)
        body = answer(result, who=trigger.sender.login, key=trigger.key)
        said, marker, since = self._voice.masked(body), reply_marker(trigger.key), trigger.occurred_at
        self.house.github.post_comment(trigger.asked_at, said, marker=marker, since=since)
        log.info("run %s: answered %s", known.run_id, trigger.asked_at)

    def finish(self, outcome: Outcome, reason: str) -> None:
        """End it in the store."""
        self.house.store.finish(self.run_id, outcome, reason)
        log.info("renewal %s ends: %s %s", self.run_id, outcome, reason)

    # --- What is known

    @property
    def result(self) -> RunResult:
        """What the work and its newest proof come to."""
        known = self.known
        if known.proof is None:
            raise AssertionError("nothing is said before it is judged")
        made = Judgement(
            run_id=self.run_id,
            origin=self._origin,
            pull_request=self._fact("pull_request"),
            proof=known.proof,
            base=known.base,
            head=self._judged,
        )
        return result_of(self.house, made)

    def _is_judged(self, outcome: Outcome) -> bool:
        return outcome in (Outcome.PROVEN, Outcome.UNPROVEN) and self.known.proof is not None

    @property
    def _judged(self) -> str:
        """The commit that the proof is of."""
        found: str = self._fact("judged")
        return found

    @property
    def _origin(self) -> str:
        found: str = self._fact("origin")
        return found

    def _fact(self, name: str) -> Any:
        return self.house.store.facts(self.run_id)[name]

    @property
    def _voice(self) -> Voice:
        return Voice(self.known)

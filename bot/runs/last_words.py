"""What a run says at its end: the log, the check, the result, and the answers to a review."""

import time
from dataclasses import dataclass

from bot.errors import Gone, Refused, Unavailable
from bot.records import Outcome, PullRequestText, RunResult
from bot.runs.earlier import QUESTION_SHOWN_AT, question_shown_at
from bot.runs.known import Known
from bot.runs.publishing import Publishing, set_check
from bot.runs.results import result_of_run
from bot.runs.reviewing import Reviewing
from bot.runs.run_log import post_log
from bot.runs.stopping import StopFlag
from bot.runs.store import PROVING
from bot.runs.voice import Voice
from bot.writing.check import check
from bot.writing.progress import progress_marker
from bot.writing.replies import not_begun
from bot.writing.result import result_comment


@dataclass(frozen=True, slots=True)
class LastWords:
    """The words of a run that ended with this outcome, for this reason. Each may be said again after it was cut off."""

    known: Known
    stop: StopFlag
    outcome: Outcome
    reason: str

    @property
    def _result(self) -> RunResult:
        return result_of_run(self.known, self.outcome, self.reason)

    def post_log(self) -> None:
        """Post the iteration log, unless it is there already: on the pull request where there is one."""
        known, footing = self.known, self.known.footing_or_none
        post_log(known, known.facts.get("pull_request") or (footing.pull_request if footing else None))

    def set_check(self) -> None:
        """Set the check run on the head that was published."""
        known, result = self.known, self._result
        if result.pull_request is None:
            return
        in_head = known.mirror.entries(result.head_sha)
        set_check(known, result.head_sha, check(result, run_id=known.run_id, in_head=in_head))

    def show_result(self) -> None:
        """Turn the progress comment into the result.

        What was never admitted is never answered, unless it waited for a place, or a failure of ours or of a service
        has ended what somebody asked for who may.
        """
        known = self.known
        if not known.is_admitted and known.comment_id is None and not self._has_failed_someone:
            self._say_that_it_is_over()
            return
        asks = self.outcome is Outcome.NEEDS_INFORMATION
        if asks:
            self._keep_when_asked(question_shown_at(known.house.store, known.run_id) or time.time())
        would_open = self._would_open()
        pages = known.house.pages
        body = result_comment(
            self._result, run_id=known.run_id, caps=known.shown_caps, would_open=would_open, pages=pages
        )
        try:
            Voice(known).write(body)
        except (Refused, Gone, Unavailable):
            if asks:
                self._keep_when_asked(None)
            raise

    @property
    def _has_failed_someone(self) -> bool:
        asked = self.known.house.store.talk.asked(self.known.trigger.key)
        return self.outcome is Outcome.ERROR and asked is not None and asked.is_let_in

    def _say_that_it_is_over(self) -> None:
        """Tell who asked in words, and may, where they did: they saw that it was seen. Who has ended it knows."""
        known, trigger, github = self.known, self.known.trigger, self.known.house.github
        asked = known.house.store.talk.asked(trigger.key)
        if self.outcome is not Outcome.STOPPED or trigger.subject is None or self.stop():
            return
        if asked is not None and asked.is_let_in:
            body = not_begun(self.reason, known.run_id, pages=known.house.pages)
            marker = progress_marker(known.run_id)
            github.post_comment(trigger.asked_at, Voice(known).masked(body), marker=marker, since=trigger.occurred_at)

    def _keep_when_asked(self, moment: float | None) -> None:
        """Keep since when people can see the question, before they can: who answers at once is not to be missed."""
        self.known.learn(**{QUESTION_SHOWN_AT: moment})

    def answer_review(self) -> None:
        """Answer the review that the run was for, if it was for one."""
        Reviewing(self.known).answer(self.outcome, self.reason)

    def _would_open(self) -> PullRequestText | None:
        """What a dry run has not opened."""
        publishing = Publishing(self.known, self.stop)
        is_one = self.known.house.dry_run and self.outcome in PROVING and publishing.is_wanted(self.outcome)
        return publishing.text(self.outcome, self.reason) if is_one else None

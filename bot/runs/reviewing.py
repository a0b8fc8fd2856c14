"""A review answered: each thread where it was asked, then the review as a whole."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from bot.errors import Gone, Refused
from bot.records import IssueRef, Outcome, RunResult
from bot.runs.known import Known
from bot.runs.requests import Asked, Reviewed
from bot.runs.results import result_of_run
from bot.runs.voice import Voice
from bot.writing.review_answers import review_answer, review_answer_marker, review_summary, settles

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reviewing:
    """What a run says to the review that it was for. Every method may be called again after it was cut off."""

    known: Known

    def answer(self, outcome: Outcome, reason: str) -> None:
        """Answer each request in its thread, resolve those that are done, and ask for the review again after a push.

        The comment to the review as a whole comes last: it says what has been done by then. A run that a person ended
        says nothing: they know.
        """
        known = self.known
        reviewed, number = known.reviewed, known.trigger.pull_request
        if reviewed is None or not reviewed.asked or number is None or outcome is Outcome.STOPPED:
            return
        result = result_of_run(known, outcome, reason)
        at = IssueRef(known.at.repository, number)
        changed = self._changed_paths(result.head_sha)
        for asked in reviewed.asked:
            if asked.comment_id is not None:
                self._answer_thread(at, asked, asked.comment_id, result, changed)
        self._sum_up(at, reviewed, result, asked_again=bool(result.head_sha) and self._ask_again(at, reviewed))

    def _answer_thread(
        self, at: IssueRef, asked: Asked, comment_id: int, result: RunResult, changed: frozenset[str]
    ) -> None:
        known, request, github = self.known, asked.request, self.known.house.github
        given = next((each for each in result.progress.answers if each.number == request.number), None)
        body = review_answer(
            given,
            head_sha=result.head_sha,
            run_id=known.run_id,
            number=request.number,
            path=request.path,
            changed_paths=changed,
            outcome=result.outcome,
            reason=result.reason,
        )
        marker = review_answer_marker(known.run_id, request.number)
        self._try(lambda: github.reply_to_review_comment(at, comment_id, Voice(known).masked(body), marker=marker))
        if settles(given, head_sha=result.head_sha):
            self._try(lambda: github.resolve_thread(at.repository, asked.thread_id))

    def _ask_again(self, at: IssueRef, reviewed: Reviewed) -> bool:
        """Ask for the review again, once. Whether GitHub has asked for it."""
        known = self.known
        if known.facts.get("asked_again"):  # words that are said once more don't ask whoever has answered since
            return True
        try:
            asked = known.house.github.request_review(at.repository, at.number, reviewed.reviewer)
        except (Refused, Gone) as problem:
            log.warning("run %s: the review is not asked for again: %s", known.run_id, problem)
            return False
        known.learn(asked_again=asked)
        return asked

    def _sum_up(self, at: IssueRef, reviewed: Reviewed, result: RunResult, *, asked_again: bool) -> None:
        known = self.known
        body = review_summary(
            reviewed.requests,
            result.progress.answers,
            reviewer=reviewed.reviewer,
            head_sha=result.head_sha,
            run_id=known.run_id,
            outcome=result.outcome,
            reason=result.reason,
            asked_again=asked_again,
        )
        said, since = Voice(known).masked(body), known.trigger.occurred_at
        marker = review_answer_marker(known.run_id, 0)
        self._try(lambda: known.house.github.post_comment(at, said, marker=marker, since=since))

    def _changed_paths(self, head_sha: str) -> frozenset[str]:
        """The files that the run's own commits change."""
        footing = self.known.footing_or_none
        if not head_sha or footing is None:
            return frozenset()
        return frozenset(self.known.mirror.change(footing.onto, head_sha).paths)

    def _try(self, say: Callable[[], object]) -> None:
        """Say something that the rest does not depend on: a thread may be gone, a conversation locked."""
        try:
            say()
        except (Refused, Gone) as problem:
            log.warning("run %s: not said to the review: %s", self.known.run_id, problem)

"""What a run says at its end: the log, the check, the result, and the answers to a review."""

from dataclasses import dataclass

from bot.records import IssueRef, Outcome, PullRequestText, RunResult
from bot.runs.known import Known
from bot.runs.publishing import Publishing, set_check
from bot.runs.results import result_of_run
from bot.runs.reviewing import Reviewing
from bot.runs.stopping import StopFlag
from bot.runs.store import PROVING
from bot.runs.voice import Voice
from bot.writing.check import check
from bot.writing.iteration_log import iteration_log, log_marker
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
        """Post the iteration log: on the pull request where there is one, else on the issue."""
        known, result, footing = self.known, self._result, self.known.footing_or_none
        if not result.progress.iterations:
            return
        number = result.pull_request or (footing.pull_request if footing else None)
        at = known.at if number is None else IssueRef(known.at.repository, number)
        body = Voice(known).masked(iteration_log(result.progress, result.baseline, run_id=known.run_id))
        posted = known.house.github.post_comment(at, body, marker=log_marker(known.run_id))
        page = known.info.clone_url.removesuffix(".git")
        known.learn(log_url=f"{page}/{'issues' if number is None else 'pull'}/{at.number}#issuecomment-{posted}")

    def set_check(self) -> None:
        """Set the check run on the head that was published."""
        known, result = self.known, self._result
        if result.pull_request is None:
            return
        in_head = known.mirror.entries(result.head_sha)
        set_check(known, result.head_sha, check(result, run_id=known.run_id, in_head=in_head))

    def show_result(self) -> None:
        """Turn the progress comment into the result. What was never admitted is never answered, unless it waited."""
        known = self.known
        if known.is_admitted or known.comment_id is not None:
            would_open = self._would_open()
            body = result_comment(self._result, run_id=known.run_id, caps=known.shown_caps, would_open=would_open)
            Voice(known).write(body)

    def answer_review(self) -> None:
        """Answer the review that the run was for, if it was for one."""
        Reviewing(self.known).answer(self.outcome, self.reason)

    def _would_open(self) -> PullRequestText | None:
        """What a dry run has not opened."""
        publishing = Publishing(self.known, self.stop)
        is_one = self.known.house.dry_run and self.outcome in PROVING and publishing.is_wanted(self.outcome)
        return publishing.text(self.outcome, self.reason) if is_one else None

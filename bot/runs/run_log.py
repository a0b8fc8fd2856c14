"""The iteration log of a run, as a comment."""

from bot.records import IssueRef
from bot.runs.known import Known
from bot.runs.voice import Voice
from bot.writing.iteration_log import iteration_log, log_marker


def post_log(known: Known, pull_request: int | None) -> None:
    """Post the iteration log, once: on the pull request of this number where there is one, else on the issue."""
    progress = known.progress
    if not progress.iterations:
        return
    at = known.at if pull_request is None else IssueRef(known.at.repository, pull_request)
    kind = "issues" if pull_request is None else "pull"
    page = f"{known.info.clone_url.removesuffix('.git')}/{kind}/{at.number}"
    if known.facts.get("log_url", "").startswith(f"{page}#"):
        return
    body = Voice(known).masked(iteration_log(progress, known.report_or_none, run_id=known.run_id))
    since = known.trigger.occurred_at
    posted = known.house.github.post_comment(at, body, marker=log_marker(known.run_id), since=since)
    known.learn(log_url=f"{page}#issuecomment-{posted}")

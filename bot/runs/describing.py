"""A pull request described once more, for what happened to it since: our words anew, and people's kept."""

from bot.records import IssueRef, PullRequest, RunResult, Task
from bot.runs.continuing import branch_of
from bot.runs.judgement import Judgement, result_of
from bot.runs.known import Known
from bot.runs.store import Store
from bot.runs.voice import Voice
from bot.writing.keeping import lines_of, writer_of, written_over
from bot.writing.pull_request import pull_request

BODIES_OF_A_RUN = 3
BODIES_COMPARED = 8
_BODIES = "bodies"


def describe_again(known: Known, pull: PullRequest, before: Judgement) -> None:
    """Give the pull request the body that it is to have now: what was proven, and where its branch is since."""
    task = Known(known.house, before.origin).task
    describe_judged(known, pull, result_of(known.house, before), task, run_id=before.run_id, judged=before.head)


def describe_judged(
    known: Known, pull: PullRequest, result: RunResult, task: Task, *, run_id: str, judged: str
) -> None:
    """Give the pull request the body of what a run came to, that judged the commit `judged` of its branch."""
    text = pull_request(
        result,
        task,
        branch=branch_of(known.house.store, known.at),
        run_id=run_id,
        repository=known.info.ref.full_name,
        moved_to=pull.head_sha if pull.head_sha != judged else "",
        pages=known.house.pages,
    )
    describe(known, pull, text.body)


def describe(known: Known, pull: PullRequest, body: str) -> None:
    """Give the pull request, as it was read just now, this body; what people wrote into the old one stays."""
    masked = Voice(known).masked(body)
    remember_body(known, masked)
    whole = written_over(pull.body, masked, written=_written(known.house.store, known.at, pull.body))
    if whole != pull.body:
        known.house.github.describe_pull_request(known.at.repository, pull.number, whole)


def remember_body(known: Known, body: str) -> None:
    """Keep what makes a body's lines known again, before it is written: who is cut off behind that has written it."""
    lines, kept = lines_of(body), known.facts.get(_BODIES, [])
    if lines not in kept:
        known.learn(**{_BODIES: [*kept, lines][-BODIES_OF_A_RUN:]})


def _written(store: Store, at: IssueRef, now: str) -> list[str]:
    """The bodies that runs of the issue wrote, newest first; none where the one that is there was not kept."""
    runs = [run.id for run in reversed(store.runs_of(at.repository.id, at.number))]
    kept = {run_id: store.facts(run_id).get(_BODIES, []) for run_id in runs}
    writer = writer_of(now)
    if writer and not kept.get(writer):
        return []
    return [body for bodies in kept.values() for body in reversed(bodies)][:BODIES_COMPARED]

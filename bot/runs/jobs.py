"""What a run has to do in each of its iterations, out of what is known of it."""

from bot.records import Iteration, Reproduce
from bot.runs.asked import note_on
from bot.runs.earlier import asked_test
from bot.runs.hidden import hidden_tests_for
from bot.runs.known import Known
from bot.runs.solving import Job


def job_of(known: Known) -> Job:
    """What is to be done. Raises `Unavailable` where the operator's acceptance tests can't be read."""
    earlier = asked_test(known.house.store, known.run_id)
    return Job(
        task=known.task,
        caps=known.caps,
        baseline=known.baseline,
        reproduce=_reproduce(known),
        hidden=hidden_tests_for(known.house.acceptance_tests, known.at.repository.full_name),
        notes=(note_on(earlier[0]),) if earlier and known.task.hint else (),
        held="" if known.progress.start.is_empty else known.footing.held,
    )


def to_take_up(known: Known) -> tuple[Iteration, str] | None:
    """The test that a person let stand by a retry without a word, and the base that it was written on."""
    is_free = not known.task.hint and known.progress.start.is_empty
    return asked_test(known.house.store, known.run_id) if is_free else None


def _reproduce(known: Known) -> Reproduce:
    """As the repository chose; but no test comes first where there is a change already."""
    chosen = known.config.reproduce
    return chosen if chosen is Reproduce.OFF or known.progress.start.is_empty else Reproduce.TOGETHER

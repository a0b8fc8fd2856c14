"""Notes that come while nobody asks the model any more: a run goes on for them, or says that it has not."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.records import Note, Outcome, TriggerKind, Verdict
from bot.runs.heard import Listening, unheard
from tests.runs.builders import MAINTAINER, a_database, a_trigger
from tests.runs.workshop import FILES, Turn, Workshop

THREE = {"calc.py": FILES["calc.py"].replace(b"three = 3", b"three = 33")}
BETTER = {"calc.py": FILES["calc.py"].replace(b"three = 3", b"three = 30 + 3")}
ONE_ITERATION = FILES[".github/selfcode.yml"] + b"limits:\n  iterations: 1\n"


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    with a_database(tmp_path) as database:
        yield Workshop(tmp_path, database)


def noting(workshop: Workshop) -> Callable[[], None]:
    """Somebody's note, which comes in behind the last call."""
    return lambda: workshop.store.add_note(a_trigger(TriggerKind.NOTE, issue=workshop.issue, text="Make it a sum."))


def test_a_note_after_the_last_call_has_the_run_go_on_for_it(workshop: Workshop) -> None:
    run = workshop.run(Turn(THREE, meanwhile=noting(workshop)), Turn(BETTER))

    assert run.outcome is Outcome.UNPROVEN, run.reason
    assert workshop.agent.heard == [[], ["Make it a sum."]]
    assert workshop.read("calc.py") == BETTER["calc.py"]
    first = workshop.store.progress(run.id).iterations[0]
    assert first.why_next == f"a note by {MAINTAINER.login} came after the model's last call"
    assert "Not heard" not in workshop.answer


@pytest.mark.parametrize("verdict", [Verdict.QUESTION, Verdict.ANSWERED, Verdict.NOTHING_TO_DO])
def test_it_may_be_the_answer_to_what_the_model_ends_with(workshop: Workshop, verdict: Verdict) -> None:
    run = workshop.run(Turn(verdict=verdict, why="Why?", meanwhile=noting(workshop)), Turn(BETTER))

    assert run.outcome is Outcome.UNPROVEN, run.reason
    assert workshop.agent.heard[-1] == ["Make it a sum."]


def test_a_note_that_the_model_was_given_keeps_no_run_from_its_end(workshop: Workshop) -> None:
    workshop.run(Turn(THREE, verdict=None, meanwhile=noting(workshop)), Turn(BETTER))

    assert workshop.agent.heard == [[], ["Make it a sum."]]


def test_where_no_limit_is_left_for_it_the_result_names_the_note(tmp_path: Path) -> None:
    with a_database(tmp_path) as database:
        workshop = Workshop(tmp_path, database, files={**FILES, ".github/selfcode.yml": ONE_ITERATION})

        run = workshop.run(Turn(THREE, meanwhile=noting(workshop)))

        assert run.outcome is Outcome.UNPROVEN, run.reason
        assert "**Not heard.** The model was not called any more after this note came" in workshop.answer
        assert f"- `{MAINTAINER.login}`: Make it a sum." in workshop.answer
        assert "`/selfcode retry <text>` starts a run that has these words." in workshop.answer


def test_a_run_that_a_limit_ended_names_the_note_as_well(workshop: Workshop) -> None:
    workshop.run(Turn(THREE, verdict=Verdict.LIMIT, why="no token is left", meanwhile=noting(workshop)))

    assert "**Not heard.**" in workshop.answer


def test_a_run_that_was_stopped_names_none(workshop: Workshop) -> None:
    workshop.run(Turn(THREE, verdict=Verdict.STOPPED, meanwhile=noting(workshop)))

    assert "Not heard" not in workshop.answer


def test_an_iteration_that_is_told_again_hears_of_a_note_where_it_heard_of_it_before(workshop: Workshop) -> None:
    run_id = workshop.begun()

    def told(repeats: int = 0, *, note: bool = False) -> list[int]:
        """How many notes each of three askings heard of; the first so many repeat what was asked before."""
        hearing, left, heard = Listening(workshop.store, run_id, 1), [repeats], list[int]()
        hearing.begin(lambda: left[0] > 0)
        for asking in range(3):
            if note and asking == 1:
                noting(workshop)()
            heard.append(len(hearing.said()))
            left[0] -= 1
        return heard

    assert told(note=True) == [0, 1, 1]
    noting(workshop)()
    assert told(repeats=2) == [0, 1, 2]
    assert told() == [2, 2, 2]


def test_a_run_that_came_to_no_call_has_heard_nothing(workshop: Workshop) -> None:
    run_id = workshop.begun()
    noting(workshop)()

    assert unheard(workshop.store, run_id) == (Note(MAINTAINER.login, "Make it a sum."),)


def test_of_a_run_from_before_this_was_kept_nothing_is_said(workshop: Workshop) -> None:
    run = workshop.run(Turn(THREE, verdict=Verdict.LIMIT, meanwhile=noting(workshop)))
    workshop.store.learn(run.id, heard=None)

    assert unheard(workshop.store, run.id) == ()

"""A run that ends with a question, and the one that goes on with its answer."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.errors import Unavailable
from bot.records import Aim, Note, Outcome, Person, Progress, Task, TriggerKind, Verdict
from bot.runs.earlier import asked_test, attempts_up_to, question_before, question_shown_at
from bot.runs.questions import with_answers
from tests.runs.builders import MAINTAINER, a_comment, a_database, a_trigger, an_iteration
from tests.runs.workshop import BRANCH, FILES, Turn, Workshop

THREE = {"calc.py": FILES["calc.py"].replace(b"three = 3", b"three = 33")}
FOUR = {"calc.py": FILES["calc.py"].replace(b"four = 4", b"four = 44")}
QUESTION = Turn(THREE, verdict=Verdict.QUESTION, why="Is four to change too?")


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    with a_database(tmp_path) as database:
        yield Workshop(tmp_path, database)


def test_a_question_waits_and_the_answer_goes_on_from_the_work_so_far(workshop: Workshop) -> None:
    asking = workshop.run(QUESTION)
    workshop.push({"other.py": b"x\n"}, branch="main")

    run = workshop.run(Turn(THREE), kind=TriggerKind.ANSWER, text="No, leave it.")

    assert (asking.outcome, asking.reason) == (Outcome.NEEDS_INFORMATION, "Is four to change too?")
    assert run.outcome is Outcome.UNPROVEN, run.reason
    task = workshop.agent.tasks[-1]
    assert (task.asked, task.answered, task.hint) == (
        "Is four to change too?",
        (Note(MAINTAINER.login, "No, leave it."),),
        "",
    )
    assert workshop.agent.began_with[-1]["calc.py"] == THREE["calc.py"]
    assert workshop.parents(workshop.head()) == [workshop.head("main")]


@pytest.mark.parametrize(
    ("writes", "says"),
    [
        ({"keys.py": b"key = 'ghp_" + b"a1B2" * 9 + b"'\n"}, "looks like a key or token, in `keys.py`"),
        ({".github/workflows/ci.yml": b"on: push\n"}, "touches what is protected: `.github/workflows/ci.yml`"),
    ],
)
@pytest.mark.parametrize("is_on_a_branch", [False, True])
def test_what_was_done_before_a_question_is_judged_with_the_rest(
    workshop: Workshop, *, writes: dict[str, bytes | None], says: str, is_on_a_branch: bool
) -> None:
    if is_on_a_branch:
        workshop.worked(THREE)
    workshop.run(Turn(writes, verdict=Verdict.QUESTION, why="Is four to change too?"), kind=TriggerKind.RETRY)
    before = workshop.origin.head(BRANCH)

    run = workshop.run(Turn(FOUR), kind=TriggerKind.ANSWER, text="Yes.")

    assert run.outcome is Outcome.REFUSED
    assert says in (run.reason or "")
    assert workshop.origin.head(BRANCH) == before


def test_tests_that_were_altered_before_a_question_are_objected_to(workshop: Workshop) -> None:
    workshop.push({"test_old.py": b"def test_old():\n    assert 1\n"}, branch="main")
    workshop.worked(THREE)
    altered = Turn({"test_old.py": b"def test_old():\n    pass\n"}, verdict=Verdict.QUESTION, why="And four?")
    workshop.run(altered, kind=TriggerKind.RETRY)

    workshop.run(Turn(FOUR), kind=TriggerKind.ANSWER, text="Yes.")

    assert "altered" in workshop.agent.objections[-1]


def test_a_question_counts_as_asked_from_when_it_can_be_seen(workshop: Workshop) -> None:
    before = time.time()

    run = workshop.run(QUESTION)

    shown_at = question_shown_at(workshop.store, run.id)
    assert shown_at is not None
    assert run.finished_at is not None
    assert before <= shown_at <= run.finished_at


def test_a_question_that_github_did_not_take_was_not_asked(workshop: Workshop) -> None:
    chapter = workshop.chapter(workshop.run(QUESTION).id)
    words = dict(chapter.last_words(Outcome.NEEDS_INFORMATION, "Is four to change too?"))
    workshop.hub.fail_next("edit_comment", Unavailable("no answer"))

    with pytest.raises(Unavailable):
        words["result"]()

    assert question_shown_at(workshop.store, chapter.run_id) is None


def test_work_that_ends_without_a_question_has_asked_none(workshop: Workshop) -> None:
    assert question_shown_at(workshop.store, workshop.run(Turn(THREE)).id) is None


def test_a_retry_with_words_is_an_answer_too(workshop: Workshop) -> None:
    workshop.run(QUESTION)

    known = workshop.settled(TriggerKind.RETRY, text="Yes, both.")

    assert known.task.answered == (Note(MAINTAINER.login, "Yes, both."),)
    assert known.progress.start.paths == ("calc.py",)


def test_work_that_does_not_fit_the_base_any_more_is_begun_anew(workshop: Workshop) -> None:
    workshop.run(QUESTION)
    workshop.push({"calc.py": FILES["calc.py"].replace(b"three = 3", b"three = 34")}, branch="main")

    known = workshop.settled(TriggerKind.ANSWER, text="No.")

    assert known.progress.start.is_empty
    assert known.task.asked


def test_an_answer_without_code_is_nothing_to_do(workshop: Workshop) -> None:
    run = workshop.run(Turn(verdict=Verdict.ANSWERED, why="Call total() with a list."))

    assert (run.outcome, run.reason) == (Outcome.NOTHING_TO_DO, "Call total() with a list.")


def test_what_people_with_access_said_since_is_the_answer_and_no_comment_any_more() -> None:
    asked_at = datetime(2026, 5, 4, 12, 0, 30, tzinfo=UTC).timestamp()
    earlier, stranger = (
        a_comment("Before.", created_at="2026-05-04T11:50:00Z"),
        a_comment("I say no.", author=Person("eve")),
    )
    answer = a_comment("Both.", author=Person("linus"), created_at="2026-05-04T12:01:00Z")
    task = Task("T", "B", comments=(earlier, stranger, answer), hint="And five.")

    found = with_answers(
        task,
        "Which?",
        a_trigger(TriggerKind.ANSWER),
        asked_at=asked_at,
        permissions={"linus": "write", "eve": "read"},
        minimum="write",
    )

    assert found.answered == (Note("linus", "Both."), Note(MAINTAINER.login, "And five."))
    assert found.comments == (earlier, stranger)


def test_a_comment_on_a_test_that_was_asked_about_is_a_hint_for_another(workshop: Workshop) -> None:
    earlier = workshop.begun()
    asked = an_iteration(aim=Aim.TEST)
    workshop.store.keep_progress(earlier, Progress((asked,), verdict=Verdict.ASKING))
    workshop.store.finish(earlier, Outcome.NEEDS_INFORMATION, "")

    known = workshop.known(workshop.begun(TriggerKind.ANSWER, text="It has to be about three."))

    found = asked_test(workshop.store, known.run_id)
    assert found is not None
    assert found[0] == asked
    assert question_before(workshop.store, known.run_id) is None


def test_every_run_of_work_is_an_attempt(workshop: Workshop) -> None:
    first = workshop.begun(because="label added")
    workshop.store.learn(first, head_sha="a" * 40, log_url="https://github.com/o/r/pull/2#issuecomment-1")
    workshop.store.finish(first, Outcome.UNPROVEN, "")
    workshop.begun(TriggerKind.MOVED)
    second = workshop.begun(TriggerKind.REVIEW, because="review by ada")
    workshop.begun(TriggerKind.RETRY)

    found = attempts_up_to(workshop.store, second)

    assert [(each.number, each.because, each.outcome, each.head_sha[:1]) for each in found] == [
        (1, "label added", "unproven", "a"),
        (2, "review by ada", None, ""),
    ]
    assert found[0].log_url.endswith("#issuecomment-1")

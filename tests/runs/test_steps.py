import itertools
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import pytest

from bot.errors import Gone, Refused, Stopped, Unavailable
from bot.runs.engine import JsonSerializer, _Connection
from bot.runs.patience import Outage
from bot.runs.steps import Json, _attempt
from tests.runs.storyteller import RUN_ID

PROMPT_S = 30.0


@contextmanager
def a_storyteller(folder: Path, version: str = "1") -> Iterator[subprocess.Popen[str]]:
    """A process with a durable engine; killed with -9 at the end, as it may be at any moment."""
    command = [sys.executable, "-m", "tests.runs.storyteller", str(folder), version]
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def log_with(folder: Path, line: str) -> list[str]:
    """What was written so far, once that line was."""
    until = time.monotonic() + PROMPT_S
    lines: list[str] = []
    while line not in lines and time.monotonic() < until:
        lines = (folder / "log").read_text().splitlines() if (folder / "log").exists() else []
        time.sleep(0.05)
    assert line in lines
    return lines


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str]]:
    """What a story wrote until its worker was killed in the middle of a step, and what it wrote after the restart."""
    folder = tmp_path_factory.mktemp("killed")
    (folder / "hang").touch()
    with a_storyteller(folder):
        before = log_with(folder, "doing third")
    (folder / "hang").unlink()
    with a_storyteller(folder):
        after = log_with(folder, f"{RUN_ID} ends")[len(before) :]
    return before, after


RAISED = [
    "refused raised Refused: the archive is closed",
    "gone raised Gone: deleted",
    "stopped raised Stopped: label removed",
    "away raised Unavailable: no answer",
]


def test_a_killed_run_goes_on_behind_its_last_finished_step_and_does_none_twice(
    told: tuple[list[str], list[str]],
) -> None:
    _, after = told

    assert [line for line in after if line.startswith("doing")] == ["doing third", "doing last"]
    assert after.count(f"{RUN_ID} begins") == 1


def test_what_a_step_came_to_is_the_same_after_a_restart(told: tuple[list[str], list[str]]) -> None:
    before, after = told
    value = "first is {'n': 1, 'words': ['caf\u00e9', None, 0.5, {'error': 'a word, not an error'}]}"

    assert value in before
    assert value in after


def test_a_story_that_broke_off_because_nothing_could_be_written_is_told_again_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "full").touch()
    with a_storyteller(tmp_path):
        log_with(tmp_path, "doing last")
        (tmp_path / "full").unlink()

        lines = log_with(tmp_path, f"{RUN_ID} ends")

    assert lines.count(f"{RUN_ID} ends") == 1


def test_a_story_that_broke_off_is_told_again_by_the_next_worker(tmp_path: Path) -> None:
    (tmp_path / "full").touch()
    with a_storyteller(tmp_path):
        log_with(tmp_path, "doing last")
        time.sleep(0.3)
    (tmp_path / "full").unlink()

    with a_storyteller(tmp_path):
        assert f"{RUN_ID} ends" in log_with(tmp_path, f"{RUN_ID} ends")


def test_an_error_for_people_is_the_same_after_a_restart(told: tuple[list[str], list[str]]) -> None:
    before, after = told

    assert [line for line in before if line in RAISED] == RAISED
    assert [line for line in after if line in RAISED] == RAISED


def test_a_bug_in_a_step_is_raised_at_once_and_still_told_after_a_restart(told: tuple[list[str], list[str]]) -> None:
    before, after = told

    assert before.count("doing bug") == 1
    assert "bug raised ZeroDivisionError: by zero" in before
    assert "bug raised RuntimeError: ZeroDivisionError: by zero" in after


def test_a_service_that_is_away_is_tried_as_often_as_patience_says(told: tuple[list[str], list[str]]) -> None:
    before, _ = told

    assert before.count("doing away") == 3


def test_a_run_that_is_started_twice_is_told_once(told: tuple[list[str], list[str]]) -> None:
    before, _ = told

    assert before.count(f"{RUN_ID} begins") == 1


def test_a_run_of_earlier_steps_is_told_anew_by_the_next_version(tmp_path: Path) -> None:
    (tmp_path / "hang").touch()
    with a_storyteller(tmp_path, version="1"):
        before = log_with(tmp_path, "doing third")
    (tmp_path / "hang").unlink()
    with a_storyteller(tmp_path, version="2"):
        after = log_with(tmp_path, f"{RUN_ID} ends")[len(before) :]

    assert after.count("doing first") == 1
    assert after.count(f"{RUN_ID} ends") == 1


# --- One step, without an engine


class Work:
    """Fails so often, then succeeds; or fails for ever."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.tries = 0

    def __call__(self) -> Json:
        self.tries += 1
        if self.errors:
            raise self.errors.pop(0)
        return "done"


def never() -> bool:
    return False


def test_a_service_that_comes_back_costs_only_time() -> None:
    work = Work(Unavailable("no answer"), Unavailable("no answer"))

    came_to = _attempt("push", work, never, (0.01, 0.01, 0.01))

    assert came_to == {"value": "done"}
    assert work.tries == 3


def test_a_service_that_asks_for_a_pause_gets_it() -> None:
    began = time.monotonic()

    _attempt("push", Work(Unavailable("rate limit", retry_after_s=0.4)), never, (0.01,))

    assert time.monotonic() - began >= 0.4


def test_what_only_the_operator_can_mend_is_not_waited_for() -> None:
    work = Work(Unavailable("no quota", passes=False), Unavailable("no quota", passes=False))

    came_to = _attempt("iteration 1", work, never, (0.01, 0.01))

    assert came_to == {"unavailable": "no quota"}
    assert work.tries == 1


@pytest.mark.parametrize("error", [Refused("no"), Gone("deleted"), Stopped("ended")])
def test_what_people_must_act_on_is_not_tried_again(error: Exception) -> None:
    work = Work(error)

    came_to = _attempt("push", work, never, (0.01,))

    assert came_to == {type(error).__name__.lower(): str(error)}
    assert work.tries == 1


def test_a_stop_cuts_a_wait_short() -> None:
    began = time.monotonic()

    def stop_soon() -> bool:
        return time.monotonic() - began > 0.3

    came_to = _attempt("push", Work(Unavailable("no answer")), stop_soon, (30.0,))

    assert came_to == {"stopped": ""}
    assert time.monotonic() - began < 15


class Left(BaseException):
    """The telling ends here."""


@dataclass
class APlace:
    """The place of a run. `problems` keep it from being left."""

    outage: Outage | None = None
    problems: list[Exception] = field(default_factory=list)
    left_s: list[float] = field(default_factory=list)

    def left_for(self, step: str) -> Outage | None:
        return self.outage if self.outage and self.outage.step == step else None

    def leave(self, outage: Outage, wait_s: float) -> NoReturn:
        if self.problems:
            raise self.problems.pop(0)
        self.outage = outage
        self.left_s.append(wait_s)
        raise Left

    def goes_on(self, step: str) -> None:
        if self.outage and self.outage.step == step:
            self.outage = None


def test_a_service_that_stays_away_costs_the_run_its_place_and_not_its_life() -> None:
    place, work = APlace(), Work(Unavailable("no answer"), Unavailable("no answer"))

    with pytest.raises(Left):
        _attempt("push", work, never, (0.01,), place)

    assert (work.tries, place.left_s) == (2, [60.0])
    assert place.outage is not None
    assert (place.outage.step, place.outage.what) == ("push", "no answer")


def test_who_comes_back_tries_once_and_leaves_again() -> None:
    place, work = APlace(Outage("push", "no answer", time.time())), Work(Unavailable("no answer"))

    with pytest.raises(Left):
        _attempt("push", work, never, (0.01,), place)

    assert (work.tries, place.left_s) == (1, [120.0])


def test_a_service_that_is_there_again_is_waited_for_no_more() -> None:
    place = APlace(Outage("push", "no answer", time.time()))

    assert _attempt("push", Work(), never, (), place) == {"value": "done"}
    assert place.outage is None


def test_a_run_that_is_stopped_while_it_waits_does_not_try_again() -> None:
    place, work = APlace(Outage("push", "no answer", time.time())), Work()

    assert _attempt("push", work, lambda: True, (), place) == {"stopped": ""}
    assert work.tries == 0
    assert place.outage is None


def test_what_another_step_waited_for_makes_no_step_impatient() -> None:
    place = APlace(Outage("fetch", "no answer", time.time()))

    assert _attempt("push", Work(Unavailable("no answer")), never, (0.01,), place) == {"value": "done"}


def test_a_stop_is_seen_where_not_even_leaving_can_be_kept() -> None:
    asked = itertools.count()
    place = APlace(problems=[Unavailable("the database does not answer")])

    came_to = _attempt("push", Work(Unavailable("no answer", 60.0)), lambda: next(asked) > 0, (), place)

    assert came_to == {"stopped": ""}
    assert place.left_s == []


def test_a_database_that_can_not_say_whether_to_stop_ends_no_wait() -> None:
    def away() -> bool:
        raise Unavailable("the database does not answer")

    assert _attempt("push", Work(Unavailable("no answer")), away, (0.01,)) == {"value": "done"}


def test_a_bug_is_not_taken_for_a_service_that_is_away() -> None:
    work = Work(ZeroDivisionError())

    with pytest.raises(ZeroDivisionError):
        _attempt("push", work, never, (0.01,))

    assert work.tries == 1


def test_values_are_kept_as_json_text() -> None:
    serializer = JsonSerializer()

    assert serializer.serialize({"value": [1, None, "caf\u00e9"]}).startswith("{")
    assert serializer.deserialize(serializer.serialize({"value": [1, None, "caf\u00e9"]})) == {
        "value": [1, None, "caf\u00e9"]
    }


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes", lambda: None])
def test_a_value_that_is_no_json_is_a_bug_and_not_a_broken_record(value: object) -> None:
    with pytest.raises(TypeError):
        JsonSerializer().serialize({"value": value})


def test_an_old_sqlite_knows_the_clock_that_the_engines_tables_ask_for() -> None:
    connection = sqlite3.connect(":memory:", factory=_Connection)
    connection.execute("CREATE TABLE kept (id INTEGER, at INTEGER NOT NULL DEFAULT (unixepoch('subsec') * 1000))")

    connection.execute("INSERT INTO kept (id) VALUES (1)")

    assert abs(connection.execute("SELECT at FROM kept").fetchone()[0] / 1000 - time.time()) < PROMPT_S
    connection.close()

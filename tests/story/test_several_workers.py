"""Several workers over one PostgreSQL: a run goes on elsewhere when its worker dies, is cut off, or is told to end."""

import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.records import Outcome
from tests.story import recordings
from tests.story.fleet import Fleet, fleet
from tests.story.town import BOT


@pytest.fixture
def workers(tmp_path: Path, new_postgres_url: str) -> Iterator[Fleet]:
    with fleet(tmp_path, new_postgres_url, recordings.looks_first(), count=3) as built:
        built.town.model.hold()
        yield built


def asked(built: Fleet, iteration: int, times: int = 1) -> None:
    """The model, which does not answer yet, was asked so often in an iteration."""
    calls = built.town.model.calls
    built.town.wait_for(
        f"call {times} of iteration {iteration}",
        lambda: sum(call.iteration == iteration for call in calls) == times,
    )


def answers_this_one(built: Fleet) -> None:
    built.town.model.release()
    built.town.model.hold()


def test_a_run_goes_on_in_another_worker_whatever_becomes_of_its_own(workers: Fleet) -> None:
    town = workers.town
    repository = town.repository("octo/calc", recordings.files())
    issue = repository.open_issue(recordings.TITLE, recordings.BODY, by="ada")
    issue.label("selfcode", by="ada")

    asked(workers, iteration=1)
    run = workers.at_work(repository, issue)
    cut_off = workers.pid_of(run)
    workers.is_cut_off(cut_off)
    run = workers.goes_on_elsewhere(run)
    asked(workers, iteration=1, times=2)
    answers_this_one(workers)

    asked(workers, iteration=2)
    answers_this_one(workers)
    asked(workers, iteration=2, times=2)
    workers.workers[workers.pid_of(run)].kill("worker")
    run = workers.goes_on_elsewhere(run)
    asked(workers, iteration=2, times=3)
    workers.comes_back(cut_off)
    town.wait_for("a word of who came back", lambda: "is another worker's by now" in workers.log_of(cut_off))
    answers_this_one(workers)
    asked(workers, iteration=2, times=4)
    answers_this_one(workers)

    asked(workers, iteration=3)
    ending = workers.workers[workers.pid_of(run)].processes.pop("worker")
    ending.send_signal(signal.SIGTERM)
    assert ending.wait(30) == 0
    run = workers.goes_on_elsewhere(run)
    asked(workers, iteration=3, times=2)
    town.model.release()

    town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    assert workers.pid_of(run) == cut_off
    (pull,) = repository.pulls
    assert len(town.said(issue)) == 1
    assert len(pull.comments_by(BOT)) == 1
    assert len(pull.checks) == 1
    assert [commit.message.splitlines()[0][:5] for commit in pull.commits] == ["Test:", "add()"]
    paid = Counter((call.iteration, call.index) for call in town.model.calls)
    assert paid == {(1, 0): 2, (2, 0): 1, (2, 1): 2, (2, 2): 1, (3, 0): 2}, "what was answered is asked once"

"""A run that is cut off between its push and its pull request leaves no branch that nobody is told of."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.errors import Refused, Unavailable
from bot.records import Outcome, PullRequestText, TriggerKind
from bot.runs.publishing import Publishing
from bot.runs.pushing import Pushing
from tests.github.fake import FakePull
from tests.runs.builders import a_database
from tests.runs.workshop import BRANCH, FILES, Turn, Workshop

THREE = {"calc.py": FILES["calc.py"].replace(b"three = 3", b"three = 33")}


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    with a_database(tmp_path) as database:
        yield Workshop(tmp_path, database)


def closed(workshop: Workshop) -> None:
    at = workshop.repository.issues[workshop.issue.number]
    at.issue = replace(at.issue, is_open=False)


def test_a_run_that_is_stopped_after_its_push_takes_its_branch_back(workshop: Workshop) -> None:
    run = workshop.run(Turn(THREE), before={"pull request": lambda: closed(workshop)})

    assert run.outcome is Outcome.STOPPED
    assert workshop.origin.head(BRANCH) is None
    assert "Nothing was pushed." in workshop.answer
    assert workshop.store.facts(run.id)["head_sha"] == ""


def test_so_does_one_that_was_cut_off_in_the_very_push(workshop: Workshop) -> None:
    run = workshop.run(Turn(THREE), before={"pull request": lambda: closed(workshop)})
    chapter = workshop.chapter(run.id)
    chapter.known.mirror.push(str(workshop.origin.path), Pushing(chapter.known, chapter.stop).head, BRANCH, expect=None)

    dict(chapter.last_words(Outcome.STOPPED, ""))["branch"]()

    assert workshop.origin.head(BRANCH) is None


def test_a_branch_that_somebody_pushed_to_since_is_left_and_named(workshop: Workshop) -> None:
    def happen() -> None:
        workshop.push({"notes.md": b"by hand\n"})
        closed(workshop)

    run = workshop.run(Turn(THREE), before={"pull request": happen})

    assert run.outcome is Outcome.STOPPED
    assert workshop.read("notes.md") == b"by hand\n"
    assert f"Pushed before that, and told by no pull request: `{BRANCH}`" in workshop.answer
    assert "Nothing was pushed" not in workshop.answer


def test_a_branch_that_a_person_opened_a_pull_request_from_is_left_and_named(workshop: Workshop) -> None:
    def happen() -> None:
        text = PullRequestText("Mine", "", draft=False)
        workshop.repository.pulls.append(FakePull(9, BRANCH, "main", text, is_draft=False, by="eve"))
        closed(workshop)

    workshop.run(Turn(THREE), before={"pull request": happen})

    assert workshop.read("calc.py") == THREE["calc.py"]
    assert f"told by no pull request: `{BRANCH}`" in workshop.answer


def test_a_branch_that_was_there_before_is_left_and_named(workshop: Workshop) -> None:
    workshop.worked({"other.py": b"x\n"})
    workshop.pull.state = "closed"

    workshop.run(Turn(THREE), kind=TriggerKind.RETRY, before={"pull request": lambda: closed(workshop)})

    assert workshop.read("calc.py") == THREE["calc.py"]
    assert f"told by no pull request: `{BRANCH}`" in workshop.answer


def test_where_github_takes_no_pull_request_the_work_is_kept_and_named(workshop: Workshop) -> None:
    workshop.hub.fail_next("publish_pull_request", Refused("Pull requests are off."))

    run = workshop.run(Turn(THREE))

    assert run.outcome is Outcome.REFUSED
    assert workshop.read("calc.py") == THREE["calc.py"]
    assert f"told by no pull request: `{BRANCH}` ({workshop.head()})" in workshop.answer


def test_work_whose_push_was_not_heard_of_is_named_too(workshop: Workshop) -> None:
    run = workshop.run(Turn(THREE), before={"pull request": lambda: closed(workshop)})
    chapter = workshop.chapter(run.id)
    words = dict(chapter.last_words(Outcome.ERROR, "GitHub was away."))

    words["branch"]()
    assert workshop.store.facts(run.id)["branch_left"] == ""

    chapter.known.mirror.push(str(workshop.origin.path), Pushing(chapter.known, chapter.stop).head, BRANCH, expect=None)
    words["branch"]()
    assert workshop.store.facts(run.id)["branch_left"] == BRANCH


def test_a_pull_request_whose_opening_was_not_heard_of_keeps_its_branch(workshop: Workshop) -> None:
    def open_unheard() -> None:
        chapter = workshop.chapter(workshop.store.unfinished()[-1].id)
        text = Publishing(chapter.known, chapter.stop).text(Outcome.UNPROVEN, "")
        workshop.hub.publish_pull_request(workshop.repository.ref, BRANCH, "main", text)
        closed(workshop)

    run = workshop.run(Turn(THREE), before={"pull request": open_unheard})

    assert run.outcome is Outcome.STOPPED
    assert workshop.read("calc.py") == THREE["calc.py"]
    assert f"What was pushed before that is in #{workshop.pull.number}." in workshop.answer


def test_a_branch_that_could_not_be_taken_back_is_named(workshop: Workshop) -> None:
    run = workshop.run(Turn(THREE), before={"pull request": lambda: closed(workshop)})
    chapter = workshop.chapter(run.id)
    chapter.known.mirror.push(str(workshop.origin.path), Pushing(chapter.known, chapter.stop).head, BRANCH, expect=None)
    workshop.store.learn(run.id, head_sha=workshop.head())
    workshop.hub.fail_next("git_token", Unavailable("no answer"))

    words = dict(chapter.last_words(Outcome.STOPPED, ""))
    with pytest.raises(Unavailable):
        words["branch"]()
    words["result"]()

    assert f"told by no pull request: `{BRANCH}`" in workshop.answer

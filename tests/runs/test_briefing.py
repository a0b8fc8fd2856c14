"""What a run is asked to do beside what the issue says."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.errors import Stopped
from bot.records import FailedCheck, Person, TriggerKind
from bot.runs.commits import words_of
from tests.github.fake import NOW
from tests.runs.builders import a_database
from tests.runs.workshop import FILES, Workshop

LINT = FailedCheck("lint", "https://ci.example.com/1", "2 problems")
ACTIONS = Person("github-actions[bot]", is_bot=True)


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    with a_database(tmp_path) as database:
        yield Workshop(tmp_path, database)


def test_failed_checks_are_to_be_mended_on_the_branch_and_nobody_has_to_ask_for_it(workshop: Workshop) -> None:
    head = workshop.worked({"calc.py": FILES["calc.py"] + b"five = 5\n"})
    workshop.repository.failed_checks[head] = [LINT]

    known = workshop.settled(TriggerKind.MEND, head_sha=head, sender=ACTIONS)

    assert known.task.checks == (LINT,)
    assert known.footing.onto == head
    assert "react" not in workshop.hub.calls


def test_whose_push_the_checks_are_of_counts_for_no_more_than_they_may(workshop: Workshop) -> None:
    head = workshop.worked({"calc.py": FILES["calc.py"] + b"five = 5\n"})
    workshop.repository.failed_checks[head] = [LINT]
    workshop.hub.say(workshop.issue, "Delete the tests.", by="eve")

    known = workshop.settled(TriggerKind.MEND, head_sha=head, sender=Person("eve", id=9), occurred_at=NOW)

    assert known.task.comments == ()
    assert known.task.left_out
    assert words_of(known).trailers == ()


def test_checks_that_pass_by_now_or_are_of_another_commit_are_left(workshop: Workshop) -> None:
    head = workshop.worked({"other.py": b"x\n"})
    workshop.repository.failed_checks["b" * 40] = [LINT]

    with pytest.raises(Stopped, match="no check fails any more"):
        workshop.settled(TriggerKind.MEND, head_sha=head, sender=ACTIONS)
    with pytest.raises(Stopped, match="the branch has moved on"):
        workshop.settled(TriggerKind.MEND, head_sha="b" * 40, sender=ACTIONS)


def test_what_the_repository_wishes_is_read_from_its_default_branch(workshop: Workshop) -> None:
    workshop.worked({"CONTRIBUTING.md": b"Anything goes.\n"})
    workshop.push({"AGENTS.md": b"Use tabs.\n"}, branch="main")

    assert workshop.settled().task.wishes == (("AGENTS.md", "Use tabs."),)


def test_an_answer_is_wanted_as_long_as_the_label_is_there(workshop: Workshop) -> None:
    at = workshop.repository.issues[workshop.issue.number]
    at.issue = replace(at.issue, labels=())

    with pytest.raises(Stopped, match="the label was taken off"):
        workshop.settled(TriggerKind.ANSWER, text="Yes.")

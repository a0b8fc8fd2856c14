"""Which pull request is ours: others may have opened some from the same branch."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.errors import Gone
from bot.records import PullRequest, PullRequestText
from bot.runs.pulls import Pulls, our_pull, pulls_from, told_apart
from tests.github.fake import FakePull
from tests.runs.builders import a_database
from tests.runs.workshop import BRANCH, FILES, Workshop

THREE = {"calc.py": FILES["calc.py"].replace(b"three = 3", b"three = 33")}


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    with a_database(tmp_path) as database:
        yield Workshop(tmp_path, database)


def a_pull(number: int, state: str = "open", *, is_ours: bool = True) -> PullRequest:
    return PullRequest(number, f"https://github.invalid/{number}", state, False, "2a9b", is_ours=is_ours)


def theirs(number: int, state: str = "open") -> PullRequest:
    return a_pull(number, state, is_ours=False)


@pytest.mark.parametrize(
    ("found", "known", "expected"),
    [
        ([], (), Pulls()),
        ([a_pull(2)], (), Pulls(a_pull(2))),
        ([a_pull(3, "closed"), a_pull(2)], (), Pulls(a_pull(2))),
        ([a_pull(3, "closed"), a_pull(2, "closed")], (), Pulls(a_pull(3, "closed"))),
        ([theirs(3), a_pull(2)], (), Pulls(a_pull(2))),
        ([theirs(3)], (3,), Pulls(theirs(3))),
        ([theirs(3)], (), Pulls(None, is_peoples=True)),
        ([theirs(3, "merged")], (), Pulls(None, is_peoples=True)),
        ([theirs(3, "closed")], (), Pulls()),
        ([theirs(3), a_pull(2, "closed")], (), Pulls(a_pull(2, "closed"), is_peoples=True)),
    ],
)
def test_ours_is_what_we_opened_or_what_is_known_by_its_number(
    found: list[PullRequest], known: tuple[int, ...], expected: Pulls
) -> None:
    assert told_apart(found, known) == expected


def a_persons(workshop: Workshop, base: str, *, branch: str = BRANCH) -> FakePull:
    number = 1 + len(workshop.repository.issues) + len(workshop.repository.pulls)
    pull = FakePull(number, branch, base, PullRequestText("Mine", "By hand.", draft=False), is_draft=False, by="ada")
    workshop.repository.pulls.append(pull)
    return pull


def test_the_one_that_is_known_is_asked_for_by_its_number_alone(workshop: Workshop) -> None:
    workshop.worked(THREE)
    ours = workshop.pull
    a_persons(workshop, "main")
    workshop.hub.calls.clear()

    found = our_pull(workshop.house, workshop.issue, BRANCH)

    assert found is not None
    assert (found.number, workshop.hub.calls) == (ours.number, ["pull_request_numbered"])


def test_one_that_was_opened_by_another_name_of_ours_is_ours_by_its_number(workshop: Workshop) -> None:
    workshop.worked(THREE)
    workshop.pull.by = "an-older-name[bot]"
    workshop.pull.state = "closed"

    found = pulls_from(workshop.house, workshop.issue, BRANCH)

    assert found.ours is not None
    assert (found.ours.number, found.is_peoples) == (workshop.pull.number, False)


def test_where_the_known_one_is_gone_the_branch_is_asked_about(workshop: Workshop) -> None:
    workshop.worked(THREE)
    workshop.hub.fail_next("pull_request_numbered", Gone("Not Found"))

    found = our_pull(workshop.house, workshop.issue, BRANCH)

    assert found is not None
    assert found.number == workshop.pull.number


# --- What a run makes of it


def test_a_persons_own_pull_request_from_a_branch_of_our_name_is_left_to_them(workshop: Workshop) -> None:
    workshop.push(THREE)
    mine = a_persons(workshop, "main")
    before = workshop.head()

    known = workshop.settled()

    assert known.footing.branch == f"{BRANCH}-2"
    assert (workshop.head(), mine.text.title) == (before, "Mine")


def test_a_backport_from_our_branch_keeps_no_run_from_our_own(workshop: Workshop) -> None:
    workshop.worked(THREE)
    ours = workshop.pull
    workshop.origin.commit({"x": b"y"}, branch="release-1", onto=workshop.head("main"))
    a_persons(workshop, "release-1")

    footing = workshop.settled().footing

    assert (footing.branch, footing.pull_request) == (BRANCH, ours.number)


def test_where_ours_was_closed_and_a_person_went_on_from_the_branch_it_is_theirs(workshop: Workshop) -> None:
    workshop.worked(THREE)
    workshop.pull.state = "closed"
    a_persons(workshop, "main")

    assert workshop.settled().footing.branch == f"{BRANCH}-2"

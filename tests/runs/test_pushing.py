"""What happens to branch, base and repository while a run works, and that its push is over nobody's commit."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.records import Outcome, TriggerKind
from bot.repository.git import run_git
from bot.runs.results import result_of_run
from tests.runs.builders import a_database
from tests.runs.workshop import BRANCH, FILES, Turn, Workshop

CALC = FILES["calc.py"]
THREE = {"calc.py": CALC.replace(b"three = 3", b"three = 33")}
FOUR = {"calc.py": CALC.replace(b"four = 4", b"four = 44")}
AGAINST = {"calc.py": CALC.replace(b"three = 3", b"three = 34")}


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    with a_database(tmp_path) as database:
        yield Workshop(tmp_path, database)


def test_a_push_in_mid_run_is_joined_with_the_runs_own_and_the_proof_is_of_both(workshop: Workshop) -> None:
    workshop.worked({"other.py": b"x\n"})
    theirs: list[str] = []

    def push() -> None:
        theirs.append(workshop.push(FOUR))

    run = workshop.run(Turn(THREE, meanwhile=push), kind=TriggerKind.RETRY)

    assert run.outcome is Outcome.UNPROVEN, run.reason
    first_parent, _ = workshop.parents(workshop.head())
    assert first_parent == theirs[0]
    assert workshop.read("calc.py") == THREE["calc.py"].replace(b"four = 4", b"four = 44")
    proof = workshop.known(run.id).proof
    assert proof is not None
    assert proof.provenance is not None
    assert proof.provenance.head == workshop.head()
    assert theirs[0] in workshop.pull.text.body


@pytest.mark.parametrize(
    ("meanwhile", "says"),
    [
        (lambda workshop: workshop.push(AGAINST), "the two don't fit in `calc.py`"),
        (
            lambda workshop: workshop.origin.commit(FOUR, branch=BRANCH, onto=workshop.head("main")),
            "was changed by someone else",
        ),
    ],
)
def test_what_does_not_fit_with_ours_is_left_and_the_work_is_kept(
    workshop: Workshop, meanwhile: Callable[[Workshop], str], says: str
) -> None:
    workshop.worked({"other.py": b"x\n"})
    theirs: list[str] = []

    run = workshop.run(
        Turn(THREE, meanwhile=lambda: theirs.append(meanwhile(workshop))),
        kind=TriggerKind.RETRY,
    )

    assert run.outcome is Outcome.REFUSED
    assert says in (run.reason or "")
    assert workshop.head() == theirs[0]
    assert "three = 33" in workshop.answer
    assert "three = 33" not in workshop.pull.text.body


def test_a_branch_that_somebody_made_in_mid_run_is_not_taken(workshop: Workshop) -> None:
    theirs: list[str] = []

    def make() -> None:
        theirs.append(workshop.origin.commit(FOUR, branch=BRANCH, onto=workshop.head("main")))

    run = workshop.run(Turn(THREE, meanwhile=make))

    assert run.outcome is Outcome.REFUSED
    assert workshop.head() == theirs[0]
    assert workshop.repository.pulls == []


@pytest.mark.parametrize("state", ["closed", "merged"])
def test_a_pull_request_that_ended_in_mid_run_ends_the_run(workshop: Workshop, state: str) -> None:
    ours = workshop.worked({"other.py": b"x\n"})

    def end() -> None:
        workshop.pull.state = state

    run = workshop.run(Turn(THREE, meanwhile=end), kind=TriggerKind.RETRY)

    assert (run.outcome, run.reason) == (Outcome.STOPPED, f"pull request #2 was {state}")
    assert workshop.head() == ours
    assert len(workshop.repository.pulls) == 1


def test_a_branch_that_was_deleted_in_mid_run_is_made_anew(workshop: Workshop) -> None:
    ours = workshop.worked({"other.py": b"x\n"})
    workshop.pull.state = "closed"

    run = workshop.run(Turn(THREE, meanwhile=lambda: workshop.origin.delete(BRANCH)), kind=TriggerKind.RETRY)

    assert run.outcome is Outcome.UNPROVEN, run.reason
    assert workshop.parents(workshop.head()) == [ours]
    assert [pull.state for pull in workshop.repository.pulls] == ["closed", "open"]


@pytest.mark.parametrize(("files", "conflicts"), [(FOUR, ()), (AGAINST, ("calc.py",))])
def test_a_base_that_moved_in_mid_run_is_told_and_the_proof_names_its_own(
    workshop: Workshop, files: dict[str, bytes], conflicts: tuple[str, ...]
) -> None:
    before = workshop.head("main")

    run = workshop.run(Turn(THREE, meanwhile=lambda: workshop.push(dict(files), branch="main")))

    result = result_of_run(workshop.known(run.id), Outcome.UNPROVEN, "")
    assert (result.base_sha, result.base_moved_to, result.conflicts) == (before, workshop.head("main"), conflicts)
    assert workshop.parents(workshop.head()) == [before]


def test_a_repository_that_was_archived_in_mid_run_gets_nothing_and_the_work_is_kept(workshop: Workshop) -> None:
    def archive() -> None:
        workshop.repository.is_archived = True

    run = workshop.run(Turn(THREE, meanwhile=archive))

    assert run.outcome is Outcome.REFUSED
    assert "archived meanwhile" in (run.reason or "")
    assert "three = 33" in workshop.answer
    assert workshop.origin.head(BRANCH) is None


def test_a_default_branch_that_was_renamed_in_mid_run_is_the_base_by_its_new_name(workshop: Workshop) -> None:
    def rename() -> None:
        run_git(["branch", "-m", "main", "trunk"], repository=workshop.origin.path)
        workshop.repository.default_branch = "trunk"

    run = workshop.run(Turn(THREE, meanwhile=rename))

    assert run.outcome is Outcome.UNPROVEN, run.reason
    assert workshop.pull.base == "trunk"


def test_an_issue_that_is_gone_in_mid_run_gets_no_branch(workshop: Workshop) -> None:
    run = workshop.run(Turn(THREE, meanwhile=workshop.repository.issues.clear))

    assert run.outcome is Outcome.STOPPED
    assert workshop.origin.head(BRANCH) is None


def test_a_push_that_was_done_before_a_crash_is_not_done_twice(workshop: Workshop) -> None:
    run = workshop.run(Turn(THREE))
    pushed = workshop.head()

    assert workshop.chapter(run.id).push()

    assert workshop.head() == pushed


def test_a_dry_run_opens_nothing_and_shows_what_it_would_have_opened(workshop: Workshop) -> None:
    workshop.dry_run = True

    run = workshop.run(Turn(THREE))

    assert run.outcome is Outcome.UNPROVEN
    assert workshop.origin.head(BRANCH) is None
    assert workshop.repository.pulls == []
    assert "**What would have been opened:** “Three is wrong" in workshop.answer


def test_where_nothing_was_changed_nothing_is_proven_again(workshop: Workshop) -> None:
    workshop.run(Turn(THREE))
    pushed = workshop.head()

    run = workshop.run(Turn(why="It is as it should be."), kind=TriggerKind.RETRY)

    assert (run.outcome, run.reason) == (Outcome.NOTHING_TO_DO, "It is as it should be.")
    assert workshop.known(run.id).proof is None
    assert workshop.head() == pushed


def test_what_a_person_pushed_is_proven_by_a_run_that_finds_it_right(workshop: Workshop) -> None:
    workshop.run(Turn(THREE))
    theirs = workshop.push(FOUR)

    run = workshop.run(Turn(), kind=TriggerKind.RETRY)

    assert run.outcome is Outcome.UNPROVEN, run.reason
    assert workshop.head() == theirs
    assert theirs in workshop.pull.text.body
    assert workshop.settled().footing.by_people == (theirs,)

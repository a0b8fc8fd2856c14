"""What happens to branch, base and repository while a run works, and that its push is over nobody's commit."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.records import Outcome, TriggerKind
from bot.repository.git import run_git
from bot.runs.results import result_of_run
from bot.runs.workflow import story_of
from tests.runs.builders import a_database
from tests.runs.workshop import BRANCH, FILES, Turn, Workshop

CALC = FILES["calc.py"]
THREE = {"calc.py": CALC.replace(b"three = 3", b"three = 33")}
FOUR = {"calc.py": CALC.replace(b"four = 4", b"four = 44")}
AGAINST = {"calc.py": CALC.replace(b"three = 3", b"three = 34")}
TEST_OF_MAIN = b"from mul import mul\n\n\ndef test_mul():\n    assert mul() == 6\n"


class LostMachine(BaseException):
    """The machine that worked is gone, with all that it had."""


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


def test_what_was_joined_on_a_machine_that_is_gone_is_joined_again_elsewhere_and_the_same(workshop: Workshop) -> None:
    workshop.worked({"other.py": b"x\n"})
    turn = Turn(THREE, meanwhile=lambda: workshop.push(FOUR))

    run = workshop.run(turn, kind=TriggerKind.RETRY, before={"proof 2": workshop.moves_on})

    joined = workshop.known(run.id).joined
    assert run.outcome is Outcome.UNPROVEN, run.reason
    assert joined is not None
    assert joined.times == 1
    assert workshop.parents(workshop.head())[0] == joined.theirs[-1]
    assert workshop.read("calc.py") == THREE["calc.py"].replace(b"four = 4", b"four = 44")


def test_what_was_joined_twice_on_a_machine_that_is_gone_is_left_to_people(workshop: Workshop) -> None:
    workshop.worked({"other.py": b"x\n"})
    turn = Turn(THREE, meanwhile=lambda: workshop.push(FOUR))
    again = {"push 2": lambda: workshop.push({"more.py": b"m\n"}), "proof 3": workshop.moves_on}

    run = workshop.run(turn, kind=TriggerKind.RETRY, before=again)

    assert run.outcome is Outcome.REFUSED
    assert "the machine that had joined the two is gone" in (run.reason or "")
    assert workshop.read("more.py") == b"m\n"
    assert "three = 33" in workshop.answer


def test_a_base_that_a_person_merged_in_in_mid_run_is_the_base_and_not_their_work_or_ours(workshop: Workshop) -> None:
    ours = workshop.worked({"other.py": b"x\n"})
    merged: list[str] = []

    def update() -> None:
        workshop.push({"mains.py": b"m\n", "check.sh": b"exit 0 # anew\n"}, branch="main")
        workshop.push({".github/selfcode.yml": b"test: sh ./check.sh\nsetup: ''\n"}, branch="main")
        merged.append(workshop.update_branch())

    run = workshop.run(Turn(THREE, meanwhile=update), kind=TriggerKind.RETRY)

    assert run.outcome is Outcome.UNPROVEN, run.reason
    assert workshop.parents(workshop.head())[0] == merged[0]
    assert workshop.parents(merged[0]) == [ours, workshop.head("main")]
    result = result_of_run(workshop.known(run.id), Outcome.UNPROVEN, "")
    assert result.proof is not None
    assert result.proof.provenance is not None
    assert (result.proof.provenance.base, result.base_sha) == (workshop.head("main"),) * 2
    assert (result.proof.provenance.command, result.proof.baseline.command) == ("sh ./check.sh",) * 2
    assert result.by_people == (merged[0],)
    assert result.branch_change is not None
    assert result.branch_change.paths == ("calc.py", "other.py")
    assert "**Built on 1 commit by people**" in workshop.pull.text.body
    assert "mains.py" not in workshop.pull.text.body


def test_the_tests_of_a_base_that_was_merged_in_in_mid_run_prove_nothing_of_ours(workshop: Workshop) -> None:
    command = b"test: PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python3 -m pytest -q\nsetup: ''\n"
    workshop.push({".github/selfcode.yml": command, "test_it.py": b"def test_it():\n    pass\n"}, branch="main")
    workshop.worked({"other.py": b"x = 1\n"})

    def update() -> None:
        mains = {"mul.py": b"def mul():\n    return 6\n", "test_mul.py": TEST_OF_MAIN}
        workshop.push(mains, branch="main")
        workshop.update_branch()

    run = workshop.run(Turn(THREE, meanwhile=update), kind=TriggerKind.RETRY)

    assert run.outcome is Outcome.UNPROVEN
    proof = workshop.known(run.id).proof
    assert proof is not None
    assert not proof.evidence.red
    assert proof.baseline.passed == {"test_it.py::test_it", "test_mul.py::test_mul"}


def test_a_base_whose_tests_can_not_be_run_ends_a_run_that_it_was_merged_into(workshop: Workshop) -> None:
    workshop.worked({"other.py": b"x\n"})
    merged: list[str] = []

    def update() -> None:
        workshop.push({"check.sh": b"no-such-command\n"}, branch="main")
        merged.append(workshop.update_branch())

    run = workshop.run(Turn(THREE, meanwhile=update), kind=TriggerKind.RETRY)

    assert run.outcome is Outcome.BASELINE_BROKEN, run.reason
    assert workshop.head() == merged[0]
    assert "three = 33" in workshop.answer


def test_what_was_joined_is_joined_and_judged_once_however_often_it_is_told(workshop: Workshop) -> None:
    workshop.worked({"other.py": b"x\n"})

    def update() -> None:
        workshop.push({"mains.py": b"m\n"}, branch="main")
        workshop.update_branch()

    run = workshop.run(Turn(THREE, meanwhile=update), kind=TriggerKind.RETRY)
    known, pushed = workshop.known(run.id), workshop.head()
    before = (known.base, known.proof, known.joined, known.progress)

    story_of(workshop.chapter(run.id), lambda _, work: work())

    assert (known.base, known.proof, known.joined, known.progress) == before
    assert workshop.head() == pushed


def test_what_was_joined_on_a_machine_that_is_gone_is_joined_again_over_the_base_that_it_was_done_over(
    workshop: Workshop,
) -> None:
    workshop.worked({"other.py": b"x\n"})

    def update() -> None:
        workshop.push({"mains.py": b"m\n"}, branch="main")
        workshop.update_branch()

    def lose_machine() -> None:
        raise LostMachine

    with pytest.raises(LostMachine):
        workshop.run(Turn(THREE, meanwhile=update), kind=TriggerKind.RETRY, before={"environment 2": lose_machine})
    (run,) = workshop.store.unfinished()
    joined = workshop.known(run.id).joined
    shutil.rmtree(workshop.known(run.id).mirror.path)

    outcome, reason = story_of(workshop.chapter(run.id), lambda _, work: work())

    assert outcome is Outcome.UNPROVEN, reason
    assert joined is not None
    known = workshop.known(run.id)
    assert (known.joined, known.base) == (joined, workshop.head("main"))
    assert known.proof is not None
    assert known.proof.provenance is not None
    assert (known.proof.provenance.base, known.proof.provenance.head) == (known.base, workshop.head())


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

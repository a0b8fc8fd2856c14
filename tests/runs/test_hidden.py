"""Hidden tests in a run: where they are read from, where they run, and where they never are."""

import logging
from pathlib import Path

import pytest

from bot.errors import Unavailable
from bot.proof import HiddenTests, Plant, plant_for
from bot.records import Progress
from bot.runs import solving
from bot.runs.ground import Ground
from bot.runs.hidden import confirmed_hidden, hidden_tests_for, hidden_tests_in, run_hidden
from bot.runs.workbench import Bench
from sandbox.contract import File
from tests.runs.builders import a_ground, an_iteration

PATH = "test_hidden.py"
WANTS_A_SUM = HiddenTests(
    {PATH: File(b"from add import add\n\ndef test_sum():\n    assert add(1, 2) == 3, 'no sum'\n")}
)
GOOD = b"def add(a, b):\n    return a + b\n"
BAD = b"def add(a, b):\n    return a - b\n"


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return a_ground(tmp_path, {"add.py": BAD, "test_add.py": b"def test_add():\n    pass\n"})


def objection(ground: Ground, hidden: HiddenTests, source: bytes, told: list[str] | None = None) -> str:
    """What the bench says of a change whose tests are green, and that needs no test of its own."""
    tell = (told if told is not None else []).append
    with ground.workspace(ground.base) as workspace:
        bench = Bench(ground, workspace, wants_test=False, hidden=hidden, tell=tell)
        bench.write("add.py", source)
        change = bench.change()
        said = bench.objection(change, bench.test())
        assert PATH not in bench.paths()
        assert PATH not in change.paths
        return said


def test_files_of_a_folder_have_their_paths_in_the_repository(tmp_path: Path) -> None:
    (tmp_path / "tests" / "__pycache__").mkdir(parents=True)
    (tmp_path / "tests" / "__pycache__" / "x.pyc").write_bytes(b"x")
    (tmp_path / "tests" / "test_a.py").write_bytes(b"a")

    assert hidden_tests_in(tmp_path) == HiddenTests({"tests/test_a.py": File(b"a")})


def test_a_folder_without_a_file_holds_no_test(tmp_path: Path) -> None:
    assert hidden_tests_in(tmp_path) is None
    assert hidden_tests_in(tmp_path / "not there") is None


def test_each_repository_has_a_folder_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "octo" / "cat").mkdir(parents=True)
    (tmp_path / "octo" / "cat" / "test_a.py").write_bytes(b"a")

    assert hidden_tests_for(tmp_path, "octo/cat") == HiddenTests({"test_a.py": File(b"a")})
    assert hidden_tests_for(tmp_path, "octo/dog") is None
    assert hidden_tests_for(tmp_path / "octo", "../octo") is None
    assert hidden_tests_for(None, "octo/cat") is None


def test_tests_that_can_not_be_read_are_no_reason_to_go_on_without_them(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * (17 * 1024 * 1024))

    with pytest.raises(Unavailable, match="more than"):
        hidden_tests_in(tmp_path)


def test_a_hidden_test_that_fails_is_the_last_objection_to_a_green_change(ground: Ground) -> None:
    said = objection(ground, WANTS_A_SUM, b"def add(a, b):\n    return 0\n")

    assert said.startswith(
        f"1 of 1 acceptance tests, which are not shown, fail: {PATH}::test_sum: AssertionError: no sum"
    )
    assert "add(1, 2)" not in said


def test_where_they_pass_nothing_is_objected(ground: Ground) -> None:
    assert objection(ground, WANTS_A_SUM, GOOD) == ""


def test_a_judges_tests_are_never_fed_back(ground: Ground) -> None:
    judge = HiddenTests(WANTS_A_SUM.files, feedback=False)

    assert objection(ground, judge, b"def add(a, b):\n    return 0\n") == ""
    assert not run_hidden(ground, ground.base, judge).all_pass


def test_what_can_not_be_told_is_told_to_the_operator_and_is_no_objection(
    ground: Ground, caplog: pytest.LogCaptureFixture
) -> None:
    elsewhere = HiddenTests({"elsewhere/hidden.txt": File(b"a secret")})
    told: list[str] = []

    with caplog.at_level(logging.WARNING):
        assert objection(ground, elsewhere, GOOD, told) == ""

    assert "were not run by the test command" in told[-1]
    assert "were not run by the test command" in caplog.text
    assert "a secret" not in caplog.text


def test_a_plant_is_seen_beside_them(ground: Ground) -> None:
    plant: Plant = plant_for(["test_add.py"], "abc123")

    assert run_hidden(ground, ground.base, WANTS_A_SUM, plant=plant).failing == (
        (f"{PATH}::test_sum", "AssertionError: no sum"),
    )


def test_what_fails_once_and_passes_once_is_no_failure(ground: Ground, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    source = f"import pathlib\n\ndef test_it():\n    seen = pathlib.Path({str(seen)!r})\n    was = seen.exists()\n"
    flaky = HiddenTests({PATH: File(f"{source}    seen.touch()\n    assert was\n".encode())})

    assert confirmed_hidden(ground, ground.base, flaky).all_pass


@pytest.mark.parametrize(("source", "lacks"), [(GOOD, False), (b"def add(a, b):\n    return 0\n", True)])
def test_the_proof_needs_them(ground: Ground, source: bytes, lacks: bool) -> None:
    baseline = solving.take_baseline(ground)
    with ground.workspace(ground.base) as workspace:
        bench = Bench(ground, workspace)
        bench.write("add.py", source)
        progress = Progress((an_iteration(change=bench.change()),))

    proof = solving.take_proof(ground, progress, baseline, WANTS_A_SUM)

    said = [each for each in proof.missing if "acceptance" in each]
    assert said == ([f"1 of 1 of the operator's acceptance tests fail: {PATH}::test_sum."] if lacks else [])
    assert (proof.acceptance_passed, proof.acceptance_failed) == ((0, 1) if lacks else (1, 0))

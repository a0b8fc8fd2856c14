"""Names that are no text: git keeps any bytes as a file's name, and a test may call itself what it likes."""

from collections.abc import Mapping

import pytest

from bot.proof import A, B, C, check_hunks, prove
from bot.records import Proof, ReportState, TestReport, dump, load
from sandbox.contract import File
from tests.proof.laboratory import a_report, changed

NO_TEXT = "\udcff"
SOURCE = changed(f"calc{NO_TEXT}.py", "n = 1\n", "import sys\nn = sys.modules\n")
TEST = changed(f"tests/test_{NO_TEXT}.py", "def test_a():\n    assert n\n", "def test_a():\n    pass\n")
BUILD = changed(f"{NO_TEXT}/package.json", "{}", "{ }")
BASELINE, GREEN = a_report(passed=["t.py::a"]), a_report(passed=["t.py::a", "t.py::b"])
RUNS = {A: a_report(passed=["t.py::a"], failed=["t.py::b"]), B: GREEN, C: BASELINE}


def proof_of_no_text(state: ReportState | None = None) -> Proof:
    baseline = a_report(passed=["t.py::a"], state=state)
    return prove((SOURCE, TEST, BUILD), baseline, RUNS.__getitem__)


@pytest.mark.parametrize("state", [None, ReportState.CRASHED])
def test_a_proof_over_files_whose_names_are_no_text_is_kept_and_names_them_with_a_sign(
    state: ReportState | None,
) -> None:
    proof = proof_of_no_text(state)

    assert load(Proof, dump(proof)) == proof
    assert proof.tests_changed == ("tests/test_\ufffd.py",)
    assert proof.tests_altered == ("tests/test_\ufffd.py: test_a changed",)
    assert [sentence for sentence in proof.missing if "calc\ufffd.py" in sentence]


def test_its_hunks_are_taken_back_by_the_files_own_names() -> None:
    other = changed("other.py", "n = 1\n", "n = 2\n")
    asked: list[str] = []

    def run(replaced: Mapping[str, File | None], _: float) -> TestReport:
        asked.extend(replaced)
        return RUNS[A]

    found = check_hunks((SOURCE, other), proof_of_no_text(), run, run_s=1, budget_s=100)

    assert found is not None
    assert sorted(asked) == [SOURCE.path, other.path]
    assert [hunk.path for hunk in found.noticed] == ["calc\ufffd.py", "other.py"]

import pytest

from bot.proof import run_tests
from bot.records import TestPlan
from sandbox.process import ProcessSandbox
from tests.proof.laboratory import put, report_on

SCRIPT = """
mkdir -p build/results/unit build/results/it
cd build/results
echo '<testsuite><testcase classname="Cart" name="adds"/></testsuite>' > unit/TEST-Cart.xml
echo '<testsuite><testcase classname="Shop" name="opens"><failure/></testcase></testsuite>' > it/TEST-Shop.xml
echo 'nothing to read' > it/notes.txt
"""


@pytest.mark.parametrize("path", ["build/results", "build/results/*/TEST-*.xml", "build/**/*.xml"])
def test_all_results_files_of_a_folder_or_a_pattern_are_read_together(path: str) -> None:
    report = report_on({"run.sh": SCRIPT}, plan=TestPlan("sh run.sh", report=path))

    assert (report.reader, sorted(report.passed), sorted(report.failed)) == ("junit", ["Cart::adds"], ["Shop::opens"])


@pytest.mark.parametrize("path", ["build/results", "build/results/*.xml"])
def test_results_files_of_an_earlier_run_are_gone_before_it(path: str) -> None:
    stale = '<testsuite><testcase classname="Cart" name="old"/></testsuite>'

    report = report_on({"build/results/old.xml": stale, "run.sh": SCRIPT}, plan=TestPlan("sh run.sh", report=path))

    assert sorted(report.passed) == ["Cart::adds"]


@pytest.mark.parametrize("path", ["*/TEST-*.xml", "**/TEST-*.xml", "[b]uild/results/*/TEST-*.xml"])
def test_a_pattern_finds_its_files_in_a_large_workspace_and_nothing_of_ours(path: str) -> None:
    stale = "<testsuite><testcase classname='Cart' name='old'/></testsuite>"
    with ProcessSandbox().open() as workspace:
        put(workspace, {"run.sh": SCRIPT, "build/results/it/TEST-old.xml": stale})
        workspace.run("dd if=/dev/zero of=model.bin bs=1048576 count=0 seek=64")

        report = run_tests(workspace, TestPlan("sh run.sh", report=path), timeout_s=60)

    assert (report.reader, sorted(report.passed), sorted(report.failed)) == ("junit", ["Cart::adds"], ["Shop::opens"])


def test_a_pattern_that_fits_everything_does_not_read_the_hosts_own_files() -> None:
    report = report_on({"test_a.py": "def test_a(): pass"}, plan=TestPlan("python -m pytest -q", report="*.xml"))

    assert report.reader == "pytest"

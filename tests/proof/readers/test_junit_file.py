import pytest

from bot.records import TestPlan
from tests.proof.laboratory import report_on

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

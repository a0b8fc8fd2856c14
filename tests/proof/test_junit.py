import pytest

from bot.proof.junit import read_junit
from bot.records import TestStatus

LAUGHS = b"""<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;">]>
<testsuite><testcase name="&lol2;"/></testsuite>"""


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"<testsuite>",
        b"<html/>",
        b"\xff\xfe\x00",
        LAUGHS,
        b"<!DOCTYPE x SYSTEM 'file:///etc/passwd'><testsuite/>",
        b"\x00" * 1000,
    ],
)
def test_what_is_no_results_file_is_nothing(data: bytes) -> None:
    assert read_junit(data) is None


def test_a_file_without_totals_is_taken_at_its_cases() -> None:
    results = read_junit(b'<testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite>')

    assert results is not None
    assert [(case.id, case.status) for case in results.cases] == [("a", TestStatus.PASSED), ("b", TestStatus.SKIPPED)]
    assert results.contradiction == ""


@pytest.mark.parametrize(
    ("totals", "says"),
    [
        ('tests="1" failures="1" errors="0" skipped="0"', "says 1 failures and lists 0"),
        ('tests="1" failures="0" errors="2" skipped="0"', "says 2 errors and lists 0"),
        ('tests="1" failures="0" errors="0" skipped="1"', "says 1 skipped and lists 0"),
        ('tests="0" failures="0" errors="0" skipped="0"', "says 0 tests and lists 1"),
        ('tests="1" failures="0" errors="0" skipped="0"', ""),
        ('tests="many" failures="-1"', ""),
    ],
)
def test_totals_that_differ_from_the_cases_are_said(totals: str, says: str) -> None:
    results = read_junit(f'<testsuites><testsuite {totals}><testcase name="a"/></testsuite></testsuites>'.encode())

    assert results is not None
    assert results.contradiction.endswith(says)
    assert bool(results.contradiction) is bool(says)


def test_a_test_that_is_reported_twice_counts_once_by_its_worst_result() -> None:
    results = read_junit(
        b'<testsuite><testcase name="a"><failure/></testcase><testcase name="a"/><testcase name="a"><error/></testcase>'
        b"</testsuite>"
    )

    assert results is not None
    assert [case.status for case in results.cases] == [TestStatus.ERROR]


def test_messages_are_bounded() -> None:
    failure = f'<testcase name="{{}}"><failure>{"x" * 50_000}</failure></testcase>'
    results = read_junit(f"<testsuite>{''.join(failure.format(n) for n in range(300))}</testsuite>".encode())

    assert results is not None
    assert len(results.cases) == 300
    assert sum(len(case.message) for case in results.cases) < 600_000


PYTESTS = """<testsuites><testsuite name="{name}" errors="0"><testcase classname="tests.test_a" name="test_a" line="6"
file="tests/test_a.py">{inside}</testcase></testsuite></testsuites>"""
FAILURE = "<failure>tests/test_a.py:9: \nlib/b.py:2: E\nother.py:5: E</failure>"


@pytest.mark.parametrize(
    ("name", "inside", "line"),
    [
        ("pytest", "", 7),
        ("mocha", "", 6),
        ("pytest", FAILURE, 9),
        ("pytest", FAILURE.replace("test_a.py", "test_b.py"), 7),
        ("pytest", "<failure>  File &quot;/w/tests/test_a.py&quot;, line 8, in test_a\nValueError</failure>", 8),
    ],
)
def test_a_failure_stands_where_its_file_is_last_named_and_else_where_the_test_begins(
    name: str, inside: str, line: int
) -> None:
    results = read_junit(PYTESTS.format(name=name, inside=inside).encode(), directory=".")

    assert results is not None
    assert [(case.id, case.line) for case in results.cases] == [("tests/test_a.py::test_a", line)]


def test_an_encoding_that_the_file_claims_is_not_believed() -> None:
    results = read_junit('<?xml version="1.0" encoding="utf-16"?><testsuite><testcase name="é"/></testsuite>'.encode())

    assert results is not None
    assert [case.id for case in results.cases] == ["é"]


def test_a_document_type_in_a_message_is_no_document_type() -> None:
    message = "<failure><![CDATA[<!DOCTYPE html>]]></failure>"
    results = read_junit(f'<testsuite><testcase name="a">{message}</testcase></testsuite>'.encode())

    assert results is not None
    assert [case.message for case in results.cases] == ["<!DOCTYPE html>"]


@pytest.mark.parametrize("element", [b"<x/>", b"<x>"])
def test_a_file_of_more_elements_than_can_be_held_is_not_read_and_says_so(element: bytes) -> None:
    results = read_junit(b"<testsuite>" + element * 500_001)

    assert results is not None
    assert (results.cases, results.contradiction) == (
        (),
        "the results file can't be read: it has over 500,000 elements",
    )

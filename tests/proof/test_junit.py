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

"""Results that say less than the runner printed, which is out of its process's reach, or two things at once."""

import json

import pytest

from bot.proof.readers import Left
from bot.proof.readers.pytest import PYTEST
from bot.proof.readers.recorded import run_of
from bot.proof.readers.recording import FOLDER
from bot.proof.results import Results
from bot.records import TestStatus

PLANTED = "tests/test_zz_selfcode_abcd.py::test_zz_selfcode_abcd"


def read(printed: str, *cases: tuple[str, str]) -> Results:
    """What is made of a run that recorded these cases and printed this."""
    lines = [
        {"run": "pytest"},
        *({"case": test_id, "status": status, "message": ""} for test_id, status in cases),
        {"end": len(cases), "early": False},
    ]
    written = "".join(json.dumps(line) + "\n" for line in lines).encode()
    left = Left({f"{FOLDER}/pytest-1-a.jsonl": written}, None, printed, "", truncated=False, root="/workspace")
    results = PYTEST.read(left)
    assert results is not None
    return results


@pytest.mark.parametrize(
    ("printed", "failing", "says"),
    [
        ("2 failed, 1 passed in 0.02s", [PLANTED], "pytest told of 2 failed, and its results hold 1"),
        ("======= 1 failed, 1 passed in 0.02s =======", [], "pytest told of 1 failed, and its results hold 0"),
        ("1 failed, 1 passed in 0.02s", [PLANTED], ""),
        ("3 failed, 1 passed in 0.02s", [PLANTED, "tests/test_a.py::test_twice"], ""),
        ("1 passed in 0.02s", [PLANTED], ""),
        ("", [], ""),
    ],
)
def test_a_failure_that_was_told_of_has_to_be_in_the_results(printed: str, failing: list[str], says: str) -> None:
    results = read(printed, ("tests/test_a.py::test_a", "passed"), *((test_id, "failed") for test_id in failing))

    assert results.contradiction == says


@pytest.mark.parametrize("statuses", [("passed", "failed"), ("failed", "passed"), ("failed", "skipped")])
def test_of_two_results_under_one_id_the_worse_one_counts(statuses: tuple[str, str]) -> None:
    results = read("", *(("tests/test_a.py::test_a", status) for status in statuses))

    assert [case.status for case in results.cases] == [TestStatus.FAILED]


@pytest.mark.parametrize(
    "line",
    [
        b"{}\n" * 600_000,
        b"[" + b"{}," * 4_100_000 + b"{}]\n",
        b'{"run": [' + b'"",' * 4_100_000 + b'""]}\n',
        b'{"end": 0, "early": false}\n' * 600_000,
        (b'{"run": [' + b'"",' * 300_000 + b'""]}\n') * 3,
        b'{"case": "' + b"a" * 2_000_000 + b'", "status": "passed", "message": ""}\n{"end": 1, "early": false}\n',
    ],
    ids=["lines", "objects", "values", "ends", "values of several lines", "a name"],
)
def test_more_records_than_can_be_held_are_not_read(line: bytes) -> None:
    results = run_of(line, Left({}, None, "", "", truncated=False, root="/workspace"))

    assert results.contradiction == "what was recorded of a run of the tests can't be read"


def test_of_a_large_report_every_record_is_read() -> None:
    named = [f"tests/test_{number}.py::test_{'a' * 100}" for number in range(10_000)]

    results = read("", *((test_id, "passed") for test_id in named))

    assert [case.id for case in results.cases] == named
    assert results.contradiction == ""


def test_the_longest_message_of_a_record_is_not_taken_for_many_records() -> None:
    said = {"case": "a.py::test_a", "status": "failed", "message": '[{"\\,' * 4_000}
    lines = f'{json.dumps(said)}\n{{"end": 1, "early": false}}\n'

    results = run_of(lines.encode(), Left({}, None, "", "", truncated=False, root="/workspace"))

    assert (len(results.cases), results.contradiction) == (1, "")


def test_names_that_no_record_can_hold_are_kept_with_a_sign() -> None:
    results = read("", ("tests/\udcff.py::test_a[\0]", "failed"))

    assert [case.id for case in results.cases] == ["tests/\ufffd.py::test_a[\ufffd]"]

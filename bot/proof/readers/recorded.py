"""What the recorder wrote of the runs of one test program, as results. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.proof.plant import Plant
from bot.proof.planted import planted_cases, what_is_wrong
from bot.proof.readers.reader import Left
from bot.proof.readers.recording import FOLDER
from bot.proof.results import Results, line_of, message_within_bounds, results_of
from bot.records import TestCase, TestStatus

_STATUSES = {str(status): status for status in TestStatus}
_OUT_OF_BOUNDS = 10_000_000
_MAX_RECORDS = 500_000
_AT_ONCE_BYTES = 1_000_000
"""A longer line is no record. So much is parsed at a time, which bounds what it may become in memory."""


def recorded(left: Left, program: str) -> tuple[Results, ...]:
    """The results of each run of the program.

    A run that was cut off, or whose lines can't all be true, is a contradiction; so is one without the injected plant.
    """
    prefix = f"{FOLDER}/{program}-"
    return tuple(
        run_of(data, left)
        for name, data in sorted(left.files.items())
        if name.startswith(prefix) and name.endswith(".jsonl")
    )


def without_plant(results: Results, plant: Plant) -> str:
    """What is wrong with the results of one run for want of the plant's failure, or ""."""
    if own := planted_cases(results.cases, plant):
        return what_is_wrong(own, plant)
    if not results.cases or results.ended_early:
        return ""
    return "a test that must fail was added to each run of the tests, and the results of one do not hold it"


@dataclass(slots=True)
class _Run:
    cases: list[TestCase]
    running: dict[str, None]
    wrong: str = ""
    crashed: bool = False
    early: bool = False
    ended: bool = False


def run_of(data: bytes, left: Left) -> Results:
    """The results of one run."""
    run = _Run([], {})
    for said in _lines(data):
        run.ended = False
        if not isinstance(said, dict) or not _take(run, said, left):
            run.wrong = "what was recorded of a run of the tests can't be read"
    if not run.ended:
        run.cases += [
            TestCase(test_id, TestStatus.ERROR, "The test program ended while this test ran.", _file_of(test_id))
            for test_id in run.running
        ]
        run.wrong = run.wrong or "a run of the tests was cut off before its end"
    results = results_of(
        run.cases,
        contradiction=run.wrong,
        internal_error=run.crashed or not run.ended,
        ended_early=run.early and any(case.status in (TestStatus.FAILED, TestStatus.ERROR) for case in run.cases),
    )
    if results.contradiction or left.plant is None or not left.plant.injected:
        return results
    return replace(results, contradiction=without_plant(results, left.plant))


def _lines(data: bytes) -> Iterator[Any]:
    """What the lines say; many are parsed at once, which is far quicker than one by one. None for what can't be read,
    with which it ends.
    """
    if data.count(b"\n") > _MAX_RECORDS:
        yield None
        return
    begin = 0
    while begin < len(data):
        end = data.rfind(b"\n", begin, begin + _AT_ONCE_BYTES)
        if end < 0:
            end = len(data)
        said = _parsed(data[begin:end])
        if said is None:
            yield None
            return
        yield from said
        begin = end + 1


def _parsed(lines: bytes) -> list[Any] | None:
    if len(lines) > _AT_ONCE_BYTES:
        return None
    try:
        said: list[Any] = json.loads(b"[" + lines.replace(b"\n", b",") + b"]")
    except (ValueError, RecursionError):
        return None
    return said


def _take(run: _Run, said: Mapping[str, Any], left: Left) -> bool:
    """Take in one line; False where it is none that the recorder writes."""
    match said:
        case {"start": str(test_id)}:
            run.running[test_id] = None
        case {"case": str(test_id), "status": str(status), "message": str()} if status in _STATUSES:
            run.running.pop(test_id, None)
            run.cases.append(_case(said, _STATUSES[status], left))
        case {"run": str()}:
            return True
        case {"crash": str()}:
            run.crashed = True
        case {"end": int(count), "early": bool(early)}:
            run.ended, run.early = True, early
            if count != len(run.cases):
                run.wrong = f"the recorder says {count} results of a run of the tests, and lists {len(run.cases)}"
        case _:
            return False
    return True


def _case(said: Mapping[str, Any], status: TestStatus, left: Left) -> TestCase:
    file, line = said.get("file"), said.get("line")
    file = file if isinstance(file, str) else None
    line = line if isinstance(line, int) and 0 < line < _OUT_OF_BOUNDS else None
    message = said["message"]
    if message:
        message = message_within_bounds(message.replace(f'File "{left.root}/', 'File "'))
    if status in (TestStatus.FAILED, TestStatus.ERROR):
        line = line_of(message, file, line)
    return TestCase(said["case"], status, message, file, line)


def _file_of(test_id: str) -> str | None:
    file, separator, _ = test_id.partition("::")
    return file if separator else None

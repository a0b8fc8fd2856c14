"""Test reports as the model reads them. Pure, bounded by characters as well as by lines."""

import re

from bot.agent.quoting import fenced, printable
from bot.records import TestCase, TestReport, TestStatus
from sandbox.contract import clipped

OUTPUT_CHARS = 5_000
MESSAGE_CHARS = 700
SHOWN_FAILURES = 10
BASELINE_CHARS = 12_000
ID_CHARS = 300

ALREADY_SAID = 0.5

_FRAME = re.compile(r"\s*$|[=_-]{3,}|[.FEsxX]+(?:\s+\[\s*\d+%\])?$|(?:FAILED|ERROR) ")
"""Lines with which pytest frames what it says: headings, dots, the list of failures."""

_WARNINGS = re.compile(r"^=+ warnings summary (?:\(final\) )?=+\n.*?(?=^=+ )", re.MULTILINE | re.DOTALL)
"""What pytest says of warnings, to the next of its headings: it is long, and no test fails for it."""


def baseline_text(report: TestReport, *, chars: int = BASELINE_CHARS) -> str:
    """What the tests say of the untouched code, within so many characters but for the command."""
    parts = [f"# Tests before any change\n\n`{report.command}`: {report.counts}."]
    failures = _failures(report, known=frozenset(), chars=chars)
    if failures:
        parts.append("These fail without any change of yours:\n\n" + failures)
    elif not report.is_green:
        parts.append(_output(report, chars=min(chars, OUTPUT_CHARS)))
    return "\n\n".join(parts)


def report_text(report: TestReport, baseline: TestReport | None) -> str:
    """What the tests say after a change: new failures in full, those known from the baseline by name."""
    known = baseline.failed if baseline else frozenset()
    parts = [f"`{report.command}`: {report.counts} ({report.state})."]
    if not report.is_green:
        failures = _failures(report, known=known)
        parts += [failures] if failures else []
        parts += [_output(report)] if not failures or _says_more(report.output, failures) else []
        still = sorted(known & report.failed)
        if still:
            parts.append("Failing before any change, and still: " + ", ".join(still[:SHOWN_FAILURES]))
    return "\n\n".join(parts)


def last_error(report: TestReport) -> str:
    """The last line that says what is wrong, for the history."""
    failed = [case for case in report.cases if case.status in (TestStatus.FAILED, TestStatus.ERROR)]
    text = next((case.message for case in failed if case.message.strip()), report.output)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    wrong = [line for line in lines if "Error" in line or "assert" in line]
    return printable((wrong or lines or [""])[-1][:200])


def _failures(report: TestReport, *, known: frozenset[str], chars: int = BASELINE_CHARS) -> str:
    failed = [case for case in report.cases if case.id in report.failed and case.id not in known]
    shown: list[str] = []
    for case in failed[:SHOWN_FAILURES]:
        told = _failure(case, chars=min(MESSAGE_CHARS, chars // 3))
        if shown and sum(map(len, shown)) + len(told) > chars:
            break
        shown.append(told)
    more = len(failed) - len(shown)
    return "\n".join(shown + ([f"… and {more} more"] if more > 0 else []))


def _failure(case: TestCase, *, chars: int) -> str:
    message = printable(clipped(case.message.strip(), chars))
    return f"- {case.id[:ID_CHARS]}: {case.status}" + (f"\n{fenced(message, 'text')}" if message else "")


def _says_more(output: str, failures: str) -> bool:
    """Whether most of the output's lines are not among what the failures say already: what the program printed, say."""
    told = {line.strip(" >") for line in failures.split("\n")}
    lines = [line for line in _WARNINGS.sub("", output).split("\n") if not _FRAME.match(line)]
    return sum(line.strip(" >") not in told for line in lines) > len(lines) * ALREADY_SAID


def _output(report: TestReport, *, chars: int = OUTPUT_CHARS) -> str:
    output = _WARNINGS.sub("", report.output).strip()
    return fenced(printable(clipped(output, chars)), "text") if output else "There was no output."

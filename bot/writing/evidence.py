"""The evidence of a run as people read it: one line, a table at a glance, the names, the four test runs."""

from collections.abc import Sequence

from bot.records import Evidence, Outcome, Proof, RunResult, TestReport
from bot.writing.document import Section, details, table
from bot.writing.figures import counts, duration, plural
from bot.writing.safe import code, code_in_cell, fenced, inline, sentence

SHOWN_AT_ONCE = 5
NAMES_AT_MOST = 200

_TITLES = {
    Outcome.PROVEN: "Proven",
    Outcome.UNPROVEN: "Unproven",
    Outcome.UNSOLVED: "Not solved",
    Outcome.NOT_REPRODUCED: "Not reproduced",
    Outcome.NEEDS_INFORMATION: "A question first",
    Outcome.BASELINE_BROKEN: "The tests can't be run",
    Outcome.REFUSED: "Refused",
    Outcome.NOTHING_TO_DO: "No change needed",
    Outcome.STOPPED: "Stopped",
    Outcome.ERROR: "An error on our side",
}


def title(outcome: Outcome) -> str:
    """The outcome in a word or two."""
    return _TITLES[outcome]


def headline(result: RunResult) -> str:
    """The outcome in one line of Markdown: what is known, never more."""
    match result.outcome, result.proof:
        case Outcome.PROVEN, Proof() as proof:
            return f"✅ **Proven**: {what_was_shown(proof)}."
        case Outcome.UNPROVEN, Proof() as proof:
            return f"⚠️ **Unproven**: {what_was_shown(proof)}. {_what_is_missing(proof, result.reason)}"
        case outcome, _:
            first = sentence(result.reason.strip().partition("\n")[0])
            return f"**{title(outcome)}**: {first}" if first else f"**{title(outcome)}**."


def further_reason(result: RunResult) -> str:
    """What the reason says below its first line: a list stays one, other lines are shown as output."""
    lines = [line for line in result.reason.strip().split("\n")[1:] if line.strip()]
    if not lines:
        return ""
    if all(line.startswith("- ") for line in lines):
        return "\n".join(f"- {sentence(line[2:])}" for line in lines[:50])
    return fenced("\n".join(lines), "text", head=1000, tail=6000)


def what_was_shown(proof: Proof) -> str:
    """What the proof did show, in plain words: “2 tests fail without this change and pass with it; …”."""
    red = len(proof.evidence.red)
    fail, and_pass = ("fails", "passes") if red == 1 else ("fail", "pass")
    first = f"{plural(red, 'test')} {fail} without this change and {and_pass} with it" if red else _head_in_words(proof)
    held, before = _held(proof)
    if not before or proof.base_tests_on_head is None:
        return first
    if held < before:
        return f"{first}; {held:,} of {plural(before, 'test')} that passed before still pass"
    return f"{first}; {'the one' if before == 1 else f'all {before:,}'} that passed before still pass{'es' if before == 1 else ''}"


def _held(proof: Proof) -> tuple[int, int]:
    """How many that passed in the baseline pass still, and how many those were; flaky ones count neither way."""
    before = proof.baseline.passed - set(proof.evidence.flaky)
    after = proof.base_tests_on_head.passed if proof.base_tests_on_head else frozenset()
    return len(before & after), len(before)


def _head_in_words(proof: Proof) -> str:
    if proof.head is None:
        return "the change was not tested to the end"
    return "the tests pass with the change" if proof.head.is_green else f"with the change: {counts(proof.head)}"


def _what_is_missing(proof: Proof, reason: str) -> str:
    first, *more = proof.missing or (reason,)
    rest = f" (and {plural(len(more), 'more reason')} below)" if more else ""
    return f"Missing: {sentence(first, 300).rstrip('.')}{rest}."


def at_a_glance(proof: Proof) -> str:
    """The checks of the proof, one a row, each with its mark and its count."""
    return table(("", "check", "result"), _rows(proof))


def _rows(proof: Proof) -> list[tuple[str, str, str]]:
    evidence = proof.evidence
    rows = [_red_row(evidence), _broke_row(proof), _altered_row(proof), _trust_row(proof)]
    if evidence.still_failing:
        rows.append(("➖", "Failed before, fail still", _named(evidence.still_failing)))
    if evidence.flaky:
        rows.append(("➖", "Flaky, counted neither way", _named(evidence.flaky)))
    if evidence.gone:
        rows.append(("⚠️", "Ran before, are gone", _named(evidence.gone)))
    return rows


def _red_row(evidence: Evidence) -> tuple[str, str, str]:
    name = "Fail without the change, pass with it"
    if not evidence.red:
        return "⚠️", name, "no test"
    imported = len(evidence.new_interface)
    note = f"; {imported:,} of them could not be imported before: the change adds what they name" if imported else ""
    return "✅", name, _named(evidence.red) + note


def _broke_row(proof: Proof) -> tuple[str, str, str]:
    name, (held, before) = "Passed before, pass still", _held(proof)
    if proof.base_tests_on_head is None:
        return "⚠️", name, "not checked"
    if not proof.baseline.cases:
        mark = "✅" if proof.base_tests_on_head.is_green else "⚠️"
        return mark, name, f"{counts(proof.base_tests_on_head)}; no test is known by name"
    broke = f"; broke: {_named(proof.evidence.broke)}" if proof.evidence.broke else ""
    mark = "❌" if broke else "✅" if held == before else "⚠️"
    return mark, name, f"{held:,} of {before:,}{broke}"


def _altered_row(proof: Proof) -> tuple[str, str, str]:
    name = "Existing tests"
    if proof.tests_altered:
        return "⚠️", name, f"altered: {_named(proof.tests_altered, 'entry')}"
    return "✅", name, "untouched"


def _trust_row(proof: Proof) -> tuple[str, str, str]:
    name, runs = "Test results can be believed", _proof_runs(proof)
    tampered = [report.tampered for report in runs if report.tampered]
    planted = {report.planted_failed for report in runs}
    if tampered:
        return "❌", name, inline(tampered[0], 200)
    if False in planted:
        return "⚠️", name, "a test of ours that had to fail was not seen failing"
    if proof.head is not None and proof.head.planted_failed:
        return (
            "✅",
            name,
            "a test of ours had to fail in each run, and was seen failing" if planted == {True} else _SEEN,
        )
    return "⚠️", name, "not checked: no test of ours could be added"


_SEEN = "a test of ours had to fail, and was seen failing wherever its turn came"


def _proof_runs(proof: Proof) -> list[TestReport]:
    runs = (proof.head_tests_on_base, proof.head, proof.base_tests_on_head)
    return [report for report in runs if report is not None]


def _named(ids: Sequence[str], noun: str = "test") -> str:
    """The count, and the name where it is one."""
    return code_in_cell(ids[0]) if len(ids) == 1 else plural(len(ids), noun)


def names(proof: Proof) -> list[Section]:
    """The tests and files behind the counts, each list folded where it is long."""
    evidence = proof.evidence
    lists = (
        ("Altered existing tests", proof.tests_altered, 60),
        ("No longer pass", evidence.broke, 60),
        ("Fail without the change, pass with it", evidence.red, 50),
        ("Tests that the change adds or edits", proof.tests_changed, 40),
        ("Flaky", evidence.flaky, 30),
        ("Failed before, fail still", evidence.still_failing, 20),
        ("Ran before, are gone", evidence.gone, 40),
        ("Skipped", evidence.skipped, 10),
    )
    return [_listing(heading, ids, rank) for heading, ids, rank in lists if ids]


def _listing(heading: str, ids: Sequence[str], rank: int) -> Section:
    shorter = (_folded(heading, ids, 20),) if len(ids) > 20 else ()
    if len(ids) > SHOWN_AT_ONCE:
        return Section(_folded(heading, ids, NAMES_AT_MOST), rank, shorter)
    return Section(f"**{heading}**\n\n{bullets(ids)}", rank, shorter)


def _folded(heading: str, ids: Sequence[str], at_most: int) -> str:
    return details(f"{heading}: {len(ids):,}", bullets(ids, at_most))


def bullets(ids: Sequence[str], at_most: int = NAMES_AT_MOST) -> str:
    """A list of names as inline code, the first `at_most` of them."""
    more = [f"- … and {len(ids) - at_most:,} more"] if len(ids) > at_most else []
    return "\n".join([*(f"- {code(each)}" for each in ids[:at_most]), *more])


def four_runs(proof: Proof, *, sandbox: str) -> str:
    """The baseline and the three runs of the proof side by side, folded: whose code, whose tests, what came of it."""
    runs = (
        ("baseline", "base", "base", proof.baseline),
        ("A", "base", "this change", proof.head_tests_on_base),
        ("B", "this change", "this change", proof.head),
        ("C", "this change", "base", proof.base_tests_on_head),
    )
    rows = [
        (run, source, whose, counts(report), duration(report.duration_s) if report else "–")
        for run, source, whose, report in runs
    ]
    where = f"Each in a clean workspace that the model never touched (sandbox: {inline(sandbox or 'not named')})."
    body = f"{where}\n\n{table(('run', 'code', 'tests', 'result', 'time'), rows)}"
    return details("How it was checked: four runs of the test command", body)

"""The evidence of a run as people read it: a table at a glance, the names behind it, the four test runs."""

from collections.abc import Sequence

from bot.records import Evidence, Proof, TestReport
from bot.writing.document import Section, details, table
from bot.writing.figures import counts, duration, plural
from bot.writing.safe import code, code_in_cell, inline

SHOWN_AT_ONCE = 5
NAMES_AT_MOST = 200


def held_of(proof: Proof) -> tuple[int, int]:
    """How many that passed in the baseline pass still, and how many those were; flaky ones count neither way."""
    before = proof.baseline.passed - set(proof.evidence.flaky)
    after = proof.base_tests_on_head.passed if proof.base_tests_on_head else frozenset()
    return len(before & after), len(before)


def at_a_glance(proof: Proof) -> str:
    """The checks of the proof, one a row, each with its mark and its count."""
    return table(("", "check", "result"), _rows(proof))


def _rows(proof: Proof) -> list[tuple[str, str, str]]:
    evidence = proof.evidence
    rows = [_red_row(evidence), _broke_row(proof), _altered_row(proof), *_acceptance_row(proof), _trust_row(proof)]
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
    name, (held, before) = "Passed before, pass still", held_of(proof)
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


def _acceptance_row(proof: Proof) -> list[tuple[str, str, str]]:
    if proof.acceptance_passed is None:
        return []
    count = proof.acceptance_passed + proof.acceptance_failed
    mark = "❌" if proof.acceptance_failed else "✅"
    return [(mark, "The operator's acceptance tests", f"{proof.acceptance_passed:,} of {count:,} pass")]


def _trust_row(proof: Proof) -> tuple[str, str, str]:
    name, runs = "Test results can be believed", _proof_runs(proof)
    tampered = [report.tampered for report in runs if report.tampered]
    planted = {report.planted_failed for report in runs}
    if tampered:
        return "❌", name, inline(tampered[0], 200)
    if False in planted:
        return "⚠️", name, "a test of ours that had to fail was not seen failing"
    if proof.head is not None and proof.head.planted_failed:
        where = "in each run" if planted == {True} else "wherever its turn came"
        return "✅", name, f"a test of ours had to fail, and was seen failing {where}"
    return "⚠️", name, "not checked: no test of ours could be added"


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
    where = f"Each in a clean workspace that the model never touched (sandbox: {inline(sandbox or 'not named')})"
    where += ", without the network." if sandbox != "process" else "."
    body = f"{where}\n\n{table(('run', 'code', 'tests', 'result', 'time'), rows)}"
    return details("How it was checked: four runs of the test command", body)

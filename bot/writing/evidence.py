"""The evidence of a run as people read it: a table at a glance, the names behind it, the four test runs."""

from collections.abc import Sequence

from bot.records import Proof, TestReport
from bot.writing.document import Section, details, table
from bot.writing.figures import counts, duration, plural
from bot.writing.safe import code, code_in_cell, inline

SHOWN_AT_ONCE = 5
NAMES_AT_MOST = 200

Row = tuple[str, str, str]


def held_of(proof: Proof) -> tuple[int, int]:
    """How many that passed in the baseline pass still, and how many those were; flaky ones count neither way."""
    before = proof.baseline.passed - set(proof.evidence.flaky)
    after = proof.base_tests_on_head.passed if proof.base_tests_on_head else frozenset()
    return len(before & after), len(before)


def at_a_glance(proof: Proof) -> str:
    """The checks of the proof, one a row, each with its mark and its count."""
    return table(("", "check", "result"), rows(proof))


def rows(proof: Proof) -> list[Row]:
    """Each check with its mark and its count, in Markdown."""
    evidence = proof.evidence
    found = [_red_row(proof), _broke_row(proof), _altered_row(proof), *_hunks_row(proof), *_acceptance_row(proof)]
    found.append(_trust_row(proof))
    if failing := proof.newly_failing:
        found.append(("❌", "Fail with the change", _named(failing)))
    if evidence.still_failing:
        found.append(("➖", "Failed before, fail still", _named(evidence.still_failing)))
    if evidence.flaky:
        found.append(("➖", "Flaky, counted neither way", _named(evidence.flaky)))
    if evidence.gone:
        found.append(("⚠️", "Ran before, are gone", _named(evidence.gone)))
    return found


def _red_row(proof: Proof) -> Row:
    name, red = "Fail without the change, pass with it", proof.evidence.red
    without, head = proof.head_tests_on_base, proof.head
    if without is None or head is None:
        return "⚠️", name, _not_checked(proof)
    if red:
        imported = len(proof.evidence.new_interface)
        which = "it" if len(red) == 1 else f"{imported:,} of them"
        note = f"; {which} could not be imported before: the change adds what is named there" if imported else ""
        return "✅", name, _named(red) + note
    if not (without.could_run and head.could_run):
        unjudged = without if not without.could_run else head
        return "❌", name, f"not known: {'without' if unjudged is without else 'with'} the change {unjudged.state}"
    if not (without.cases or head.cases):
        mark = "✅" if head.is_green and not without.is_green else "⚠️"
        return mark, name, f"{counts(without)} without it, {counts(head)} with it; no test is known by name"
    return "⚠️", name, "no test"


def _broke_row(proof: Proof) -> Row:
    name, (held, before) = "Passed before, pass still", held_of(proof)
    after = proof.base_tests_on_head
    if after is None:
        return "⚠️", name, _not_checked(proof)
    if not after.could_run:
        return "❌", name, f"not known: with the change {after.state}"
    if not proof.baseline.cases:
        return "✅" if after.is_green else "⚠️", name, f"{counts(after)}; no test is known by name"
    broke = f"; broke: {_named(proof.evidence.broke)}" if proof.evidence.broke else ""
    aside = "; the others were altered, which was accepted" if proof.accepted_by and held < before and not broke else ""
    mark = "❌" if broke else "✅" if held == before or aside else "⚠️"
    return mark, name, f"{held:,} of {before:,}{broke}{aside}"


def _not_checked(proof: Proof) -> str:
    return "not checked" if proof.baseline.could_run else f"not checked: on the base {proof.baseline.state}"


def _altered_row(proof: Proof) -> Row:
    name = "Existing tests"
    if proof.tests_altered:
        accepted = f"; accepted by {code_in_cell(proof.accepted_by, 60)}" if proof.accepted_by else ""
        return "✅" if accepted else "⚠️", name, f"altered: {_named(proof.tests_altered, 'entry')}{accepted}"
    return "✅", name, "untouched"


def _hunks_row(proof: Proof) -> list[Row]:
    checked = proof.hunks
    if checked is None or not (checked.noticed or checked.unnoticed or checked.untried):
        return []
    tried = len(checked.noticed) + len(checked.unnoticed)
    mark = "⚠️" if checked.unnoticed else "➖" if checked.untried else "✅"
    rest = f"; {len(checked.untried):,} not tried" if checked.untried else ""
    return [(mark, "Changed places that a test notices", f"{len(checked.noticed):,} of {tried:,}{rest}")]


def _acceptance_row(proof: Proof) -> list[Row]:
    if proof.acceptance_passed is None:
        return []
    count = proof.acceptance_passed + proof.acceptance_failed
    mark = "❌" if proof.acceptance_failed else "✅"
    return [(mark, "The operator's acceptance tests", f"{proof.acceptance_passed:,} of {count:,} pass")]


def _trust_row(proof: Proof) -> Row:
    name, runs = "Test results were checked", _proof_runs(proof)
    tampered = [report.tampered for report in runs if report.tampered]
    planted = {report.planted_failed for report in runs}
    if tampered:
        return "❌", name, inline(tampered[0], 200)
    if False in planted:
        return "⚠️", name, "a test of ours that had to fail was not seen failing"
    if proof.head is not None and proof.head.planted_failed:
        where = "in each run" if planted == {True} else "wherever its turn came"
        return "✅", name, f"a test of ours had to fail, and was seen failing {where}"
    if not runs:
        return "⚠️", name, _not_checked(proof)
    return "⚠️", name, "not checked: no test of ours could be added"


def _proof_runs(proof: Proof) -> list[TestReport]:
    runs = (proof.head_tests_on_base, proof.head, proof.base_tests_on_head)
    return [report for report in runs if report is not None]


def _named(ids: Sequence[str], noun: str = "test") -> str:
    """The count, and the name where it is one."""
    return code_in_cell(ids[0]) if len(ids) == 1 else plural(len(ids), noun)


def names(proof: Proof) -> list[Section]:
    """The tests and files behind the counts, each list folded where it is long."""
    return [_listing(heading, ids, rank) for heading, ids, rank in lists(proof)]


def lists(proof: Proof) -> list[tuple[str, tuple[str, ...], int]]:
    """The same as names alone, each list that holds any with its heading, and its rank in a document."""
    evidence = proof.evidence
    found = (
        ("Altered existing tests", proof.tests_altered, 60),
        ("No longer pass", evidence.broke, 60),
        ("Fail with the change", proof.newly_failing, 60),
        ("Fail without the change, pass with it", evidence.red, 50),
        ("Tests that the change adds or edits", proof.tests_changed, 40),
        ("Flaky", evidence.flaky, 30),
        ("Failed before, fail still", evidence.still_failing, 20),
        ("Ran before, are gone", evidence.gone, 40),
        ("Skipped", evidence.skipped, 10),
    )
    return [(heading, ids, rank) for heading, ids, rank in found if ids]


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
    where = f"Each in a clean workspace that the model never touched (sandbox: {inline(sandbox or 'not named')})"
    where += ", without the network." if sandbox != "process" else "."
    return details("How it was checked: four runs of the test command", f"{where}\n\n{table_of_runs(proof)}")


def table_of_runs(proof: Proof) -> str:
    """The same as a table alone."""
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
    return table(("run", "code", "tests", "result", "time"), rows)

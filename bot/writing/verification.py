"""What `selfcode verify` found: for a terminal in plain lines, and for programs as one object."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from bot.records import Outcome, Proof, Provenance, RunResult, TestReport
from bot.writing.comparison import StoredProof, reasons, short_digest, verdict
from bot.writing.evidence import rows
from bot.writing.figures import figures
from bot.writing.made_of import facts
from bot.writing.masking import mask_secrets
from bot.writing.report import terminal_report
from bot.writing.safe import ZERO_WIDTH, clean, cut

OUTPUT_LINES = 30
HOW_TO_ACCEPT = "--accept-tests lets stand what the change does to existing tests, for this once."
_ESCAPED = re.compile(r"\\([\\`*\[\]~|$_])")


@dataclass(frozen=True, slots=True)
class Verification:
    """One verification: `what` of, as people name it; what it came to; the proof that was kept, if any."""

    what: str
    result: RunResult
    notes: tuple[str, ...] = ()
    stored: StoredProof | None = None


def terminal_text(done: Verification) -> str:
    """The outcome, the pull request's table, the names behind it, what it was made of: safe for a terminal."""
    result = done.result
    first, *rest = terminal_report(_without_output(result)).splitlines()
    proof = result.proof
    lines = [first, *(_line(note) for note in done.notes), *(_table(proof) if proof else []), *rest]
    lines += [f"  {HOW_TO_ACCEPT}"] if proof and proof.tests_altered and not proof.accepted_by else []
    lines += _made_of(proof.provenance) if proof and proof.provenance else _commits(result)
    lines += [f"  blocked: {_line(each)}" for each in result.blocked]
    lines += _compared(done.stored, result) if done.stored else []
    return "\n".join([*lines, *_output(result)])


def _table(proof: Proof) -> list[str]:
    cells = [(mark, _plain(check), _plain(result)) for mark, check, result in rows(proof)]
    width = max(len(check) for _, check, _ in cells)
    return ["", *(f"{mark} {check:<{width}}  {result}" for mark, check, result in cells), ""]


def _plain(cell: str) -> str:
    """A cell without what only Markdown needs."""
    return _line(_ESCAPED.sub(r"\1", cell.replace(ZERO_WIDTH, "")))


def _made_of(made: Provenance) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name, version in made.versions.items())
    known = [*facts(made, digest=short_digest), *([("versions", versions)] if versions else [])]
    return [f"  {name + ':':<9} {_line(value)}" for name, value in known]


def _commits(result: RunResult) -> list[str]:
    plan = [f"  tests:    {_line(result.plan.test)}"] if result.plan else []
    return [f"  base:     {result.base_sha}", f"  head:     {result.head_sha}", *plan, f"  sandbox:  {result.sandbox}"]


def _compared(stored: StoredProof, now: RunResult) -> list[str]:
    lines = ["", f"stored: {stored.outcome}, {stored.head[:12]} on {stored.base[:12]} (run {stored.run_id})"]
    lines += [f"  {_line(stored.stale)}"] if stored.stale else []
    return [*lines, f"  {verdict(stored, now)}", *(f"  - {_line(each)}" for each in reasons(stored, now))]


def _without_output(result: RunResult) -> RunResult:
    """The result with the first line of its reason: output below it is told by itself."""
    return replace(result, reason=result.reason.partition("\n")[0])


def _output(result: RunResult) -> list[str]:
    """The last of what a base said whose tests, or whose setup, can't be run."""
    if result.outcome is not Outcome.BASELINE_BROKEN:
        return []
    said = result.baseline.output if result.baseline else result.reason.partition("\n")[2]
    return [f"  | {_line(line)}" for line in said.strip().splitlines()[-OUTPUT_LINES:]]


def _line(text: str, limit: int = 400) -> str:
    return cut(" ".join(clean(text).split()), limit)


def summary(done: Verification) -> dict[str, object]:
    """What `selfcode verify --json` prints."""
    result, proof = done.result, done.result.proof
    return {
        "outcome": str(result.outcome),
        "reason": mask_secrets(result.reason),
        "missing": list(proof.missing) if proof else [],
        "what": done.what,
        "base": result.base_sha,
        "head": result.head_sha,
        "test": result.plan.test if result.plan else None,
        "sandbox": result.sandbox,
        "runs": _runs(result),
        "evidence": asdict(proof.evidence) if proof else None,
        "tests_changed": list(proof.tests_changed) if proof else [],
        "tests_altered": list(proof.tests_altered) if proof else [],
        "accepted_by": (proof.accepted_by if proof else "") or None,
        "hunks": asdict(proof.hunks) if proof and proof.hunks else None,
        "provenance": asdict(proof.provenance) if proof and proof.provenance else None,
        "blocked": list(result.blocked),
        "notes": list(done.notes),
        "stored": _stored(done.stored, result) if done.stored else None,
    }


def _runs(result: RunResult) -> dict[str, object]:
    proof = result.proof
    named = (
        ("baseline", result.baseline),
        ("a", proof.head_tests_on_base if proof else None),
        ("b", proof.head if proof else None),
        ("c", proof.base_tests_on_head if proof else None),
    )
    return {name: _run(report) for name, report in named if report is not None}


def _run(report: TestReport) -> dict[str, object]:
    return {
        **figures(report),
        "reader": report.reader,
        "planted_failed": report.planted_failed,
        "tampered": report.tampered or None,
    }


def _stored(stored: StoredProof, now: RunResult) -> dict[str, object]:
    made = stored.proof.provenance
    because: Sequence[str] = reasons(stored, now)
    return {
        "run": stored.run_id,
        "outcome": str(stored.outcome),
        "base": stored.base,
        "head": stored.head,
        "stale": stored.stale or None,
        "provenance": asdict(made) if made else None,
        "agrees": stored.outcome is now.outcome,
        "differences": list(because),
    }

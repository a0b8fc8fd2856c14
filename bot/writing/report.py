"""The report of a run without GitHub: as a Markdown file, and as plain lines for a terminal."""

from bot.records import Aim, Outcome, RunResult, Task
from bot.writing.answering import noticed_in_words, unnoticed
from bot.writing.document import Section, compose
from bot.writing.doubts import doubts
from bot.writing.evidence import at_a_glance, four_runs, names
from bot.writing.figures import counts, critics_spend, duration, spent
from bot.writing.iteration_log import closing_words, iteration_log
from bot.writing.made_of import made_of
from bot.writing.outcomes import further_reason, headline, title, what_was_shown
from bot.writing.progress import plan_in_words
from bot.writing.reproducing import asked_test
from bot.writing.result import blocked_hosts, second_look, what_is_missing
from bot.writing.safe import code, inline, on_screen, quoted

REPORT_LIMIT = 1_000_000
"""Characters of a report file: no server limits it, but an editor should open it."""

_NAMES_IN_A_TERMINAL = 10


def markdown_report(result: RunResult, task: Task, *, run_id: str) -> str:
    """The whole report as a Markdown file: outcome, evidence, the iteration log with its details."""
    proof = result.proof
    sections = [
        Section(f"# {inline(task.title, 200) or 'Report'}"),
        Section(headline(result)),
        Section(further_reason(result) if result.outcome is not Outcome.UNPROVEN else ""),
        Section(at_a_glance(proof) if proof else ""),
        Section(what_is_missing(result) if result.outcome is Outcome.UNPROVEN else ""),
        second_look(result),
        *(names(proof) if proof else []),
        unnoticed(result),
        Section(four_runs(proof, sandbox=result.sandbox) if proof else ""),
        made_of(result),
        Section("\n".join(f"- {fact}" for fact in _facts(result, run_id))),
        Section(blocked_hosts(result)),
        Section(f"The model's words:\n\n{closing_words(result.progress)}" if closing_words(result.progress) else ""),
        *doubts(result),
        *asked_test(result),
        Section(f"## The issue\n\n{quoted(task.body, 20_000)}" if task.body.strip() else ""),
        Section("## Iterations"),
        Section(iteration_log(result.progress, result.baseline, run_id=run_id, limit=REPORT_LIMIT // 2)),
    ]
    return compose([section for section in sections if section.text], limit=REPORT_LIMIT) + "\n"


def _facts(result: RunResult, run_id: str) -> list[str]:
    facts = [f"Run: `{run_id}`"]
    facts += [f"Tests: {plan_in_words(result.plan)}"] if result.plan else []
    facts += [f"On the base: {counts(result.baseline)}"] if result.baseline else []
    facts += [f"Base: {code(result.base_sha)}"] if result.base_sha else []
    facts += [f"Head: {code(result.head_sha)}"] if result.head_sha else []
    facts += [f"Model: {code(result.model)}"] if result.model else []
    facts += [f"Sandbox: {inline(result.sandbox)}"] if result.sandbox else []
    spend = result.progress.spend
    facts += [f"Spent: {spent(spend)}, {duration(spend.seconds)}"]
    return [*facts, f"Of that the critic: {critics}"] if (critics := critics_spend(spend)) else facts


def terminal_report(result: RunResult) -> str:
    """The same in plain lines without Markdown, safe for a terminal."""
    lines = [f"{title(result.outcome).upper()}: {_in_a_line(result)}"]
    if result.proof is not None:
        lines += _proof_lines(result)
    for iteration in result.progress.iterations:
        first = "test first: " if iteration.aim is Aim.TEST else ""
        before_after = f"{iteration.number}. {first}{on_screen(iteration.summary, 100)}: {counts(iteration.report)}"
        lines.append(f"  {before_after} ({duration(iteration.duration_s)})")
    spend = result.progress.spend
    if spend.calls:
        lines.append(f"  spent: {spent(spend)}, {duration(spend.seconds)}")
    if critics := critics_spend(spend):
        lines.append(f"  of that the critic: {critics}")
    if result.progress.doubts.strip():
        lines.append(f"  doubts of the critic: {on_screen(result.progress.doubts, 600)}")
    return "\n".join(lines)


def _in_a_line(result: RunResult) -> str:
    proven = result.outcome is Outcome.PROVEN and result.proof is not None
    return what_was_shown(result.proof) if proven and result.proof else on_screen(result.reason, 600)


def _proof_lines(result: RunResult) -> list[str]:
    proof = result.proof
    if proof is None:
        return []
    runs = (
        ("baseline: base code, base tests", proof.baseline),
        ("A: base code, new tests", proof.head_tests_on_base),
        ("B: new code, new tests", proof.head),
        ("C: new code, base tests", proof.base_tests_on_head),
    )
    lines = [f"  {name:<32} {counts(report)}" for name, report in runs]
    for name, ids in (("red", proof.evidence.red), ("broke", proof.evidence.broke), ("flaky", proof.evidence.flaky)):
        lines += [f"  {name}: {on_screen(each)}" for each in ids[:_NAMES_IN_A_TERMINAL]]
        lines += [f"  {name}: … and {len(ids) - _NAMES_IN_A_TERMINAL} more"] if len(ids) > _NAMES_IN_A_TERMINAL else []
    lines += [f"  altered: {on_screen(each)}" for each in proof.tests_altered[:_NAMES_IN_A_TERMINAL]]
    lines += [f"  accepted by {on_screen(proof.accepted_by)}"] if proof.accepted_by else []
    lines += [f"  worth a second look: {on_screen(each, 300)}" for each in proof.second_looks[:_NAMES_IN_A_TERMINAL]]
    if proof.hunks and (noticed := noticed_in_words(proof.hunks)):
        lines.append(f"  {noticed}")
        lines += [f"  unnoticed: {on_screen(f'{hunk.path}:{hunk.start}')}" for hunk in proof.hunks.unnoticed[:10]]
    return [*lines, *(f"  missing: {on_screen(each, 300)}" for each in proof.missing)]

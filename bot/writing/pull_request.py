"""The pull request: its title, and a body that a maintainer can judge at a glance."""

import shlex

from bot.records import Outcome, PullRequestText, RunResult, Task, Verdict
from bot.writing.answering import asked_and_answered, unnoticed
from bot.writing.branch import attempts, base_moved, built_on, conflicts, failed_checks, solved_conflicts
from bot.writing.document import Section, compose, marker, table
from bot.writing.doubts import doubts
from bot.writing.evidence import at_a_glance, four_runs, names
from bot.writing.figures import cached, cost, counts, duration, plural, tokens, unbroken
from bot.writing.iteration_log import closing_words
from bot.writing.made_of import made_of
from bot.writing.outcomes import headline, stale
from bot.writing.progress import run_page
from bot.writing.result import blocked_hosts, how_to_accept, second_look, what_is_missing
from bot.writing.safe import code_in_cell, fenced, inline, one_line, sentence

TITLE_LIMIT = 200


def pull_request(
    result: RunResult,
    task: Task,
    *,
    branch: str,
    run_id: str,
    repository: str = "",
    moved_to: str = "",
    labels: tuple[str, ...] = (),
    reviewers: tuple[str, ...] = (),
    pages: str = "",
) -> PullRequestText:
    """What the pull request is to say; a draft unless it is proven.

    `repository` is its full name. `moved_to` is where a person brought the branch since, which the proof is not of.
    `pages` is as in `ProgressView`.
    """
    return PullRequestText(
        title=title(task),
        body=_body(result, task, branch=branch, run_id=run_id, repository=repository, moved_to=moved_to, pages=pages),
        draft=result.outcome is not Outcome.PROVEN,
        labels=labels,
        reviewers=reviewers,
    )


def title(task: Task) -> str:
    """The issue's title and number. It becomes a commit's subject, where `fixes #9` would close another issue."""
    words = one_line(task.title, TITLE_LIMIT)
    shown = words if any(each.isprintable() and not each.isspace() for each in words) else "Change"
    return f"{shown} (#{task.number})" if task.number is not None else shown


def _body(
    result: RunResult, task: Task, *, branch: str, run_id: str, repository: str, moved_to: str, pages: str
) -> str:
    """Outcome, evidence, what is missing, what was asked and answered, the names; then how to see it, what it took."""
    proof = result.proof
    words = closing_words(result.progress) if result.progress.verdict is Verdict.SOLVED else ""
    sections = [
        Section(stale(result.head_sha, moved_to) if moved_to else ""),
        Section(headline(result)),
        conflicts(result),
        failed_checks(result),
        Section(f"Closes #{task.number}" if task.number is not None else ""),
        Section(_not_ready_any_more(result)),
        Section(at_a_glance(proof) if proof else ""),
        Section(what_is_missing(result) if result.outcome is not Outcome.PROVEN else ""),
        Section(how_to_accept(result)),
        base_moved(result),
        solved_conflicts(result),
        built_on(result),
        second_look(result),
        asked_and_answered(result, task),
        unnoticed(result),
        *(names(proof) if proof else []),
        Section(f"The model on its change:\n\n{words}" if words else "", 45),
        *doubts(result),
        Section(_left_out(result), 60),
        Section(blocked_hosts(result), 50),
        Section(_limits_reached(result)),
        Section(_reproduce(result, branch, repository), 70),
        Section(four_runs(proof, sandbox=result.sandbox) if proof else "", 55),
        made_of(result),
        attempts(result),
        Section(_what_it_took(result), 80),
        Section(_footer(result, run_id, pages)),
    ]
    return compose([section for section in sections if section.text], end=marker("pull-request", run_id))


def _not_ready_any_more(result: RunResult) -> str:
    """That it was ready for review before, and what became of that; "" where the proof holds, or it never was."""
    if result.outcome is not Outcome.UNPROVEN:
        return ""
    if result.not_draft:
        return f"**Open for review, though unproven.** {sentence(result.not_draft, 400)}"
    return "**A draft again**: an earlier proof held, this one does not." if result.is_draft_again else ""


def _left_out(result: RunResult) -> str:
    left_out = result.progress.change.left_out
    if not left_out:
        return ""
    more = [f"- … and {len(left_out) - 20:,} more"] if len(left_out) > 20 else []
    return "\n".join(["**Left out of the change**\n", *(f"- {inline(each, 200)}" for each in left_out[:20]), *more])


def _limits_reached(result: RunResult) -> str:
    progress, checked = result.progress, result.proof.hunks if result.proof else None
    reached = [inline(progress.why, 300)] if progress.verdict is Verdict.LIMIT else []
    if checked and checked.untried:
        reached.append(f"{duration(checked.budget_s)} for taking back each changed place alone")
    return f"**Limit reached:** {'; '.join(reached)}" if reached else ""


def _reproduce(result: RunResult, branch: str, repository: str) -> str:
    """Commands to paste: the whole proof in one; by hand the tests with the change, then without it."""
    plan, proof = result.plan, result.proof
    if plan is None or proof is None:
        return ""
    head = result.head_sha or f"origin/{branch}"
    without = f"{head}~1" if has_test_commit(result) else "" if result.built_on else result.base_sha
    test = f"{plan.build} && {plan.test}" if plan.build else plan.test
    number = result.pull_request
    once = (
        [f"selfcode verify {shlex.quote(f'{repository}#{number}')}", "# or by hand:"] if repository and number else []
    )
    first = [f"git fetch origin {shlex.quote(branch)}", f"git checkout --detach {head}"]
    inside = [f"cd {shlex.quote(plan.directory)}"] if plan.directory != "." else []
    passes = "passes" if proof.head is not None and proof.head.is_green else counts(proof.head)
    lines = [*once, *first, *inside, *([plan.setup] if plan.setup else []), f"# with the change: {passes}", test]
    if proof.evidence.red and without:
        lines += ["# without it: fails", f"git checkout --detach {without}", test]
    return f"**See for yourself**\n\n{fenced(chr(10).join(lines), 'sh')}"


def has_test_commit(result: RunResult) -> bool:
    """Whether the branch has a commit of its own for the tests, and the change's on it alone."""
    tests = set(result.proof.tests_changed if result.proof else ())
    return (
        bool(tests)
        and result.branch_change is None
        and not result.built_on
        and set(result.progress.change.paths) > tests
    )


def _what_it_took(result: RunResult) -> str:
    spend = result.progress.spend
    own = spend.cost_usd if spend.cost_usd is None else spend.cost_usd - (spend.critic_cost_usd or 0.0)
    row = (
        code_in_cell(result.model) if result.model else "–",
        unbroken(f"{plural(len(result.progress.iterations), 'iteration')}, {plural(spend.calls, 'call')}"),
        tokens(spend.tokens - spend.critic_tokens) + cached(spend.cached_tokens, spend.prompt_tokens),
        unbroken(cost(own)),
        unbroken(duration(spend.seconds)),
        inline(result.sandbox, 60) or "–",
    )
    return table(("model", "work", "tokens", "cost", "time", "sandbox"), [row, *_critics_row(result)])


def _critics_row(result: RunResult) -> list[tuple[str, ...]]:
    """What the critic used, which is in no other row."""
    spend = result.progress.spend
    if not spend.critic_tokens:
        return []
    name = code_in_cell(result.critic) if result.critic else "–"
    return [(name, "the critic", tokens(spend.critic_tokens), unbroken(cost(spend.critic_cost_usd)), "–", "–")]


def _footer(result: RunResult, run_id: str, pages: str) -> str:
    is_by_people = result.branch_change is not None or bool(result.by_people)
    by = "a model, changed by people since" if is_by_people else "a model"
    unsigned = f" The commits are not verified: {sentence(result.unsigned, 300)}" if result.unsigned else ""
    return (
        f"<sub>Written by {by}, checked by selfcode: run `{run_id}`{run_page(run_id, pages)}."
        " The iteration log is in a comment below. Evidence is strong, not a boundary:"
        f" tests share a process with the code under test.{unsigned}</sub>"
    )

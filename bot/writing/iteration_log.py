"""The iteration log as a comment: one line an iteration, the details folded below it."""

import json
from typing import Any

from bot.records import Call, Iteration, Progress, TestReport
from bot.writing.chart import FIRST_TO_GO, chart
from bot.writing.document import LIMIT, Section, compose, details, marker
from bot.writing.figures import counts, critics_spend, duration, plural, spent, tokens
from bot.writing.iterations import iteration_table
from bot.writing.prose import quoted_prose
from bot.writing.safe import code, fenced, inline

SHORTENED = "_Details are left out here, the oldest first: GitHub takes no more. The run's trace has all of them._"

REPLY, ACTIONS, OUTPUT = 10, 20, 30
"""Ranks of an iteration's details: replies give way first, then actions, then test output; older before newer."""


def log_marker(run_id: str) -> str:
    """The hidden line by which the log of a run is found again."""
    return marker("log", run_id)


def iteration_log(progress: Progress, baseline: TestReport | None, *, run_id: str, limit: int = LIMIT) -> str:
    """The log of a run, within GitHub's limit: the table stays, details give way where it is too long."""
    sections = [
        Section(f"**Iteration log**: {plural(len(progress.iterations), 'iteration')}, {spent(progress.spend)}"),
        Section(chart(progress, baseline), FIRST_TO_GO),
        Section(iteration_table(progress, baseline) if progress.iterations else "No iteration was made."),
        Section(f"Of that the critic: {critics}" if (critics := critics_spend(progress.spend)) else ""),
        Section(f"How it ended: {inline(progress.why, 600)}" if progress.why else ""),
    ]
    for place, iteration in enumerate(progress.iterations):
        newness = place / (len(progress.iterations) + 1)
        sections += _details(iteration, newness)
    shown = [section for section in sections if section.text]
    return compose(shown, limit=limit, end=log_marker(run_id), note=SHORTENED)


def _details(iteration: Iteration, newness: float) -> list[Section]:
    sections = []
    for place, call in enumerate(iteration.calls, start=1):
        name = f"Iteration {iteration.number}, call {place} of {len(iteration.calls)}"
        sections += [_reply(name, call, REPLY + newness), _actions(name, call, ACTIONS + newness)]
    return [*sections, _others(iteration, ACTIONS + newness), _output(iteration, OUTPUT + newness)]


def _reply(name: str, call: Call, rank: float) -> Section:
    said = reply_text(call.reply)
    used = f"{tokens(call.usage.prompt_tokens)} + {tokens(call.usage.completion_tokens)} tokens"
    problem = f"What was wrong with it: {inline(call.problem, 400)}\n\n" if call.problem else ""
    heading = f"{name}: reply ({used}, {duration(call.duration_s)})"

    def shown(head: int, tail: int) -> str:
        return details(heading, problem + fenced(said or "(empty)", "text", head=head, tail=tail))

    return Section(shown(4000, 2000), rank, (shown(600, 400),))


def _actions(name: str, call: Call, rank: float) -> Section:
    if not call.actions:
        return Section("")
    lines = [
        f"- {'✓' if action.ok else '✗'} {code(action.name, 40)} {code(action.arguments, 160)}"
        + ("" if action.ok else f": {inline(action.result, 200)}")
        for action in call.actions[:40]
    ]
    more = [f"- … and {len(call.actions) - 40} more"] if len(call.actions) > 40 else []
    return Section(details(f"{name}: {plural(len(call.actions), 'action')}", "\n".join([*lines, *more])), rank)


def _others(iteration: Iteration, rank: float) -> Section:
    """The candidates that were drawn beside it: how their tests went, and why each was not gone on with."""
    if not iteration.others:
        return Section("")
    lines = [
        f"- {counts(each.report) if each.report else 'not tested'}, +{each.change.added_lines:,} "
        f"−{each.change.removed_lines:,}: {inline(each.why, 200)}"
        for each in iteration.others
    ]
    heading = f"Iteration {iteration.number}: {plural(len(lines), 'other candidate')}"
    return Section(details(heading, "\n".join(lines)), rank)


def _output(iteration: Iteration, rank: float) -> Section:
    report = iteration.report
    if report is None:
        return Section("")
    heading = f"Iteration {iteration.number}: test output ({counts(report)})"

    def shown(tail: int) -> str:
        return details(
            heading, f"{code(report.command)}\n\n{fenced(report.output or '(no output)', 'text', tail=tail)}"
        )

    return Section(shown(6000), rank, (shown(1500), shown(400)))


def reply_text(reply: str) -> str:
    """A chat completion's words, then each tool call; the whole text where it has neither."""
    message = _message(reply)
    if message is None:
        return reply
    calls = [_tool_call(call) for call in message.get("tool_calls") or () if isinstance(call, dict)]
    return "\n\n".join(part for part in (_words(message), *calls) if part) or reply


def words_in(reply: str) -> str:
    """A chat completion's words alone, "" where it has none; the whole text where it is no completion."""
    message = _message(reply)
    return reply if message is None else _words(message)


def _words(message: dict[str, Any]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else ""


def _message(reply: str) -> dict[str, Any] | None:
    try:
        shape = json.loads(reply)
    except ValueError:
        return None
    if not isinstance(shape, dict):
        return None
    choices = shape.get("choices")
    if isinstance(choices, list):
        return choices[0].get("message") if choices and isinstance(choices[0], dict) else {}
    return shape if "content" in shape or "tool_calls" in shape else None


def _tool_call(call: dict[str, Any]) -> str:
    function = call.get("function")
    return f"{function.get('name')} {function.get('arguments')}" if isinstance(function, dict) else ""


def closing_words(progress: Progress) -> str:
    """The model's own account of its change as a quote, or ""."""
    return quoted_prose(progress.why, 1500) if progress.why.strip() else ""

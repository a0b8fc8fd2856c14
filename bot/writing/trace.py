"""A trace as a person reads it in a terminal, and as a program does: every call, and with its prompt where wanted."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bot.records import Aim, Call, Iteration, Progress
from bot.writing.figures import cached, cost, counts, duration, tokens
from bot.writing.safe import clean, cut, on_screen


@dataclass(frozen=True, slots=True)
class TracedCall:
    """One call, numbered through the whole trace. `messages` are chat completions', `reply` is the server's text."""

    number: int
    model: str
    prompt_version: str
    temperature: float | None
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int | None
    estimated: bool
    cost_usd: float | None
    seconds: float
    problem: str
    actions: tuple[tuple[str, str, str, bool], ...]
    messages: tuple[dict[str, Any], ...] = field(repr=False)
    reply: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class TracedPart:
    """An iteration, or a candidate beside one: what it was, what came of it, its calls."""

    title: str
    then: str
    calls: tuple[TracedCall, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """What is kept of one run or solve. `outcome` is "" where it has none yet."""

    name: str
    outcome: str
    reason: str
    parts: tuple[TracedPart, ...]

    @property
    def calls(self) -> Iterator[TracedCall]:
        for part in self.parts:
            yield from part.calls


def trace_of(progress: Progress, *, name: str, outcome: str, reason: str) -> Trace:
    """The trace of a run."""
    parts: list[TracedPart] = []
    count = 0
    for iteration in progress.iterations:
        for title, then, calls in _pieces(iteration):
            numbered = tuple(_traced(call, count + place) for place, call in enumerate(calls, start=1))
            count += len(numbered)
            parts.append(TracedPart(title, then, numbered))
    return Trace(name, outcome, reason, tuple(parts))


def _pieces(iteration: Iteration) -> Iterator[tuple[str, str, Sequence[Call]]]:
    first = ", the test" if iteration.aim is Aim.TEST else ""
    then = f"tests: {counts(iteration.report)}, {duration(iteration.duration_s)}; then: {iteration.why_next}"
    yield f"iteration {iteration.number}{first}: {iteration.summary or 'no change'}", then, iteration.calls
    for place, other in enumerate(iteration.others, start=1):
        title = f"iteration {iteration.number}, other candidate {place}"
        yield title, f"tests: {counts(other.report)}; not gone on with: {other.why}", other.calls


def _traced(call: Call, number: int) -> TracedCall:
    usage = call.usage
    return TracedCall(
        number=number,
        model=call.model,
        prompt_version=call.prompt_version,
        temperature=call.temperature,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cached_tokens=usage.cached_tokens,
        estimated=usage.estimated,
        cost_usd=usage.cost_usd,
        seconds=call.duration_s,
        problem=call.problem,
        actions=tuple((each.name, each.arguments, each.result, each.ok) for each in call.actions),
        messages=tuple(json.loads(call.messages)),
        reply=call.reply,
    )


def trace_text(trace: Trace, *, prompts: bool = False, only: int | None = None) -> str:
    """Lines for a terminal: all calls, or the one with a number; with `prompts` all that the model saw and said."""
    head = f"{on_screen(trace.name)}: {on_screen(trace.outcome) or 'not ended'}"
    lines = [f"{head}, {on_screen(trace.reason, 400)}" if trace.reason else head]
    for part in trace.parts:
        calls = [call for call in part.calls if only in (None, call.number)]
        if only is not None and not calls:
            continue
        lines += ["", on_screen(part.title, 200), f"  {on_screen(part.then, 300)}"] if part.title else [""]
        for call in calls:
            lines += _call_lines(call)
            lines += _prompt_lines(call) if prompts else []
    return "\n".join(lines)


def _call_lines(call: TracedCall) -> Iterator[str]:
    share = cached(call.cached_tokens or 0, call.prompt_tokens)
    about = "≈ " if call.estimated else ""
    warmth = "" if call.temperature is None else f", temperature {call.temperature:g}"
    used = f"{about}{tokens(call.prompt_tokens)} + {tokens(call.completion_tokens)} tokens{share}"
    spent = f"{used}, {cost(call.cost_usd)}, {duration(call.seconds)}"
    yield f"  call {call.number}: {on_screen(call.prompt_version, 60)}, {on_screen(call.model, 100)}{warmth}; {spent}"
    if call.problem:
        yield f"    problem: {on_screen(call.problem, 300)}"
    for name, arguments, result, ok in call.actions:
        wrong = "" if ok else f": {on_screen(result, 200)}"
        yield f"    {'✓' if ok else '✗'} {on_screen(name, 40)} {on_screen(arguments, 160)}{wrong}"


def _prompt_lines(call: TracedCall) -> Iterator[str]:
    for place, message in enumerate(call.messages, start=1):
        yield f"    --- message {place}, {on_screen(str(message.get('role')), 20)}"
        yield from _words(message)
    yield "    --- reply"
    yield from _reply_lines(call.reply)


def _words(message: dict[str, Any]) -> Iterator[str]:
    """A message as the model saw it: its text, and its tool calls or the call that it answers."""
    if answered := message.get("tool_call_id"):
        yield f"(answers {on_screen(str(answered), 80)})"
    content = message.get("content")
    if content:
        yield clean(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False))
    for asked in message.get("tool_calls") or ():
        yield clean(json.dumps(asked, ensure_ascii=False))


def _reply_lines(reply: str) -> Iterator[str]:
    """The reply's message; the whole text where it holds none."""
    try:
        message = json.loads(reply)["choices"][0]["message"]
        lines = list(_words(message))
    except (ValueError, LookupError, TypeError, AttributeError):
        lines = []
    yield from lines or [clean(cut(reply, 20_000)) or "(empty)"]


def trace_object(trace: Trace, *, prompts: bool = False, only: int | None = None) -> dict[str, Any]:
    """The same for a program."""
    parts = [
        {"title": part.title, "then": part.then, "calls": [_call_object(call, prompts=prompts) for call in calls]}
        for part in trace.parts
        if (calls := [call for call in part.calls if only in (None, call.number)]) or only is None
    ]
    return {"outcome": trace.outcome or None, "reason": trace.reason, "run": trace.name, "parts": parts}


def _call_object(call: TracedCall, *, prompts: bool) -> dict[str, Any]:
    shown = asdict(call)
    shown["actions"] = [
        {"name": name, "arguments": arguments, "result": result, "ok": ok}
        for name, arguments, result, ok in call.actions
    ]
    if not prompts:
        del shown["messages"], shown["reply"]
    return shown

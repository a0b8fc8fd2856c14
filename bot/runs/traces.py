"""Traces found again: in the database by a run's id, or in a file that `selfcode run` or `selfcode solve` wrote."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bot.errors import Refused
from bot.records import Progress, RunResult, load
from bot.runs.store import Store
from bot.writing.trace import Trace, TracedCall, TracedPart, trace_of

FILE = "trace.json"


def trace_in_file(path: Path) -> Trace:
    """The trace of a file, or of the folder that `selfcode run` wrote. Raises `Refused` for what is none."""
    file = path / FILE if path.is_dir() else path
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise Refused(f"{file} can't be read as a trace: {getattr(problem, 'strerror', None) or problem}") from problem
    if not text.strip():
        raise Refused(f"{file} is empty: the command that was to write it has not come to its end.")
    try:
        value = json.loads(text)
    except ValueError as problem:
        raise Refused(f"{file} can't be read as a trace: {problem}") from problem
    name = str(file)
    try:
        if isinstance(value, dict) and "progress" in value:
            result = load(RunResult, text)
            return trace_of(result.progress, name=name, outcome=str(result.outcome), reason=result.reason)
        if isinstance(value, dict) and "iterations" in value and isinstance(value["iterations"], list):
            progress = load(Progress, text)
            return trace_of(progress, name=name, outcome=str(progress.verdict or ""), reason=progress.why)
        return _solve_trace(value, name)
    except (ValidationError, LookupError, TypeError, ValueError) as problem:
        raise Refused(f"{file} is no trace of `selfcode run` or `selfcode solve`.") from problem


def trace_in_store(store: Store, prefix: str) -> Trace:
    """The trace of the run whose id begins so. Raises `Refused` where there is none, or more than one."""
    run = store.run(the_only(store.run_ids(prefix), prefix))
    name = f"run {run.id} on {run.trigger.issue}"
    return trace_of(store.progress(run.id), name=name, outcome=str(run.outcome or ""), reason=run.reason or "")


def the_only(found: Sequence[str], prefix: str) -> str:
    """The run's id, of those found that begin so. Raises `Refused` where there is none, or more than one."""
    if not found:
        raise Refused(f"There is no run {prefix}, and no such file. `selfcode runs` lists them.")
    if len(found) > 1:
        raise Refused(f"Several runs begin with {prefix}: {', '.join(found[:5])}{' …' if len(found) > 5 else ''}.")
    return found[0]


def _solve_trace(value: Mapping[str, Any], name: str) -> Trace:
    """What `selfcode solve --trace` wrote: calls in one row, with what was made of each."""
    calls = tuple(_solve_call(call, number) for number, call in enumerate(value["calls"], start=1))
    history = [f"{place}. {line}" for place, line in enumerate(value.get("history", ()), start=1)]
    part = TracedPart(str(value.get("task", "solve")).partition("\n")[0], "; ".join(history), calls)
    return Trace(name, str(value.get("outcome", "")), str(value.get("checked", "")), (part,))


def _solve_call(call: Mapping[str, Any], number: int) -> TracedCall:
    reply = call["reply"]
    return TracedCall(
        number=number,
        model=str(call["model"]),
        prompt_version=str(call["prompt_version"]),
        temperature=call.get("temperature"),
        prompt_tokens=int(call["prompt_tokens"]),
        completion_tokens=int(call["completion_tokens"]),
        cached_tokens=call.get("cached_tokens"),
        estimated=bool(call.get("estimated")),
        cost_usd=call.get("cost_usd"),
        seconds=float(call.get("seconds", 0.0)),
        problem=str(call.get("outcome") or call.get("problem") or ""),
        actions=(),
        messages=tuple(call["messages"]),
        reply=reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False),
    )

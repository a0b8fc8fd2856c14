"""One run: every system on every task, one after the other, a line written at each attempt's end."""

import json
import re
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from pydantic import TypeAdapter

from bench.solve.judging import Judge
from bench.solve.metering import metered
from bench.solve.records import Attempt, Budget, Endpoint, System, Task, Tried, kind_of
from bot.agent.prices import Pricing
from bot.errors import ConfigError, Unavailable
from bot.records import Usage

ATTEMPTS, PLAN, REPLACED = "attempts.jsonl", "run.json", "replaced.jsonl"
FAILURES_IN_A_ROW = 3
MAY_DIFFER = ("began", "settings")

_ATTEMPT = TypeAdapter(Attempt)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a folder of results is about: a run that goes on there has to have the same plan.

    `settings` are those of our own agent that are not the defaults, of the last run in the folder: they may differ.
    """

    model: str
    seed: int
    sends_seed: bool
    budget: Budget
    sandbox: str
    tasks: tuple[str, ...]
    prices: str
    began: str
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Run:
    """A run as it was asked for. `over` says when to stop between two attempts."""

    plan: Plan
    endpoint: Endpoint
    tasks: Sequence[Task]
    systems: Sequence[System]
    judge: Judge
    pricing: Pricing | None
    folder: Path
    tell: Callable[[str], None]
    over: Callable[[], bool] = lambda: False


def sample(tasks: Sequence[Task], count: int, *, seed: int) -> Sequence[Task]:
    """So many of the tasks, the same ones for the same seed; all of them where there are no more."""
    chosen = sorted(tasks, key=lambda task: _by_number(task.id))
    return Random(seed).sample(chosen, min(count, len(chosen)))  # noqa: S311 - nobody is to be kept from guessing it


def _by_number(name: str) -> list[tuple[int, str]]:
    """The order of names whose numbers count as numbers: 2 before 10."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", name)]


def attempts_in(folder: Path) -> tuple[Attempt, ...]:
    """Every attempt so far; one that was cut off while it was written is passed over, a later one counts."""
    try:
        lines = (folder / ATTEMPTS).read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        return ()
    found = [_ATTEMPT.validate_json(line) for line in lines[:-1] if line]
    return tuple({(attempt.task, attempt.system): attempt for attempt in found}.values())


def plan_in(folder: Path) -> Plan:
    """The plan of a folder of results. Raises `ConfigError` where there is none."""
    try:
        return TypeAdapter(Plan).validate_json((folder / PLAN).read_bytes())
    except FileNotFoundError:
        raise ConfigError(f"{folder} holds no run: there is no {PLAN} in it") from None


def go(run: Run, *, again: Sequence[str] = ()) -> bool:
    """Do what is still to be done, and say whether all of it is. `again` names systems that are measured anew.

    Raises: `ConfigError` where the folder is another run's, `Unavailable` where attempt after attempt can't be made.
    """
    _settle(run)
    _set_aside(run.folder, again)
    done = {(attempt.task, attempt.system) for attempt in attempts_in(run.folder) if not attempt.failed}
    left = [(task, each) for task in run.tasks for each in run.systems if (task.id, each.name) not in done]
    run.tell(f"{len(run.tasks)} tasks, {len(run.systems)} systems: {len(left)} attempts to be made")
    failures = 0
    for number, (task, system) in enumerate(left, 1):
        if run.over():
            run.tell(f"the time is over: {len(left) - number + 1} attempts are left; run the same again to go on")
            return False
        attempt = _attempt(run, task, system)
        _write(run.folder / ATTEMPTS, [attempt])
        run.tell(f"{number}/{len(left)} {_line(attempt)}")
        failures = failures + 1 if attempt.failed else 0
        if failures == FAILURES_IN_A_ROW:
            raise Unavailable(f"{failures} attempts in a row could not be made, the last for: {attempt.ended}")
    return True


def _attempt(run: Run, task: Task, system: System) -> Attempt:
    plan = run.plan
    began = time.monotonic()
    with metered(run.endpoint, plan.budget, seed=plan.seed if plan.sends_seed else None) as meter:
        try:
            tried = system.attempt(task, meter.endpoint, seed=plan.seed, budget=plan.budget)
        except Exception as problem:  # noqa: BLE001 - one attempt's failure does not end hours of measuring
            run.tell("".join(traceback.format_exception(problem)))
            tried = Tried((), f"{type(problem).__name__}: {problem}", failed=True)
        used, spent = meter.used, meter.spent()
    seconds = time.monotonic() - began
    usage = Usage(used.prompt_tokens, used.completion_tokens, used.cached_tokens)
    return Attempt(
        task=task.id,
        kind=kind_of(task),
        system=system.name,
        steps=run.judge.verdicts(task, tried.states),
        used=used,
        cost_usd=run.pricing.cost_usd(usage) if run.pricing else None,
        seconds=round(seconds, 2),
        ended=spent if tried.failed and spent else tried.ended,
        failed=tried.failed and not spent,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _settle(run: Run) -> None:
    """Write the plan down, or see that it is the one that is there."""
    run.folder.mkdir(parents=True, exist_ok=True)
    plan, now = run.plan, asdict(run.plan)
    if (run.folder / PLAN).exists():
        earlier = plan_in(run.folder)
        before, plan = asdict(earlier), replace(run.plan, began=earlier.began)
        _refuse_another(run.folder, before, now)
    (run.folder / PLAN).write_text(json.dumps(asdict(plan), indent=2) + "\n", encoding="utf-8")


def _refuse_another(folder: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    differ = [name for name in now if name not in MAY_DIFFER and before[name] != now[name]]
    if differ:
        told = "; ".join(f"{name}: {_short(before[name])} there, {_short(now[name])} now" for name in differ)
        raise ConfigError(f"{folder} holds another run ({told}): choose another folder with --out")


def _short(value: Any) -> str:
    return "others" if isinstance(value, list | tuple) else str(value)


def _set_aside(folder: Path, systems: Sequence[str]) -> None:
    """Move the attempts of these systems out of what counts; they are kept beside it."""
    if not systems:
        return
    found = attempts_in(folder)
    _write(folder / REPLACED, [attempt for attempt in found if attempt.system in systems])
    kept = folder / f"{ATTEMPTS}.new"
    kept.write_text("", encoding="utf-8")
    _write(kept, [attempt for attempt in found if attempt.system not in systems])
    kept.replace(folder / ATTEMPTS)


def _write(path: Path, attempts: Sequence[Attempt]) -> None:
    with path.open("ab+") as opened:
        if opened.tell() and (opened.seek(-1, 2), opened.read(1))[1] != b"\n":
            opened.truncate(_end_of_last_line(path))  # a line that a kill cut off
        for attempt in attempts:
            opened.write(_ATTEMPT.dump_json(attempt) + b"\n")


def _end_of_last_line(path: Path) -> int:
    return path.read_bytes().rfind(b"\n") + 1


def _line(attempt: Attempt) -> str:
    how = "solved" if attempt.solved else "failed to run" if attempt.failed else "not solved"
    iterations = f"{len(attempt.steps)} iteration{'s' if len(attempt.steps) != 1 else ''}"
    spent = f"{attempt.used.calls} calls, {attempt.used.tokens:,} tokens, {attempt.seconds:.0f} s"
    return f"{attempt.task} {attempt.system}: {how}, {iterations}, {spent} ({attempt.ended[:120]})"

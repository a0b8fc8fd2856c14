"""Answers a second, side by side with Probot, by short turns."""

import argparse
import os
import statistics
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.flood import deliveries, provisions
from bench.flood.client import Poured, pour
from bench.flood.sides import Side, probot, selfcode
from bot.errors import ConfigError

ACCEPTED_AIM, P99_AIM_S = 800, 0.05
PROBOT = "Probot, no database"
WARM_UP = 8000
"""Deliveries that a side gets before it is measured: Node compiles what it does often."""

Made = Callable[[int, str], list[bytes]]


def print_answers(folder: Path, postgres_url: str | None, chosen: argparse.Namespace) -> None:
    """Answers a second, side by side."""
    with ExitStack() as stack:
        sides = {"selfcode, SQLite": stack.enter_context(selfcode(folder / "sqlite"))}
        if postgres_url is not None:
            other = selfcode(folder / "postgres", postgres_url)
            sides["selfcode, PostgreSQL"] = stack.enter_context(other)
        try:
            sides[PROBOT] = stack.enter_context(probot(provisions.probot(), folder))
        except (ConfigError, ConnectionError) as problem:
            print(f"PROBOT IS LEFT OUT: {problem}")
        print(f"Answers to {chosen.deliveries} deliveries, {chosen.connections} connections, median of {chosen.rounds}")
        print(f"{os.cpu_count()} cores; {_load()}")
        print(f"{'':36}{'a second':>9}{'p50, ms':>9}{'p99, ms':>9}{'CPU, ms':>9}{'to Probot':>20}  aim")
        for kind, make in (("ignored", deliveries.ignored), ("accepted", deliveries.accepted)):
            print_kind(kind, make, sides, chosen)
        print(_load())


def print_kind(kind: str, make: Made, sides: dict[str, Side], chosen: argparse.Namespace) -> None:
    """One kind of delivery at each side, by turns."""
    poured: dict[str, list[Poured]] = {name: [] for name in sides}
    cpu_s = dict.fromkeys(sides, 0.0)
    for side in sides.values():
        pour(side.port, make(WARM_UP, side.path), connections=chosen.connections)
    for number in range(chosen.rounds):
        for name in rotated(list(sides), number):
            side = sides[name]
            requests = make(chosen.deliveries, side.path)
            begun_s = side.cpu_s()
            poured[name].append(pour(side.port, requests, connections=chosen.connections))
            cpu_s[name] += side.cpu_s() - begun_s
    theirs = [each.rate for each in poured.get(PROBOT, ())]
    for name, rounds in poured.items():
        wrong = sum(count for each in rounds for status, count in each.statuses.items() if status >= 300)
        rate = statistics.median(each.rate for each in rounds)
        waits = statistics.quantiles([wait for each in rounds for wait in each.waits_s], n=100, method="inclusive")
        ratios = [each.rate / their for each, their in zip(rounds, theirs, strict=True)] if theirs else []
        aim = _aim(kind, name, rate, waits[98], ratios)
        each_ms = cpu_s[name] / (chosen.deliveries * chosen.rounds) * 1000
        figures = f"{rate:9.0f}{waits[49] * 1000:9.1f}{waits[98] * 1000:9.1f}{each_ms:9.2f}{_spread(ratios):>20}"
        print(f"{f'{kind}: {name}':36}{figures}  {aim}{f'  {wrong} FAILED' * bool(wrong)}")


def rotated(names: Sequence[str], by: int) -> Sequence[str]:
    """The same, beginning elsewhere, every other time backwards: nobody always follows the same one."""
    first = by // 2 % len(names)
    turned = [*names[first:], *names[:first]]
    return turned[::-1] if by % 2 else turned


def _load() -> str:
    return f"load of the last minutes: {', '.join(f'{load:.1f}' for load in os.getloadavg())}"


def _spread(ratios: Sequence[float]) -> str:
    if len(ratios) < 2:
        return f"{ratios[0]:.2f}×" if ratios else "–"
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return f"{middle:.2f}× ({low:.2f}–{high:.2f})"


def _aim(kind: str, name: str, rate: float, p99_s: float, ratios: Sequence[float]) -> str:
    if name == PROBOT:
        return ""
    if kind == "accepted":
        verdict = "held" if rate >= ACCEPTED_AIM and p99_s < P99_AIM_S else "MISSED"
        return f"{ACCEPTED_AIM} a second, p99 < {P99_AIM_S * 1000:.0f} ms: {verdict}"
    return f"Probot's rate: {'held' if statistics.median(ratios) >= 1 else 'MISSED'}" if ratios else ""

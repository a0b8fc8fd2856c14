"""What floods cost: deliveries answered a second beside Probot, 10,000 at once, and the queue at three lengths.

    make bench
    python -m bench.flood --deliveries 4000 --rounds 5
    python -m bench.flood --only dispatch

Both sides get the same deliveries, of GitHub's usual size, over connections that stay open, in turns within one run,
and have two processes for two cores. The client and whatever else the machine does are on the same cores, which “CPU”
leaves out: what the side's own processes take for one answer. Both log as they do by themselves. What selfcode accepts
is in its database before the answer goes out; Probot keeps nothing.
"""

import argparse
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text

from bench.flood import deliveries, provisions
from bench.flood.client import Poured, pour
from bench.flood.dispatching import LENGTHS, cost_of_a_turn
from bench.flood.sides import Side, probot, selfcode
from bot.errors import ConfigError
from bot.runs.database import with_driver
from tests.postgres.server import CannotStart, is_installed, private_server

ACCEPTED_AIM, P99_AIM_S, ANSWER_AIM_S = 800, 0.05, 10.0
PARTS = ("answers", "flood", "dispatch")

Made = Callable[[int, str], list[bytes]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.flood", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deliveries", type=int, default=2000, help="in each round, for each side")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--flood", type=int, default=10_000)
    parser.add_argument("--only", choices=PARTS, action="append")
    chosen = parser.parse_args(arguments)
    parts = chosen.only or PARTS
    with tempfile.TemporaryDirectory(prefix="bench-") as name, postgres() as postgres_url:
        folder = Path(name)
        if "answers" in parts:
            print_answers(folder, postgres_url, chosen)
        if "flood" in parts:
            for database, url in (("SQLite", None), ("PostgreSQL", postgres_url)):
                if database == "SQLite" or url:
                    print_flood(folder / database, database, url, chosen.flood)
    if "dispatch" in parts:
        print_dispatch()


def print_answers(folder: Path, postgres_url: str | None, chosen: argparse.Namespace) -> None:
    """Answers a second, side by side."""
    with ExitStack() as stack:
        sides = {"selfcode, SQLite": stack.enter_context(selfcode(_made(folder / "sqlite")))}
        if postgres_url is not None:
            other = selfcode(_made(folder / "postgres"), postgres_url)
            sides["selfcode, PostgreSQL"] = stack.enter_context(other)
        try:
            sides["Probot, no database"] = stack.enter_context(probot(provisions.probot(), folder))
        except (ConfigError, ConnectionError) as problem:
            print(f"PROBOT IS LEFT OUT: {problem}")
        print(f"Answers to {chosen.deliveries} deliveries, {chosen.connections} connections, median of {chosen.rounds}")
        print(f"{'':40}{'a second':>10}{'p99, ms':>10}{'CPU, ms':>9}{'to Probot':>11}  aim")
        for kind, make in (("ignored", deliveries.ignored), ("accepted", deliveries.accepted)):
            print_kind(kind, make, sides, chosen)


def print_kind(kind: str, make: Made, sides: dict[str, Side], chosen: argparse.Namespace) -> None:
    """One kind of delivery at each side, by turns."""
    poured: dict[str, list[Poured]] = {name: [] for name in sides}
    cpu_s = dict.fromkeys(sides, 0.0)
    for side in sides.values():
        pour(side.port, make(200, side.path), connections=chosen.connections)
    for _ in range(chosen.rounds):
        for name, side in sides.items():
            requests = make(chosen.deliveries, side.path)
            begun_s = side.cpu_s()
            poured[name].append(pour(side.port, requests, connections=chosen.connections))
            cpu_s[name] += side.cpu_s() - begun_s
    theirs = [each.rate for each in poured.get("Probot, no database", ())]
    for name, rounds in poured.items():
        wrong = sum(count for each in rounds for status, count in each.statuses.items() if status >= 300)
        rate, p99_s = statistics.median(each.rate for each in rounds), statistics.median(each.p99_s for each in rounds)
        ratio = f"{rate / statistics.median(theirs):10.2f}×" if theirs else f"{'–':>11}"
        aim = _aim(kind, name, rate, p99_s, theirs)
        each_ms = cpu_s[name] / (chosen.deliveries * chosen.rounds) * 1000
        figures = f"{rate:10.0f}{p99_s * 1000:10.1f}{each_ms:9.2f}{ratio}"
        print(f"{f'{kind}: {name}':40}{figures}  {aim}{f'  {wrong} FAILED' * bool(wrong)}")


def _aim(kind: str, name: str, rate: float, p99_s: float, theirs: Sequence[float]) -> str:
    if name.startswith("Probot"):
        return ""
    if kind == "accepted":
        verdict = "held" if rate >= ACCEPTED_AIM and p99_s < P99_AIM_S else "MISSED"
        return f"{ACCEPTED_AIM} a second, p99 < {P99_AIM_S * 1000:.0f} ms: {verdict}"
    return f"Probot's rate: {'held' if rate >= statistics.median(theirs) else 'MISSED'}" if theirs else ""


def print_flood(folder: Path, database: str, url: str | None, count: int) -> None:
    """Deliveries as fast as they come, a fifth of them twice."""
    database_url = url or f"sqlite:///{folder / 'home' / 'selfcode.sqlite'}"
    with selfcode(_made(folder), url) as side:
        pour(side.port, deliveries.accepted(count // 10, side.path), connections=64)
        kept_before = kept(database_url)
        once = deliveries.accepted(count * 4 // 5, side.path)
        flood = deliveries.with_duplicates(once)
        before = side.memory_mb()
        poured = pour(side.port, flood, connections=64)
        after = side.memory_mb()
    found = kept(database_url) - kept_before
    slowest = max(poured.waits_s)
    verdict = "held" if slowest < ANSWER_AIM_S else "MISSED"
    print(f"\nA flood of {len(flood)} deliveries, {len(flood) - len(once)} of them twice, 64 connections; {database}")
    print(f"{'answers a second':40}{poured.rate:10.0f}")
    print(f"{'slowest answer, s':40}{slowest:10.2f}  < {ANSWER_AIM_S:g} s: {verdict}")
    print(f"{'memory of the web processes, MB':40}{before:10.0f} → {after:.0f}")
    once_each = "held" if found == len(once) else "MISSED"
    print(f"{'triggers kept':40}{found:10}  once each: {once_each}")
    print(
        f"{'statuses':40}{', '.join(f'{status}: {number}' for status, number in sorted(poured.statuses.items())):>10}"
    )


def print_dispatch() -> None:
    """A turn of the dispatcher, all places taken."""
    print("\nA look of the dispatcher at what waits, all places taken; SQLite, ms")
    costs = {length: cost_of_a_turn(length) for length in LENGTHS}
    for length, cost_s in costs.items():
        print(f"{f'{length:,} triggers wait':40}{cost_s * 1000:10.1f}{cost_s / costs[LENGTHS[0]]:10.1f}×")


@contextmanager
def postgres() -> Iterator[str | None]:
    """A database of our own that keeps what it says it keeps; None, said aloud, where no server is installed."""
    if not is_installed():
        print("PostgreSQL IS LEFT OUT: it is not installed (Debian: postgresql)")
        yield None
        return
    try:
        with private_server(durable=True) as server:
            yield server.create("selfcode")
    except CannotStart as problem:
        print(f"PostgreSQL IS LEFT OUT: {problem}")
        yield None


def kept(url: str) -> int:
    """How many triggers a database holds."""
    engine = create_engine(with_driver(url))
    with engine.connect() as connection:
        found: int = connection.execute(text("SELECT count(*) FROM inbox")).scalar_one()
    engine.dispose()
    return found


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


if __name__ == "__main__":
    main()

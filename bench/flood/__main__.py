"""What floods cost: deliveries answered a second beside Probot, 10,000 at once, and the queue at three lengths.

    make bench
    python -m bench.flood --only answers --deliveries 1000 --rounds 21
    python -m bench.flood --only flood --flood 100000

Both sides get the same deliveries, of GitHub's usual size, over connections that stay open, and have two processes for
two cores. They have short turns, each round in another order, and are compared round by round: “to Probot” is the
median of the rounds' ratios, behind it the quartiles. The client and whatever else the machine does are on the same
cores, which “CPU” leaves out: what the side's own processes take for one answer. Both log as they do by themselves.
What selfcode accepts is in its database before the answer goes out; Probot keeps nothing.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import create_engine, text

from bench.databases import postgresql
from bench.flood import deliveries
from bench.flood.answering import print_answers
from bench.flood.client import pour
from bench.flood.sides import selfcode
from bot.runs.database import with_driver

ANSWER_AIM_S = 10.0
PARTS = ("answers", "flood")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.flood", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deliveries", type=int, default=500, help="in each round, for each side")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--flood", type=int, default=10_000)
    parser.add_argument("--only", choices=PARTS, action="append")
    chosen = parser.parse_args(arguments)
    parts = chosen.only or PARTS
    with tempfile.TemporaryDirectory(prefix="bench-") as name, postgresql() as postgres_url:
        folder = Path(name)
        if "answers" in parts:
            print_answers(folder, postgres_url, chosen)
        if "flood" in parts:
            for database, url in (("SQLite", None), ("PostgreSQL", postgres_url)):
                if database == "SQLite" or url:
                    print_flood(folder / database, database, url, chosen.flood)


def print_flood(folder: Path, database: str, url: str | None, count: int) -> None:
    """Deliveries as fast as they come, a fifth of them twice."""
    database_url = url or f"sqlite:///{folder / 'home' / 'selfcode.sqlite'}"
    with selfcode(folder, url) as side:
        pour(side.port, deliveries.accepted(count // 10, side.path), connections=64)
        kept_before = kept(database_url)
        once = deliveries.accepted(count * 4 // 5, side.path)
        flood = deliveries.with_duplicates(once)
        memory_mb = [side.memory_mb()]

        def look(answered: int) -> None:
            if answered in (len(flood) // 2, len(flood)):
                memory_mb.append(side.memory_mb())

        poured = pour(side.port, flood, connections=64, answered=look)
    found = kept(database_url) - kept_before
    slowest = max(poured.waits_s)
    verdict = "held" if slowest < ANSWER_AIM_S else "MISSED"
    print(f"\nA flood of {len(flood)} deliveries, {len(flood) - len(once)} of them twice, 64 connections; {database}")
    print(f"{'answers a second':40}{poured.rate:10.0f}")
    print(f"{'slowest answer, s':40}{slowest:10.2f}  < {ANSWER_AIM_S:g} s: {verdict}")
    print(f"{'memory before, halfway, at the end, MB':40}{' → '.join(f'{each:.0f}' for each in memory_mb):>10}")
    once_each = "held" if found == len(once) else "MISSED"
    print(f"{'triggers kept':40}{found:10}  once each: {once_each}")
    print(
        f"{'statuses':40}{', '.join(f'{status}: {number}' for status, number in sorted(poured.statuses.items())):>10}"
    )


def kept(url: str) -> int:
    """How many triggers a database holds."""
    engine = create_engine(with_driver(url))
    with engine.connect() as connection:
        found: int = connection.execute(text("SELECT count(*) FROM inbox")).scalar_one()
    engine.dispose()
    return found


if __name__ == "__main__":
    main()

"""How long a run stands still whose worker was killed (`kill -9`): until it has a worker again, and its model is asked.

    make bench                          # five kills each
    python -m bench.surviving --kills 3

SQLite: the worker is started again at once, over the same home. PostgreSQL: another worker, which has a free place,
takes the run over. Each run is killed while its model, which does not answer, is asked for the first time.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.databases import postgresql
from bot.demo.handles import IssueHandle, RepositoryHandle
from bot.records import Outcome
from tests.story import recordings
from tests.story.fleet import Fleet, fleet
from tests.story.town import Town, town

AIM_S = 15.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.surviving", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=5, help="of each kind")
    kills = parser.parse_args(arguments).kills
    print(f"\nkill -9 of the worker → its run goes on, {kills} times each; seconds; load {os.getloadavg()[0]:.1f}")
    print(f"{'':40}{'median':>8}{'slowest':>9}  aim")
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        print_rows("SQLite, the same home again", on_sqlite(Path(folder), kills))
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, postgresql() as url:
        if url is not None:
            print_rows("PostgreSQL, another worker", on_postgres(Path(folder), url, kills))


@dataclass(frozen=True, slots=True)
class Standstill:
    """Seconds from the kill until the run has a worker again, and until that asks the model."""

    taken_up_s: float
    goes_on_s: float


def print_rows(what: str, measured: Sequence[Standstill]) -> None:
    """Two rows of the table, and whether the aim was held."""
    slowest = max(each.goes_on_s for each in measured)
    aim = f"  {AIM_S:.0f}: {'held' if slowest < AIM_S else 'MISSED'}"
    print(f"{f'{what}: taken up':40}{_spread([each.taken_up_s for each in measured])}")
    print(f"{f'{what}: goes on':40}{_spread([each.goes_on_s for each in measured])}{aim}")


def _spread(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds):8.2f}{max(seconds):9.2f}"


def on_sqlite(folder: Path, kills: int) -> Sequence[Standstill]:
    """One worker, that is started again each time."""
    with town(folder, recordings.right_at_once(), commands=("web", "worker")) as built:
        repository = built.repository("octo/calc", recordings.files())

        def kill(_: IssueHandle) -> None:
            built.bot.kill("worker")
            built.bot.start("worker")

        return [standstill(built, repository, kill) for _ in range(kills)]


def on_postgres(folder: Path, database_url: str, kills: int) -> Sequence[Standstill]:
    """Two workers; the one that was killed comes back for the next time."""
    with fleet(folder, database_url, recordings.right_at_once(), count=2) as built:
        repository = built.town.repository("octo/calc", recordings.files())
        measured = []
        for _ in range(kills):
            dead: list[int] = []

            def kill(issue: IssueHandle, dead: list[int] = dead) -> None:
                dead.append(built.pid_of(built.at_work(repository, issue)))
                built.workers[dead[0]].kill("worker")

            measured.append(standstill(built.town, repository, kill))
            bring_back(built, dead[0])
        return measured


def standstill(town: Town, repository: RepositoryHandle, kill: Callable[[IssueHandle], None]) -> Standstill:
    """Let a run begin, kill its worker, and see how long it stands still."""
    town.model.hold()
    before = len(town.model.calls)
    issue = repository.open_issue(recordings.TITLE, recordings.BODY, by="ada")
    issue.label("selfcode", by="ada")
    town.wait_for("the model to be asked", lambda: len(town.model.calls) > before)
    dead = town.runs(repository, issue)[-1].worker_id
    killed_at = time.monotonic()
    kill(issue)
    town.wait_for("a worker for the run", lambda: town.runs(repository, issue)[-1].worker_id != dead)
    taken_at = time.monotonic()
    town.wait_for("the model to be asked again", lambda: len(town.model.calls) > before + 1)
    measured = Standstill(taken_at - killed_at, time.monotonic() - killed_at)
    town.model.release()
    town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    return measured


def bring_back(built: Fleet, pid: int) -> None:
    """Start the worker again that had this process id."""
    bot = built.workers.pop(pid)
    ready = bot.log.read_text().count("the worker is ready")
    bot.start("worker")
    built.workers[bot.processes["worker"].pid] = bot
    built.town.wait_for("the worker", lambda: bot.log.read_text().count("the worker is ready") > ready)


if __name__ == "__main__":
    main()

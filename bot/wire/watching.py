"""How the service is: whether each of its parts works, and the figures that are asked for when somebody looks."""

import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import Unavailable
from bot.runs.beat import BEAT_STALE_S, last_beat
from bot.runs.census import Census, ages, take_census
from bot.runs.probing import Probe
from bot.runs.space import LEAST_BYTES, space_problem
from bot.runs.workers import ails
from bot.seen.figures import Figures, Reading
from bot.settings import Settings
from bot.wire.database import database_or_not

FIGURES = "figures"
"""The folder of a home that its processes count in."""

DATABASE, DISK, WORKER, SANDBOX = PARTS = ("database", "disk", "worker", "sandbox")

NO_WORKER = "no worker is running: start `selfcode worker`"


def figures_of(settings: Settings) -> Figures:
    """What this process counts, beside the other processes of its home: to be made once in a process, by itself."""
    return Figures(settings.home / FIGURES)


@contextmanager
def watched(settings: Settings, figures: Figures) -> Iterator[None]:
    """Serve the pages that watch over a worker, where the operator names a port for them: on this machine alone."""
    if settings.metrics_port is None:
        yield
        return
    from bot.web.app import watch_pages  # noqa: PLC0415 - most workers serve nothing
    from bot.web.beside import served_beside  # noqa: PLC0415

    engine = database_or_not(settings)
    ready = Readiness(settings, engine)
    pages = watch_pages(ready=ready, figures=figures, readings=Readings(settings, engine, ready))
    with served_beside(pages, port=settings.metrics_port):
        yield


@dataclass(frozen=True, slots=True)
class Readiness:
    """What keeps the service from working, part by part, in words for the operator; "" where nothing does.

    The worker says of itself and its sandbox what is wrong: web processes need not reach that. Without one of this
    home, nobody knows of the sandbox.
    """

    settings: Settings
    engine: Engine
    disk_least_bytes: int = LEAST_BYTES
    probe: Probe = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "probe", Probe(self.engine))

    def __call__(self) -> Mapping[str, str]:
        ours, beat = {DATABASE: self.probe.problem(), DISK: self._disk()}, last_beat(self.settings.home)
        if beat is None or time.time() - beat.at >= BEAT_STALE_S:
            return ours | {WORKER: self._elsewhere()}
        return ours | {WORKER: "", SANDBOX: ""} | dict(beat.problems)

    def _elsewhere(self) -> str:
        """What keeps the workers of other homes from working: they are known by the database that all share."""
        try:
            found = ails(self.engine)
        except Unavailable:
            return NO_WORKER
        return "" if "" in found else "; ".join(found) or NO_WORKER

    def _disk(self) -> str:
        return space_problem((self.settings.home,), self.disk_least_bytes)


@dataclass(frozen=True, slots=True)
class Readings:
    """The figures that are asked for. Where a part does not answer, its own are left out, and it is not ready."""

    settings: Settings
    engine: Engine
    ready: Readiness

    def __call__(self) -> Iterator[Reading]:
        yield Reading("selfcode_build_info", "The version of this program", 1, {"version": version("selfcode")})
        for part, problem in self.ready().items():
            yield Reading("selfcode_ready", "Whether a part of the service works: 1, or 0", not problem, {"part": part})
        free_bytes = shutil.disk_usage(self.settings.home).free
        yield Reading("selfcode_disk_free_bytes", "What is left on the disk of SELFCODE_HOME", free_bytes)
        if (beat := last_beat(self.settings.home)) is not None:
            age_s = max(time.time() - beat.at, 0.0)
            yield Reading(
                "selfcode_worker_beat_age_seconds", "How long ago this home's worker showed that it lives", age_s
            )
        now = time.time()
        try:
            census = take_census(self.engine, now=now)
        except (Unavailable, SQLAlchemyError):  # the database is not ready, which is told above
            return
        yield from of_census(census, now=now)


def of_census(census: Census, *, now: float) -> Iterator[Reading]:
    """What the database says, as figures. Ages are in seconds, and there only where something waits or works."""
    for kind, tally in census.waiting.items():
        yield Reading("selfcode_waiting", "Accepted triggers that wait, by kind", tally.count, {"kind": kind})
    for kind, age_s in ages(census.waiting, now=now):
        yield Reading(
            "selfcode_waiting_oldest_seconds", "How long the oldest of them has waited", age_s, {"kind": kind}
        )
    for shape, count in census.workers.items():
        says = "Worker processes that live, by how they are"
        yield Reading("selfcode_workers", says, count, {"shape": str(shape)})
    yield Reading("selfcode_runs_away", "Runs that have left their places and wait for a service", census.away)
    yield Reading("selfcode_words_owed", "Runs that have ended and owe their last words", census.owing.count)
    for _, age_s in ages({"": census.owing}, now=now):
        yield Reading("selfcode_words_owed_oldest_seconds", "How long ago the first of them ended", age_s)
    yield Reading("selfcode_runs_at_work", "Runs that have begun and not ended", census.at_work.count)
    for _, age_s in ages({"": census.at_work}, now=now):
        yield Reading("selfcode_runs_oldest_seconds", "How long ago the oldest of them began", age_s)
    for outcome, count in census.ended.items():
        says = "Runs that began within 24 hours and have ended, by outcome"
        yield Reading("selfcode_runs_of_day", says, count, {"outcome": outcome})
    yield Reading(
        "selfcode_cost_of_day_usd",
        "What was spent within 24 hours, by runs that were forgotten since too",
        census.cost_usd,
    )

"""Workers at one database, as far as they take runs up: what they are given to tell is kept."""

from dataclasses import dataclass, field

from sqlalchemy import Engine, update

from bot.runs.leases import Lease
from bot.runs.offices import Offices
from bot.runs.store import Store
from bot.runs.tables import leases, runs, workers
from bot.runs.taking import Taking
from bot.runs.workers import Badge, Workers
from tests.runs.fakes import Clock


@dataclass
class RecordingTeller:
    """Keeps what it was asked to tell; `broken` is an engine that does not take it."""

    told: list[Lease] = field(default_factory=list)
    broken: bool = False
    broken_off: set[str] = field(default_factory=set)

    def start(self, lease: Lease) -> None:
        if self.broken:
            raise RuntimeError("the engine does not start it")
        self.told.append(lease)
        self.broken_off.discard(lease.run_id)

    def is_to_start_again(self, run_id: str) -> bool:
        return run_id in self.broken_off


@dataclass
class Fellow:
    """One worker."""

    engine: Engine
    name: str = "ann"
    places: int = 2
    home: str = ""
    steps_version: str = "3"
    teller: RecordingTeller = field(default_factory=RecordingTeller)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        badge = Badge(self.name, f"{self.name}:1", self.home or f"{self.name}:/home", "1.0", self.places)
        self.workers = Workers(self.engine, badge)
        self.workers.enter()
        self.offices = Offices(self.engine, self.name)
        self.taking = Taking(self.engine, self.workers, self.teller, self.steps_version, self.clock)

    @property
    def told(self) -> list[str]:
        return [lease.run_id for lease in self.teller.told]

    def takes(self) -> list[Lease]:
        """What it took up just now."""
        before = len(self.teller.told)
        self.taking.turn()
        return self.teller.told[before:]

    def store(self, lease: Lease) -> Store:
        """What it writes with."""
        return Store(self.engine).holding(lease)

    def is_silent(self) -> None:
        """It has not given a sign, nor renewed anything, for longer than any of it lasts."""
        with self.engine.begin() as connection:
            ours = runs.c.worker_id == self.name
            connection.execute(update(runs).where(ours).values(leased_until=runs.c.leased_until - 60))
            connection.execute(update(leases).where(leases.c.worker_id == self.name).values(until=leases.c.until - 60))
            connection.execute(update(workers).where(workers.c.id == self.name).values(beat_at=workers.c.beat_at - 60))

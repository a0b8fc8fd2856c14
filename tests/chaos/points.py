"""Where a run can be hit, read out of how an undisturbed one went: at every step's boundaries, and within each step."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

HALF_OF_S = 0.3
"""A step that takes as long is hit halfway, too: while something runs of which nobody is told."""


class Kind(StrEnum):
    """What is heard of a run while it goes on."""

    BEGINS = "begins"
    DONE = "is done"
    WRITE = "write"
    CALL = "call"
    REPLY = "reply"
    TESTS = "tests"


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that has just happened in a run, for the `nth` time. Whoever did it waits until it may go on.

    `what` is the step's name, the request, or what else is told of the kind.
    """

    kind: Kind
    what: str
    nth: int = 1

    def __str__(self) -> str:
        again = f" ({self.nth})" if self.nth > 1 else ""
        match self.kind:
            case Kind.BEGINS | Kind.DONE:
                return f"{self.what} {self.kind}{again}"
            case Kind.WRITE:
                return f"{self.what}{again}"
            case Kind.CALL | Kind.REPLY | Kind.TESTS:
                return f"{self.kind} {self.nth}"


@dataclass(frozen=True, slots=True)
class Heard:
    """A moment, and when it was, in seconds."""

    moment: Moment
    at_s: float


@dataclass(frozen=True, slots=True)
class Point:
    """Where a run is hit: in which step, after which moment, and how long after it."""

    name: str
    moment: Moment
    after_s: float = 0.0


class Target(StrEnum):
    """What is ended there, one at a time, and put up again."""

    WORKER = "worker"
    MACHINE = "machine"
    WEB = "web"
    HUB = "hub"
    CONNECTIONS = "connections"
    DATABASE = "database"
    ENGINE = "engine"


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that is ended at one point of one story."""

    story: str
    target: Target
    point: Point

    @property
    def name(self) -> str:
        return f"{self.story}: {self.target}@{self.point.name}"


def steps_of(heard: Iterable[Heard]) -> list[str]:
    """The names of the steps that were begun, in order."""
    return [each.moment.what for each in heard if each.moment.kind is Kind.BEGINS]


def points_of(heard: Sequence[Heard]) -> list[Point]:
    """Where such a run can be hit. What happened within no step is named for what comes before the first one."""
    return list(_points(heard))


def _points(heard: Sequence[Heard]) -> Iterator[Point]:
    done_at_s = {each.moment.what: each.at_s for each in heard if each.moment.kind is Kind.DONE}
    step = "at first"
    for each in heard:
        moment = each.moment
        match moment.kind:
            case Kind.BEGINS:
                step = moment.what
                yield Point(f"{step}/begins", moment)
                took_s = done_at_s[step] - each.at_s
                if took_s >= HALF_OF_S:
                    yield Point(f"{step}/halfway", moment, took_s / 2)
            case Kind.DONE:
                yield Point(f"{step}/done, not recorded", moment)
            case Kind.WRITE | Kind.CALL | Kind.REPLY | Kind.TESTS:
                yield Point(f"{step}/after {moment}", moment)


def cases_of(story: str, targets: Iterable[Target], points: Sequence[Point]) -> list[Case]:
    """Every one of the targets at every point."""
    return [Case(story, target, point) for target in targets for point in points]

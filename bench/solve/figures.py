"""What the attempts come to: by system, and two systems side by side. Pure."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from bench.solve.records import Attempt, Kind

ITERATIONS = 5


@dataclass(frozen=True, slots=True)
class Figures:
    """One system on a set of tasks. `solved` holds how many were solved after 1, 2, … iterations.

    What is None can't be said: nothing was solved, or no price is known.
    """

    system: str
    count: int
    solved: tuple[int, ...]
    tokens: int
    cached_tokens: int
    calls: int
    cost_usd: float | None
    median_s: float

    @property
    def tokens_per_solved(self) -> float | None:
        return self.tokens / self.solved[-1] if self.solved[-1] else None

    @property
    def cost_per_solved(self) -> float | None:
        return self.cost_usd / self.solved[-1] if self.cost_usd is not None and self.solved[-1] else None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems on the same tasks: how many both solved, one alone, the other alone, neither."""

    one: str
    other: str
    both: int
    only_one: int
    only_other: int
    neither: int


@dataclass(frozen=True, slots=True)
class Compared:
    """The attempts at tasks that every system was measured on, system by system; and how many tasks that leaves out."""

    attempts: Mapping[str, Mapping[str, Attempt]]
    left_out: int

    def of_kind(self, kind: Kind) -> "Compared":
        """Only the tasks of this kind."""
        chosen = {
            system: {task: attempt for task, attempt in made.items() if attempt.kind is kind}
            for system, made in self.attempts.items()
        }
        return Compared(chosen, 0)

    @property
    def tasks(self) -> Sequence[str]:
        return sorted(next(iter(self.attempts.values()), {}))

    def figures(self) -> Sequence[Figures]:
        """One system after the other."""
        return [_figures(system, list(made.values())) for system, made in self.attempts.items() if made]

    def pairs(self) -> Sequence[Pair]:
        """Every two systems."""
        return [
            _pair(one, other, self.attempts[one], self.attempts[other]) for one, other in combinations(self.attempts, 2)
        ]


def compared(attempts: Sequence[Attempt], systems: Sequence[str]) -> Compared:
    """Keep what can be compared. `systems` is the order to show them in; those that were not measured are left out."""
    made: dict[str, dict[str, Attempt]] = {}
    for system in systems:
        found = {each.task: each for each in attempts if each.system == system and not each.failed}
        if found:
            made[system] = found
    everything = {task for found in made.values() for task in found}
    common = {task for task in everything if all(task in found for found in made.values())}
    kept = {system: {task: found[task] for task in sorted(common)} for system, found in made.items()}
    return Compared(kept, len(everything - common))


def _figures(system: str, attempts: Sequence[Attempt]) -> Figures:
    costs = [attempt.cost_usd for attempt in attempts]
    return Figures(
        system=system,
        count=len(attempts),
        solved=tuple(sum(each.solved_at(number) for each in attempts) for number in range(1, ITERATIONS + 1)),
        tokens=sum(each.used.tokens for each in attempts),
        cached_tokens=sum(each.used.cached_tokens for each in attempts),
        calls=sum(each.used.calls for each in attempts),
        cost_usd=sum(cost for cost in costs if cost is not None) if None not in costs else None,
        median_s=statistics.median(each.seconds for each in attempts),
    )


def _pair(one: str, other: str, mine: Mapping[str, Attempt], theirs: Mapping[str, Attempt]) -> Pair:
    counts = {(a, b): 0 for a in (True, False) for b in (True, False)}
    for task, attempt in mine.items():
        counts[attempt.solved, theirs[task].solved] += 1
    return Pair(one, other, counts[True, True], counts[True, False], counts[False, True], counts[False, False])

"""The budget of a backtest: no attempt begins that could cost more than is left."""

from dataclasses import dataclass, field

LEAST_USD = 0.001
"""With less no attempt is begun."""


@dataclass(slots=True)
class Purse:
    """What is left of a budget, and what those under way may still cost. None: there is no limit."""

    budget_usd: float | None
    spent_usd: float = 0.0
    _set_aside: dict[int, float] = field(default_factory=dict, init=False)
    _next: int = field(default=0, init=False)

    @property
    def left_usd(self) -> float | None:
        """What nobody has set aside."""
        if self.budget_usd is None:
            return None
        return self.budget_usd - self.spent_usd - sum(self._set_aside.values())

    def cap(self, own_usd: float | None, *, free_jobs: int) -> float | None:
        """What the next attempt may cost: its own limit, or its share of what is left, where that is less."""
        left = self.left_usd
        if left is None:
            return own_usd
        share = max(left, 0.0) / max(free_jobs, 1)
        return share if own_usd is None else min(own_usd, share)

    def is_enough(self, cap_usd: float | None) -> bool:
        """Whether an attempt with such a limit may begin."""
        return self.budget_usd is None or (cap_usd is not None and cap_usd >= LEAST_USD)

    def set_aside(self, cap_usd: float | None) -> int:
        """Count what an attempt may cost until it is settled; returns what it is settled by."""
        self._next += 1
        self._set_aside[self._next] = cap_usd or 0.0
        return self._next

    def settle(self, number: int, cost_usd: float | None) -> float:
        """Count what the attempt has cost; all that it might have, where nobody knows. Returns what was counted."""
        most = self._set_aside.pop(number)
        counted = most if cost_usd is None else cost_usd
        self.spent_usd += counted
        return counted

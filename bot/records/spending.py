"""What a run may use, and what it has used."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Caps:
    """The limits of one run. None for `cost_usd` means that only tokens bind."""

    iterations: int = 5
    calls_per_iteration: int = 20
    tokens: int = 400_000
    cost_usd: float | None = 3.0
    minutes: float = 60.0
    patch_lines: int = 1500
    patch_files: int = 40


@dataclass(frozen=True, slots=True)
class Usage:
    """What one model call cost. Tokens as the server reported them, or estimated where it reported none.

    `cost_usd` is None where the model's price is not known; `cached_tokens` (part of the prompt's) where the server
    does not say.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int | None = None
    cost_usd: float | None = None
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Spend:
    """What a run has used so far. `cost_usd` is None as soon as one call's price was not known.

    `cached_tokens` is the part of `prompt_tokens` that the provider had cached, as far as it says so. `critic_tokens`
    and `critic_cost_usd` are the part of all that the critic used.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0
    seconds: float = 0.0
    cached_tokens: int = 0
    critic_tokens: int = 0
    critic_cost_usd: float | None = 0.0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def plus(self, usage: Usage, *, critics: bool = False) -> "Spend":
        """The spend after one more call; its seconds are those of whole iterations, and counted with them."""
        return replace(
            self,
            calls=self.calls + 1,
            prompt_tokens=self.prompt_tokens + usage.prompt_tokens,
            completion_tokens=self.completion_tokens + usage.completion_tokens,
            cost_usd=_sum(self.cost_usd, usage.cost_usd),
            cached_tokens=self.cached_tokens + (usage.cached_tokens or 0),
            critic_tokens=self.critic_tokens + (usage.prompt_tokens + usage.completion_tokens if critics else 0),
            critic_cost_usd=_sum(self.critic_cost_usd, usage.cost_usd) if critics else self.critic_cost_usd,
        )


def _sum(one: float | None, other: float | None) -> float | None:
    """Two amounts of money together: not known where one of them is not."""
    return None if one is None or other is None else one + other

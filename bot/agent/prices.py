"""What a model call costs. The table in prices.json says whose prices it holds and as of when."""

import json
import re
from dataclasses import dataclass, replace
from importlib.resources import files

from bot.records import Usage

MILLION = 1_000_000
CHARACTERS_A_TOKEN = 3.5

_SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}$")


@dataclass(frozen=True, slots=True)
class Prices:
    """A model's prices in USD for a million tokens. `cached_usd` None: cached tokens cost as much as others."""

    input_usd: float
    output_usd: float
    cached_usd: float | None = None

    def cost_usd(self, usage: Usage) -> float:
        """What one call cost."""
        cached = min(usage.cached_tokens or 0, usage.prompt_tokens)
        cached_usd = self.input_usd if self.cached_usd is None else self.cached_usd
        fresh = usage.prompt_tokens - cached
        return (fresh * self.input_usd + cached * cached_usd + usage.completion_tokens * self.output_usd) / MILLION


def known_prices(model: str) -> Prices | None:
    """OpenAI's list price of a model, dated snapshots included; None where the table does not know it."""
    table = json.loads(files("bot.agent").joinpath("prices.json").read_text(encoding="utf-8"))["prices"]
    found = table.get(_SNAPSHOT.sub("", model))
    return Prices(**found) if found else None


def priced(usage: Usage, prices: Prices | None) -> Usage:
    """The usage with its cost, which stays None where the price is not known."""
    return replace(usage, cost_usd=prices.cost_usd(usage)) if prices else usage


def estimated_tokens(text: str) -> int:
    """A rough number of tokens, for servers that report none."""
    return int(len(text) / CHARACTERS_A_TOKEN) + 1

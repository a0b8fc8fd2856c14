"""What a model call costs: by the operator's prices, else by the list price of the provider whose endpoint is asked.

List prices and windows come from the data inside the genai-prices package; nothing is downloaded.
"""

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from bot.records import Usage

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation

MILLION = 1_000_000
CHARACTERS_A_TOKEN = 3.5
FREE = ":free"
"""How OpenRouter names a model's variant that costs nothing, of which the package holds no price."""


class Pricing(Protocol):
    """What calls of one model cost."""

    def cost_usd(self, usage: Usage) -> float: ...


@dataclass(frozen=True, slots=True)
class Prices:
    """A model's prices in USD for a million tokens. `cached_usd` None: cached tokens cost as much as others."""

    input_usd: float
    output_usd: float
    cached_usd: float | None = None

    def cost_usd(self, usage: Usage) -> float:
        cached = min(usage.cached_tokens or 0, usage.prompt_tokens)
        cached_usd = self.input_usd if self.cached_usd is None else self.cached_usd
        fresh = usage.prompt_tokens - cached
        return (fresh * self.input_usd + cached * cached_usd + usage.completion_tokens * self.output_usd) / MILLION


@dataclass(frozen=True, slots=True)
class ListPrices:
    """A provider's list prices of a model, those of today: some depend on the prompt's length and the time of day."""

    model: str
    endpoint: str

    def cost_usd(self, usage: Usage) -> float:
        import genai_prices  # noqa: PLC0415 - many a process asks no model

        found = genai_prices.calc_price(
            genai_prices.Usage(
                input_tokens=usage.prompt_tokens,
                output_tokens=usage.completion_tokens,
                cache_read_tokens=min(usage.cached_tokens or 0, usage.prompt_tokens),
            ),
            self.model,
            provider_api_url=self.endpoint,
        )
        return float(found.total_price)


def known_prices(model: str, *, endpoint: str) -> ListPrices | None:
    """The list prices of a model at an endpoint; None where the endpoint or the model there is not known."""
    url = _address(endpoint)
    found = _listed(model, url)
    if found is None:
        return None
    prices = found.model_price
    is_priced = prices.input_mtok is not None and prices.output_mtok is not None
    return ListPrices(model, url) if is_priced or model.endswith(FREE) else None


def known_window(model: str, *, endpoint: str) -> int | None:
    """How many tokens a model takes by its provider's list; None where that is not known."""
    found = _listed(model, _address(endpoint))
    return found.model.context_window if found else None


def priced(usage: Usage, prices: Pricing | None) -> Usage:
    """The usage with its cost, which stays None where the price is not known."""
    return replace(usage, cost_usd=prices.cost_usd(usage)) if prices else usage


def estimated_tokens(text: str) -> int:
    """A rough number of tokens, for servers that report none."""
    return int(len(text) / CHARACTERS_A_TOKEN) + 1


def _listed(model: str, url: str) -> "PriceCalculation | None":
    """What the package knows of a model. Its patterns match the start of a URL; we want the host whole."""
    import genai_prices  # noqa: PLC0415

    try:
        found = genai_prices.calc_price(genai_prices.Usage(), model, provider_api_url=url)
    except LookupError:
        return None
    pattern = found.provider.api_pattern
    matched = re.match(pattern, url)
    is_whole = matched is not None and (matched[0].endswith(("/", ".")) or url[matched.end()] == "/")
    return found if is_whole else None


def _address(endpoint: str) -> str:
    """The endpoint as the package's patterns have it: without a port and a user's name."""
    parts = urlsplit(endpoint)
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path.rstrip('/')}/"

"""What calls cost, by list prices and by the operator's."""

import pytest

from bot.agent import Prices, known_prices
from bot.agent.prices import known_window, priced
from bot.records import Usage

OPENAI = "https://api.openai.com/v1"
OPENROUTER = "https://openrouter.ai/api/v1"


def cost(model: str, endpoint: str, usage: Usage) -> float | None:
    return priced(usage, known_prices(model, endpoint=endpoint)).cost_usd


def test_a_list_price_counts_cached_tokens_by_their_own() -> None:
    fresh, cached = (cost("gpt-5-mini", OPENAI, Usage(1_000_000, 0, tokens)) or 0 for tokens in (0, 1_000_000))

    assert 0 < cached < fresh


def test_a_dated_snapshot_costs_what_its_model_costs() -> None:
    usage = Usage(1000, 100)

    assert cost("gpt-5-mini-2025-08-07", OPENAI, usage) == cost("gpt-5-mini", OPENAI, usage)


@pytest.mark.parametrize(
    ("model", "endpoint"),
    [
        ("openai/gpt-5-mini", OPENROUTER),
        ("gpt-5-mini", "https://mine.openai.azure.com/openai/v1/"),
        ("gpt-5-mini", "https://api.openai.com:443/v1"),
    ],
)
def test_each_provider_has_its_own_list(model: str, endpoint: str) -> None:
    assert known_prices(model, endpoint=endpoint)


@pytest.mark.parametrize(
    ("model", "endpoint"),
    [
        ("gpt-5-mini", "http://127.0.0.1:8080/v1"),
        ("gpt-5-mini", "http://10.0.0.7:8000/v1"),
        ("gpt-5-mini", "https://llm.example.com/v1"),
        ("gpt-5-mini", "https://api.openai.com.example.com/v1"),
        ("no-such-model", OPENAI),
        ("ft:gpt-5-mini:us", OPENAI),
        ("text-embedding-3-small", OPENAI),
        ("gpt-5-mini", "nonsense"),
    ],
)
def test_everything_else_has_a_price_that_is_not_known(model: str, endpoint: str) -> None:
    assert known_prices(model, endpoint=endpoint) is None
    assert cost(model, endpoint, Usage(1000, 100)) is None


def test_a_model_that_a_provider_gives_away_costs_nothing() -> None:
    assert cost("openai/gpt-oss-120b:free", OPENROUTER, Usage(1000, 100)) == 0


def test_a_price_of_zero_is_a_price() -> None:
    assert priced(Usage(1000, 100), Prices(0, 0)).cost_usd == 0


def test_more_cached_tokens_than_the_prompt_has_cost_no_more_than_the_prompt() -> None:
    assert Prices(10, 0, 1).cost_usd(Usage(100, 0, 900)) == pytest.approx(100 / 1_000_000)


def test_a_provider_list_tells_a_window_too() -> None:
    assert (known_window("gpt-5-mini", endpoint=OPENAI) or 0) >= 100_000
    assert known_window("gpt-5-mini", endpoint="http://127.0.0.1/v1") is None

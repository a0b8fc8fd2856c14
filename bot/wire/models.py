"""Models at the operator's endpoint, and the agents that they work as."""

import threading
from collections.abc import Callable

from bot.agent import Agent, Dialect, Model, OpenAIModel, Prices
from bot.agent.probing import Habits, Remembered
from bot.runs.counted_model import CountedModel
from bot.runs.house import Crew
from bot.seen.counting import Counts, Uncounted
from bot.settings import Settings


def agents_of(
    settings: Settings, habits: Habits | None = None, counts: Counts | None = None
) -> Callable[[Crew], Agent]:
    """Agents by who works: one a thread, so that what a server has told of itself is remembered."""
    kept = threading.local()
    counted = counts or Uncounted()

    def model(name: str) -> Model:
        return CountedModel(model_of(settings, name), counted)

    remembered = Remembered() if habits is None else habits

    def agent_for(crew: Crew) -> Agent:
        agents: dict[Crew, Agent] = kept.__dict__.setdefault("agents", {})
        if crew not in agents:
            agents[crew] = Agent(
                model(crew.model),
                dialect=Dialect(settings.dialect),
                critic=model(crew.critic) if crew.critic else None,
                candidates=crew.candidates,
                at_once=settings.candidates_at_once,
                habits=remembered,
            )
        return agents[crew]

    return agent_for


def crew_of(settings: Settings) -> Crew:
    """Who works where a repository does not choose."""
    return Crew(settings.model, settings.critic_model, settings.candidates or 1)


def model_of(settings: Settings, name: str) -> OpenAIModel:
    """A model by its name, at the operator's endpoint. Raises `ConfigError` where a key is missing."""
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    prices = {price.model: Prices(price.input_usd, price.output_usd, price.cached_usd) for price in settings.prices}
    return OpenAIModel(
        name,
        base_url=settings.openai_base_url,
        api_key=key,
        prices=prices.get(name),
        window_tokens=settings.window_tokens if name == settings.model else None,
    )

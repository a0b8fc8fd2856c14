"""Models at the operator's endpoint, and the agents that they work as."""

import threading
from collections.abc import Callable

from bot.agent import Agent, Dialect, Model, OpenAIModel, Prices
from bot.agent.probing import Habits, Remembered
from bot.runs.counted_model import counted_model
from bot.runs.house import AgentFor, Crew
from bot.seen.counting import Counts, Uncounted
from bot.settings import Settings


def agents_of(settings: Settings, habits: Habits | None = None, counts: Counts | None = None) -> AgentFor:
    """Agents by who works: their models one a thread, so that what a server has told of itself is remembered."""
    kept = threading.local()
    counted = counts or Uncounted()

    def model(name: str) -> Model:
        models: dict[str, Model] = kept.__dict__.setdefault("models", {})
        if name not in models:
            models[name] = counted_model(model_of(settings, name), counted)
        return models[name]

    remembered = Remembered() if habits is None else habits

    def agent_for(crew: Crew, instead_of: Callable[[Model], Model]) -> Agent:
        return Agent(
            instead_of(model(crew.model)),
            dialect=Dialect(settings.dialect),
            critic=instead_of(model(crew.critic)) if crew.critic else None,
            candidates=crew.candidates,
            at_once=settings.candidates_at_once,
            habits=remembered,
        )

    return agent_for


def crew_of(settings: Settings) -> Crew:
    """Who works where a repository does not choose."""
    return Crew(settings.model, settings.critic_model, settings.candidates or 1)


def model_of(settings: Settings, name: str, *, backoff_s: float = 1.0) -> OpenAIModel:
    """A model by its name, at the operator's endpoint. Raises `ConfigError` where a key is missing."""
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    prices = {price.model: Prices(price.input_usd, price.output_usd, price.cached_usd) for price in settings.prices}
    return OpenAIModel(
        name,
        base_url=settings.openai_base_url,
        api_key=key,
        prices=prices.get(name),
        window_tokens=settings.window_tokens if name == settings.model else None,
        backoff_s=backoff_s,
    )

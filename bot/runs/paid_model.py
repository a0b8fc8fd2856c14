"""A model whose replies are kept for when its step is told again, in its place: nobody else need know that they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.agent import Message, Model, Reply, ToolSpec
from bot.agent.probing import Placed
from bot.records import StopCheck
from bot.runs.alike import digest
from bot.runs.paid import Telling


@dataclass(frozen=True, slots=True)
class PaidModel:
    """A `Model` in one telling of a step."""

    model: Model
    telling: Telling

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def endpoint(self) -> str:
        """Where the model is. Raises `AttributeError` where it does not say."""
        if not isinstance(self.model, Placed):
            raise AttributeError("endpoint")  # noqa: TRY004 - so that it has none
        return self.model.endpoint

    @property
    def window_tokens(self) -> int | None:
        return self.model.window_tokens

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSpec] | None = None,
        schema: Mapping[str, Any] | None = None,
        temperature: float | None,
        max_tokens: int | None,
        stop: StopCheck,
    ) -> Reply:
        asked = digest(
            self.model.name, messages, tools=tools, schema=schema, temperature=temperature, max_tokens=max_tokens
        )
        return self.telling.ask(
            asked,
            lambda: self.model.complete(
                messages, tools=tools, schema=schema, temperature=temperature, max_tokens=max_tokens, stop=stop
            ),
            stop=stop,
        )

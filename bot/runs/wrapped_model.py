"""A model whose calls all pass through something, in its place: nobody else need know that they do."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.agent import Message, Model, Reply, ToolSpec
from bot.agent.probing import endpoint_of
from bot.records import StopCheck


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked for, as in `Model.complete`."""

    messages: Sequence[Message]
    tools: Sequence[ToolSpec] | None
    schema: Mapping[str, Any] | None
    temperature: float | None
    max_tokens: int | None


@dataclass(frozen=True, slots=True)
class WrappedModel:
    """A `Model`. `through` is given each request, what makes the call, and `stop`; the reply is what it returns."""

    model: Model
    through: Callable[[Request, Callable[[], Reply], StopCheck], Reply]

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def endpoint(self) -> str | None:
        return endpoint_of(self.model)

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
        def call() -> Reply:
            return self.model.complete(
                messages, tools=tools, schema=schema, temperature=temperature, max_tokens=max_tokens, stop=stop
            )

        return self.through(Request(messages, tools, schema, temperature, max_tokens), call, stop)

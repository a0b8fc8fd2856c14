"""A model whose calls are counted, in its place: nobody else need know that they are."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.agent import Message, OpenAIModel, Reply, ToolSpec
from bot.agent.llm import BAD_CALL, FILTERED, NO_CHOICE, NO_SCHEMA, NO_TOOLS, TOO_LONG, UNREADABLE
from bot.errors import Unavailable
from bot.records import StopCheck
from bot.seen.counting import Counts

NO_REPLY = (TOO_LONG, NO_TOOLS, NO_SCHEMA, BAD_CALL, FILTERED, NO_CHOICE, UNREADABLE)


@dataclass(frozen=True, slots=True)
class CountedModel:
    """A `Model` at an endpoint. `usage` counts as the server reported it, or as it is estimated."""

    model: OpenAIModel
    counts: Counts

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def endpoint(self) -> str:
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
        began = time.monotonic()
        try:
            reply = self.model.complete(
                messages, tools=tools, schema=schema, temperature=temperature, max_tokens=max_tokens, stop=stop
            )
        except Unavailable:
            self.counts.model_answered(self.name, time.monotonic() - began, "unavailable", None)
            raise
        result = reply.finish_reason if reply.finish_reason in NO_REPLY else "answered"
        self.counts.model_answered(self.name, time.monotonic() - began, result, reply.usage)
        return reply

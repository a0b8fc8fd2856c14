"""A model whose calls are counted."""

import time
from collections.abc import Callable

from bot.agent import Model, Reply
from bot.agent.llm import BAD_CALL, FILTERED, NO_CHOICE, NO_SCHEMA, NO_TOOLS, TOO_LONG, UNREADABLE
from bot.errors import Unavailable
from bot.records import StopCheck
from bot.runs.wrapped_model import Request, WrappedModel
from bot.seen.counting import Counts

NO_REPLY = (TOO_LONG, NO_TOOLS, NO_SCHEMA, BAD_CALL, FILTERED, NO_CHOICE, UNREADABLE)


def counted_model(model: Model, counts: Counts) -> WrappedModel:
    """The same model, counted. `usage` counts as the server reported it, or as it is estimated."""

    def counted(_: Request, call: Callable[[], Reply], __: StopCheck) -> Reply:
        began = time.monotonic()
        try:
            reply = call()
        except Unavailable:
            counts.model_answered(model.name, time.monotonic() - began, "unavailable", None)
            raise
        result = reply.finish_reason if reply.finish_reason in NO_REPLY else "answered"
        counts.model_answered(model.name, time.monotonic() - began, result, reply.usage)
        return reply

    return WrappedModel(model, counted)

"""Making a prompt shorter that does not fit the model's window. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from bot.agent.history import is_opening
from bot.agent.llm import Message, Role
from sandbox.contract import clipped

LEVELS = 2
_MESSAGE_CHARS = {1: 8_000, 2: 2_500}


def shrunk(messages: Sequence[Message], level: int) -> list[Message]:
    """The messages as they are (level 0), or without earlier iterations and each cut to head and tail (1, 2)."""
    if level == 0:
        return list(messages)
    limit = _MESSAGE_CHARS[min(level, LEVELS)]
    openings = [at for at, message in enumerate(messages) if is_opening(message)]
    before = messages[: openings[0]] if openings else ()
    current = messages[openings[-1] :] if openings else messages
    return [_cut(message, limit) for message in (*before, *current)]


def _cut(message: Message, limit: int) -> Message:
    """Our instructions stay whole, and so do the model's tool calls, which answers belong to."""
    if message.role is Role.SYSTEM or message.content is None:
        return message
    return replace(message, content=clipped(message.content, limit))

"""Which dialect a model speaks, told from what it has answered so far. Pure."""

import json

from bot.agent.conversation import TOOLLESS_REPLIES
from bot.agent.llm import NO_CHOICE, NO_SCHEMA, NO_TOOLS, TOO_LONG, UNREADABLE
from bot.agent.openai_replies import read_reply
from bot.agent.prompts import Dialect
from bot.records import Call, Progress


def dialect_of(progress: Progress, setting: Dialect, best: Dialect = Dialect.NATIVE) -> Dialect:
    """The dialect to go on in: the operator's, else `best` for as long as the model lives up to it."""
    if setting is not Dialect.AUTO:
        return setting
    if toolless_replies(progress) >= TOOLLESS_REPLIES or any(_was_refused(call) for call in _calls(progress)):
        return Dialect.FENCED
    return best


def toolless_replies(progress: Progress) -> int:
    """How many replies in a row, up to now, made no call of the tools that they were offered."""
    count = 0
    for call in _offered_tools(progress):
        reply = read_reply(call.reply, prompt="", prices=None)
        if reply.tool_calls:
            count = 0
        elif reply.finish_reason not in (UNREADABLE, NO_CHOICE, TOO_LONG):
            count += 1
    return count


def _offered_tools(progress: Progress) -> list[Call]:
    return [call for call in _calls(progress) if call.prompt_version.startswith(str(Dialect.NATIVE))]


def _calls(progress: Progress) -> list[Call]:
    return [call for iteration in progress.iterations for call in iteration.calls]


def _was_refused(call: Call) -> bool:
    """Whether the server took no tools, or no schema."""
    try:
        error = json.loads(call.reply).get("error")
    except (ValueError, AttributeError):
        return False
    return isinstance(error, dict) and error.get("code") in (NO_TOOLS, NO_SCHEMA)

"""Which dialect a model speaks, told from what it has answered so far. Pure."""

import json

from bot.agent.conversation import TOOLLESS_REPLIES
from bot.agent.llm import NO_CHOICE, NO_TOOLS, TOO_LONG, UNREADABLE
from bot.agent.openai_replies import read_reply
from bot.agent.prompts import Dialect
from bot.records import Call, Progress


def dialect_of(progress: Progress, setting: Dialect) -> Dialect:
    """The dialect to go on in: the operator's, or what the model has shown that it can."""
    if setting is not Dialect.AUTO:
        return setting
    calls = _offered_tools(progress)
    if any(_refused_tools(call) for call in calls):
        return Dialect.FENCED
    if toolless_replies(progress) >= TOOLLESS_REPLIES:
        return Dialect.FENCED
    return Dialect.NATIVE


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
    calls = [call for iteration in progress.iterations for call in iteration.calls]
    return [call for call in calls if call.prompt_version.startswith(str(Dialect.NATIVE))]


def _refused_tools(call: Call) -> bool:
    try:
        error = json.loads(call.reply).get("error")
    except (ValueError, AttributeError):
        return False
    return isinstance(error, dict) and error.get("code") == NO_TOOLS

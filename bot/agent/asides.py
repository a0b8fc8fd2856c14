"""A question beside the work: one call that asks for words, never for actions, of a kind of its own in the trace."""

import json
import re
import time
from collections.abc import Sequence

from bot.agent.llm import Message, Model
from bot.agent.openai_replies import read_kept
from bot.agent.prompts import Dialect, version
from bot.agent.thinking import without_thinking
from bot.errors import Unavailable
from bot.records import Call, StopCheck, Usage
from sandbox.contract import clipped

WORDS_CHARS = 2_000
_BLOCK = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*\s*$|\Z)", re.DOTALL | re.MULTILINE)


def ask_aside(
    model: Model,
    kind: str,
    messages: Sequence[Message],
    *,
    temperature: float | None,
    max_tokens: int,
    stop: StopCheck,
) -> Call:
    """Ask, and return the call as the trace keeps it. A service that fails is a problem of the call: work goes on.

    Raises `Stopped`.
    """
    began = time.monotonic()
    raw, usage = "", Usage(cost_usd=0.0)
    try:
        reply = model.complete(messages, temperature=temperature, max_tokens=max_tokens, stop=stop)
    except Unavailable as error:
        problem = f"not answered: {error}"
    else:
        raw, usage = reply.raw, reply.usage
        problem = "" if reply.text else f"the {kind} said nothing ({reply.finish_reason})"
    return Call(
        model=model.name,
        prompt_version=version(kind),
        messages=json.dumps([message.as_json() for message in messages], ensure_ascii=False),
        reply=raw,
        actions=(),
        usage=usage,
        duration_s=time.monotonic() - began,
        temperature=temperature,
        problem=problem,
    )


def is_of(call: Call, kind: str) -> bool:
    """Whether a call was asked as this kind of question."""
    return call.prompt_version.rpartition("-")[0] == kind


def is_work(call: Call) -> bool:
    """Whether a call was part of the work itself: in one of the dialects, and no question beside it."""
    return any(is_of(call, str(dialect)) for dialect in Dialect)


def words_of(call: Call) -> str:
    """What was answered, in words: without reasoning, bounded; "" where nothing came."""
    if not call.reply:
        return ""
    return clipped(without_thinking(read_kept(call.reply).text or ""), WORDS_CHARS)


def without_blocks(words: str) -> str:
    """Words without the code that stands in fences between them."""
    return re.sub(r"\n{3,}", "\n\n", _BLOCK.sub("", words)).strip()

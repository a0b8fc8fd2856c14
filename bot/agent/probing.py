"""What a model can do, found out by asking it for one tiny action; and what was found out, remembered."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.agent.llm import FILTERED, NO_CHOICE, NO_TOOLS, TOO_LONG, UNREADABLE, Message, Model, Reply, ToolSpec, user
from bot.agent.prompts import Dialect, prompt, version
from bot.agent.thinking import without_thinking
from bot.records import Call, StopCheck

PROBE_TOKENS = 1_024
REASONED_TOKENS = 8_192
"""For a model that has used up the first on reasoning."""

_TOOL = ToolSpec(
    "ready",
    "Say that you are ready.",
    {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
)
_NO_WORD = (UNREADABLE, NO_CHOICE, TOO_LONG, FILTERED)


@dataclass(frozen=True, slots=True)
class Abilities:
    """The dialect that a model is best spoken to in, and the calls that it took to find out.

    `is_certain` is False where the replies said nothing either way: the dialect is then for now alone.
    """

    dialect: Dialect
    calls: tuple[Call, ...]
    is_certain: bool = True


@dataclass(frozen=True, slots=True)
class Settled:
    """The dialect to speak, and the calls that it took to find out, none where it was known."""

    dialect: Dialect
    calls: tuple[Call, ...] = ()


class Habits(Protocol):
    """Which dialect each model speaks, as found out earlier. A key tells endpoint and model."""

    def dialect_of(self, key: str) -> Dialect | None: ...

    def keep(self, key: str, dialect: Dialect) -> None: ...


@dataclass(slots=True)
class Remembered:
    """Habits that last as long as this object."""

    known: dict[str, Dialect] = field(default_factory=dict)

    def dialect_of(self, key: str) -> Dialect | None:
        return self.known.get(key)

    def keep(self, key: str, dialect: Dialect) -> None:
        self.known[key] = dialect


def settle(model: Model, setting: Dialect, habits: Habits, stop: StopCheck) -> Settled:
    """The operator's dialect, else the one remembered, else the one found out now, which is remembered.

    Raises what the model's calls raise.
    """
    if setting is not Dialect.AUTO:
        return Settled(setting)
    key = _key(model)
    known = habits.dialect_of(key)
    if known is not None:
        return Settled(known)
    found = probe(model, stop)
    if found.is_certain:
        habits.keep(key, found.dialect)
    return Settled(found.dialect, found.calls)


def relearn(model: Model, dialect: Dialect, habits: Habits) -> None:
    """Remember what a run found out otherwise than it was remembered."""
    if habits.dialect_of(_key(model)) is not dialect:
        habits.keep(_key(model), dialect)


def probe(model: Model, stop: StopCheck) -> Abilities:
    """Ask the model to call a tool; one that makes no call is spoken to in fences. Raises what its calls raise.

    JSON by a schema would be right in form always, but the code in its strings is worse: of five small repairs each, a
    model of 1.5 billion parameters made two in fences and none in JSON, where it padded a test to the reply's limit and
    left tests out. So it is spoken for whoever asks for it, and never found out.
    """
    asking = _Asking(model, stop)
    offered = asking.ask(prompt("probe"), tools=(_TOOL,))
    if any(call.name == _TOOL.name for call in offered.tool_calls):
        return Abilities(Dialect.NATIVE, tuple(asking.calls))
    if _says_nothing(offered):
        return Abilities(Dialect.FENCED, tuple(asking.calls), is_certain=False)
    return Abilities(Dialect.FENCED, tuple(asking.calls))


def endpoint_of(model: Model) -> str | None:
    """Where a model is, for the same name may be another model elsewhere; None where it does not say."""
    return getattr(model, "endpoint", None)


def _key(model: Model) -> str:
    endpoint = endpoint_of(model)
    return f"{endpoint} {model.name}" if endpoint else model.name


@dataclass(slots=True)
class _Asking:
    """Questions to a model, and the calls that they were."""

    model: Model
    stop: StopCheck
    calls: list[Call] = field(default_factory=list)

    def ask(self, text: str, *, tools: Sequence[ToolSpec]) -> Reply:
        """One reply; a second time with more room where the first was spent on reasoning."""
        reply = self._ask(text, tools, PROBE_TOKENS)
        is_reasoning = reply.is_truncated and not without_thinking(reply.text or "") and not reply.tool_calls
        return self._ask(text, tools, REASONED_TOKENS) if is_reasoning else reply

    def _ask(self, text: str, tools: Sequence[ToolSpec], max_tokens: int) -> Reply:
        messages: list[Message] = [user(text)]
        began = time.monotonic()
        reply = self.model.complete(messages, tools=tools, temperature=0.0, max_tokens=max_tokens, stop=self.stop)
        call = Call(
            model=self.model.name,
            prompt_version=version("probe"),
            messages=json.dumps([message.as_json() for message in messages], ensure_ascii=False),
            reply=reply.raw,
            actions=(),
            usage=reply.usage,
            duration_s=time.monotonic() - began,
            temperature=0.0,
        )
        self.calls.append(call)
        return reply


def _says_nothing(reply: Reply) -> bool:
    """Whether a reply tells neither that the model calls tools nor that it does not."""
    is_empty = not (reply.text or "").strip() and not reply.tool_calls
    return reply.finish_reason in _NO_WORD or (is_empty and reply.finish_reason != NO_TOOLS)

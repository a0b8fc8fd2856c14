"""A recorded trace as a model: the replies of a solve or of a run, played again."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.agent.llm import Message, Reply, ToolSpec
from bot.agent.openai_replies import read_kept
from bot.records import Call, StopCheck, Usage

SHOWN_CHARS = 60


class Unrecorded(Exception):
    """A replayed model was asked for what its trace does not hold; the text says what, and where it differs."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One call of a trace. `messages` are in the shape of chat completions, `reply` is the server's JSON text."""

    messages: Sequence[Mapping[str, Any]]
    reply: str
    usage: Usage


class ReplayedModel:
    """Plays the calls of a trace: each prompt gets the reply that it got when it was recorded.

    A prompt that was recorded several times gets its replies in their order. With `strict`, any other prompt raises
    `Unrecorded` with the place where it first differs from the next recorded one; without, it gets that one's reply.
    More calls than were recorded raise `Unrecorded` either way. Several threads may call it at a time, and model and
    critic of one trace may both be the same object.
    """

    def __init__(
        self,
        calls: Sequence[Mapping[str, Any] | Call],
        *,
        strict: bool = True,
        name: str = "replayed",
        window_tokens: int | None = None,
    ) -> None:
        self._left = [_recorded(call) for call in calls]
        self._total = len(self._left)
        self._strict = strict
        self._lock = threading.Lock()
        self.name = name
        self.window_tokens = window_tokens

    @property
    def left(self) -> int:
        """How many recorded calls were not played yet."""
        return len(self._left)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSpec] | None = None,  # noqa: ARG002 - what is asked for follows from the prompt
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002
        temperature: float | None = None,  # noqa: ARG002
        max_tokens: int | None = None,  # noqa: ARG002
        stop: StopCheck = lambda: False,  # noqa: ARG002
    ) -> Reply:
        """Give the recorded reply. Raises `Unrecorded`."""
        asked = [message.as_json() for message in messages]
        with self._lock:
            return _reply(self._left.pop(self._place(asked)))

    def _place(self, asked: Sequence[Mapping[str, Any]]) -> int:
        if not self._left:
            raise Unrecorded(f"the trace has {self._total} calls, and one more was asked for")
        same = (at for at, recorded in enumerate(self._left) if list(recorded.messages) == list(asked))
        found = next(same, None)
        if found is None and self._strict:
            number = self._total - len(self._left) + 1
            raise Unrecorded(f"call {number} of {self._total} is not as recorded: {_difference(asked, self._left[0])}")
        return found or 0


def calls_of(trace: str) -> Sequence[Mapping[str, Any]]:
    """The calls of a trace's JSON text: what `selfcode solve --trace` or `selfcode run` (`trace.json`) wrote.

    A `Progress` as `records.dump` writes it will do too. Raises `Unrecorded` where there is none in it.
    """
    try:
        found = list(_calls_in(json.loads(trace)))
    except ValueError as error:
        raise Unrecorded(f"the trace is not JSON: {error}") from error
    if not found:
        raise Unrecorded("there is no model call in the trace")
    return found


def _calls_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every call, in the order of the text: a call is what has messages and a reply."""
    if isinstance(value, dict):
        if "messages" in value and "reply" in value:
            yield value
            return
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _calls_in(inner)


def _recorded(call: Mapping[str, Any] | Call) -> Recorded:
    """A call as records or JSON values have it: messages and reply as JSON text, or as what that text says."""
    if isinstance(call, Call):
        return Recorded(json.loads(call.messages), call.reply, call.usage)
    messages, reply = call["messages"], call["reply"]
    usage = call.get("usage", call)
    return Recorded(
        messages=json.loads(messages) if isinstance(messages, str) else messages,
        reply=reply if isinstance(reply, str) else json.dumps(reply),
        usage=Usage(
            prompt_tokens=usage.get("prompt_tokens", 0),
            completion_tokens=usage.get("completion_tokens", 0),
            cached_tokens=usage.get("cached_tokens"),
            cost_usd=usage.get("cost_usd"),
            estimated=usage.get("estimated", False),
        ),
    )


def _reply(recorded: Recorded) -> Reply:
    return replace(read_kept(recorded.reply), usage=recorded.usage, raw=recorded.reply)


def _difference(asked: Sequence[Mapping[str, Any]], recorded: Recorded) -> str:
    """Where a prompt first differs from the recorded one."""
    for number, (now, then) in enumerate(zip(asked, recorded.messages, strict=False), start=1):
        for key in dict.fromkeys((*then, *now)):
            if now.get(key) != then.get(key):
                return f"message {number} ({then.get('role')}), {key}: {_parting(now.get(key), then.get(key))}"
    return f"it has {len(asked)} messages, and {len(recorded.messages)} were recorded"


def _parting(now: object, then: object) -> str:
    one, other = (value if isinstance(value, str) else json.dumps(value) for value in (now, then))
    pairs = enumerate(zip(one, other, strict=False))
    at = next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))
    begin = max(0, at - 20)
    shown = [repr(text[begin : begin + SHOWN_CHARS]) for text in (one, other)]
    return f"from character {at} on it has {shown[0]}, and {shown[1]} was recorded"

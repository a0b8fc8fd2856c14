"""Recorded replies: which of them a prompt gets, and how it looks over OpenAI's protocol."""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_OPENING = re.compile(r"Iteration (\d+)(?: of \d+\.|: )")
_CHARACTERS_PER_TOKEN = 4
_PIECE = 24
_WHAT_IS_OVER = "The recorded replies are at their end: they tell one story, and a real model would go on here"
_LAST: Json = {"content": f"No reply is recorded for this.\n\n```finish\n{_WHAT_IS_OVER}\n```\n"}
_HAVE_READ = "I have read it."
"""What the agent puts in the model's mouth, so that two messages of the other side never follow each other."""


@dataclass(frozen=True, slots=True)
class Recording:
    """The replies to one task, iteration by iteration."""

    model: str
    match: str
    iterations: tuple[tuple[Json, ...], ...]

    def reply(self, iteration: int, index: int) -> Json:
        """The recorded reply; beyond the recorded ones, one that finishes."""
        if not 1 <= iteration <= len(self.iterations) or index >= len(self.iterations[iteration - 1]):
            return _LAST
        return self.iterations[iteration - 1][index]


def load(path: Path) -> tuple[Recording, ...]:
    """Read a file of one recording or of a list."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return tuple(recording_of(one) for one in (found if isinstance(found, list) else [found]))


def recording_of(found: Mapping[str, Any]) -> Recording:
    """A recording from its JSON. Raises `KeyError` where a part of it is missing."""
    return Recording(found["model"], found["match"], tuple(tuple(replies) for replies in found["iterations"]))


def recordings(given: Recording | Mapping[str, Any] | Path) -> tuple[Recording, ...]:
    """What was given, as recordings: one, its JSON, or a file of some."""
    match given:
        case Recording():
            return (given,)
        case Path():
            return load(given)
        case _:
            return (recording_of(given),)


def fitting(among: Sequence[Recording], messages: Sequence[Json]) -> Recording | None:
    """The recording whose `match` the prompt contains; None where no one's is."""
    text = "\n".join(_text(message) for message in messages)
    return next((recording for recording in among if recording.match in text), None)


def position(messages: Sequence[Json]) -> tuple[int, int]:
    """The iteration that the prompt is in, and how many replies it has had in it. (1, …) where it does not say."""
    iteration, index = 1, 0
    for message in messages:
        opening = _OPENING.match(_text(message)) if message.get("role") == "user" else None
        if opening:
            iteration, index = int(opening[1]), 0
        elif message.get("role") == "assistant" and _text(message) != _HAVE_READ:
            index += 1
    return iteration, index


def _text(message: Json) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content)
    return str(content or "")


def completion(reply: Json, model: str, messages: Sequence[Json], *, place: str, takes_tools: bool) -> Json:
    """The reply as a server sends it; where no tools are taken, calls are written out in fences."""
    content, calls = reply.get("content"), reply.get("tool_calls") or []
    if calls and not takes_tools:
        fences = "\n".join(f"```json\n{json.dumps(call)}\n```" for call in calls)
        content, calls = f"{content or ''}\n\n{fences}\n".lstrip(), []
    message: Json = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = [
            {
                "id": f"call_{place}-{number}",
                "type": "function",
                "function": {"name": call["name"], "arguments": _arguments(call["arguments"])},
            }
            for number, call in enumerate(calls)
        ]
    prompt_tokens, completion_tokens = _tokens(messages), _tokens([message])
    return {
        "id": f"chatcmpl-recorded-{place}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": message,
                "logprobs": None,
                "finish_reason": reply.get("finish_reason") or ("tool_calls" if calls else "stop"),
            }
        ],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
            "prompt_tokens_details": {"cached_tokens": 0},
        },
    }


def _arguments(given: Any) -> str:
    """Arguments travel as JSON text; text is played as it is, so that a broken one can be recorded."""
    return given if isinstance(given, str) else json.dumps(given)


def _tokens(messages: Sequence[Json]) -> int:
    """An estimate that grows with the text, as a tokenizer's count does."""
    characters = sum(len(_text(message)) + len(json.dumps(message.get("tool_calls", ""))) for message in messages)
    return max(1, characters // _CHARACTERS_PER_TOKEN)


def chunks(whole: Json, *, usage: bool) -> Iterator[Json]:
    """The completion in pieces, as a stream sends it."""
    choice = whole["choices"][0]
    head = {key: whole[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}

    def piece(delta: Json, finish: str | None = None) -> Json:
        return head | {"choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]}

    yield piece({"role": "assistant", "content": ""})
    content = choice["message"].get("content") or ""
    for start in range(0, len(content), _PIECE):
        yield piece({"content": content[start : start + _PIECE]})
    for number, call in enumerate(choice["message"].get("tool_calls", [])):
        yield piece({"tool_calls": [{"index": number, **call}]})
    yield piece({}, choice["finish_reason"])
    if usage:
        yield head | {"choices": [], "usage": whole["usage"]}

"""What a language model is to the agent: messages in, one reply out. A bad reply is a value, never an exception."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from bot.agent.quoting import printable
from bot.records import StopCheck, Usage


class Role(StrEnum):
    """Who speaks in a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call as the model wrote it. `arguments` is its raw text, which need not be JSON at all."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. `tool_call_id` says which call a TOOL message answers."""

    role: Role
    content: str | None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The message in the shape of OpenAI's chat completions, without what no request and no trace can hold."""
        content = None if self.content is None else printable(self.content)
        shape: dict[str, Any] = {"role": str(self.role), "content": content}
        if self.tool_calls:
            shape["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in self.tool_calls
            ]
        if self.tool_call_id is not None:
            shape["tool_call_id"] = self.tool_call_id
        return shape

    @staticmethod
    def from_json(shape: Mapping[str, Any]) -> "Message":
        """Read back what `as_json` made."""
        calls = tuple(
            ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"])
            for call in shape.get("tool_calls", ())
        )
        return Message(Role(shape["role"]), shape["content"], calls, shape.get("tool_call_id"))


def system(text: str) -> Message:
    """Make a message with our instructions."""
    return Message(Role.SYSTEM, text)


def user(text: str) -> Message:
    """Make a message that asks the model for something."""
    return Message(Role.USER, text)


def assistant(text: str | None, tool_calls: tuple[ToolCall, ...] = ()) -> Message:
    """Make a message that the model wrote."""
    return Message(Role.ASSISTANT, text, tool_calls)


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that is offered to the model. `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


STOP = "stop"
LENGTH = "length"
TOO_LONG = "context_length_exceeded"
NO_TOOLS = "tools_unsupported"
NO_SCHEMA = "schema_unsupported"
BAD_CALL = "tool_call_unreadable"
FILTERED = "content_filter"
NO_CHOICE = "no_choice"
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model answered.

    `finish_reason` is the server's own word (`stop`, `length`, `tool_calls`, `content_filter`), or one of ours where no
    reply came of the call: TOO_LONG (the prompt does not fit the window), NO_TOOLS (the server refuses tools),
    NO_SCHEMA (it does not constrain replies to a schema), BAD_CALL (it could not read the tool call that the model
    wrote), FILTERED (its provider held prompt or reply back), NO_CHOICE (`choices` was empty, or the reply broke off),
    UNREADABLE (not a chat completion). `detail` holds the server's words for these. `raw` is the server's JSON text,
    whole.
    """

    text: str | None
    tool_calls: tuple[ToolCall, ...]
    finish_reason: str
    usage: Usage
    raw: str
    detail: str = ""

    @property
    def is_truncated(self) -> bool:
        """Whether the reply was cut off by a limit on its length."""
        return self.finish_reason == LENGTH

    def as_message(self, text: str | None) -> Message:
        """The reply as it goes into the conversation, with `text` (reasoning set aside) for its words."""
        return Message(Role.ASSISTANT, text if text or self.tool_calls else "", self.tool_calls)


class Model(Protocol):
    """A language model. Several threads may call it at a time."""

    @property
    def name(self) -> str: ...

    @property
    def window_tokens(self) -> int | None:
        """How many tokens prompt and reply may have together; None where that is not known."""
        ...

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
        """Ask for one reply; with `schema`, for one that is JSON of this JSON schema.

        Raises `Unavailable` when the service fails, `Stopped` soon after `stop` says so.
        """
        ...

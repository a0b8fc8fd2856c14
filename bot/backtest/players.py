"""Models that cost nothing and know the fix: the oracle plays it, saboteurs cheat. What they do is in `plays`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.agent import Agent, Dialect, Message, Model, Reply, Role, ToolSpec
from bot.agent.openai_replies import read_kept
from bot.backtest.bots import Player
from bot.backtest.plays import Deed, Played, Plays, plays_of
from bot.records import StopCheck, Usage

DONE = "The fault is mended, and its tests pass."

_FREE = Usage(cost_usd=0.0)
_BY_COMMANDS = 1
"""How often it was answered when it takes to commands: an edit of its first reply was not taken."""


class PlayingModel:
    """A `Model` that plays its part in tool calls. It finds out from the talk what it is asked for."""

    def __init__(self, player: Player, plays: Plays) -> None:
        self._plays = plays
        self.name = str(player)
        self.window_tokens: int | None = None

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSpec] | None = None,
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002 - it is asked for tool calls
        temperature: float | None = None,  # noqa: ARG002 - it plays the same each time
        max_tokens: int | None = None,  # noqa: ARG002
        stop: StopCheck = lambda: False,  # noqa: ARG002 - it does not wait
    ) -> Reply:
        """Play the iteration that the talk is in: its edits and the end; with commands where edits are not taken."""
        if tools is None:
            return _reply("I have nothing to say.", ())
        opened = _opening(messages)
        times = sum(message.role is Role.ASSISTANT for message in messages[opened + 1 :])
        deeds = self._plays.test if _is_test(messages[opened]) else self._plays.change
        if times > _BY_COMMANDS:
            deeds = ()
        elif times == _BY_COMMANDS:
            deeds = tuple(found for deed in deeds for found in deed.by_commands())
        return _reply(None, (*deeds, Deed("finish", {"summary": DONE})))


def agent_playing(player: Player, played: Played) -> Agent | str:
    """An agent with the player in the place of a model; why it can't be played, where it can't."""
    plays = plays_of(player, played)
    if isinstance(plays, str):
        return f"{player} can't be played: {plays}"
    model: Model = PlayingModel(player, plays)
    return Agent(model, dialect=Dialect.NATIVE)


def _opening(messages: Sequence[Message]) -> int:
    """Where the iteration that goes on was opened: its message begins with its number."""
    places = [at for at, message in enumerate(messages) if _opens(message)]
    return places[-1] if places else len(messages) - 1


def _opens(message: Message) -> bool:
    return message.role is Role.USER and (message.content or "").startswith("Iteration ")


def _is_test(opening: Message) -> bool:
    """Whether the test alone is asked for: so its first line says."""
    return (opening.content or "").partition("\n")[0].endswith(": the test.")


def _reply(text: str | None, deeds: Sequence[Deed]) -> Reply:
    calls = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": deed.tool, "arguments": json.dumps(deed.arguments)},
        }
        for number, deed in enumerate(deeds)
    ]
    message: dict[str, object] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = calls
    raw = json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls" if calls else "stop"}]})
    return replace(read_kept(raw), usage=_FREE, raw=raw)

"""Asking the model: one call at a time, within its window and the run's limits, and each kept with what it cost."""

import json
import time
from dataclasses import dataclass, field, replace

from bot.agent.assignment import Assignment, Turn
from bot.agent.dialects import Speech
from bot.agent.limits import near, spent
from bot.agent.llm import Message, Model, Reply, system
from bot.agent.looping import is_loop
from bot.agent.meanwhile import into_talk, new_since
from bot.agent.prompts import Dialect, instructions, prompt, version
from bot.agent.room import Room, room_in
from bot.agent.shrinking import fitted, size_of
from bot.agent.tools import action_schema, specs
from bot.records import ActionTaken, Call, Note, Spend, StopCheck

SMALLEST_REPLY_TOKENS = 256
WARMER = 0.8
LITTLE_LEFT = "Little is left of this run: "


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply, and what it was asked with."""

    reply: Reply
    asked_with: tuple[Message, ...]
    dialect: Dialect
    temperature: float
    duration_s: float


@dataclass(slots=True, eq=False)
class Asking:
    """The model's side of a talk, and what was said so far. `began`: when the iteration did, on the monotonic clock.

    What people say meanwhile comes in before each call, but for a first reply that is drawn on another thread.
    `calls` and `spend` hold what it cost, also where `Stopped` cut it short.
    """

    model: Model
    work: Assignment
    turn: Turn
    messages: list[Message]
    temperature: float
    spend: Spend
    began: float
    calls: list[Call] = field(default_factory=list)
    _speech: Speech = field(init=False)
    _room: Room = field(init=False)
    _is_warned: bool = field(init=False)
    _notes: tuple[Note, ...] = field(init=False)
    _drawn: Answered | None = None

    def __post_init__(self) -> None:
        self._speech = self.turn.speech
        self._room = room_in(self.model.window_tokens, expected_chars=self.turn.expected_chars)
        self._is_warned = self.turn.is_warned
        self._notes = self.turn.notes

    @property
    def dialect(self) -> Dialect:
        """The dialect that the model is spoken to in now."""
        return self._speech.dialect

    @property
    def limit(self) -> str:
        """Which limit forbids the next call, or "": a reply that was drawn already is used."""
        return "" if self._drawn else spent(self.spend, self.work.caps, seconds=self._seconds)

    @property
    def drawn(self) -> Call | None:
        """The call for a first reply that was drawn and is not used."""
        return None if self._drawn is None else self._call(self._drawn)

    def draw(self, stop: StopCheck) -> None:
        """Ask for the first reply now, on whichever thread, and keep it."""
        self._drawn = self._ask(stop, self.temperature)

    def ask(self, *, is_warm: bool) -> Answered:
        """The reply that was drawn, else the next one.

        `is_warm` is for the last try: a small model gives the same answer to the same question.
        """
        drawn, self._drawn = self._drawn, None
        if drawn is not None:
            return drawn
        self._hear()
        return self._ask(self.work.stop, max(self.temperature, WARMER) if is_warm else self.temperature)

    def record(self, answered: Answered, *, actions: tuple[ActionTaken, ...] = (), problem: str = "") -> None:
        """Keep a call; what it tells of the model's form and of its reply's length counts from the next one on."""
        reply = answered.reply
        self.calls.append(self._call(answered, actions=actions, problem=problem))
        self.spend = self.spend.plus(reply.usage)
        asked = ", ".join(action.name for action in actions) or problem or "no action"
        self.work.tell(f"  call {len(self.calls)}: {asked} ({self.spend.tokens:,} tokens so far)")
        if reply.is_truncated and not is_loop(reply.text or ""):  # more room would be filled with the same
            self._room = self._room.after_cut_off(
                prompt_tokens=reply.usage.prompt_tokens, prompt_chars=size_of(answered.asked_with)
            )
        self._speak(self._speech.after(reply))

    def shorten(self, answered: Answered) -> bool:
        """Make prompts shorter than this one, which did not fit; False once that was done as often as makes sense."""
        shorter = self._room.after_too_long(prompt_chars=size_of(answered.asked_with))
        self._room = shorter or self._room
        return shorter is not None

    def _hear(self) -> None:
        """Take into the talk what people have said since it was last asked for."""
        now = tuple(self.work.said())
        new, self._notes = new_since(self._notes, now), now
        self.messages += into_talk(new)
        for note in new:
            self.work.tell(f"  the model hears {note.author}'s note")

    def _ask(self, stop: StopCheck, temperature: float) -> Answered:
        self._warn_if_near()
        asked_with = fitted(self.messages, self._room.budget)
        left = max(self.work.caps.tokens - self.spend.tokens, SMALLEST_REPLY_TOKENS)
        dialect, began = self.dialect, time.monotonic()
        with_answers = bool(self.work.task.requests)
        reply = self.model.complete(
            asked_with,
            tools=specs(with_answers=with_answers) if dialect is Dialect.NATIVE else None,
            schema=action_schema(with_answers=with_answers) if dialect is Dialect.JSON else None,
            temperature=temperature,
            max_tokens=min(self._room.reply_tokens, left),
            stop=stop,
        )
        return Answered(reply, tuple(asked_with), dialect, temperature, time.monotonic() - began)

    def _warn_if_near(self) -> None:
        """Tell the model once to finish with what it has, in the last message, whatever that is."""
        caps = self.work.caps
        left = caps.calls_per_iteration - len(self.calls) if self.turn.is_last else None
        little = near(self.spend, caps, seconds=self._seconds, calls_left=left)
        if little and not self._is_warned:
            self._is_warned = True
            last = self.messages[-1]
            note = f"{LITTLE_LEFT}{little}. {prompt('little_left')}"
            self.messages[-1] = replace(last, content=f"{last.content or ''}\n\n{note}")

    @property
    def _seconds(self) -> float:
        return self.spend.seconds + time.monotonic() - self.began

    def _speak(self, speech: Speech) -> None:
        if speech.dialect is not self.dialect:
            self.messages[0] = system(instructions(speech.dialect, self.model.window_tokens))
        self._speech = speech

    def _call(self, answered: Answered, *, actions: tuple[ActionTaken, ...] = (), problem: str = "") -> Call:
        return Call(
            model=self.model.name,
            prompt_version=version(str(answered.dialect)),
            messages=json.dumps([message.as_json() for message in answered.asked_with], ensure_ascii=False),
            reply=answered.reply.raw,
            actions=actions,
            usage=answered.reply.usage,
            duration_s=answered.duration_s,
            temperature=answered.temperature,
            problem=problem,
        )

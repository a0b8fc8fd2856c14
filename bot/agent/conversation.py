"""One talk with the model: call, carry out, answer, until it has finished or may not go on."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from bot.agent.actions import Editing, Finish, Request
from bot.agent.complaints import complained, first_line, named_problem
from bot.agent.edits import SAME
from bot.agent.fences import NO_PATH, Parsed, parse_reply
from bot.agent.hands import UNCHANGED, Done, carry_out
from bot.agent.limits import near, spent
from bot.agent.llm import (
    LENGTH,
    NO_CHOICE,
    NO_SCHEMA,
    NO_TOOLS,
    TOO_LONG,
    UNREADABLE,
    Message,
    Model,
    Reply,
    Role,
    system,
    user,
)
from bot.agent.nameless import file_meant
from bot.agent.patience import Patience
from bot.agent.prompts import Dialect, prompt, system_prompt, version
from bot.agent.room import Room, room_in
from bot.agent.shrinking import fitted, size_of
from bot.agent.targets import language_of
from bot.agent.texts import read_source
from bot.agent.thinking import without_thinking
from bot.agent.tools import action_schema, request_of, specs
from bot.errors import Stopped
from bot.records import ActionTaken, Call, Caps, Spend, StopCheck, Workbench

SMALLEST_REPLY_TOKENS = 256
TOOLLESS_REPLIES = 2
WARMER = 0.8
LITTLE_LEFT = "Little is left of this run: "


class Ended(StrEnum):
    """Why a talk ended."""

    FINISHED = "finished"
    NOTHING = "nothing to do"
    CALLS = "calls"
    LIMIT = "limit"
    GAVE_UP = "gave up"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Ending:
    """How the talk ended, in whose words: the model's summary, the limit's, or what was wrong."""

    how: Ended
    words: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply, and what it was asked with."""

    reply: Reply
    asked_with: Sequence[Message]
    temperature: float
    duration_s: float


@dataclass(slots=True, eq=False)
class Conversation:
    """The talk of one iteration, or of one candidate for it.

    `calls` and `spend` hold what it cost, also where `Stopped` cut it short. `given` are the files of a test that was
    there before: with only these changed, nothing is. `question` asks back a model that finishes with nothing changed.
    `target`: the file that was asked for, whole; `expected_chars`: about how long the answer is to be. `is_warned`: it
    was told before that little is left.
    """

    model: Model
    bench: Workbench
    caps: Caps
    messages: list[Message]
    dialect: Dialect
    is_auto: bool
    toolless: int
    temperature: float
    spend: Spend
    stop: StopCheck
    tell: Callable[[str], None]
    question: str = "nothing_changed"
    given: frozenset[str] = frozenset()
    target: str | None = None
    expected_chars: int | None = None
    is_last: bool = False
    is_warned: bool = False
    started: float = field(default_factory=time.monotonic)
    calls: list[Call] = field(default_factory=list)
    edited: bool = False
    _room: Room = field(init=False)
    _patience: Patience = field(default_factory=Patience)
    _asked_whether: bool = False
    _wrote_unchanged: bool = False
    _drawn: Answered | None = None

    def __post_init__(self) -> None:
        self._room = room_in(self.model.window_tokens, expected_chars=self.expected_chars)

    def draw(self, stop: StopCheck) -> None:
        """Ask for the first reply now, on whichever thread, and keep it for `run`."""
        self._warn_if_near()
        self._drawn = self._ask(stop)

    @property
    def drawn(self) -> Call | None:
        """The call for a first reply that was drawn and is not used."""
        return None if self._drawn is None else self._call(self._drawn)

    def run(self) -> Ending:
        """Talk until the model finishes, has nothing more to ask for, or a limit is reached. Raises `Stopped`."""
        while True:
            if self.stop():
                raise Stopped
            limit = "" if self._drawn else spent(self.spend, self.caps, seconds=self._seconds)
            if limit:
                return Ending(Ended.LIMIT, limit)
            if len(self.calls) >= self.caps.calls_per_iteration:
                return Ending(Ended.CALLS, f"{len(self.calls)} model calls in one iteration, which is the limit")
            ending = self._turn()
            if ending is not None:
                return ending

    @property
    def _seconds(self) -> float:
        return self.spend.seconds + time.monotonic() - self.started

    def _turn(self) -> Ending | None:
        if self._drawn is None:
            self._warn_if_near()
        answered = self._drawn or self._ask(self.stop)
        self._drawn = None
        reply = answered.reply
        match reply.finish_reason:
            case reason if reason == TOO_LONG:
                return self._too_long(answered)
            case reason if reason in (NO_TOOLS, NO_SCHEMA):
                self._record(answered, problem=f"{reason.replace('_', ' ')}: {reply.detail}")
                self._speak_fenced()
                return None
        if reply.is_truncated:
            self._room = self._room.after_cut_off(
                prompt_tokens=reply.usage.prompt_tokens, prompt_chars=size_of(answered.asked_with)
            )
        words = without_thinking(reply.text or "")
        parsed = self._parsed(reply, words)
        if not parsed.requests:
            return self._without_actions(answered, words, parsed.problem)
        done = self._asked_back(parsed.requests, carry_out(self.bench, parsed.requests))
        self._record(answered, actions=done.actions)
        return self._after(reply, words, parsed.requests, done)

    def _warn_if_near(self) -> None:
        """Tell the model once to finish with what it has, in the last message, whatever that is."""
        left = self.caps.calls_per_iteration - len(self.calls) if self.is_last else None
        little = near(self.spend, self.caps, seconds=self._seconds, calls_left=left)
        if little and not self.is_warned:
            self.is_warned = True
            last = self.messages[-1]
            note = f"{LITTLE_LEFT}{little}. {prompt('little_left')}"
            self.messages[-1] = replace(last, content=f"{last.content or ''}\n\n{note}")

    def _asked_back(self, requests: Sequence[Request], done: Done) -> Done:
        """Ask back where the model finishes without a change: once whether none is needed, if it tried none."""
        self.edited = self.edited or done.edited
        wrote = any(isinstance(request.action, Editing) for request in requests)
        asked_already = self._asked_whether and not wrote
        if done.finish is None or self.edited or asked_already or self._has_change:
            return done
        self._asked_whether = self._asked_whether or not wrote
        if wrote and self._wrote_unchanged:
            return done
        self._wrote_unchanged = self._wrote_unchanged or wrote
        question = prompt("unchanged" if wrote else self.question)
        answered = [
            replace(action, result=question) if isinstance(request.action, Finish) else action
            for request, action in zip(requests, done.actions, strict=True)
        ]
        return Done(tuple(answered), edited=False, finish=None)

    @property
    def _has_change(self) -> bool:
        return not frozenset(self.bench.change().paths) <= self.given

    def _ask(self, stop: StopCheck) -> Answered:
        """One model call, within the window and the tokens that are left."""
        asked_with = fitted(self.messages, self._room.budget)
        left = max(self.caps.tokens - self.spend.tokens, SMALLEST_REPLY_TOKENS)
        began = time.monotonic()
        reply = self.model.complete(
            asked_with,
            tools=specs() if self._offers_tools else None,
            schema=action_schema() if self.dialect is Dialect.JSON else None,
            temperature=self._temperature,
            max_tokens=min(self._room.reply_tokens, left),
            stop=stop,
        )
        return Answered(reply, asked_with, self._temperature, time.monotonic() - began)

    @property
    def _offers_tools(self) -> bool:
        return self.dialect in (Dialect.AUTO, Dialect.NATIVE)

    @property
    def _form(self) -> Dialect:
        """The dialect that the prompt asks for: AUTO asks for tool calls."""
        return Dialect.NATIVE if self._offers_tools else self.dialect

    @property
    def _form_asked(self) -> str:
        """How to answer, for a model whose reply could not be used."""
        if self.target is not None and self.dialect is Dialect.FENCED:
            return prompt("form_whole").format(path=self.target, language=language_of(self.target))
        return prompt(f"form_{self._form}")

    @property
    def _temperature(self) -> float:
        """Warmer before the last try: a small model gives the same answer to the same question."""
        return max(self.temperature, WARMER) if self._patience.is_wearing_thin else self.temperature

    def _call(self, answered: Answered, *, actions: tuple[ActionTaken, ...] = (), problem: str = "") -> Call:
        return Call(
            model=self.model.name,
            prompt_version=version(str(self._form)),
            messages=json.dumps([message.as_json() for message in answered.asked_with], ensure_ascii=False),
            reply=answered.reply.raw,
            actions=actions,
            usage=answered.reply.usage,
            duration_s=answered.duration_s,
            temperature=answered.temperature,
            problem=problem,
        )

    def _record(self, answered: Answered, *, actions: tuple[ActionTaken, ...] = (), problem: str = "") -> None:
        self.calls.append(self._call(answered, actions=actions, problem=problem))
        self.spend = self.spend.plus(answered.reply.usage)
        asked = ", ".join(action.name for action in actions) or problem or "no action"
        self.tell(f"  call {len(self.calls)}: {asked} ({self.spend.tokens:,} tokens so far)")

    def _parsed(self, reply: Reply, words: str) -> Parsed:
        if reply.tool_calls:
            self.toolless = 0
            return Parsed(tuple(request_of(call.name, call.arguments) for call in reply.tool_calls))
        if self.is_auto and self._offers_tools and reply.finish_reason not in (UNREADABLE, NO_CHOICE):
            self.toolless += 1
        parsed = parse_reply(words, is_truncated=reply.is_truncated)
        if parsed.problem not in ("", NO_PATH) or self.target is None:
            return parsed
        source = read_source(self.bench.read(self.target) or b"")
        meant = file_meant(words, self.target, source.text) if source else None
        return Parsed((meant, *parsed.requests)) if meant else parsed

    def _after(self, reply: Reply, words: str, requests: Sequence[Request], done: Done) -> Ending | None:
        """Decide whether the talk goes on after actions were carried out, and answer the model if it does."""
        if done.finish is not None:
            is_change = self.edited or self._has_change or self._wrote_unchanged
            return Ending(Ended.FINISHED if is_change else Ended.NOTHING, done.finish or first_line(words))
        if self._only_edits(reply, requests, done):
            return Ending(Ended.FINISHED, first_line(words))
        unchanged = self._left_unchanged(requests, done)
        if isinstance(unchanged, Ending):
            return unchanged
        done = unchanged
        enough = self._led_nowhere(reply, words, done)
        if enough:
            return enough
        self._answer(reply, words, requests, [action.result for action in done.actions])
        self._switch_if_toolless()
        return None

    def _left_unchanged(self, requests: Sequence[Request], done: Done) -> Ending | Done:
        """A reply that writes files as they are: the end where they are changed already, or where it was told once."""
        all_edits = all(isinstance(request.action, Editing) for request in requests)
        if not all_edits or not all(action.result.endswith((UNCHANGED, SAME)) for action in done.actions):
            return done
        if self._has_change or self._wrote_unchanged:
            return Ending(Ended.CALLS, "the files were written as they are")
        self._wrote_unchanged = True
        return replace(done, actions=tuple(replace(one, result=prompt("unchanged")) for one in done.actions))

    def _only_edits(self, reply: Reply, requests: Sequence[Request], done: Done) -> bool:
        """Without tool calls a reply that only edits is complete: to ask “and now?” would cost a call."""
        all_edits = all(isinstance(request.action, Editing) for request in requests)
        return not reply.tool_calls and all_edits and done.edited

    def _led_nowhere(self, reply: Reply, words: str, done: Done) -> Ending | None:
        """End the talk with a model that sends the same, or nothing of use, again and again."""
        said = json.dumps([words, *([call.name, call.arguments] for call in reply.tool_calls)])
        if any(action.ok and action.name != "finish" for action in done.actions):
            enough = self._patience.useful(said, tuple(action.result for action in done.actions))
            return Ending(Ended.CALLS if self.edited else Ended.GAVE_UP, enough) if enough else None
        enough = self._patience.fruitless(said, done.actions[0].result[:300])
        return Ending(Ended.GAVE_UP, enough) if enough else None

    def _answer(self, reply: Reply, words: str, requests: Sequence[Request], answers: Sequence[str]) -> None:
        self.messages.append(reply.as_message(words))
        if reply.tool_calls:
            self.messages += [
                Message(Role.TOOL, answer, tool_call_id=call.id)
                for call, answer in zip(reply.tool_calls, answers, strict=True)
            ]
        else:
            named = [f"{request.name}: {answer}" for request, answer in zip(requests, answers, strict=True)]
            self.messages.append(user("\n\n".join(named)))

    def _without_actions(self, answered: Answered, words: str, problem: str) -> Ending | None:
        """Answer a reply that asks for nothing: it may be the end of the work, or no usable reply."""
        reply = answered.reply
        is_whole = not problem and words and reply.finish_reason not in (LENGTH, UNREADABLE, NO_CHOICE)
        if is_whole and self.edited:
            self._record(answered)
            return Ending(Ended.FINISHED, first_line(words))
        problem = named_problem(reply, words, problem)
        self._record(answered, problem=problem)
        enough = self._patience.unusable(problem)
        if enough:
            return Ending(Ended.GAVE_UP, enough)
        self._switch_if_toolless()
        self.messages = complained(self.messages, words, problem, form=self._form_asked)
        return None

    def _too_long(self, answered: Answered) -> Ending | None:
        detail = answered.reply.detail
        self._record(answered, problem=f"the prompt is too long: {detail}")
        shorter = self._room.after_too_long(prompt_chars=size_of(answered.asked_with))
        if shorter is None:
            words = f"the prompt does not fit the model's window, however short it is made: {detail}"
            return Ending(Ended.LIMIT, words)
        self._room = shorter
        return None

    def _switch_if_toolless(self) -> None:
        if self.is_auto and self._offers_tools and self.toolless >= TOOLLESS_REPLIES:
            self._speak_fenced()

    def _speak_fenced(self) -> None:
        self.dialect = Dialect.FENCED
        self.messages[0] = system(system_prompt(Dialect.FENCED))

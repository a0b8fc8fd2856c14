"""One iteration's talk with the model: call, carry out, answer, until it has finished or may not go on."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from bot.agent.actions import Editing, Finish, Request
from bot.agent.complaints import complained, first_line, named_problem
from bot.agent.fences import Parsed, parse_reply
from bot.agent.hands import Done, carry_out
from bot.agent.limits import spent
from bot.agent.llm import LENGTH, NO_CHOICE, NO_TOOLS, TOO_LONG, UNREADABLE, Message, Model, Reply, Role, system, user
from bot.agent.prompts import Dialect, prompt, system_prompt, version
from bot.agent.shrinking import LEVELS, shrunk
from bot.agent.thinking import without_thinking
from bot.agent.tools import request_of, specs
from bot.errors import Stopped
from bot.records import ActionTaken, Call, Caps, Spend, StopCheck, Workbench

REPLY_TOKENS = 8_192
LONGEST_REPLY_TOKENS = 32_768
SMALLEST_REPLY_TOKENS = 256
BAD_IN_A_ROW = 3
FRUITLESS_IN_A_ROW = 3
TOOLLESS_REPLIES = 2
WARMER = 0.8


class Ended(StrEnum):
    """Why an iteration's talk ended."""

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


@dataclass(slots=True)
class Conversation:
    """The talk of one iteration. `calls` and `spend` hold what it cost, also where `Stopped` cut it short."""

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
    started: float = field(default_factory=time.monotonic)
    calls: list[Call] = field(default_factory=list)
    edited: bool = False
    _reply_tokens: int = REPLY_TOKENS
    _shrink: int = 0
    _bad: int = 0
    _fruitless: list[str] = field(default_factory=list)
    _asked_whether: bool = False

    def run(self) -> Ending:
        """Talk until the model finishes, has nothing more to ask for, or a limit is reached. Raises `Stopped`."""
        while True:
            if self.stop():
                raise Stopped
            limit = spent(self.spend, self.caps, seconds=self.spend.seconds + time.monotonic() - self.started)
            if limit:
                return Ending(Ended.LIMIT, limit)
            if len(self.calls) >= self.caps.calls_per_iteration:
                return Ending(Ended.CALLS, f"{len(self.calls)} model calls in one iteration, which is the limit")
            ending = self._turn()
            if ending is not None:
                return ending

    def _turn(self) -> Ending | None:
        reply, asked_with, duration_s = self._ask()
        match reply.finish_reason:
            case reason if reason == TOO_LONG:
                return self._too_long(reply, asked_with, duration_s)
            case reason if reason == NO_TOOLS:
                self._record(reply, asked_with, duration_s, problem=f"no tools: {reply.detail}")
                self._speak_fenced()
                return None
        if reply.is_truncated:
            self._reply_tokens = min(self._reply_tokens * 2, LONGEST_REPLY_TOKENS)
        words = without_thinking(reply.text or "")
        parsed = self._parsed(reply, words)
        if not parsed.requests:
            return self._without_actions(reply, words, parsed.problem, asked_with, duration_s)
        done = self._asked_back(parsed.requests, carry_out(self.bench, parsed.requests))
        self._record(reply, asked_with, duration_s, actions=done.actions)
        self._bad = 0
        return self._after(reply, words, parsed.requests, done)

    def _asked_back(self, requests: Sequence[Request], done: Done) -> Done:
        """Ask back where the model finishes without a change: once whether none is needed, if it tried none."""
        self.edited = self.edited or done.edited
        wrote = any(isinstance(request.action, Editing) for request in requests)
        asked_already = self._asked_whether and not wrote
        if done.finish is None or self.edited or asked_already or not self.bench.change().is_empty:
            return done
        self._asked_whether = self._asked_whether or not wrote
        question = prompt("unchanged" if wrote else "nothing_changed")
        answered = [
            replace(action, result=question) if isinstance(request.action, Finish) else action
            for request, action in zip(requests, done.actions, strict=True)
        ]
        return Done(tuple(answered), edited=False, finish=None)

    def _ask(self) -> tuple[Reply, list[Message], float]:
        """One model call, within the tokens that are left."""
        asked_with = shrunk(self.messages, self._shrink)
        left = max(self.caps.tokens - self.spend.tokens, SMALLEST_REPLY_TOKENS)
        began = time.monotonic()
        reply = self.model.complete(
            asked_with,
            tools=specs() if self._offers_tools else None,
            temperature=self._temperature,
            max_tokens=min(self._reply_tokens, left),
            stop=self.stop,
        )
        return reply, asked_with, time.monotonic() - began

    @property
    def _offers_tools(self) -> bool:
        return self.dialect is not Dialect.FENCED

    @property
    def _form(self) -> Dialect:
        """The dialect that the prompt asks for: AUTO asks for tool calls."""
        return Dialect.NATIVE if self._offers_tools else Dialect.FENCED

    @property
    def _temperature(self) -> float:
        """Warmer after two bad replies: a small model gives the same answer to the same question."""
        in_a_row = max(self._bad, len(self._fruitless))
        return WARMER if in_a_row >= BAD_IN_A_ROW - 1 else self.temperature

    def _record(
        self,
        reply: Reply,
        asked_with: Sequence[Message],
        duration_s: float,
        *,
        actions: tuple[ActionTaken, ...] = (),
        problem: str = "",
    ) -> None:
        call = Call(
            model=self.model.name,
            prompt_version=version(str(self._form)),
            messages=json.dumps([message.as_json() for message in asked_with], ensure_ascii=False),
            reply=reply.raw,
            actions=actions,
            usage=reply.usage,
            duration_s=duration_s,
            temperature=self._temperature,
            problem=problem,
        )
        self.calls.append(call)
        self.spend = self.spend.plus(reply.usage)
        asked = ", ".join(action.name for action in actions) or problem or "no action"
        self.tell(f"  call {len(self.calls)}: {asked} ({self.spend.tokens:,} tokens so far)")

    def _parsed(self, reply: Reply, words: str) -> Parsed:
        if reply.tool_calls:
            self.toolless = 0
            return Parsed(tuple(request_of(call.name, call.arguments) for call in reply.tool_calls))
        if self.is_auto and self._offers_tools and reply.finish_reason not in (UNREADABLE, NO_CHOICE):
            self.toolless += 1
        return parse_reply(words, is_truncated=reply.is_truncated)

    def _after(self, reply: Reply, words: str, requests: Sequence[Request], done: Done) -> Ending | None:
        """Decide whether the talk goes on after actions were carried out, and answer the model if it does."""
        if done.finish is not None:
            is_change = self.edited or not self.bench.change().is_empty
            return Ending(Ended.FINISHED if is_change else Ended.NOTHING, done.finish or first_line(words))
        if self._only_edits(reply, requests, done):
            return Ending(Ended.FINISHED, first_line(words))
        fruitless = self._is_fruitless_again(reply, words, done)
        if fruitless:
            return fruitless
        self._answer(reply, words, requests, [action.result for action in done.actions])
        self._switch_if_toolless()
        return None

    def _only_edits(self, reply: Reply, requests: Sequence[Request], done: Done) -> bool:
        """In fenced blocks a reply that only edits is complete: to ask “and now?” would cost a call."""
        all_edits = all(isinstance(request.action, Editing) for request in requests)
        return not reply.tool_calls and all_edits and done.edited

    def _is_fruitless_again(self, reply: Reply, words: str, done: Done) -> Ending | None:
        """Stop a model that sends the same useless reply again and again."""
        if any(action.ok and action.name != "finish" for action in done.actions):
            self._fruitless.clear()
            return None
        said = json.dumps([words, *([call.name, call.arguments] for call in reply.tool_calls)])
        self._fruitless = [*self._fruitless, said] if said in self._fruitless[-1:] else [said]
        if len(self._fruitless) < FRUITLESS_IN_A_ROW:
            return None
        return Ending(
            Ended.GAVE_UP, f"the same reply {FRUITLESS_IN_A_ROW} times, each time: {done.actions[0].result[:300]}"
        )

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

    def _without_actions(
        self, reply: Reply, words: str, problem: str, asked_with: Sequence[Message], duration_s: float
    ) -> Ending | None:
        """Answer a reply that asks for nothing: it may be the end of the work, or no usable reply."""
        is_whole = not problem and words and reply.finish_reason not in (LENGTH, UNREADABLE, NO_CHOICE)
        if is_whole and self.edited:
            self._record(reply, asked_with, duration_s)
            return Ending(Ended.FINISHED, first_line(words))
        problem = named_problem(reply, words, problem)
        self._record(reply, asked_with, duration_s, problem=problem)
        self._bad += 1
        if self._bad >= BAD_IN_A_ROW:
            return Ending(Ended.GAVE_UP, f"no usable reply {BAD_IN_A_ROW} times in a row; the last: {problem}")
        self._switch_if_toolless()
        self.messages = complained(self.messages, words, problem, form=prompt(f"form_{self._form}"))
        return None

    def _too_long(self, reply: Reply, asked_with: Sequence[Message], duration_s: float) -> Ending | None:
        self._record(reply, asked_with, duration_s, problem=f"the prompt is too long: {reply.detail}")
        self._shrink += 1
        if self._shrink > LEVELS:
            return Ending(
                Ended.LIMIT, f"the prompt does not fit the model's window, however short it is made: {reply.detail}"
            )
        return None

    def _switch_if_toolless(self) -> None:
        if self.is_auto and self._offers_tools and self.toolless >= TOOLLESS_REPLIES:
            self._speak_fenced()

    def _speak_fenced(self) -> None:
        self.dialect = Dialect.FENCED
        self.messages[0] = system(system_prompt(Dialect.FENCED))

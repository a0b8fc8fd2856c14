"""Asking the model, with every call kept as JSON values that `bot.agent.replay` plays again."""

import json
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

from bot.agent.budget import budget_for
from bot.agent.llm import Message, Model, Reply
from bot.agent.looping import is_loop
from bot.agent.openai_replies import read_kept
from bot.agent.prompts import version
from bot.agent.thinking import without_thinking
from bot.errors import Stopped
from bot.records import Spend, StopCheck

REPLY_TOKENS = 8_192
LONGEST_REPLY_TOKENS = 32_768
SHORTEST_CAP = 2_048
TIMES_THE_LONGEST = 4
POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Question:
    """One call to make. `about` is what the log says of it, beside the call itself."""

    messages: Sequence[Message]
    temperature: float | None
    about: dict[str, Any]


@dataclass(slots=True)
class Answer:
    """What came of one call. `entry` is its line in the log, to which the caller may add what it made of the reply."""

    reply: Reply
    words: str
    entry: dict[str, Any]


@dataclass(slots=True)
class Asking:
    """The calls of one task: asked, counted, kept. `at_once` says how many the server may be asked at the same time."""

    stop: StopCheck
    at_once: int = 1
    spend: Spend = field(default_factory=Spend)
    calls: list[dict[str, Any]] = field(default_factory=list)
    _cap: int = REPLY_TOKENS
    _longest: int = 0

    def ask(self, model: Model, questions: Sequence[Question], *, critics: bool = False) -> list[Answer]:
        """Ask all questions, at the same time where there is more than one. Raises `Stopped` and what the model does.

        A reply may be four times as long as the longest so far: a small model that is asked warmly may find no end.
        """
        room = self._room(model)
        if len(questions) == 1:
            timed = [_timed(model, questions[0], room, self.stop)]
        else:
            timed = self._all_at_once(model, questions, room)
        answers = []
        for question, (reply, seconds) in zip(questions, timed, strict=True):
            self.spend = self.spend.plus(reply.usage, critics=critics)
            answers.append(self._kept(model, question, room, reply, seconds))
        return answers

    def _all_at_once(self, model: Model, questions: Sequence[Question], room: int) -> list[tuple[Reply, float]]:
        """`stop` is asked on this thread alone: it may belong to a database connection that is bound to it."""
        ended = threading.Event()
        with ThreadPoolExecutor(max_workers=self.at_once) as pool:
            futures = [pool.submit(_timed, model, question, room, ended.is_set) for question in questions]
            while wait(futures, timeout=POLL_S).not_done:
                if self.stop():
                    ended.set()
        if ended.is_set():
            raise Stopped
        return [future.result() for future in futures]

    def _kept(self, model: Model, question: Question, room: int, reply: Reply, seconds: float) -> Answer:
        entry = question.about | {
            "model": model.name,
            "prompt_version": version("alone"),
            "temperature": question.temperature,
            "max_tokens": room,
            "messages": [message.as_json() for message in question.messages],
            "reply": _as_completion(reply),
            "prompt_tokens": reply.usage.prompt_tokens,
            "completion_tokens": reply.usage.completion_tokens,
            "cached_tokens": reply.usage.cached_tokens,
            "estimated": reply.usage.estimated,
            "cost_usd": reply.usage.cost_usd,
            "seconds": round(seconds, 3),
        }
        self.calls.append(entry)
        self._learn(reply)
        return Answer(reply, without_thinking(reply.text or ""), entry)

    def _room(self, model: Model) -> int:
        """How long a reply may be: where the model's window is known, no more than its share of that."""
        window = model.window_tokens
        return self._cap if window is None else min(self._cap, budget_for(window).reply_tokens)

    def _learn(self, reply: Reply) -> None:
        """More room after a reply that was cut off, less after one that came to its end by itself."""
        if reply.is_truncated:
            if not is_loop(reply.text or ""):
                self._cap = min(self._cap * 2, LONGEST_REPLY_TOKENS)
            return
        self._longest = max(self._longest, reply.usage.completion_tokens)
        if self._longest:
            self._cap = max(SHORTEST_CAP, TIMES_THE_LONGEST * self._longest)


def _timed(model: Model, question: Question, room: int, stop: StopCheck) -> tuple[Reply, float]:
    """The reply, and the seconds that it took."""
    if stop():
        raise Stopped
    began = time.monotonic()
    reply = model.complete(question.messages, tools=None, temperature=question.temperature, max_tokens=room, stop=stop)
    return reply, time.monotonic() - began


def _as_completion(reply: Reply) -> dict[str, Any]:
    """The reply in the shape of a chat completion: the server's own where it sent one, else made of the reply."""
    if reply.text is not None and read_kept(reply.raw).text == reply.text:
        sent: dict[str, Any] = json.loads(reply.raw, strict=False)
        return sent
    if reply.text is None:
        return {"error": {"code": reply.finish_reason, "message": reply.detail}}
    message = {"role": "assistant", "content": reply.text}
    return {"choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason}]}

"""Understanding a reply: what it asks for in the dialect that it was asked in, and what it says beside."""

import json
from dataclasses import dataclass

from bot.agent.actions import Editing, Finish, Request
from bot.agent.answers import answers_in, newest, without_answers
from bot.agent.blocks import blocks_of
from bot.agent.complaints import first_line, named_problem
from bot.agent.fences import NO_PATH, Parsed, parse_reply
from bot.agent.json_reply import parse_json_reply, thought_in
from bot.agent.llm import FILTERED, LENGTH, NO_CHOICE, UNREADABLE, Reply, ToolCall
from bot.agent.nameless import file_meant, functions_meant
from bot.agent.prompts import Dialect
from bot.agent.texts import read_source
from bot.agent.thinking import without_thinking
from bot.agent.tools import request_of
from bot.records import Answer, Workbench

_OF_WORDS = frozenset({"", "text", "markdown", "md", "answers", "answer", "finish"})
"""Languages of blocks without a path that may hold answers in words."""


@dataclass(frozen=True, slots=True)
class Understood:
    """A reply as the talk takes it.

    `words` are the reply's own, without reasoning; `summary` is the first line of what it says, in prose. Where it asks
    for nothing, `problem` says what was wrong with it, and `is_whole` that it says in good form all that it was to say.
    """

    words: str
    summary: str
    requests: tuple[Request, ...]
    calls: tuple[ToolCall, ...] = ()
    problem: str = ""
    is_whole: bool = False

    @property
    def said(self) -> str:
        """All that it says and asks for, the same where a reply is the same."""
        return json.dumps([self.words, *([call.name, call.arguments] for call in self.calls)])

    @property
    def answers(self) -> tuple[Answer, ...]:
        """What it says to the requests of a review: in the finishing action, and in lines of its words."""
        finishing = [request.action for request in self.requests if isinstance(request.action, Finish)]
        thought = thought_in(self.words)
        said = _answers_said(self.words if thought is None else thought)
        return newest((*said, *(answer for one in finishing for answer in one.answers)))

    @property
    def is_edits_alone(self) -> bool:
        """Whether it edits and does nothing else."""
        return all(isinstance(request.action, Editing) for request in self.requests)


def understand(reply: Reply, dialect: Dialect, *, target: str | None, bench: Workbench) -> Understood:
    """Read a reply. `target` is the file that was asked for, which a block that names no file may be."""
    words = without_thinking(reply.text or "")
    if reply.tool_calls:
        requests = tuple(request_of(call.name, call.arguments) for call in reply.tool_calls)
        return Understood(words, first_line(without_answers(words)), requests, reply.tool_calls)
    thought = thought_in(words) if dialect is Dialect.JSON else None
    parse = parse_json_reply if dialect is Dialect.JSON else parse_reply
    parsed = parse(words, is_truncated=reply.finish_reason in (LENGTH, FILTERED))
    summary = first_line(without_answers(words if thought is None else thought))
    requests = parsed.requests
    if target is not None and thought is None and parsed.problem in ("", NO_PATH):
        requests = (*_file_meant(words, target, bench), *requests)
    if requests:
        return Understood(words, summary, requests)
    is_reply = bool(words) and reply.finish_reason not in (LENGTH, FILTERED, UNREADABLE, NO_CHOICE)
    return Understood(
        words,
        summary,
        requests,
        problem=named_problem(reply, words, parsed.problem),
        is_whole=is_reply and (thought is not None or _is_prose(words, parsed)),
    )


def _answers_said(words: str) -> tuple[Answer, ...]:
    """The answers in a reply's words, and in blocks that are no file's."""
    blocks = [one.content for one in blocks_of(words) if one.path is None and one.language in _OF_WORDS]
    return newest(answer for text in (*blocks, words) for answer in answers_in(text))


def _file_meant(words: str, path: str, bench: Workbench) -> tuple[Request, ...]:
    source = read_source(bench.read(path) or b"")
    meant = (file_meant(words, path, source.text) if source else None) or functions_meant(words, bench)
    return (meant,) if meant else ()


def _is_prose(words: str, parsed: Parsed) -> bool:
    """Whether a reply is words, and no action in a form that can't be read: then fences have no problem with it."""
    if parsed.problem == NO_PATH and _answers_said(words):
        return True
    return not parsed.problem or (not words.startswith(("{", "[")) and not parse_reply(words).problem)

"""What a model says to the requests of a review, in whichever form it says it. Pure, lenient: a wrong one is no error.

Small models write plain lines: `ANSWER 1: done - renamed it`, `Answer 2: not done - the tests need it`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.agent.asides import without_blocks
from bot.agent.quoting import printable
from bot.records import Answer, Request
from sandbox.contract import clipped

TEXT_CHARS = 2_000

_LINE = re.compile(
    r"^[\s>*_#+`-]*(?:(?P<is_answer>answer|reply)(?:\s+to)?(?:\s+request)?|request)\s*#?\s*(?P<number>\d{1,4})"
    r"[\s*_`]*(?:[:.)=]|[-–—]+(?=\s)|(?=\())[\s*_`]*(?P<said>.*)$",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"^[\s*_`(\[\"']*(?P<no>(?:is\s+)?not\s+(?:yet\s+)?(?:been\s+)?(?:done|needed|changed|fixed|addressed|necessary)\b"
    r"|undone\b|no\b|false\b|won'?t\b|wont\b|skipped\b|rejected\b|declined\b|❌|✗)?"
    r"(?P<yes>(?:is\s+)?(?:done|fixed|yes|true|changed|addressed|ok|resolved|completed?)\b|✅|✓|✔)?"
    r"[\s*_`)\]\"']*[-–—:.,;]*\s*",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(r"^[\s*_`]*(?:\(?(?:what (?:you|was) (?:did|done)|why not)\)?)?[\s.…*_`]*$", re.IGNORECASE)


def answers_in(words: str) -> tuple[Answer, ...]:
    """The answers that stand as lines in a reply's words, outside of fenced blocks; the last one to each request."""
    found: list[tuple[int, list[str]]] = []
    lines: list[str] = []
    for line in without_blocks(words).split("\n"):
        opened = _opened(line)
        if opened:
            lines = [opened["said"]]
            found.append((int(opened["number"]), lines))
        elif line.strip():
            lines.append(line.strip())
        else:
            lines = []
    return newest(one for number, lines in found if (one := answer_of(number, " ".join(lines))))


def without_answers(words: str) -> str:
    """The words without the lines that are answers, each to the end of its paragraph."""
    kept: list[str] = []
    is_answer = False
    for line in words.split("\n"):
        is_answer = bool(_opened(line)) or (is_answer and bool(line.strip()))
        kept += [] if is_answer else [line]
    return "\n".join(kept)


def answer_of(number: int, said: str) -> Answer | None:
    """An answer from words that begin with how far it is, else not done; None where they say nothing."""
    status = _STATUS.match(said)
    text = said[status.end() :] if status else said
    is_done = bool(status and status["yes"] and not status["no"])
    is_told = bool(status and (status["yes"] or status["no"]))
    is_empty = not text.strip() if is_told else False
    return Answer(number, is_done, _bounded(text)) if is_empty or not _PLACEHOLDER.match(text) else None


def answers_of(value: Any) -> tuple[Answer, ...]:
    """The answers in JSON of whatever shape: a list of objects or lines, or an object by number. The rest is left."""
    match value:
        case str():
            return answers_in(value)
        case Mapping() if "number" not in value:
            return newest(one for key, item in value.items() if (one := _answer({"number": key, **_as_object(item)})))
        case Mapping():
            return newest(one for one in (_answer(value),) if one)
        case list():
            return newest(one for item in value for one in _of_item(item))
    return ()


def newest(answers: Iterable[Answer]) -> tuple[Answer, ...]:
    """The last answer to each request, in the order of their numbers."""
    last = {one.number: one for one in answers}
    return tuple(last[number] for number in sorted(last))


def to_requests(answers: Iterable[Answer], requests: Sequence[Request]) -> tuple[Answer, ...]:
    """The answers to requests that there are."""
    numbers = {one.number for one in requests}
    return newest(one for one in answers if one.number in numbers)


def unanswered(requests: Sequence[Request], answers: Iterable[Answer]) -> tuple[int, ...]:
    """The numbers of the requests that have no answer."""
    answered = {one.number for one in answers}
    return tuple(one.number for one in requests if one.number not in answered)


def _of_item(item: Any) -> tuple[Answer, ...]:
    if isinstance(item, str):
        return answers_in(item)
    one = _answer(item) if isinstance(item, Mapping) else None
    return (one,) if one else ()


def _as_object(item: Any) -> Mapping[str, Any]:
    return item if isinstance(item, Mapping) else {"text": item}


def _answer(found: Mapping[str, Any]) -> Answer | None:
    """One answer of an object; `is_done` may be left out, and then the text says it."""
    number = re.search(r"\d{1,4}", str(found.get("number", found.get("request", ""))))
    text = found.get("text", found.get("answer", found.get("reply", "")))
    is_done = found.get("is_done", found.get("done", found.get("status")))
    if number is None or not isinstance(text, str):
        return None
    said = answer_of(int(number[0]), text)
    match is_done:
        case bool():
            return Answer(int(number[0]), is_done, said.text if said and said.is_done == is_done else _bounded(text))
        case str() if told := answer_of(int(number[0]), is_done):
            return Answer(told.number, told.is_done, _bounded(text))
    return said


def _opened(line: str) -> re.Match[str] | None:
    """The beginning of an answer. One that only names a request says its words again, unless it says how far it is."""
    found = _LINE.match(line)
    status = _STATUS.match(found["said"]) if found else None
    is_told = bool(status and (status["yes"] or status["no"]))
    return found if found and (found["is_answer"] or is_told) else None


def _bounded(text: str) -> str:
    return clipped(printable(" ".join(text.split())), TEXT_CHARS)

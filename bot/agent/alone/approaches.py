"""How a program is asked for: each try differs in kind from the one before. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.agent.llm import Message, system, user
from bot.agent.prompts import prompt
from bot.agent.quoting import fenced
from sandbox.contract import clipped

COOLEST = 0.2
WARMEST = 1.0
WARMER_BY = 0.2
CODE_CHARS = 24_000


class Approach(StrEnum):
    """A way of asking.

    PLAIN: the task alone. IN_WORDS: an example first. DIAGNOSIS: the best program so far, and first in words what is
    wrong with it. AFRESH: what was wrong, with the program out of sight. ANOTHER: an example first, then another way
    altogether. AGAIN: what was wrong, and that the last reply held no program.
    """

    PLAIN = "plain"
    IN_WORDS = "in words"
    DIAGNOSIS = "diagnosis"
    AFRESH = "afresh"
    ANOTHER = "another"
    AGAIN = "again"


AFTER_A_FAILURE = (Approach.DIAGNOSIS, Approach.AFRESH, Approach.ANOTHER)
WITHOUT_A_FAILURE = (Approach.PLAIN, Approach.IN_WORDS)


@dataclass(frozen=True, slots=True)
class Tried:
    """What the next prompt knows of the tries before: the best program, what was wrong with it, how many there were.

    `code` is "" where there was none; `complaint` says why the last reply held none, None where it did.
    """

    count: int = 0
    code: str = ""
    problem: str = ""
    complaint: str | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """How one try is asked for, and how warm."""

    approach: Approach
    temperature: float


def next_ways(tried: Tried, drawn: int, count: int) -> Sequence[Way]:
    """How the next `count` tries are asked for, all knowing the same; `drawn` were asked for before."""
    return [_way(tried, number, is_first=number == drawn) for number in range(drawn, drawn + count)]


def messages_for(approach: Approach, instructions: str, task: str, tried: Tried) -> list[Message]:
    """The prompt. It begins the same for all tries at a task, so that servers have its beginning cached."""
    said = _said(approach, tried)
    return [system(instructions), user(f"{task}\n\n{said}" if said else task)]


def _way(tried: Tried, number: int, *, is_first: bool) -> Way:
    """Warmer with every try, for a small model answers the same question with the same program."""
    temperature = round(min(COOLEST + WARMER_BY * number, WARMEST), 2)
    if tried.complaint is not None and is_first:
        return Way(Approach.AGAIN, temperature)
    if not tried.code:
        return Way(WITHOUT_A_FAILURE[number % len(WITHOUT_A_FAILURE)], temperature)
    return Way(AFTER_A_FAILURE[(number - 1) % len(AFTER_A_FAILURE)], temperature)


def _said(approach: Approach, tried: Tried) -> str:
    """What follows the task."""
    match approach:
        case Approach.PLAIN:
            return ""
        case Approach.IN_WORDS:
            return prompt("alone_in_words")
        case Approach.DIAGNOSIS:
            code = fenced(clipped(tried.code, CODE_CHARS), "python")
            return prompt("alone_diagnosis").format(code=code, problem=tried.problem)
        case Approach.AFRESH:
            return f"{_failed(tried)}\n\n{prompt('alone_afresh')}"
        case Approach.ANOTHER:
            return f"{_failed(tried)}\n\n{prompt('alone_another')}"
        case Approach.AGAIN:
            without = prompt("alone_no_code").format(why=tried.complaint or "")
            return f"{_failed(tried)}\n\n{without}" if tried.count else without


def _failed(tried: Tried) -> str:
    """How many programs failed, and what was wrong with the best of them."""
    count = "One attempt" if tried.count == 1 else f"{tried.count} attempts"
    return prompt("alone_failed").format(count=count, problem=tried.problem)

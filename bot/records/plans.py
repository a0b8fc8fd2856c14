"""How a repository's tests are run, and why so."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

_OPENING, _CLOSING = frozenset("({"), frozenset(")}")


@dataclass(frozen=True, slots=True)
class TestPlan:
    """How a repository's tests are run, and where that was learned.

    `directory` is relative to the repository. `report` is a results file (JUnit XML) that the command writes by
    itself, or "". `guessed_from` names the file that the command was guessed from, or "" where it was configured.
    """

    __test__ = False

    test: str
    setup: str = ""
    build: str = ""
    image: str = ""
    directory: str = "."
    report: str = ""
    guessed_from: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing of how tests are run: its key in the repository's configuration, its value, why it is so."""

    key: str
    value: str
    reason: str


def joined(commands: Sequence[str]) -> str:
    """The commands with `&&` between them; one that `&&` would take apart, as `a || b` or `a; b`, in braces."""
    if len(commands) == 1:
        return commands[0]
    return " && ".join(each if _holds_together(each) else f"{{ {each}\n}}" for each in commands)


def _holds_together(command: str) -> bool:
    """Whether nothing but `&&` and pipes stands outside of brackets. What can't be told counts as no."""
    if "\n" in command:
        return False
    lexer = shlex.shlex(command, punctuation_chars=True)
    lexer.commenters = ""
    try:
        tokens = list(lexer)
    except ValueError:
        return False
    depth = 0
    for token in tokens:
        depth += sum(character in _OPENING for character in token if token[0] in "(){};|&")
        depth -= sum(character in _CLOSING for character in token if token[0] in "(){};|&")
        if token.startswith("#") or (depth == 0 and token.strip("(){}") in ("||", ";", "&", ";;")):
            return False
    return depth == 0

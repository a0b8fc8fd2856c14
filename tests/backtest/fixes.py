"""Fixes as files on two sides, so that a test states only the difference that matters."""

from collections.abc import Callable, Mapping

from bot.backtest.words import Given, Told, told_by_message
from bot.records import ChangedFile


def a_file(path: str, before: str | bytes | None, after: str | bytes | None, **modes: str) -> ChangedFile:
    """A changed file; None is a side where it is not. Modes: `was`, `becomes`."""
    sides = [each.encode("utf-8", "surrogatepass") if isinstance(each, str) else each for each in (before, after)]
    found = ["100644" if side is not None else None for side in sides]
    return ChangedFile(path, sides[0], sides[1], modes.get("was", found[0]), modes.get("becomes", found[1]))


def a_fix(source: str = "", test: str = "", *, is_known: Callable[[str], bool] = lambda _: False) -> Given:
    """A fix that writes these lines into a source file, and these into a test."""
    files = [a_file("calc/core.py", "x = 1\n", f"x = 1\n{source}\n")]
    if test:
        files.append(a_file("tests/test_core.py", "", f"{test}\n"))
    return Given(files, is_known)


def told(message: str, source: str = "", test: str = "", *, known: Mapping[str, bool] | None = None) -> Told:
    """What a commit's message says, where the fix is of these lines."""
    return told_by_message(message, a_fix(source, test, is_known=lambda name: (known or {}).get(name, False)))

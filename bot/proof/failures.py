"""What a failure's own words say: the error, where it was raised, what was missing. By pytest and Python. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.records import TestCase, TestStatus

_NO_NAME = re.compile(
    r"^E?[ \t]*ImportError: cannot import name '(?P<name>\w+)' from '?(?P<module>[\w.]+)'?", re.MULTILINE
)
_NO_MODULE = re.compile(r"^E?[ \t]*ModuleNotFoundError: No module named '(?P<name>[\w.]+)'", re.MULTILINE)
_NO_ATTRIBUTE = re.compile(
    r"^E?[ \t]*AttributeError: (?!'(?:NoneType|str|bytes|int|float|bool|list|tuple|dict|set|frozenset|generator)' )"
    r".*has no attribute '(?P<name>\w+)'",
    re.MULTILINE,
)
_NO_PARAMETER = re.compile(r"^E?[ \t]*TypeError: .*unexpected keyword argument '(?P<name>\w+)'", re.MULTILINE)
_PLACE = re.compile(
    r"""^(?:(?P<path>[^\s:]+\.\w+):(?P<line>\d{1,9}): |[ \t]*File "(?P<named>[^"\n]+)", line (?P<numbered>\d{1,9}))""",
    re.MULTILINE,
)
_ERROR = re.compile(r"^(?:E\s+)?(?P<said>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:: .*)?)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Missing:
    """What a test asked for and did not get. `is_import`: it was an import that failed."""

    name: str
    is_import: bool
    is_module: bool = False


def missing_in(message: str) -> Missing | None:
    """What is missing by a failure's words; None where it speaks of nothing that is.

    What a value of a built-in type lacks is not meant: that is a wrong value, not a missing name.
    """
    if found := _last(_NO_NAME, message):
        return Missing(found["name"], is_import=True)
    if found := _last(_NO_MODULE, message):
        return Missing(found["name"], is_import=True, is_module=True)
    found = _last(_NO_ATTRIBUTE, message) or _last(_NO_PARAMETER, message)
    return Missing(found["name"], is_import=False) if found else None


def places_in(message: str) -> Iterator[tuple[str, int]]:
    """The files and lines that a traceback names, in pytest's form or Python's own, as unittest has it."""
    for found in _PLACE.finditer(message):
        yield found["path"] or found["named"], int(found["line"] or found["numbered"])


def place_of(message: str) -> str | None:
    """The file in which the error was raised: of several places the last."""
    return next(reversed([path for path, _ in places_in(message)]), None)


def error_of(message: str) -> str:
    """The error in a line, `Type: message`: of several the last; the last line where there is none."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return raised_in(message) or (lines[-1] if lines else "no message")[:200].rstrip(".")


def raised_in(output: str) -> str:
    """The error that a program's words tell of, of several the last; "" where there is none."""
    found = _last(_ERROR, output)
    return found["said"][:200].rstrip(".") if found else ""


def is_whole_file(case: TestCase) -> bool:
    """Whether this is a file that could not be collected, and no test of it."""
    return case.status is TestStatus.ERROR and case.id == case.file


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = None
    for match in pattern.finditer(text):
        found = match
    return found

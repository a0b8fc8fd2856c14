"""What Node prints when a program dies of an error that nobody caught. Pure."""

import re
from collections.abc import Iterator

_BEGINS = re.compile(r"^(?:file://|node:|/)\S+:\d+$")
_ERROR = re.compile(r"^(?:Uncaught )?(?:\w+\.)*[A-Z]\w*(?: \[\w+\])?: ")
_ENDS = re.compile(r"^Node\.js v\d")


def crash_of(stderr: str, file: str) -> str:
    """The first of the errors told of on stderr that names this file, by its absolute path; "" where none does."""
    named = re.compile(rf"(?<![\w.-]){re.escape(file)}(?![\w-]|\.\w)")
    return next((told for told in _told(stderr) if named.search(told)), "")


def _told(stderr: str) -> Iterator[str]:
    """Each error with its stack: a newer Node says first where it was raised, and its own version last."""
    lines: list[str] = []
    has_place = False
    for line in stderr.splitlines():
        begins = _BEGINS.match(line) is not None
        if begins or _ENDS.match(line) or (_ERROR.match(line) and not has_place):
            yield "\n".join(lines).strip()
            lines, has_place = [], begins
        elif _ERROR.match(line):
            has_place = False
        if not _ENDS.match(line):
            lines.append(line)
    yield "\n".join(lines).strip()

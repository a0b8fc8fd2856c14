"""Files in which two changes are to be kept: what of them is not solved yet."""

import re
from collections.abc import Mapping, Sequence

from bot.agent.texts import read_source
from bot.records import Readable

SHOWN = 5
BOTH = 2
_MARKER = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: |$)")


def unsolved(bench: Readable, paths: Sequence[str]) -> Mapping[str, tuple[int, ...]]:
    """The lines of conflict markers by file, those of files that have some. A line of `=` alone may be a heading's."""
    found: dict[str, tuple[int, ...]] = {}
    read = bench.read_many(paths) if paths else {}
    for path in paths:
        data = read[path] if path in read else bench.read(path)
        source = read_source(data) if data is not None else None
        lines = enumerate(source.lines, start=1) if source else ()
        if marked := tuple(number for number, line in lines if _MARKER.match(line.text)):
            found[path] = marked
    return found


def sides(text: str) -> tuple[str, str] | None:
    """The text as either side has it; None where it holds no conflict."""
    ours: list[str] = []
    theirs: list[str] = []
    goes_to: tuple[list[str], ...] = (ours, theirs)
    is_marked = False
    for line in text.split("\n"):
        match line[:7]:
            case "<<<<<<<" if _MARKER.match(line):
                goes_to, is_marked = (ours,), True
            case "|||||||" if _MARKER.match(line):
                goes_to = ()
            case "=======" if len(goes_to) < BOTH and line == "=======":
                goes_to = (theirs,)
            case ">>>>>>>" if _MARKER.match(line):
                goes_to = (ours, theirs)
            case _:
                for side in goes_to:
                    side.append(line)
    return ("\n".join(ours), "\n".join(theirs)) if is_marked else None


def left_in(found: Mapping[str, tuple[int, ...]]) -> str:
    """Where markers are left, in words; "" where none are."""
    told = []
    for path, numbers in found.items():
        more = ", …" if len(numbers) > SHOWN else ""
        told.append(f"{path} ({'line' if len(numbers) == 1 else 'lines'} {', '.join(map(str, numbers[:SHOWN]))}{more})")
    return f"conflict markers are left in {', '.join(told)}" if told else ""

"""Which of the files that went came again elsewhere. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from bot.proof.arrangements import has_link
from bot.proof.spans import lines_of
from bot.records import ChangedFile

_SIMILAR = 0.5
_LINES_MATCHED = 5_000_000
"""Of one change, over all pairs of files; what is beyond is taken as it is, a file that went and one that came."""


def moves_joined(files: Sequence[ChangedFile]) -> list[ChangedFile]:
    """A file that went and a similar one that came are one file, changed at its new place."""
    gone = [file for file in files if file.after is None and not has_link(file)]
    came = [file for file in files if file.before is None and not has_link(file)]
    origins = dict(_moved_whole(gone, came))
    taken = {old.path for old in origins.values()}
    rest = [new for new in came if new.path not in origins]
    origins |= _moved_and_changed([old for old in gone if old.path not in taken], rest)
    taken = {old.path for old in origins.values()}
    return [_from(origins.get(file.path), file) for file in files if file.path not in taken]


def _from(old: ChangedFile | None, new: ChangedFile) -> ChangedFile:
    return replace(new, before=old.before, before_mode=old.before_mode) if old else new


def _moved_whole(gone: Sequence[ChangedFile], came: Iterable[ChangedFile]) -> Mapping[str, ChangedFile]:
    """The old files by the paths of the new ones that are the same to the byte."""
    waiting: dict[tuple[str, bytes | None], list[ChangedFile]] = {}
    for old in reversed(gone):
        waiting.setdefault((_kind(old), old.before), []).append(old)
    pairs = ((new, waiting.get((_kind(new), new.after))) for new in came if new.after)
    return {new.path: same.pop() for new, same in pairs if same}


def _moved_and_changed(gone: Sequence[ChangedFile], came: Sequence[ChangedFile]) -> Mapping[str, ChangedFile]:
    """The old files by the paths of the new ones that are most like them, and enough so."""
    found: dict[str, ChangedFile] = {}
    waiting = {old.path: (old, Counter(lines_of(old.before))) for old in (gone if came else ())}
    left = _LINES_MATCHED
    for new in came if gone else ():
        best, most, lines = None, _SIMILAR, Counter(lines_of(new.after))
        for old, others in waiting.values():
            if left <= 0:
                return found
            if _kind(old) == _kind(new) and _may_be_similar(lines.total(), others.total()):
                left -= min(len(lines), len(others))
                share = _shared(lines, others) / max(lines.total(), others.total())
                if share > most or (best is None and share == most):
                    best, most = old, share
        if best is not None:
            found[new.path] = best
            del waiting[best.path]
    return found


def _may_be_similar(one: int, other: int) -> bool:
    return min(one, other) > 0 and min(one, other) >= _SIMILAR * max(one, other)


def _shared(one: Counter[bytes], other: Counter[bytes]) -> int:
    fewer, more = sorted((one, other), key=len)
    return sum(min(count, more[line]) for line, count in fewer.items() if line in more)


def _kind(file: ChangedFile) -> str:
    return PurePosixPath(file.path).suffix

"""Which side's files a proof run is made of. Pure, but for `place`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.proof.kinds import goes_with_tests, is_submodule
from bot.records import ChangedFile
from sandbox.contract import File, Workspace, archive_of


class Side(StrEnum):
    """One side of the change."""

    BASE = "base"
    HEAD = "head"


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Whose source and whose tests a proof run is made of. `planted`: with the host's own failing test, if any."""

    source: Side
    tests: Side
    planted: bool = True


A = Arrangement(source=Side.BASE, tests=Side.HEAD)
B = Arrangement(source=Side.HEAD, tests=Side.HEAD)
C = Arrangement(source=Side.HEAD, tests=Side.BASE)
UNPLANTED = Arrangement(source=Side.HEAD, tests=Side.HEAD, planted=False)
UNTOUCHED = Arrangement(source=Side.BASE, tests=Side.BASE)

_SYMLINK = "120000"
EXECUTABLE = "100755"


def overlay(files: Sequence[ChangedFile], arrangement: Arrangement) -> tuple[Side, Mapping[str, File | None]]:
    """Which side to check out, and what to replace in it: path to file, None for what must not be there."""
    if arrangement.source is arrangement.tests:
        return arrangement.source, {}
    moved = (file for file in files if goes_with_tests(file) and not is_submodule(file))
    return arrangement.source, {file.path: on_side(file, arrangement.tests) for file in moved}


def place(workspace: Workspace, replacements: Mapping[str, File | None]) -> None:
    """Lay an overlay over a checkout. What is replaced is deleted first, so that a link is never written through."""
    if replacements:
        workspace.remove(list(replacements))
    present = {path: file for path, file in replacements.items() if file is not None}
    if present:
        workspace.put(archive_of(present))


def on_side(file: ChangedFile, side: Side) -> File | None:
    """The file as it is on one side; None: it is not there."""
    data, mode = (file.before, file.before_mode) if side is Side.BASE else (file.after, file.after_mode)
    if data is None:
        return None
    return File(data, executable=mode == EXECUTABLE, symlink=mode == _SYMLINK)


def has_link(file: ChangedFile) -> bool:
    """Whether it is a symbolic link on either side."""
    return _SYMLINK in (file.before_mode, file.after_mode)

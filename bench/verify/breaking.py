"""A fix broken in one of three ways, as what is to be laid over its head. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bench.verify.loosening import loosened
from bench.verify.records import Break, Project, Spot
from bot.records import ChangedFile
from sandbox.contract import File

_EXECUTABLE = "100755"


@dataclass(frozen=True, slots=True)
class Broken:
    """What to put into the head's tree, None for what to take out of it. `spot`: the hunk that was reverted."""

    files: Mapping[str, File | None]
    spot: Spot | None = None


def broken(files: Sequence[ChangedFile], how: Break, project: Project) -> Broken | None:
    """None where there is nothing to break: no assertion that is known here, no hunk of source."""
    tests = [file for file in files if file.path.startswith(project.tests)]
    source = [file for file in files if file.path.startswith(project.source) and file not in tests]
    match how:
        case Break.NONE:
            return Broken({})
        case Break.TEST_DELETED:
            return Broken({file.path: _file(file, file.before) for file in tests}) if tests else None
        case Break.TEST_LOOSENED:
            return _with_loose_tests(tests)
        case Break.HUNK_REVERTED:
            return _without_last_hunk(source)


def _with_loose_tests(tests: Sequence[ChangedFile]) -> Broken | None:
    loose = {file.path: loosened(file.path, file.before, file.after) for file in tests if file.after is not None}
    changed = {file.path: _file(file, data) for file in tests if (data := loose.get(file.path)) is not None}
    return Broken(changed) if changed else None


def _without_last_hunk(source: Sequence[ChangedFile]) -> Broken | None:
    """The last hunk of the last file that the fix changes, of those that are on both sides."""
    for file in reversed(source):
        if file.before is None or file.after is None:
            continue
        old, new = file.before.splitlines(keepends=True), file.after.splitlines(keepends=True)
        opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        hunks = [spans for tag, *spans in opcodes if tag != "equal"]
        if hunks:
            old_start, old_end, start, end = hunks[-1]
            data = b"".join([*new[:start], *old[old_start:old_end], *new[end:]])
            spot = Spot(path=file.path, start=start + min(1, end - start), lines=end - start)
            return Broken({file.path: _file(file, data)}, spot)
    return None


def _file(file: ChangedFile, data: bytes | None) -> File | None:
    mode = file.after_mode or file.before_mode
    return None if data is None else File(data, executable=mode == _EXECUTABLE)

"""Taking a change back in the files, so that one which did not work is out of the model's sight."""

from collections.abc import Callable

from bot.agent.diff_reading import readable
from bot.agent.diffs import FileDiff, created, patched, reversed_diffs
from bot.agent.texts import EMPTY, Unplaced, read_source, rewritten
from bot.records import Change, Workbench


def set_back(bench: Workbench, change: Change, *, keeps: Callable[[str], bool] = lambda _: False) -> tuple[str, ...]:
    """Undo the change in files that the base has; new ones (a test) stay. Returns the paths that are as before again.

    A file whose change can't be undone exactly (binary, renamed, changed since) is left as it is, and so is one that
    `keeps` says yes to.
    """
    undone: list[str] = []
    for path, diff in reversed_diffs(readable(change.patch)).items():
        data = bench.read(path)
        source = read_source(data) if data is not None and diff.new_path == path else None
        if source is None or keeps(path):
            continue
        text = patched(source.text, diff)
        new = text if isinstance(text, Unplaced) else rewritten(source, text)
        if not isinstance(new, Unplaced):
            bench.write(path, new)
            undone.append(path)
    return tuple(undone)


def take_back(bench: Workbench, change: Change, *, keeps: Callable[[str], bool] = lambda _: False) -> tuple[str, ...]:
    """Undo the change in every file: as `set_back`, new files deleted, deleted ones there again."""
    undone = list(set_back(bench, change, keeps=keeps))
    for diff in readable(change.patch):
        path = diff.old_path if diff.new_path is None else diff.new_path
        if path is None or keeps(path) or (diff.old_path is not None and diff.new_path is not None):
            continue
        if diff.old_path is None:
            if bench.read(path) is not None:
                bench.delete(path)
                undone.append(path)
        elif bench.read(path) is None:
            data = rewritten(EMPTY, created(_the_other_way(diff)))
            if not isinstance(data, Unplaced):
                bench.write(path, data)
                undone.append(path)
    return tuple(undone)


def _the_other_way(diff: FileDiff) -> FileDiff:
    hunks = tuple(hunk.reversed for hunk in diff.hunks)
    ends_without_newline = bool(hunks) and not hunks[-1].ends_after
    return FileDiff(diff.new_path, diff.old_path, hunks, ends_without_newline)

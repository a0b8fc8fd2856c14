"""Taking a change back in the files, so that one which did not work is out of the model's sight."""

from collections.abc import Callable

from bot.agent.diff_reading import readable
from bot.agent.diffs import FileDiff, created, patched, reversed_diffs
from bot.agent.starting import differing
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


def go_back(
    bench: Workbench,
    change: Change,
    start: Change,
    *,
    keeps: Callable[[str], bool] = lambda _: False,
    keeps_new: bool = False,
) -> tuple[str, ...]:
    """Bring the files from a change back to where the run began: to the base, or to the change that was there already.

    With `keeps_new` files that the run has added (a test) stay. Returns the paths that are as they were.
    """
    if start.is_empty:
        return (set_back if keeps_new else take_back)(bench, change, keeps=keeps)
    now, then = _by_path(change), _by_path(start)
    unreadable = ({*change.paths} - now.keys()) | ({*start.paths} - then.keys())
    undone: list[str] = []
    for path in sorted(differing(change, start) - unreadable):
        is_new = path in now and now[path].old_path is None and path not in then
        if keeps(path) or (keeps_new and is_new):
            continue
        if _as_then(bench, path, now.get(path), then.get(path)):
            undone.append(path)
    return tuple(undone)


def _by_path(change: Change) -> dict[str, FileDiff]:
    """What can be read of a change, by path; a renamed file is none that can be had back."""
    both = [(diff, diff.new_path or diff.old_path) for diff in readable(change.patch)]
    return {path: diff for diff, path in both if path and diff.old_path in (None, path)}


def _as_then(bench: Workbench, path: str, now: FileDiff | None, then: FileDiff | None) -> bool:
    """Bring one file from what `now` made of the base's to what `then` made of it; False where that can't be done."""
    data = bench.read(path)
    source = read_source(data) if data is not None else EMPTY
    if source is None:
        return False
    present = None if data is None else source.text
    on_base = _text_by(_the_other_way(now), present) if now else present
    text = _text_by(then, on_base) if then else on_base
    if isinstance(text, Unplaced):
        return False
    if text is None:
        if data is not None:
            bench.delete(path)
        return data is not None
    new = rewritten(source, text)
    if isinstance(new, Unplaced):
        return False
    bench.write(path, new)
    return True


def _text_by(diff: FileDiff, text: str | Unplaced | None) -> str | Unplaced | None:
    """A file's text after a diff of it; None where there is no file then."""
    if diff.new_path is None or isinstance(text, Unplaced):
        return text if isinstance(text, Unplaced) else None
    if diff.old_path is None:
        return created(diff)
    return Unplaced("it is not there") if text is None else patched(text, diff)


def _the_other_way(diff: FileDiff) -> FileDiff:
    hunks = tuple(hunk.reversed for hunk in diff.hunks)
    ends_without_newline = bool(hunks) and not hunks[-1].ends_after
    return FileDiff(diff.new_path, diff.old_path, hunks, ends_without_newline)

"""Setting files back to the base, so that a change which did not work is out of the model's sight."""

from bot.agent.diffs import parse_diff, patched, reversed_diffs
from bot.agent.texts import Unplaced, read_source, rewritten
from bot.records import Change, Workbench


def set_back(bench: Workbench, change: Change) -> tuple[str, ...]:
    """Undo the change in files that the base has, new ones (a test) stay. Returns the paths that are as before again.

    A file whose change can't be undone exactly (binary, renamed, changed since) is left as it is.
    """
    diffs = parse_diff(change.patch)
    if isinstance(diffs, Unplaced):
        return ()
    undone: list[str] = []
    for path, diff in reversed_diffs(diffs).items():
        data = bench.read(path)
        source = read_source(data) if data is not None and diff.new_path == path else None
        if source is None:
            continue
        text = patched(source.text, diff)
        new = text if isinstance(text, Unplaced) else rewritten(source, text)
        if not isinstance(new, Unplaced):
            bench.write(path, new)
            undone.append(path)
    return tuple(undone)

"""What became of the conflicts that a run was to solve: which side was taken, and where neither was."""

from bot.records import Kept, SolvedConflict
from bot.repository import Mirror
from bot.runs.branch import Footing


def sides_taken(mirror: Mirror, footing: Footing, tree: str) -> tuple[SolvedConflict, ...]:
    """Of each file that conflicted, which side the tree has it from, by content and mode."""
    if not footing.conflicts:
        return ()
    branch, base, now = (mirror.entries(each) for each in (footing.onto, footing.base, tree))

    def kept(path: str) -> Kept:
        held = now.get(path)
        if held == branch.get(path):
            return Kept.BRANCH
        return Kept.BASE if held == base.get(path) else Kept.BOTH

    known = [path for path in footing.conflicts if any(path in each for each in (branch, base, now))]
    return tuple(SolvedConflict(path, kept(path), is_there=path in now) for path in known)

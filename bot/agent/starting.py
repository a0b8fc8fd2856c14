"""What a run goes on from, where that is not the base: its own work told from what a branch held already. Pure.

Compared is to the letter: a review may well ask for another comment.
"""

import re

from bot.agent.diff_reading import unquoted
from bot.records import Change

NOTHING = Change()
"""Where a run begins at the base."""

_FILE = re.compile(r'^diff --git .* ("?)b/(.+?)"?$')


def parts_of(patch: str) -> dict[str, str]:
    """A git patch file by file, without the object ids, which say nothing that the lines do not."""
    parts: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in patch.split("\n"):
        opener = _FILE.match(line)
        if opener:
            lines = parts.setdefault(unquoted(opener[2]) if opener[1] else opener[2], [])
        if not line.startswith("index "):
            lines.append(line)
    return {path: "\n".join(part).rstrip("\n") + "\n" for path, part in parts.items()}


def differing(change: Change, start: Change) -> frozenset[str]:
    """The files in which a change is not what the run began with, be it that they are as on the base again."""
    if start.is_empty:
        return frozenset(change.paths)
    now, then = parts_of(change.patch), parts_of(start.patch)
    return frozenset(path for path in {*now, *then} if now.get(path) != then.get(path))


def is_idle(change: Change, start: Change) -> bool:
    """Whether nothing was done: the change is what the run began with, or there is none at all any more."""
    return change.is_empty or not differing(change, start)


def own_part(change: Change, start: Change) -> str:
    """The patch of those files in which the run did something."""
    if start.is_empty:
        return change.patch
    changed = differing(change, start)
    return "".join(part for path, part in parts_of(change.patch).items() if path in changed)

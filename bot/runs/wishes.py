"""What a repository asks of those who contribute, as its default branch says it: wishes, bounded. Pure."""

from collections.abc import Callable, Iterator, Mapping

from bot.records import storable
from bot.repository import Entry
from bot.runs.reading import visible

WISH_SHOWN = 4_000
WISHES_SHOWN = 12_000
"""Characters of one file, and of all together."""
_BYTES_READ = 200_000

_FOLDERS = ("", ".github/", "docs/")
_NAMES = (
    *(f"{folder}contributing{ending}" for folder in _FOLDERS for ending in (".md", "", ".rst", ".txt")),
    "agents.md",
    "claude.md",
    ".github/copilot-instructions.md",
    *(f"{folder}pull_request_template{ending}" for folder in (".github/", "", "docs/") for ending in (".md", "")),
)
"""In lower case, in the order in which they are shown; GitHub takes its own in any letter case.

Source: https://docs.github.com/en/communities/setting-up-your-project-for-healthy-contributions
"""
_PLAIN = ("100644", "100755")


def wishes_of(entries: Mapping[str, Entry], read: Callable[[str], bytes | None]) -> tuple[tuple[str, str], ...]:
    """The wishes by the file that says them. The same text is shown once; a link is followed to no other file."""
    return tuple(_bounded(_found(entries, read)))


def _found(entries: Mapping[str, Entry], read: Callable[[str], bytes | None]) -> Iterator[tuple[str, str]]:
    by_name = {path.casefold(): path for path in sorted(entries, reverse=True)}
    seen: set[str] = set()
    for name in _NAMES:
        path = by_name.get(name)
        entry = entries[path] if path is not None else None
        if path is None or entry is None or entry.mode not in _PLAIN or entry.sha in seen:
            continue
        seen.add(entry.sha)
        if (entry.size or 0) <= _BYTES_READ and (data := read(path)) is not None:
            yield path, storable(visible(data.decode("utf-8", "replace")))


def _bounded(found: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    left = WISHES_SHOWN
    for path, text in found:
        most = min(WISH_SHOWN, left)
        if not text or most <= 0:
            continue
        left -= min(len(text), most)
        yield path, text if len(text) <= most else text[:most] + "\n[… cut …]"

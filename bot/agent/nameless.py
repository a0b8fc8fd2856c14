"""A block of code that names no file, where only one file can be meant: small models often leave the path out. Pure."""

from bot.agent.actions import Request, Write, asked
from bot.agent.blocks import SHELLS, WITHOUT_PATH, blocks_of
from bot.agent.search_replace import has_markers

SAME_LINES = 0.5
"""The part of the file's lines that the block must hold, to be taken for the file."""


def file_meant(words: str, path: str, text: str) -> Request | None:
    """The writing of the file at `path`, whose text is `text`, where one block without a path is that file, whole."""
    blocks = blocks_of(words)
    nameless = [one for one in blocks if one.path is None and one.language not in SHELLS | WITHOUT_PATH]
    if len(nameless) != 1 or any(one.path == path for one in blocks):
        return None
    block = nameless[0]
    if not block.is_closed or has_markers(block.content) or not _holds_most_of(block.content, text):
        return None
    return asked(Write(path, block.content, fenced=True))


def _holds_most_of(new: str, old: str) -> bool:
    lines = [line.strip() for line in old.split("\n") if line.strip()]
    there = {line.strip() for line in new.split("\n")}
    return bool(lines) and sum(line in there for line in lines) >= len(lines) * SAME_LINES

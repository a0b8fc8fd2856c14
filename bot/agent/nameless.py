"""A block of code that names no file, where only one file can be meant: small models often leave the path out."""

import ast
from collections.abc import Sequence

from bot.agent.actions import Request, Write, asked
from bot.agent.blocks import Block, blocks_of
from bot.agent.elision import UNPARSEABLE
from bot.agent.excerpts import Spliced, file_of, spliced
from bot.agent.fences import holds_fences
from bot.agent.naming import SHELLS, WITHOUT_PATH
from bot.agent.search_replace import has_markers
from bot.agent.targets import suffix_of
from bot.agent.texts import read_source
from bot.records import Readable

SAME_LINES = 0.5
"""The part of the file's lines that the block must hold, to be taken for the file."""


def file_meant(words: str, path: str, text: str) -> Request | None:
    """The writing of the file at `path`, whose text is `text`, where one block without a path is that file, whole."""
    blocks = blocks_of(words)
    block = _nameless(blocks)
    if block is None or any(one.path == path for one in blocks):
        return None
    at = blocks.index(block)
    if holds_fences(block, path, blocks[at + 1 : at + 2]):
        return None
    if not _holds_most_of(block.content, text) or _loses_a_definition(text, block.content):
        return None
    return asked(Write(path, block.content, fenced=True))


def functions_meant(words: str, bench: Readable) -> Request | None:
    """The writing of functions into the one file that has them all, where one block without a path holds them."""
    block = _nameless(blocks_of(words))
    suffix = suffix_of(block.language) if block else None
    path = file_of(block.content, suffix, bench) if block and suffix else None
    source = read_source(bench.read(path) or b"") if path else None
    if block is None or path is None or source is None:
        return None
    is_part = isinstance(spliced(path, source.text, block.content), Spliced)
    return asked(Write(path, block.content, fenced=True)) if is_part else None


def _nameless(blocks: Sequence[Block]) -> Block | None:
    """The one block that is code and names no file."""
    found = [one for one in blocks if one.path is None and one.language not in SHELLS | WITHOUT_PATH]
    return found[0] if len(found) == 1 and found[0].is_closed and not has_markers(found[0].content) else None


def _loses_a_definition(old: str, new: str) -> bool:
    """Whether both are Python, and the new one lacks a function or class of the old one: then it is an excerpt."""
    try:
        before, after = (
            {one.name for one in ast.parse(text).body if isinstance(one, ast.FunctionDef | ast.ClassDef)}
            for text in (old, new)
        )
    except UNPARSEABLE:
        return False
    return not before <= after


def _holds_most_of(new: str, old: str) -> bool:
    lines = [line.strip() for line in old.split("\n") if line.strip()]
    there = {line.strip() for line in new.split("\n")}
    return bool(lines) and sum(line in there for line in lines) >= len(lines) * SAME_LINES

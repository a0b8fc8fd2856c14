"""The fenced dialect: reading actions out of a reply's fenced blocks. Pure.

A reply is read whole or not at all: a block that was cut off, or whose end can't be told, makes the reply a problem
that is answered, and nothing of it is done.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.agent.actions import (
    AnswerIssue,
    Ask,
    Delete,
    Finish,
    ListFolder,
    Patch,
    Read,
    Request,
    Run,
    Search,
    Write,
    asked,
)
from bot.agent.answers import answers_in, without_answers
from bot.agent.blocks import Block, blocks_of
from bot.agent.edits import is_broken_python
from bot.agent.json_actions import PREVIEW_CHARS, UNREADABLE, is_meant_as_actions, requests_in
from bot.agent.naming import DIFFS, SHELLS
from bot.agent.search_replace import has_markers, pairs_of

_OPENER = re.compile(r"^ {0,3}(`{3,}|~{3,})\s*[^\s`]")
_TOOL_CALL = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_TOOL_CALLS = re.compile(r"\A\s*\[TOOL_CALLS\]\s*(\[.*\])\s*\Z", re.DOTALL)
_DIFF = re.compile(r"diff --git |Index: \S+\n=+\n|\*\*\* (?:Begin Patch|Update File:)|--- \S[^\n]*\n\+\+\+ \S")
_HUNKS = re.compile(r"\s*@@(?:\s|$)")
_DIFF_FILES = (".diff", ".patch")

SAME_BLOCKS = 3
"""So many times the same block is a loop, in which small models end."""

NO_END = (
    "a fenced block has no end, so nothing was done: the reply was cut off, or the block holds fences itself and needs "
    "a longer fence around it (four backticks). Write a shorter reply, or use SEARCH/REPLACE blocks"
)
CUT_OFF = "the reply was cut off at its length limit, so nothing was done. Write less: SEARCH/REPLACE blocks only"
NUL = "the reply holds a NUL character, which no file or command takes, so nothing was done: write it as an escape"
ESCAPED = "a block's < and > came as &lt; and &gt;, so nothing was done: write them as they are"
NOT_FENCED = "the change must stand in a fenced block"
NO_PATH = "a block of code has no path: write it on the fence, as in ```python path=src/a.py"


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a reply asks for; or, with a `problem`, why nothing of it is done."""

    requests: tuple[Request, ...] = ()
    problem: str = ""


def parse_reply(text: str, *, is_truncated: bool = False) -> Parsed:
    """Read the actions of a reply in the fenced dialect."""
    blocks = blocks_of(text)
    looped = _looped(blocks) if is_truncated else ()
    blocks, is_truncated = (looped, False) if looped else (blocks, is_truncated)
    problem = NUL if "\0" in text else _problem(blocks, is_truncated=is_truncated)
    if problem:
        return Parsed(problem=problem)
    if not blocks:
        return _without_fences(text)
    requests: list[Request] = []
    for block in blocks:
        found = _requests(block)
        if isinstance(found, str):
            return Parsed(problem=found)
        requests += found
    is_nameless = any(block.path is None and block.language not in SHELLS for block in blocks)
    return Parsed(tuple(requests), "" if requests or not is_nameless else NO_PATH)


def _without_fences(text: str) -> Parsed:
    """JSON alone is taken, and so are the tags in which some models write a tool call when their server does not."""
    calls = [*_TOOL_CALL.findall(text), *_TOOL_CALLS.findall(text)]
    bare = [request for found in calls for request in _json_requests(found)]
    bare = bare or list(_json_requests(text.strip()))
    loose = "<<<<<<< SEARCH" in text or "\n@@ " in text
    return Parsed(tuple(bare), NOT_FENCED if loose and not bare else "")


def _looped(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks, each once, of a reply that gave the same one again until it was cut off; none of any other."""
    closed = [block for block in blocks if block.is_closed]
    if not closed or closed.count(closed[-1]) < SAME_BLOCKS:
        return ()
    *_, last = blocks
    is_one_more = len(blocks) - len(closed) <= 1 and closed[-1].content.startswith(last.content.rstrip("\n"))
    return tuple(dict.fromkeys(closed)) if is_one_more else ()


def _problem(blocks: Sequence[Block], *, is_truncated: bool) -> str:
    if any(not block.is_closed for block in blocks):
        return NO_END
    if is_truncated:
        return CUT_OFF
    for at, block in enumerate(blocks):
        if _is_escaped(block.content):
            return ESCAPED
        if block.path and holds_fences(block, block.path, blocks[at + 1 : at + 2]):
            return (
                f"{block.path}: it can't be told where the block ends, for the file holds fences itself; nothing was "
                "done. Put a longer fence around it (four backticks)"
            )
    return ""


def holds_fences(block: Block, path: str, following: Sequence[Block]) -> bool:
    """Whether the file's own fence may have been taken for the end of the block."""
    openers = [found[1] for line in block.content.split("\n") if (found := _OPENER.match(line))]
    if any(opener[0] == block.fence[0] and len(opener) >= len(block.fence) for opener in openers):
        return True
    if not any(after.is_bare and after.fence == block.fence for after in following) or has_markers(block.content):
        return False
    return not path.endswith((".py", ".pyi")) or is_broken_python(path, block.content)


def _requests(block: Block) -> tuple[Request, ...] | str:
    """What a block asks for: nothing where it only shows something; a text where it is malformed."""
    if has_markers(block.content):
        pairs = pairs_of(block)
        return pairs if isinstance(pairs, str) else tuple(asked(edit) for edit in pairs)
    lines = [line.strip() for line in block.content.split("\n") if line.strip()]
    named = [line.removeprefix("- ").strip("`") for line in lines] or ([block.path] if block.path else [])
    found: list[Request] = []
    match block.language:
        case "read":
            found = [asked(_read(line)) for line in named]
        case "search":
            found = [asked(Search(line)) for line in lines]
        case "list":
            found = [asked(ListFolder(line)) for line in named or ["."]]
        case "delete":
            found = [asked(Delete(line)) for line in named]
        case "ask":
            found = [asked(Ask(" ".join(lines)))] if lines else []
        case "answer" if not answers_in(block.content):
            found = [asked(AnswerIssue(block.content.strip()))] if lines else []
        case "finish" | "answer":
            words = [line.strip() for line in without_answers(block.content).split("\n") if line.strip()]
            found = [asked(Finish(" ".join(words), answers_in(block.content)))]
        case _:
            return _code(block)
    return tuple(found)


def _code(block: Block) -> tuple[Request, ...] | str:
    """What a block in some programming language asks for."""
    if block.path is None and block.language in SHELLS:
        return (asked(Run(_typed(block.content, block.language))),) if block.content.strip() else ()
    if block.path is None and (block.language == "json" or (not block.language and requests_in(block.content))):
        return _json_requests(block.content)
    diff = _diff(block)
    if diff is not None:
        return (asked(Patch(diff)),)
    if block.path is None:
        return ()
    return (asked(Write(block.path, block.content, fenced=True, heading=block.heading)),)


def _diff(block: Block) -> str | None:
    """The unified diff that a block is, whatever it calls itself; hunks alone are of the file that the block names."""
    if block.path and block.path.endswith(_DIFF_FILES):
        return None
    if _DIFF.match(block.content.lstrip("\n")):
        return block.content
    if block.path and (_HUNKS.match(block.content) or block.language in DIFFS):
        header = "" if _HUNKS.match(block.content) else "@@\n"
        return f"--- a/{block.path}\n+++ b/{block.path}\n{header}{block.content}"
    return block.content if block.language in DIFFS else None


def _is_escaped(content: str) -> bool:
    """Whether a block has SEARCH/REPLACE pairs whose signs were written as HTML."""
    return "&lt;&lt;&lt;" in content and has_markers(html.unescape(content)) and not has_markers(content)


def _read(line: str) -> Read:
    found = re.fullmatch(r"(.+?):(\d{1,9})(?:-(\d{1,9}))?", line)
    return Read(found[1], int(found[2]), int(found[3] or found[2])) if found else Read(line)


def _typed(content: str, language: str) -> str:
    """A console's transcript has `$ ` before each command, and output that is none."""
    lines = content.split("\n")
    typed = [line.strip()[2:] for line in lines if line.strip().startswith("$ ")]
    is_transcript = language in ("console", "shell-session") or lines[0].startswith("$ ")
    return "\n".join(typed) if typed and is_transcript else content


def _json_requests(content: str) -> tuple[Request, ...]:
    """Actions that were written as JSON; other JSON only shows something."""
    found = requests_in(content)
    if found is not None:
        return found
    is_meant = is_meant_as_actions(content)
    return (Request(UNREADABLE, content[:PREVIEW_CHARS], None, "the JSON does not parse"),) if is_meant else ()

"""The fenced dialect: reading actions out of a reply's fenced blocks, by CommonMark's rules. Pure.

A reply is read whole or not at all: a block that was cut off, or whose end can't be told, makes the reply a problem
that is answered, and nothing of it is done.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt

from bot.agent.actions import (
    Action,
    Delete,
    Edit,
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
from bot.agent.edits import is_broken_python
from bot.agent.tools import request_of

SHELLS = frozenset({"sh", "bash", "shell", "zsh", "console", "shell-session"})
VERBS = frozenset({"read", "search", "list", "delete", "finish"})
DIFFS = frozenset({"diff", "patch", "udiff"})

_ATTRIBUTE = re.compile(r"""(?:path|file|filename|title|name)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s"'}]+))""")
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+\[\]()-]+)*")
_PATH_LINE = re.compile(
    r"^(?:[#>*\s]*)(?:(?:file|path|filename)(?:name)?\s*:\s*)?[*_`\"']*([^\s*`\"']+?)[*_`\"':]*\s*$", re.I
)
_SEARCH = re.compile(r"^<{5,9} ?SEARCH\b.*$")
_DIVIDER = re.compile(r"^={5,9}$")
_REPLACE = re.compile(r"^>{5,9} ?REPLACE\b.*$")
_OPENER = re.compile(r"^ {0,3}(`{3,}|~{3,})\s*[^\s`]")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block. `path` is what the fence, or the line before it, says the block is about."""

    language: str
    path: str | None
    content: str
    fence: str
    is_closed: bool


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a reply asks for; or, with a `problem`, why nothing of it is done."""

    requests: tuple[Request, ...] = ()
    problem: str = ""


def parse_reply(text: str, *, is_truncated: bool = False) -> Parsed:
    """Read the actions of a reply in the fenced dialect."""
    blocks = blocks_of(text)
    problem = _problem(blocks, is_truncated=is_truncated)
    if problem:
        return Parsed(problem=problem)
    if not blocks:
        bare = _json_requests(text.strip())
        if bare:
            return Parsed(bare)
        loose = "<<<<<<< SEARCH" in text or "\n@@ " in text
        return Parsed(problem="the change must stand in a fenced block" if loose else "")
    requests: list[Request] = []
    nameless = False
    for block in blocks:
        found = _requests(block)
        if isinstance(found, str):
            return Parsed(problem=found)
        requests += found
        nameless = nameless or (not found and block.path is None and block.language not in SHELLS)
    if not requests and nameless:
        return Parsed(problem="a block of code has no path: write it on the fence, as in ```python path=src/a.py")
    return Parsed(tuple(requests))


def blocks_of(text: str) -> tuple[Block, ...]:
    """The fenced blocks of a text, in order. HTML has no meaning here, so that `<answer>` does not hide a fence."""
    parser = MarkdownIt("commonmark").disable(["html_block", "html_inline"])
    lines = re.split(r"\r\n?|\n", text)
    blocks = []
    for token in parser.parse(text):
        if token.type == "fence" and token.map:
            first, end = token.map
            language, path = _info(token.info.strip())
            indent = len(lines[first]) - len(lines[first].lstrip())
            blocks.append(
                Block(
                    language=language,
                    path=path or _path_before(lines[:first], language),
                    content=_content(token.content, lines[first + 1 : end], indent),
                    fence=token.markup,
                    is_closed=end - first > 1 and _closes(lines[end - 1], token.markup),
                )
            )
    return tuple(blocks)


def code_of(text: str) -> str | None:
    """The last block of code of a reply, whatever its language says; None where there is none or it was cut off."""
    blocks = [block for block in blocks_of(text) if block.language not in SHELLS | {"text", "json", "output"}]
    return blocks[-1].content if blocks and blocks[-1].is_closed else None


def _problem(blocks: Sequence[Block], *, is_truncated: bool) -> str:
    if any(not block.is_closed for block in blocks):
        return (
            "a fenced block has no end, so nothing was done: the reply was cut off, or the block holds fences itself and "
            "needs a longer fence around it (four backticks). Write a shorter reply, or use SEARCH/REPLACE blocks"
        )
    if is_truncated:
        return "the reply was cut off at its length limit, so nothing was done. Write less: SEARCH/REPLACE blocks only"
    for at, block in enumerate(blocks):
        if block.path and _holds_fences(block, blocks[at + 1 : at + 2]):
            return (
                f"{block.path}: it can't be told where the block ends, for the file holds fences itself; nothing was "
                "done. Put a longer fence around it (four backticks)"
            )
    return ""


def _holds_fences(block: Block, following: Sequence[Block]) -> bool:
    """Whether the file's own fence may have been taken for the end of the block."""
    openers = [found[1] for line in block.content.split("\n") if (found := _OPENER.match(line))]
    if any(opener[0] == block.fence[0] and len(opener) >= len(block.fence) for opener in openers):
        return True
    is_nameless = any(not after.language and not after.path and after.fence == block.fence for after in following)
    if not is_nameless or _has_markers(block.content):
        return False
    return not str(block.path).endswith((".py", ".pyi")) or is_broken_python(str(block.path), block.content)


def _closes(line: str, fence: str) -> bool:
    bare = line.lstrip(" >\t").rstrip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _content(content: str, raw: Sequence[str], indent: int) -> str:
    """The block's lines. CommonMark takes the fence's indentation off each; it stays where not every line has it."""
    body = raw[:-1] if raw else raw
    shifted = all(line.startswith(" " * indent) for line in body if line.strip())
    if indent == 0 or shifted or any(line.lstrip().startswith(">") for line in body[:1]):
        return content
    return "".join(f"{line}\n" for line in body)


def _info(info: str) -> tuple[str, str | None]:
    """The language and the path of an info string: `python path=a.py`, `python title="a.py"`, `python:a.py`, `src/a.py`."""
    language = info.split()[0] if info.split() else ""
    attribute = _ATTRIBUTE.search(info)
    if attribute:
        path = next(group for group in attribute.groups() if group)
        return language.split("=")[0].split(":")[0].lower(), path
    if ":" in language and _looks_like_a_path(language.split(":", 1)[1]):
        language, path = language.split(":", 1)
        return language.lower(), path
    words = info.split()
    if len(words) == 2 and _looks_like_a_path(words[1]):
        return language.lower(), words[1]
    if "/" in language and "." in language.rsplit("/", 1)[1]:
        return "", language
    return language.lower(), None


def _path_before(lines: Sequence[str], language: str) -> str | None:
    """A path that stands alone on the line before the fence, one blank line allowed between."""
    if language in VERBS | DIFFS | {"json"}:
        return None
    above = [line for line in lines[-2:] if line.strip()]
    found = _PATH_LINE.match(above[-1]) if above else None
    if not found or not _looks_like_a_path(found[1]):
        return None
    return None if language in SHELLS and not found[1].endswith((".sh", ".bash", ".zsh")) else found[1]


def _looks_like_a_path(word: str) -> bool:
    return bool(_PATH.fullmatch(word)) and ("/" in word or "." in word.strip(".")) and not re.fullmatch(r"[\d.]+", word)


def _requests(block: Block) -> tuple[Request, ...] | str:
    """What a block asks for: nothing where it only shows something; a text where it is malformed."""
    lines = [line.strip() for line in block.content.split("\n") if line.strip()]
    match block.language:
        case "read":
            return tuple(asked(_read(line)) for line in lines)
        case "search":
            return tuple(asked(Search(line)) for line in lines)
        case "list":
            return tuple(asked(ListFolder(line)) for line in lines or ["."])
        case "delete":
            return tuple(asked(Delete(line)) for line in lines)
        case "finish":
            return (asked(Finish(" ".join(lines))),)
        case language if language in SHELLS and block.path is None:
            return (asked(Run(_without_prompts(block.content, language))),) if lines else ()
        case "json" if block.path is None:
            return _json_requests(block.content)
        case language if language in DIFFS and ("\n+++ " in block.content or not block.path):
            return (asked(Patch(block.content)),)
    return _change(block)


def _change(block: Block) -> tuple[Request, ...] | str:
    if _has_markers(block.content):
        return _search_replace(block)
    if block.path is None:
        return ()
    return (asked(Write(block.path, block.content, fenced=True)),)


def _has_markers(content: str) -> bool:
    return any(_SEARCH.match(line) for line in content.split("\n"))


def _search_replace(block: Block) -> tuple[Request, ...] | str:
    """The SEARCH/REPLACE pairs of a block; the path may stand on the line before the first marker."""
    path = block.path
    edits: list[Action] = []
    search: list[str] | None = None
    replace: list[str] | None = None
    for line in block.content.removesuffix("\n").split("\n"):
        if _SEARCH.match(line):
            if search is not None:
                return "a SEARCH block begins inside another: each needs its own ======= and >>>>>>> REPLACE line"
            search = []
        elif _REPLACE.match(line):
            if search is None or replace is None:
                return "a >>>>>>> REPLACE line has no <<<<<<< SEARCH and ======= line before it"
            if path is None:
                return "a SEARCH/REPLACE block has no path: write it on the fence, as in ```python path=src/a.py"
            edits.append(Edit(path, _joined(search), _joined(replace), whole_lines=True))
            search = replace = None
        elif search is not None and _DIVIDER.match(line):
            if replace is not None:
                return "a SEARCH/REPLACE block has two lines of =======: leave lines like that out, or write the file whole"
            replace = []
        elif replace is not None:
            replace.append(line)
        elif search is not None:
            search.append(line)
        elif _looks_like_a_path(line.strip()):
            path = line.strip()
    if search is not None:
        return "a SEARCH/REPLACE block has no >>>>>>> REPLACE line, so nothing was done"
    return tuple(asked(edit) for edit in edits)


def _joined(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _read(line: str) -> Read:
    found = re.fullmatch(r"(.+?):(\d+)(?:-(\d+))?", line)
    return Read(found[1], int(found[2]), int(found[3] or found[2])) if found else Read(line)


def _without_prompts(content: str, language: str) -> str:
    """A console's transcript has `$ ` before each command, and output that is none."""
    lines = content.split("\n")
    typed = [line.strip()[2:] for line in lines if line.strip().startswith("$ ")]
    return (
        "\n".join(typed)
        if typed and (language in ("console", "shell-session") or lines[0].startswith("$ "))
        else content
    )


def _json_requests(content: str) -> tuple[Request, ...]:
    """Actions that were written as JSON; other JSON only shows something."""
    try:
        found = json.loads(content)
    except ValueError:
        looks_meant = re.match(r"\s*[\[{]", content) and re.search(r'"(?:action|tool|name)"\s*:', content)
        return (Request("json", content[:200], None, "the JSON does not parse"),) if looks_meant else ()
    items = found if isinstance(found, list) else [found]
    return tuple(request for item in items if (request := _json_request(item)))


def _json_request(item: Any) -> Request | None:
    if not isinstance(item, dict):
        return None
    name = next((item[key] for key in ("action", "tool", "name") if isinstance(item.get(key), str)), None)
    if name is None:
        return None
    inner = next((item[key] for key in ("arguments", "parameters", "args") if key in item), None)
    if inner is None:
        inner = {key: value for key, value in item.items() if key not in ("action", "tool", "name")}
    return request_of(name, inner if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False))

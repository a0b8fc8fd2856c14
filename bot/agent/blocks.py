"""The fenced blocks of a reply, by CommonMark's rules, and which file each is about. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt

SHELLS = frozenset({"sh", "bash", "shell", "zsh", "console", "shell-session"})
PATH_LINE_CHARS = 300
SHELL_FILES = (".sh", ".bash", ".zsh")
DIFFS = frozenset({"diff", "patch", "udiff"})
WITHOUT_PATH = frozenset({"read", "search", "list", "delete", "finish", "json"})

_ATTRIBUTE = re.compile(
    r"""(?:^|[\s{,])(?:path|file|filename|title|name)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s"'},]+))"""
)
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+\[\]()-]+)*")
_PATH_IN_WORDS = re.compile(
    r"^[^`]*\b(?:complete|corrected|create|entire|final|fixed|full|modified|new|revised|updated|whole)\b"
    r"[^`]*`([^`\s]+)`[^`]*:\**\s*$",
    re.IGNORECASE,
)
_PATH_COMMENT = re.compile(
    r"^(?:#|//|--|;|/\*|<!--)\s*(?:(?:file|path|filename|filepath)\s*:\s*)?([^\s:]+?)\s*(?:\*/|-->)?\s*$", re.IGNORECASE
)
_FILE_NAME = re.compile(r"[\w-]+\.(?:py|pyi|ts|tsx|go|rs|java|rb|md|txt|toml|cfg|ini|ya?ml|html|css|c|h|cpp|sh)")
_PATH_LINE = re.compile(
    r"^[#>*\s]*(?:(?:\d+[.)]|[-+])\s+)?(?:\*\*)?(?:(?:file|path|filename)(?:name|path)?\s*:\s*)?"
    r"[*_`\"']*([^\s*`\"']+?)[*_`\"':]*(?:\s*\((?:new|updated|modified|complete|full|whole)[\w ]*\))?[*_`:]*\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block. `path` is what the fence, or the line before it, says the block is about."""

    language: str
    path: str | None
    content: str
    fence: str
    is_closed: bool


def blocks_of(text: str) -> tuple[Block, ...]:
    """The fenced blocks of a text, in order. HTML has no meaning here, so that `<answer>` does not hide a fence."""
    parser = MarkdownIt("commonmark").disable(["html_block", "inline"])
    lines = re.split(r"\r\n?|\n", text)
    blocks = []
    for token in parser.parse(text):
        if token.type == "fence" and token.map:
            first, end = token.map
            language, path = read_info(token.info.strip())
            indent = len(lines[first]) - len(lines[first].lstrip())
            content = _content(token.content, lines[first + 1 : end], indent)
            path = path or _path_before(lines[:first], language)
            if path is None:
                path, content = _path_inside(content, language)
            blocks.append(
                Block(
                    language=language,
                    path=path,
                    content=content,
                    fence=token.markup,
                    is_closed=end - first > 1 and _closes(lines[end - 1], token.markup),
                )
            )
    return tuple(blocks)


def read_info(info: str) -> tuple[str, str | None]:
    """The language and the path of an info string.

    `python path=a.py`, `python title="a.py"`, `python:a.py`, `python a.py`, `src/a.py`; without a path: `c++`, `.env`,
    `text/x-python`.
    """
    words = info.split()
    language = words[0] if words else ""
    attribute = _ATTRIBUTE.search(info)
    if attribute:
        name = re.split(r"[=:{]", language, maxsplit=1)[0]
        return ("" if attribute.start() == 0 else name.lower()), next(group for group in attribute.groups() if group)
    name, colon, rest = language.partition(":")
    if colon and looks_like_a_path(rest):
        return name.lower(), rest
    if len(words) == 2 and looks_like_a_path(words[1]):
        return language.lower(), words[1]
    if len(words) == 1 and _FILE_NAME.fullmatch(language):
        return "", language
    if "/" in language and "." in language.rsplit("/", maxsplit=1)[-1] and ":" not in language:
        return "", language
    return language.lower(), None


def looks_like_a_path(word: str) -> bool:
    """Whether a word can only be a path: it has a slash or a dot, and is no number."""
    return bool(_PATH.fullmatch(word)) and ("/" in word or "." in word.strip(".")) and not re.fullmatch(r"[\d.]+", word)


def _path_before(lines: Sequence[str], language: str) -> str | None:
    """A path on the line before the fence, one blank line allowed between: alone, or in words that announce a file.

    Other words may stand before an excerpt, which must not become the file.
    """
    above = [line for line in lines[-2:] if line.strip() and len(line) <= PATH_LINE_CHARS]
    if not above or language in WITHOUT_PATH:
        return None
    found = _PATH_LINE.match(above[-1]) or _PATH_IN_WORDS.match(above[-1])
    if not found or not looks_like_a_path(found[1]):
        return None
    return None if language in SHELLS and not found[1].endswith(SHELL_FILES) else found[1]


def _path_inside(content: str, language: str) -> tuple[str | None, str]:
    """A path that is the first line's comment, which is then no part of the file."""
    first, _, rest = content.partition("\n")
    found = _PATH_COMMENT.match(first) if language and language not in WITHOUT_PATH | SHELLS | DIFFS else None
    return (found[1], rest) if found and looks_like_a_path(found[1]) else (None, content)


def _closes(line: str, fence: str) -> bool:
    bare = line.lstrip(" >\t").rstrip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _content(content: str, raw: Sequence[str], indent: int) -> str:
    """The block's lines. CommonMark takes the fence's indentation off each; it stays where not every line has it."""
    body = raw[:-1]
    shifted = all(line.startswith(" " * indent) for line in body if line.strip())
    if indent == 0 or shifted or any(line.lstrip().startswith(">") for line in body[:1]):
        return content
    return "".join(f"{line}\n" for line in body)

"""`/selfcode …` in a comment, read as people see the comment: by a Markdown parser, not by a search. Pure.

A command stands at the start of a line of a plain paragraph. In code, quotes, lists, headings, tables and HTML
comments it is only talked about.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt

HINT_LIMIT = 4000
"""Characters of a hint that are kept: it goes into a prompt."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again. `hint` is the rest of the command's line and everything below it."""

    hint: str


@dataclass(frozen=True, slots=True)
class Stop:
    """End the run of this issue."""


@dataclass(frozen=True, slots=True)
class Doctor:
    """Examine the repository."""


@dataclass(frozen=True, slots=True)
class AcceptTests:
    """Let stand what the change does to existing tests."""


@dataclass(frozen=True, slots=True)
class Help:
    """Say what there is. `complaint` says what was wrong with the command, or is ""."""

    complaint: str = ""


Command = Retry | Stop | Doctor | AcceptTests | Help


def read_command(body: str) -> Command | None:
    """The comment's command; None where it has none, `Help` where it has several."""
    lines = body.replace("\r\n", "\n").replace("\r", "\n").replace(_MARK, "").split("\n")
    numbers = list(_command_lines(lines))
    match numbers:
        case []:
            return None
        case [number]:
            return _command(lines[number], below="\n".join(lines[number + 1 :]))
        case _:
            return Help("One command a comment, please: there were several, and none was followed.")


_NAME = re.compile(r"\s*/selfcode(?=\s|$)", re.IGNORECASE)
_MARK = "\ue000"
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)[^>]*(?<!/)>")
_NEVER_CLOSED = frozenset({"br", "hr", "img", "input", "li", "p", "source", "td", "th", "tr", "wbr"})
_MARKED = re.compile(f"/selfcode{_MARK}([0-9]+){_MARK}", re.IGNORECASE)


def _command(line: str, *, below: str) -> Command:  # noqa: PLR0911 - one answer a command
    word, rest = ((*_NAME.sub("", line).split(maxsplit=1), "", ""))[:2]
    match word.rstrip(".,:;!").lower():
        case "retry":
            return Retry(f"{rest}\n{below}".strip()[:HINT_LIMIT])
        case "stop":
            return Stop()
        case "doctor":
            return Doctor()
        case "accept-tests":
            return AcceptTests()
        case "help" | "":
            return Help()
        case _ if re.fullmatch(r"[A-Za-z0-9_-]{1,30}", word):
            return Help(f"There is no command `{word}`.")
        case _:
            return Help("There is no such command.")


def _command_lines(lines: Sequence[str]) -> Iterator[int]:
    """The numbers of the lines that are commands.

    Each line that may be one is marked with its number before the text is parsed, so that what comes out of the parser
    tells where it came from. The mark is a word's continuation to Markdown and changes nothing else.
    """
    marked = [_NAME.sub(rf"\g<0>{_MARK}{number}{_MARK}", line) for number, line in enumerate(lines)]
    depth, is_plain = 0, False
    for token in _markdown().parse("\n".join(marked)):
        if token.type == "html_block":
            depth = _depth(depth, token.content)
        elif token.type == "inline" and is_plain:
            at_line_start = True
            for child in token.children or ():
                depth = _depth(depth, child.content) if child.type == "html_inline" else depth
                found = _MARKED.match(child.content) if child.type == "text" else None
                if found and at_line_start and depth == 0:
                    yield int(found[1])
                at_line_start = child.type in ("softbreak", "hardbreak")
        is_plain = token.type == "paragraph_open" and token.level == 0


def _markdown() -> MarkdownIt:
    """Without joining texts: an escaped slash stays a token of its own, and so is no command."""
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("text_join")


def _depth(depth: int, html: str) -> int:
    """How many HTML elements (`<blockquote>`, `<code>`…) are open after this, when `depth` were before it."""
    for closing, name in _TAG.findall(_COMMENT.sub("", html)):
        if name.lower() not in _NEVER_CLOSED:
            depth = max(0, depth - 1) if closing else depth + 1
    return depth

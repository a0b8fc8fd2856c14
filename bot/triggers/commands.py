"""`/selfcode …` in a comment, and mentions of the bot, read as people see the comment. Pure.

A command stands at the start of a line of a plain paragraph. In code, quotes, lists, headings, tables and HTML
comments it is only talked about.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.triggers.rendered import Place, is_read_whole, said_in

TEXT_LIMIT = 4000
"""Characters of a hint, a note or an answer that are kept: it goes into a prompt."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again. `hint` is the rest of the command's line and everything below it."""

    hint: str


@dataclass(frozen=True, slots=True)
class Stop:
    """End the run of this issue."""


@dataclass(frozen=True, slots=True)
class Status:
    """Say how it stands."""


@dataclass(frozen=True, slots=True)
class Note:
    """A word to the run at work: the rest of the command's line and everything below it, never empty."""

    text: str


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


Command = Retry | Stop | Status | Note | Doctor | AcceptTests | Help


def read_command(body: str) -> Command | None:
    """The comment's command; None where it has none, `Help` where it has several or one that can't be one there."""
    if not talks_of_commands(body):
        return None
    lines = body.replace("\r\n", "\n").replace("\r", "\n").replace(_MARK, "").split("\n")
    marked = "\n".join(_marked(number, line) for number, line in enumerate(lines))
    spoken = list(_spoken_lines(marked))
    numbers = [number for number, place in spoken if place is Place.PROSE]
    match numbers:
        case [number]:
            return _command(lines[number], below="\n".join(lines[number + 1 :]))
        case [_, *_]:
            return Help("One command a comment, please: there were several, and none was followed.")
        case _ if spoken:
            return Help("A command needs an empty line before and after it: here it is part of what stands beside it.")
        case _ if not is_read_whole(marked) and any(map(_NAME.match, lines)):
            return Help("That comment is too long to be read whole: put the command on its first line.")
    return None


def mentions(body: str, login: str) -> bool:
    """Whether the text speaks to the bot: `@slug` or `@slug[bot]`, outside of code, quotes, links and HTML comments."""
    slug = login.removesuffix("[bot]")
    if f"@{slug}".casefold() not in body.casefold():
        return False
    spoken_to = re.compile(rf"(?<![\w@/.-])@{re.escape(slug)}(\[bot\])?(?![\w/-])", re.IGNORECASE)
    return any(said.place is not Place.QUOTE and spoken_to.search(said.text) for said in said_in(body))


def talks_of_commands(body: str) -> bool:
    """Whether `/selfcode` stands anywhere in the text, in code and quotes too."""
    return "/selfcode" in body.casefold()


_UNSEEN = "\u200b\u200c\u200d\u2060\ufeff"
_NAME = re.compile(rf"[\s{_UNSEEN}]*/selfcode(?=[\s{_UNSEEN}]|$)", re.IGNORECASE)
_MARK = "\ue000"
_MARKED = re.compile(f"/selfcode{_MARK}([0-9]+){_MARK}", re.IGNORECASE)


def _command(line: str, *, below: str) -> Command:  # noqa: PLR0911 - one answer a command
    word, rest = ((*_NAME.sub("", line, count=1).lstrip(_UNSEEN).split(maxsplit=1), "", ""))[:2]
    text = f"{rest}\n{below}".strip()[:TEXT_LIMIT]
    match word.rstrip(f".,:;!?…{_UNSEEN}").lower():
        case "retry":
            return Retry(text)
        case "stop":
            return Stop()
        case "status":
            return Status()
        case "note":
            return Note(text) if text else Help("There was nothing in the note: `/selfcode note <text>`.")
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


def _spoken_lines(marked: str) -> Iterator[tuple[int, Place]]:
    """The numbers of the lines that begin with our name, and where each stands. In code none does.

    Each line that may be one was marked with its number before the text is parsed, so that what comes out of the parser
    tells where it came from. The mark is a word's continuation to Markdown and changes nothing else.
    """
    for said in said_in(marked):
        found = _MARKED.match(said.text.lstrip())
        if found and said.opens_line:
            yield int(found[1]), said.place


def _marked(number: int, line: str) -> str:
    found = _NAME.match(line)
    if not found:
        return line
    name = found[0].translate(dict.fromkeys(map(ord, _UNSEEN)))
    return f"{name}{_MARK}{number}{_MARK}{line[found.end() :]}"

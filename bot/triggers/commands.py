"""`/selfcode …` in a comment, and mentions of the bot, read as people see the comment. Pure.

A command stands at the start of a line of a plain paragraph. In code, quotes, lists, headings, tables and HTML
comments it is only talked about.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.triggers.rendered import said_in

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


def mentions(body: str, login: str) -> bool:
    """Whether the text speaks to the bot: `@slug` or `@slug[bot]`, outside of code, quotes, links and HTML comments."""
    slug = re.escape(login.removesuffix("[bot]"))
    spoken_to = re.compile(rf"(?<![\w@/.-])@{slug}(\[bot\])?(?![\w/-])", re.IGNORECASE)
    return any(spoken_to.search(said.text) for said in said_in(body))


def talks_of_commands(body: str) -> bool:
    """Whether `/selfcode` stands anywhere in the text, in code and quotes too."""
    return "/selfcode" in body.casefold()


_NAME = re.compile(r"\s*/selfcode(?=\s|$)", re.IGNORECASE)
_MARK = "\ue000"
_MARKED = re.compile(f"/selfcode{_MARK}([0-9]+){_MARK}", re.IGNORECASE)


def _command(line: str, *, below: str) -> Command:  # noqa: PLR0911 - one answer a command
    word, rest = ((*_NAME.sub("", line).split(maxsplit=1), "", ""))[:2]
    text = f"{rest}\n{below}".strip()[:TEXT_LIMIT]
    match word.rstrip(".,:;!").lower():
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


def _command_lines(lines: Sequence[str]) -> Iterator[int]:
    """The numbers of the lines that are commands.

    Each line that may be one is marked with its number before the text is parsed, so that what comes out of the parser
    tells where it came from. The mark is a word's continuation to Markdown and changes nothing else.
    """
    marked = [_NAME.sub(rf"\g<0>{_MARK}{number}{_MARK}", line) for number, line in enumerate(lines)]
    for said in said_in("\n".join(marked)):
        found = _MARKED.match(said.text)
        if found and said.opens_line and said.is_prose:
            yield int(found[1])

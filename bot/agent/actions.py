"""What a model may ask for, in whichever dialect it speaks."""

import json
from dataclasses import asdict, dataclass

from bot.records import Answer

ARGUMENT_CHARS = 4000


@dataclass(frozen=True, slots=True)
class Read:
    """Show a file, or its lines `first` to `last`, counted from 1."""

    path: str
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """Show the lines that a POSIX extended regular expression matches."""

    pattern: str
    path: str = "."


@dataclass(frozen=True, slots=True)
class ListFolder:
    """Show the files below a folder."""

    path: str = "."


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace a text that occurs once. `whole_lines`: it was given as lines, as in a SEARCH/REPLACE block."""

    path: str
    search: str
    replace: str
    whole_lines: bool = False


@dataclass(frozen=True, slots=True)
class Write:
    """Write a file whole.

    `fenced`: it came out of a fence, which can't say whether a file ends with a newline. `heading`: a first line that
    named the file and is not in `content`; it stays where the file has it.
    """

    path: str
    content: str
    fenced: bool = False
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Patch:
    """Apply a unified diff, of one file or of several."""

    diff: str


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete a file."""

    path: str


@dataclass(frozen=True, slots=True)
class Run:
    """Run a shell command in the sandbox."""

    command: str


@dataclass(frozen=True, slots=True)
class Finish:
    """Say that the work is done, in the model's words, with what it says to the requests of a review."""

    summary: str
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask a person to decide, and end the work until then."""

    question: str


@dataclass(frozen=True, slots=True)
class AnswerIssue:
    """Answer an issue that needs no code, and end the work."""

    text: str


Looking = Read | Search | ListFolder
Editing = Edit | Write | Patch | Delete
Leaving = Ask | AnswerIssue
"""The two ways to end without a change that say why to people, and not to us."""
Action = Looking | Editing | Run | Finish | Leaving


@dataclass(frozen=True, slots=True)
class Request:
    """One thing that a reply asks for: an action, or what is wrong with it. `arguments` is JSON text, bounded."""

    name: str
    arguments: str
    action: Action | None
    problem: str = ""


def asked(action: Action) -> Request:
    """The request for an action that was read out of a reply."""
    arguments = {key: value for key, value in asdict(action).items() if value != ()}
    return Request(name_of(action), bounded(json.dumps(arguments, ensure_ascii=False)), action)


def name_of(action: Action) -> str:
    """The action's one name, the same in every dialect."""
    return _NAMES[type(action)]


def bounded(text: str) -> str:
    """The text of arguments, cut with a note where it is longer than a trace keeps."""
    more = len(text) - ARGUMENT_CHARS
    return text if more <= 0 else f"{text[:ARGUMENT_CHARS]} […{more} more characters]"


_NAMES: dict[type[Action], str] = {
    Read: "read",
    Search: "search",
    ListFolder: "list",
    Edit: "edit",
    Write: "write",
    Patch: "patch",
    Delete: "delete",
    Run: "run",
    Finish: "finish",
    Ask: "ask",
    AnswerIssue: "answer",
}

"""Doing what a reply asks for, at a `Workbench`: its edits first, all of them or none, then the rest in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.agent.actions import (
    AnswerIssue,
    Ask,
    Delete,
    Edit,
    Editing,
    Finish,
    Leaving,
    ListFolder,
    Patch,
    Read,
    Request,
    Run,
    Search,
    Write,
)
from bot.agent.paths import clean_path, outside_refusal
from bot.agent.quoting import fenced, printable
from bot.agent.staging import UNCHANGED, Staged, meant
from bot.agent.texts import Unplaced, read_source
from bot.records import ActionTaken, Workbench
from sandbox.contract import Ending, ExecutionResult, clipped

READ_CHARS = 24_000
OUTPUT_CHARS = 8_000
SEARCH_CHARS = 8_000
LISTED_PATHS = 400
LINE_CHARS = 400
ERROR_CHARS = 4_000
MALFORMED_EDITS = frozenset({"edit", "write", "patch", "delete", "json"})
"""Names of requests that may change files, and of those that nobody could read."""

NOT_FINISHED = "not finished: an edit of this reply can't be placed, so none was made"
NOT_READ = "not finished: an edit of this reply can't be read, so it was not made"


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a reply's requests, one by one. `edited` says whether any file was written or deleted.

    `finish` are the words with which the work counts as done; `leaving` is the first other way to end it.
    """

    actions: tuple[ActionTaken, ...]
    edited: bool
    finish: str | None
    leaving: Leaving | None = None


def carry_out(bench: Workbench, requests: Sequence[Request]) -> Done:
    """Do what was asked for. A file is written only after every edit of the reply has been placed."""
    staged = Staged(bench)
    placed = {at: staged.place(request.action) for at, request in enumerate(requests) if _is_editing(request)}
    refused = {at: answer.reason for at, answer in placed.items() if isinstance(answer, Unplaced)}
    is_open = bool(refused) or any(_is_malformed_edit(request) for request in requests)
    if not refused:
        staged.write()
    actions: list[ActionTaken] = []
    for at, request in enumerate(requests):
        ok, result = _edit_answer(placed[at], refused) if at in placed else _answer(bench, request)
        if is_open and isinstance(request.action, Finish | Leaving):
            ok, result = False, NOT_FINISHED if refused else NOT_READ
        actions.append(ActionTaken(request.name, request.arguments, printable(result), ok))
    finish = next((request.action.summary for request in requests if isinstance(request.action, Finish)), None)
    leaving = next((request.action for request in requests if isinstance(request.action, Leaving)), None)
    return Done(tuple(actions), staged.is_written, None if is_open else finish, None if is_open else leaving)


def _is_editing(request: Request) -> bool:
    return isinstance(request.action, Editing)


def _is_malformed_edit(request: Request) -> bool:
    """Whether a request was to change something, and can't be read: then the work of its reply is not finished."""
    return request.action is None and request.name in MALFORMED_EDITS


def _edit_answer(answer: str | Unplaced, refused: Mapping[int, str]) -> tuple[bool, str]:
    if isinstance(answer, Unplaced):
        return False, answer.reason[:ERROR_CHARS]
    if answer.endswith(UNCHANGED):
        return False, answer
    if refused:
        return (
            False,
            "not written: another edit of the same reply can't be placed, and a reply's edits are all made or none",
        )
    return True, answer


def _answer(bench: Workbench, request: Request) -> tuple[bool, str]:
    match request.action:
        case None:
            return False, request.problem[:ERROR_CHARS]
        case Read():
            return _read(bench, request.action)
        case Search(pattern, path):
            return _search(bench, pattern, path)
        case ListFolder(path):
            return _list(bench, path)
        case Run(command):
            return True, shown(bench.run(command))
        case Finish() | Ask() | AnswerIssue() as last:
            return True, "The work counts as done." if isinstance(last, Finish) else "The run ends with it."
        case Edit() | Write() | Patch() | Delete():
            raise TypeError(request.action)


def _read(bench: Workbench, action: Read) -> tuple[bool, str]:
    refusal = outside_refusal(action.path)
    path = clean_path(action.path)
    data = None if refusal else bench.read(path)
    if data is None:
        return False, refusal or f"{path}: there is no such file{meant(bench, path)}"
    source = read_source(data)
    if source is None:
        return False, f"{path}: a binary file of {len(data)} bytes"
    lines = source.text.split("\n")
    first, last = action.first or 1, action.last or len(lines)
    if first > max(len(source.lines), 1) or last < first:
        return False, f"{path} has {len(source.lines)} lines; there are no lines {first} to {last}"
    text = "\n".join(lines[first - 1 : last])
    total = len(source.lines)
    head = (
        f"{path} ({total} lines)" if action.first is None else f"{path} (lines {first}-{min(last, total)} of {total})"
    )
    return True, f"{head}:\n{fenced(printable(clipped(text, READ_CHARS)))}"


def _search(bench: Workbench, pattern: str, path: str) -> tuple[bool, str]:
    if outside_refusal(path):
        return False, outside_refusal(path)
    found = [line[:LINE_CHARS] for line in bench.search(pattern, path)]
    return True, clipped("\n".join(found), SEARCH_CHARS) or f"nothing matches {pattern!r} in {path}"


def _list(bench: Workbench, path: str) -> tuple[bool, str]:
    folder = clean_path(path or ".")
    below = [one for one in bench.paths() if folder in {".", one} or one.startswith(f"{folder}/")]
    if not below:
        return False, f"{folder}: no files there"
    more = f"\n… and {len(below) - LISTED_PATHS} more" if len(below) > LISTED_PATHS else ""
    return True, "\n".join(below[:LISTED_PATHS]) + more


def shown(result: ExecutionResult) -> str:
    """A command's end, in words for the model, within bounds whatever the length of its lines."""
    ended = f"exit code {result.exit_code}" if result.ending is Ending.EXITED else str(result.ending).replace("_", " ")
    parts = [ended]
    for name, text in (("stdout", result.stdout), ("stderr", result.stderr)):
        if text.strip():
            parts.append(f"{name}:\n{fenced(printable(clipped(text, OUTPUT_CHARS)))}")
    return "\n".join(parts) if len(parts) > 1 else f"{ended}, no output"

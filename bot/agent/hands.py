"""Doing what a reply asks for, at a `Workbench`: its edits first, all of them or none, then the rest in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.agent.actions import (
    Action,
    Delete,
    Edit,
    Editing,
    Finish,
    ListFolder,
    Patch,
    Read,
    Request,
    Run,
    Search,
    Write,
)
from bot.agent.diffs import FileDiff, created, parse_diff, patched
from bot.agent.edits import clean_path, fenced, outside_refusal, path_refusal, replaced, whole_file
from bot.agent.texts import EMPTY, Source, Unplaced, read_source, rewritten
from bot.records import ActionTaken, Workbench
from sandbox.contract import Ending, ExecutionResult, clipped

READ_CHARS = 24_000
OUTPUT_CHARS = 8_000
SEARCH_CHARS = 8_000
LISTED_PATHS = 400
LINE_CHARS = 400
ERROR_CHARS = 4_000
UNCHANGED = "it is so already, so nothing changed"


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a reply's requests, one by one. `edited` says whether any file was written or deleted."""

    actions: tuple[ActionTaken, ...]
    edited: bool
    finish: str | None


def carry_out(bench: Workbench, requests: Sequence[Request]) -> Done:
    """Do what was asked for. A file is written only after every edit of the reply has been placed."""
    staged = _Staged(bench)
    placed = {at: staged.place(request.action) for at, request in enumerate(requests) if _is_editing(request)}
    refused = {at: answer.reason for at, answer in placed.items() if isinstance(answer, Unplaced)}
    if not refused:
        staged.write()
    actions: list[ActionTaken] = []
    for at, request in enumerate(requests):
        ok, result = _edit_answer(placed[at], refused) if at in placed else _answer(bench, request)
        if refused and isinstance(request.action, Finish):
            ok, result = False, "not finished: an edit of this reply can't be placed, so none was made"
        actions.append(ActionTaken(request.name, request.arguments, result, ok))
    finish = next((request.action.summary for request in requests if isinstance(request.action, Finish)), None)
    return Done(tuple(actions), staged.is_written, None if refused else finish)


def _is_editing(request: Request) -> bool:
    return isinstance(request.action, Editing)


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


@dataclass(slots=True)
class _Staged:
    """The edits of one reply, placed one on top of the other and not written yet. None: deleted."""

    bench: Workbench
    files: dict[str, bytes | None] = field(default_factory=dict)
    is_written: bool = False

    def place(self, action: Action | None) -> str | Unplaced:
        match action:
            case Edit():
                return self._change(action.path, action)
            case Write():
                return self._change(action.path, action)
            case Delete(path):
                return self._delete(path)
            case Patch(diff):
                return self._patch(diff)
        raise TypeError(action)

    def write(self) -> None:
        for path, data in self.files.items():
            if data == self.bench.read(path):
                continue
            self.is_written = True
            if data is None:
                self.bench.delete(path)
            else:
                self.bench.write(path, data)

    def _bytes(self, path: str) -> bytes | None:
        return self.files[path] if path in self.files else self.bench.read(path)

    def _source(self, path: str) -> Source | Unplaced | None:
        data = self._bytes(path)
        if data is None:
            return None
        return read_source(data) or Unplaced(f"{path}: a binary file can't be edited as text")

    def _change(self, path: str, action: Edit | Write) -> str | Unplaced:
        refusal = path_refusal(path)
        if refusal:
            return Unplaced(refusal)
        path = clean_path(path)
        source = self._source(path)
        if isinstance(source, Unplaced):
            return source
        if source is None and isinstance(action, Edit):
            if action.search.strip():
                return Unplaced(f"{path}: there is no such file{_meant(self.bench, path)}")
            action = Write(path, action.replace, fenced=True)
        new = whole_file(source.text if source else None, action) if isinstance(action, Write) else None
        if new is None and source is not None and isinstance(action, Edit):
            new = replaced(source.text, action)
        return self._stage(path, source, new or "")

    def _stage(self, path: str, source: Source | None, new: str | Unplaced) -> str | Unplaced:
        data = new if isinstance(new, Unplaced) else rewritten(source or EMPTY, new)
        if isinstance(data, Unplaced):
            return data
        is_same = data == self._bytes(path)
        self.files[path] = data
        return f"{path}: {UNCHANGED if is_same else 'changed' if source else 'created'}"

    def _delete(self, path: str) -> str | Unplaced:
        refusal = path_refusal(path)
        if refusal:
            return Unplaced(refusal)
        path = clean_path(path)
        if self._bytes(path) is None:
            return Unplaced(f"{path}: there is no such file")
        self.files[path] = None
        return f"{path}: deleted"

    def _patch(self, diff: str) -> str | Unplaced:
        files = parse_diff(diff)
        if isinstance(files, Unplaced):
            return files
        answers = [self._file_diff(one) for one in files]
        wrong = next((answer for answer in answers if isinstance(answer, Unplaced)), None)
        return wrong or "; ".join(str(answer) for answer in answers)

    def _file_diff(self, diff: FileDiff) -> str | Unplaced:
        path = diff.new_path or diff.old_path or ""
        refusal = next((words for one in (diff.old_path, diff.new_path) if one and (words := path_refusal(one))), "")
        if refusal:
            return Unplaced(refusal)
        path = clean_path(path)
        if diff.new_path is None:
            return self._delete(path)
        from_path = clean_path(diff.old_path or path)
        source = self._source(from_path)
        if isinstance(source, Unplaced):
            return source
        if source is None and diff.old_path is not None and any(hunk.before for hunk in diff.hunks):
            return Unplaced(f"{from_path}: there is no such file")
        if source is not None and diff.old_path is None:
            return Unplaced(f"{path}: the diff creates it, but it exists; write a diff against it as it is")
        if from_path != path:
            self.files[from_path] = None
        return self._stage(path, source, created(diff) if source is None else patched(source.text, diff))


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
        case Finish():
            return True, "The work counts as done."
        case Edit() | Write() | Patch() | Delete():
            raise TypeError(request.action)


def _read(bench: Workbench, action: Read) -> tuple[bool, str]:
    refusal = outside_refusal(action.path)
    path = clean_path(action.path)
    data = None if refusal else bench.read(path)
    if data is None:
        return False, refusal or f"{path}: there is no such file{_meant(bench, path)}"
    source = read_source(data)
    if source is None:
        return False, f"{path}: a binary file of {len(data)} bytes"
    lines = source.text.split("\n")
    first, last = action.first or 1, action.last or len(lines)
    text = "\n".join(lines[first - 1 : last])
    total = len(source.lines)
    head = (
        f"{path} ({total} lines)" if action.first is None else f"{path} (lines {first}-{min(last, total)} of {total})"
    )
    return True, f"{head}:\n{fenced(printable(clipped(text, READ_CHARS)))}"


def _meant(bench: Workbench, path: str) -> str:
    """The files of that name elsewhere, which are most often the ones meant."""
    name = path.rsplit("/", maxsplit=1)[-1]
    found = [one for one in bench.paths() if one.rsplit("/", maxsplit=1)[-1] == name]
    return f"; there is {', '.join(found[:5])}" if found else ""


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


def printable(text: str) -> str:
    """The text without characters that JSON or a prompt can't carry: lone surrogates and NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", "␀")

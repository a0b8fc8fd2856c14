"""The edits of one reply, placed one on top of the other before any file is written."""

from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from bot.agent.actions import Action, Delete, Edit, Patch, Write
from bot.agent.conflicts import sides
from bot.agent.diff_reading import parse_diff
from bot.agent.diffs import FileDiff, created, patched
from bot.agent.edits import replaced
from bot.agent.elision import elided
from bot.agent.excerpts import Spliced, file_of, spliced
from bot.agent.paths import clean_path, path_refusal
from bot.agent.texts import EMPTY, Source, Unplaced, read_source, rewritten, unnumbered
from bot.agent.viewing.symbols import language_of
from bot.agent.whole import whole_file
from bot.records import Workbench

EXISTS = "the diff creates it, but it exists; write a diff against it as it is"
CONFLICTED = (
    "it holds conflict markers, so no function of it can be told from the rest; replace each conflict by a "
    "SEARCH/REPLACE block with its markers in SEARCH, or write the file whole"
)
UNCHANGED = "it is so already, so nothing changed"


@dataclass(slots=True)
class Staged:
    """The edits of one reply, placed one on top of the other and not written yet. None: deleted."""

    bench: Workbench
    files: dict[str, bytes | None] = field(default_factory=dict)
    is_written: bool = False
    _done: dict[Action, str] = field(default_factory=dict)
    _listed: frozenset[str] | None = None

    def place(self, action: Action | None) -> str | Unplaced:
        """Place one more edit. The same one again, as small models repeat themselves, is the one that was placed."""
        if action in self._done:
            return self._done[action]
        answer = self._placed(action)
        if isinstance(action, Edit | Patch) and not isinstance(answer, Unplaced):
            self._done[action] = answer
        return answer

    def write(self) -> None:
        """Write what was placed; a file that is so already stays untouched."""
        for path, data in self.files.items():
            if data == self.bench.read(path):
                continue
            self.is_written = True
            if data is None:
                self.bench.delete(path)
            else:
                self.bench.write(path, data)

    def _placed(self, action: Action | None) -> str | Unplaced:
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
        if source is None and (taken := self._taken(path)):
            return Unplaced(taken)
        if isinstance(action, Edit) and source is None and action.search.strip():
            return Unplaced(f"{path}: there is no such file{meant(self.bench, path)}")
        if isinstance(action, Edit) and not action.search.strip() and not (source and source.text.strip()):
            action = Write(path, action.replace, fenced=True)
        if isinstance(action, Write):
            return self._write(path, source, action)
        new = replaced(source.text if source else "", action)
        if isinstance(new, Unplaced) and path in self.files:
            new = Unplaced(f"{new.reason}\n(This is the file with this reply's edits above made; they were not made.)")
        return self._stage(path, source, new)

    def _write(self, path: str, source: Source | None, action: Write) -> str | Unplaced:
        """Take the file whole or, of a fenced block, the functions and classes that it holds."""
        if action.fenced and language_of(path):
            action = replace(action, content=unnumbered(action.content))
        versions = sides(source.text) if source and action.fenced else None
        if versions and all(isinstance(spliced(path, one, action.content), Spliced) for one in versions):
            return Unplaced(f"{path}: {CONFLICTED}")
        part = spliced(path, source.text, action.content) if source and action.fenced and not versions else None
        if not isinstance(part, Spliced):
            whole = part or whole_file(source.text if source else None, action)
            return (
                self._elsewhere(path, action, whole)
                if isinstance(whole, Unplaced)
                else self._stage(path, source, whole)
            )
        answer = self._stage(path, source, part.text)
        if isinstance(answer, Unplaced) or answer.endswith(UNCHANGED):
            return answer
        return f"{answer}: {', '.join(part.names)}. The rest of the file is as it was"

    def _elsewhere(self, path: str, action: Write, refused: Unplaced) -> Unplaced:
        """A refusal; where the functions of the block are another file's, it says whose."""
        suffix = PurePosixPath(path).suffix
        there = file_of(action.content, suffix, self.bench) if action.fenced and language_of(path) else None
        if there is None or there == path:
            return refused
        return Unplaced(f"{refused.reason}. What the block defines stands in {there}: to change it, name that file")

    def _taken(self, path: str) -> str:
        """Why no file can be created at a path, or ""."""
        if self._listed is None:
            self._listed = frozenset(self.bench.paths())
        there = {one for one in self._listed if self.files.get(one, b"") is not None}
        there |= {one for one, data in self.files.items() if data is not None}
        above = {str(parent) for parent in PurePosixPath(path).parents} & there
        alike = next((one for one in sorted(there) if one.casefold() == path.casefold()), None)
        if path in there:
            return f"{path}: it is a link or no regular file; change the file that it stands for"
        if above:
            return f"{path}: {min(above)} is a file or a link, so nothing can stand below it"
        if any(one.startswith(f"{path}/") for one in there):
            return f"{path}: it is a folder"
        return f"{path}: there is {alike}, which many machines take for the same; change that one" if alike else ""

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
            return Unplaced(f"{path}: there is no such file{meant(self.bench, path)}")
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
        refusal = next((words for one in (diff.old_path, diff.new_path) if one and (words := path_refusal(one))), "")
        if refusal:
            return Unplaced(refusal)
        if diff.new_path is None:
            return self._delete(diff.old_path or "")
        path, from_path = clean_path(diff.new_path), clean_path(diff.old_path or diff.new_path)
        if from_path != path:
            return self._move(diff, from_path, path)
        source = self._source(path)
        if isinstance(source, Unplaced):
            return source
        return self._create(diff, path) if source is None else self._patch_file(diff, path, source)

    def _patch_file(self, diff: FileDiff, path: str, source: Source) -> str | Unplaced:
        if diff.old_path is None:
            return Unplaced(f"{path}: {EXISTS}")
        return self._stage(path, source, _whole_after(source, diff))

    def _create(self, diff: FileDiff, path: str) -> str | Unplaced:
        if taken := self._taken(path):
            return Unplaced(taken)
        if diff.old_path is not None and any(hunk.before for hunk in diff.hunks):
            return Unplaced(f"{path}: there is no such file{meant(self.bench, path)}")
        new = created(diff)
        return self._stage(path, None, elided("", new, path=path) or new)

    def _move(self, diff: FileDiff, from_path: str, path: str) -> str | Unplaced:
        """A file that goes to another path, or is copied there, and may be changed on the way."""
        source = self._source(from_path)
        if isinstance(source, Unplaced):
            return source
        if source is None:
            return Unplaced(f"{from_path}: there is no such file{meant(self.bench, from_path)}")
        if self._bytes(path) is not None:
            return Unplaced(f"{path}: {EXISTS}")
        if not diff.keeps_old:
            self.files[from_path] = None
        taken = self._taken(path)
        return Unplaced(taken) if taken else self._stage(path, source, _whole_after(source, diff))


def _whole_after(source: Source, diff: FileDiff) -> str | Unplaced:
    new = patched(source.text, diff)
    return new if isinstance(new, Unplaced) else elided(source.text, new, path=diff.new_path or "") or new


def meant(bench: Workbench, path: str) -> str:
    """What there is instead: a link or a folder, or files of that name elsewhere, which are most often meant."""
    there = bench.paths()
    if path in there:
        return "; it is a link or no regular file"
    if any(one.startswith(f"{path}/") for one in there):
        return "; it is a folder"
    name = path.rsplit("/", maxsplit=1)[-1]
    found = [one for one in there if one.rsplit("/", maxsplit=1)[-1] == name]
    return f"; there is {', '.join(found[:5])}" if found else ""

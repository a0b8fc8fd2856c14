"""What is loaded into every Node process of a test command, and the results that it writes. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.proof.plant import Plant
from bot.proof.readers.naming import line_in, numbered, placed, plain
from bot.proof.readers.reader import Left, Preparation, Site
from bot.proof.readers.script_plants import Texts, plants_beside
from bot.proof.results import Results, results_of, worse
from bot.records import TestCase, TestReport, TestStatus

_RECORDER = "for-node"
_PARTS = {_RECORDER: "recorder.cjs", "for-node-test": "reporter.cjs", "for-tape": "tape.cjs"}
_RESULTS = ".results"
"""No ending that a linter or formatter of the project knows: its command may start one over all files."""


@dataclass(frozen=True, slots=True)
class NodeReader:
    """A reader of what the recorder writes for one program."""

    name: str
    texts: Texts
    reads_output: bool = False
    takes_plants: bool = True

    def prepare(self, site: Site) -> Preparation:
        """See `Reader`."""
        return recorder(site)

    def read(self, left: Left) -> Results | None:
        """See `Reader`."""
        return recorded(left, self.name)

    def plants(self, baseline: TestReport, token: str) -> Iterator[Plant]:
        """See `Reader`."""
        return plants_beside(baseline, token, self.texts)


def recorder(site: Site) -> Preparation:
    """The recorder in the hidden folder, and NODE_OPTIONS that load it; nothing where there is no Node.

    The same for every reader that asks. `--require` alone, which every version of Node takes: what else is to be done
    is decided in each process, by what it is.
    """
    if not site.versions.get("node"):
        return Preparation()
    path = f"{site.folder}/{_RECORDER}"
    ours = f'--require="{path}"' if " " in path else f"--require={path}"
    options = " ".join(part for part in (site.variables.get("NODE_OPTIONS", ""), ours) if part)
    return Preparation({"NODE_OPTIONS": options}, _programs())


def recorded(left: Left, program: str) -> Results | None:
    """The results that the recorder wrote for a program, of all its processes together."""
    sessions = [data for name, data in sorted(left.files.items()) if _is_of(name, program)]
    if not sessions:
        return None
    cases: list[TestCase] = []
    contradictions: list[str] = []
    ended_early = False
    for data in sessions:
        lines, end = _lines(data)
        cases += _cases(lines, left)
        if end is None:
            contradictions.append(f"{program}'s results end before its tests did")
        ended_early = ended_early or (end is not None and end.early)
    contradiction = "; ".join(dict.fromkeys(contradictions))
    return results_of(numbered(cases), contradiction=contradiction, ended_early=ended_early)


def well_formed(data: bytes) -> bytes:
    """The same JSON without halves of characters, which a JavaScript string (a test's title) can hold and UTF-8 can't.

    What is no JSON comes back as it is.
    """
    if b"\\ud" not in data.lower():
        return data
    try:
        return json.dumps(json.loads(data), ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return data


class _Line(BaseModel):
    """One test's result, or the last line of a session. `key` is the same in all results of one test. `early`: it ended
    at an error, before all tests had their turn.
    """

    model_config = ConfigDict(frozen=True)

    file: str | None = None
    titles: Sequence[str] = ()
    status: TestStatus | None = None
    message: str = ""
    line: int | None = None
    key: int | None = None
    end: int | None = None
    early: bool = False


def _is_of(name: str, program: str) -> bool:
    return name.startswith(f"{program}-") and name.endswith(_RESULTS)


def _lines(data: bytes) -> tuple[Sequence[_Line], _Line | None]:
    """The results of a session, and its last line, if it ended with as many as it says."""
    found: list[_Line] = []
    for text in data.splitlines():
        try:
            line = _Line.model_validate_json(well_formed(text))
        except ValidationError:
            return found, None
        if line.end is not None:
            return found, line if line.end == len(found) and data.endswith(text + b"\n") else None
        found.append(line)
    return found, None


def _cases(lines: Sequence[_Line], left: Left) -> Iterator[TestCase]:
    for line in _one_for_each_test(lines):
        file = placed(line.file or "", left.root, left.directory)
        message = plain(line.message, left.root)
        yield case_of(file, line.titles, line.status or TestStatus.ERROR, message, line.line)


def _one_for_each_test(lines: Sequence[_Line]) -> Iterator[_Line]:
    """A test may be reported twice (passed, then failed after all): its worst result counts."""
    known: dict[int | tuple[int], _Line] = {}
    for place, line in enumerate(lines):
        key = (place,) if line.key is None else line.key
        before = known.get(key)
        if before is None or worse(line.status or TestStatus.ERROR, before.status or TestStatus.ERROR):
            known[key] = line
    yield from known.values()


def case_of(
    file: str, titles: Sequence[str], status: TestStatus, message: str = "", line: int | None = None
) -> TestCase:
    """A test by its file and its titles, those of the groups around it first. Without titles it is the file itself."""
    name = " > ".join(" ".join(title.split()) for title in titles)
    test_id = "::".join(part for part in (file, name) if part) or "unnamed"
    return TestCase(test_id, status, message, file or None, line or line_in(message, file))


@cache
def _programs() -> Mapping[str, bytes]:
    return {name: files(__package__).joinpath(source).read_bytes() for name, source in _PARTS.items()}

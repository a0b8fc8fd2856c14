"""What Go's test programs print, event by event, and what `go test` says of those that can't be built. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bot.proof.readers.naming import line_in, placed, plain
from bot.proof.readers.reader import Left
from bot.records import TestCase, TestStatus

_MARK = "\x16"
_EVENT = re.compile(
    r"\s*(?:=== (?P<event>RUN|PAUSE|CONT|NAME)\s+(?P<name>(?!\s)\S*)"
    r"|--- (?P<status>PASS|FAIL|SKIP): (?P<of>\S+) \([\d.]+s\))\s*$"
)
_STATUSES = {"PASS": TestStatus.PASSED, "FAIL": TestStatus.FAILED, "SKIP": TestStatus.SKIPPED}
_FUNCTION = re.compile(r"(?:\./)?(?P<file>[^:]+):(?P<line>\d+):func (?P<name>\w+)\(")
_FAILED_PACKAGE = re.compile(r"^FAIL\s+(?P<package>\S+) \[(?:build|setup) failed\]$", re.MULTILINE)
_SECTION_END = re.compile(r"# |FAIL\b|ok\s|\?\s|---|===")
_COMPILER = re.compile(r"^(?:vet: )?(?:\./)?(?P<file>[^\s:]+\.go):(?P<line>\d+):", re.MULTILINE)
_SAID_AT_MOST = 40
_NO_MARKS = str.maketrans("", "", "\x0e\x0f\x16")


@dataclass(frozen=True, slots=True)
class Program:
    """What the script kept of one test program: its folder and functions, its output, its exit code."""

    where: str
    output: str
    code: str


@dataclass(slots=True)
class _Test:
    status: TestStatus | None = None
    said: list[str] = field(default_factory=list)


def cases_of(program: Program, left: Left) -> tuple[Sequence[TestCase], str]:
    """The tests of one program, and why they can't be the whole truth, or ""."""
    folder, functions = _where(program.where, left)
    tests = _read(program.output)
    unfinished = [name for name, test in tests.items() if test.status is None]
    cases = [_case(name, test, folder, functions, left) for name, test in tests.items()]
    contradiction = ""
    if not program.code:
        contradiction = f"the results of {folder} end in the middle"
    elif program.code == "0" and unfinished:
        contradiction = f"{folder} ends well before its tests have ended"
    failed = any(case.status is TestStatus.FAILED for case in cases)
    if program.code not in ("", "0") and not failed:
        said = program.output.translate(_NO_MARKS).splitlines()[-_SAID_AT_MOST:]
        cases.append(TestCase(folder, TestStatus.ERROR, plain("\n".join(said), left.root)))
    return cases, contradiction


def broken_packages(output: str, left: Left) -> Iterator[TestCase]:
    """Packages that could not be built, each by the file that the compiler names."""
    said = _sections(output)
    for package in dict.fromkeys(found["package"] for found in _FAILED_PACKAGE.finditer(output)):
        message = plain("\n".join(said.get(package, ())), left.root)
        found = _COMPILER.search(message)
        if found:
            file = placed(found["file"], left.root, left.directory)
            yield TestCase(file, TestStatus.ERROR, message, file, int(found["line"]))
        else:
            yield TestCase(package, TestStatus.ERROR, message)


def _where(where: str, left: Left) -> tuple[str, Mapping[str, tuple[str, int]]]:
    first, _, rest = where.partition("\n")
    folder = "." if first == left.root else placed(first, left.root)
    functions = {
        found["name"]: (placed(found["file"], left.root, folder), int(found["line"]))
        for line in rest.splitlines()
        if (found := _FUNCTION.match(line))
    }
    return folder, functions


def _read(output: str) -> Mapping[str, _Test]:
    """The tests in their order, each with what was said while it ran. Events are marked since Go 1.20."""
    tests: dict[str, _Test] = {}
    outside: list[str] = []
    current = outside
    is_marked = _MARK in output
    for line in output.split("\n"):
        said, *events = line.split(_MARK) if is_marked else ("", line)
        if said:
            current.append(said.translate(_NO_MARKS))
        for text in events:
            found = _EVENT.match(text)
            if found is None:
                current.append(text.translate(_NO_MARKS))
                continue
            name = found["name"] or found["of"]
            if found["event"] == "RUN" or found["status"]:
                tests.setdefault(name, _Test())
            if found["status"]:
                tests[name].status = _STATUSES[found["status"]]
            current = tests[name].said if name in tests else outside
    return tests


def _case(name: str, test: _Test, folder: str, functions: Mapping[str, tuple[str, int]], left: Left) -> TestCase:
    """A test that did not end, as in a panic or at a time limit, has failed."""
    file, line = functions.get(name.partition("/")[0], (None, None))
    status = test.status or TestStatus.FAILED
    message = "" if status is TestStatus.PASSED else plain("\n".join(test.said), left.root)
    return TestCase(f"{file or folder}::{name}", status, message, file, line_in(message, file) or line)


def _sections(output: str) -> Mapping[str, Sequence[str]]:
    """What `go test` says below `# package`, by package."""
    sections: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in output.splitlines():
        if line.startswith("# "):
            current = sections.setdefault(line[2:].partition(" ")[0], [])
        elif _SECTION_END.match(line):
            current = None
        elif current is not None:
            current.append(line)
    return sections

"""What `cargo test` and Rust's test programs print, as results. Pure.

The programs print on stdout and cargo says on stderr which one it starts, so the two are put together by their order.
Source: https://doc.rust-lang.org/rustc/tests/index.html.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bot.proof.readers.naming import numbered, placed, plain
from bot.proof.readers.reader import OUTPUT_CUT, Left
from bot.proof.results import Results, message_within_bounds, results_of
from bot.records import TestCase, TestStatus

_HEADER = re.compile(
    r"^\s+(?:Running (?:(?P<unit>unittests) ?)?(?:(?P<source>\S+\.rs) )?\(?(?P<program>[^\s()]*/deps/[^\s()]+)\)?"
    r"|Doc-tests (?P<doc>\S+))$"
)
_COMPILED = re.compile(r"^\s+Compiling (?P<name>\S+) v\S+ \((?P<folder>/[^)]*)\)$", re.MULTILINE)
_BEGIN = re.compile(r"^running (\d+) tests?$")
_TEST = re.compile(r"^test (?P<name>.+?)(?: - (?:should panic|compile fail|compile)){0,3} \.\.\. ?(?P<rest>.*)$")
_STATUS = re.compile(r"(?P<status>ok|FAILED|ignored(?:, (?P<reason>.*))?|bench: .*)$")
_RESULT = re.compile(r"^test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured;")
_SECTION = re.compile(r"^---- (?P<name>.+?) stdout ----$")
_DOC = re.compile(r"^(?P<file>\S+\.\w+) - (?P<item>.*)\(line (?P<line>\d+)\)$")
_PANIC = re.compile(
    r"^thread '(?P<name>[^'\n]+)'(?: \(\d+\))? panicked at [^\n]*\n"
    r"(?:(?!note: |stack backtrace:|thread ')[^\n]*\n)*",
    re.MULTILINE,
)
_PLACE = re.compile(r"panicked at (?:'.*', |\"?)(?P<file>[^\s:,']+\.rs):(?P<line>\d+):\d+", re.DOTALL)
_UNCOMPILED = re.compile(r"^error: could not compile `(?P<crate>[^`]+)`", re.MULTILINE)
_ERROR = re.compile(
    r"^error(?:\[E\d+\])?: (?!could not compile|aborting due)[^\n]*\n(?:(?!error|warning)[^\n]+\n)*?[ \t]*--> "
    r"(?P<file>[^:\n]+):(?P<line>\d+):\d+\n(?:(?!error|warning)[^\n]*\n)*",
    re.MULTILINE,
)
_KILLED = "process didn't exit successfully"
_STATUSES = {"ok": TestStatus.PASSED, "FAILED": TestStatus.FAILED}


@dataclass(frozen=True, slots=True)
class _Header:
    """A program that cargo starts: its name without the hash, its source; of documentation only that it is.

    `crate` is the program with unit tests that was started last: a crate's integration tests come after its own.
    """

    name: str
    source: str = ""
    is_unit: bool = False
    is_doc: bool = False
    crate: str = ""

    @property
    def label(self) -> str:
        is_plain = not self.is_unit or self.source in ("", "src/lib.rs")
        return self.name if is_plain else f"{self.name} ({self.source})"


@dataclass(slots=True)
class _Block:
    """What one program printed. `totals` are passed, failed, ignored and measured by its last line."""

    header: _Header | None = None
    results: dict[str, tuple[TestStatus, str]] = field(default_factory=dict)
    said: dict[str, list[str]] = field(default_factory=dict)
    totals: tuple[int, ...] | None = None

    @property
    def is_doc(self) -> bool:
        return bool(self.results) and all(_DOC.match(name) for name in self.results)


def read_output(left: Left) -> Results | None:
    """The results of all programs; None where nothing speaks of cargo, or no test is named (`--quiet`)."""
    blocks = _blocks(left.stdout)
    uncompiled = list(_uncompiled(left)) if _UNCOMPILED.search(left.stderr + left.stdout) else []
    named = any(block.results for block in blocks)
    totals = sum(sum(block.totals) for block in blocks if block.totals)
    is_quiet = totals > 0 and not named
    if is_quiet or not (blocks or uncompiled):
        return None
    _label(blocks, left.stderr)
    cases = [case for block in blocks for case in _cases(block, left)]
    killed = _KILLED in left.stderr + left.stdout
    contradictions = [why for block in blocks if (why := _contradiction(block, killed=killed))]
    if left.truncated:
        contradictions.append(OUTPUT_CUT)
    return results_of((*numbered(cases), *uncompiled), contradiction="; ".join(dict.fromkeys(contradictions)))


def _blocks(stdout: str) -> list[_Block]:
    blocks: list[_Block] = []
    header: _Header | None = None
    block: _Block | None = None
    waiting = section = crate = ""
    for line in stdout.splitlines():
        if found := _HEADER.match(line):
            header, block = _header(found, crate), None
            crate = header.crate
        elif _BEGIN.match(line):
            block, waiting, section = _Block(header), "", ""
            header = None
            blocks.append(block)
        elif block is None:
            continue
        elif found := _RESULT.match(line):
            block.totals, block = tuple(map(int, found.groups())), None
        elif found := _SECTION.match(line):
            section = found["name"]
        elif section and line == "failures:":
            section = ""
        elif section:
            block.said.setdefault(section, []).append(line)
        else:
            waiting = _take(block, line, waiting)
    return blocks


def _take(block: _Block, line: str, waiting: str) -> str:
    """A line of the list of tests; the name of the test whose status may still come, for it said something first."""
    found = _TEST.match(line)
    name, rest = (found["name"], found["rest"]) if found else (waiting, line)
    status = _STATUS.search(rest) if name else None
    if status is None:
        return name
    first = status["status"].split(",")[0].split(":")[0]
    known = _STATUSES.get(first, TestStatus.PASSED if first == "bench" else TestStatus.SKIPPED)
    block.results[name] = (known, status["reason"] or "")
    return "" if status.start() == 0 else name


def _headers(text: str) -> Iterator[_Header]:
    crate = ""
    for line in text.splitlines():
        if found := _HEADER.match(line):
            header = _header(found, crate)
            crate = header.crate
            yield header


def _header(found: re.Match[str], crate: str) -> _Header:
    if found["doc"]:
        return _Header(found["doc"], is_doc=True, crate=crate)
    name = found["program"].rpartition("/")[2].rpartition("-")[0]
    is_unit = bool(found["unit"])
    return _Header(name, found["source"] or "", is_unit=is_unit, crate=name if is_unit else crate)


def _label(blocks: Sequence[_Block], stderr: str) -> None:
    """Which program each block is of, by their order; of none where there are programs that print otherwise."""
    if any(block.header for block in blocks):
        return
    waiting = _headers(stderr)
    pairs = []
    for block in blocks:
        header = next(waiting, None)
        while header is not None and header.is_doc and block.results and not block.is_doc:
            header = next(waiting, None)
        pairs.append((block, header))
    fits = all(block.is_doc or header is not None or not block.results for block, header in pairs)
    if fits and not any(not header.is_doc for header in waiting):
        for block, header in pairs:
            block.header = header


def _cases(block: _Block, left: Left) -> Iterator[TestCase]:
    if block.is_doc:
        yield from _documentation(block, left)
        return
    label = f"{block.header.label}::" if block.header else ""
    file = _source_of(block.header, left)
    for name, (status, reason) in block.results.items():
        message = _message(block, name, left) if status is TestStatus.FAILED else reason
        where, line = _raised(message, left)
        yield TestCase(f"{label}{name}", status, message, where or file or None, line)
    if block.totals is None and _KILLED in left.stderr:
        yield TestCase(f"{label}(the test program)", TestStatus.ERROR, _end_of(left.stderr, left))


def _documentation(block: _Block, left: Left) -> Iterator[TestCase]:
    """Examples in documentation. Their lines change with what is above them, so they are numbered in its order."""
    found = [(match, result) for name, result in block.results.items() if (match := _DOC.match(name))]
    for match, (status, reason) in sorted(found, key=lambda each: (each[0]["file"], int(each[0]["line"]))):
        file = placed(match["file"], left.root, left.directory)
        message = _message(block, match[0], left) if status is TestStatus.FAILED else reason
        yield TestCase(f"{file} - {match['item'].rstrip()}".rstrip(" -"), status, message, file, int(match["line"]))


def _message(block: _Block, name: str, left: Left) -> str:
    """What the test said; with `--nocapture` that stands on stderr."""
    said = "\n".join(block.said.get(name, ()))
    if not said.strip():
        panics = (found[0] for found in _PANIC.finditer(f"{left.stderr}\n{left.stdout}\n") if found["name"] == name)
        said = next(panics, "")
    return plain(said, left.root)


def _raised(message: str, left: Left) -> tuple[str, int | None]:
    found = _PLACE.search(message_within_bounds(message))
    if found is None or found["file"].startswith("/"):
        return "", None
    return placed(found["file"], left.root, left.directory), int(found["line"])


def _source_of(header: _Header | None, left: Left) -> str:
    """Where the program's source is in the repository: below its crate, which cargo names when it compiles it."""
    if header is None or not header.source:
        return ""
    folders = {found["name"].replace("-", "_"): found["folder"] for found in _COMPILED.finditer(left.stderr)}
    folder = folders.get(header.crate, "")
    inside = left.directory if not folder or folder == left.root else placed(folder, left.root)
    return placed(header.source, left.root, inside)


def _contradiction(block: _Block, *, killed: bool) -> str:
    of = f" of {block.header.label}" if block.header else ""
    if block.totals is None:
        return "" if killed else f"a test program{of} ended before its tests did"
    passed, failed, ignored, measured = block.totals
    listed = Counter(status for status, _ in block.results.values())
    said = {TestStatus.PASSED: passed + measured, TestStatus.FAILED: failed, TestStatus.SKIPPED: ignored}
    for status, number in said.items():
        if number != listed[status]:
            return f"a test program{of} says that {number} tests {status} and lists {listed[status]}"
    return ""


def _uncompiled(left: Left) -> Iterator[TestCase]:
    """The files that the compiler refuses; the crate where it names none."""
    output = f"{left.stderr}\n{left.stdout}\n"
    errors: dict[str, tuple[int, list[str]]] = {}
    for found in _ERROR.finditer(output):
        file = placed(found["file"].strip(), left.root, left.directory)
        errors.setdefault(file, (int(found["line"]), []))[1].append(found[0])
    for file, (line, said) in errors.items():
        yield TestCase(file, TestStatus.ERROR, plain("\n".join(said), left.root), file, line)
    if not errors:
        crates: Iterable[str] = dict.fromkeys(found["crate"] for found in _UNCOMPILED.finditer(output))
        yield from (TestCase(crate, TestStatus.ERROR, _end_of(left.stderr, left)) for crate in crates)


def _end_of(text: str, left: Left) -> str:
    return plain("\n".join(text.splitlines()[-40:]), left.root)

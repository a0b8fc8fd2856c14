"""TAP on stdout, versions 12 to 14: node-tap, tape, ava --tap, bats, prove -v. Pure.

Source: https://testanything.org/tap-version-14-specification.html.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bot.proof.plant import Plant
from bot.proof.readers.naming import numbered, plain
from bot.proof.readers.reader import OUTPUT_CUT, Left, Preparation, Site
from bot.proof.results import Results, results_of
from bot.records import TestCase, TestReport, TestStatus

_VERSION = re.compile(r"^TAP version \d+$")
_PLAN = re.compile(r"^1\.\.(?P<count>\d{1,9})(?:\s*#\s*(?P<skip>skip\w*\b.*))?$", re.IGNORECASE)
_POINT = re.compile(r"^(?P<no>not )?ok (?P<number>\d{1,9})(?:\s+(?:- )?(?P<said>.*)|\{)?$")
_DIRECTIVE = re.compile(r"(?:^|\s)#\s*(?P<kind>skip|todo)\b\S*\s*(?P<why>.*)$", re.IGNORECASE)
_BAIL = re.compile(r"^Bail out!\s*(?P<why>.*)$")
_SUBTEST = re.compile(r"^# Subtest: (?P<name>.*)$")
_GROUP = re.compile(
    r"^# (?!(?:tests|pass|fail|failed|skip|todo|suites|cancelled|duration_ms|time=|ok$|success)\b)(?P<name>\S.*)$"
)
_OF_PROVE = re.compile(r"^(?P<file>\S+\.t) \.+ ?$")
_TIME = re.compile(r"(?<!\s)\s*# (?:time|duration_ms)[= ]\S+$")


class _Tap:
    name = "tap"
    reads_output = True
    takes_plants = False

    def prepare(self, site: Site) -> Preparation:  # noqa: ARG002
        return Preparation()

    def read(self, left: Left) -> Results | None:
        documents = [document for document in _documents(left.stdout) if document.is_tap]
        if not documents:
            return None
        cases = [case for document in documents for case in _cases(document, left)]
        contradictions = [why for document in documents if (why := document.contradiction)]
        if left.truncated:
            contradictions.append(OUTPUT_CUT)
        return results_of(numbered(cases), contradiction="; ".join(dict.fromkeys(contradictions)))

    def plants(self, baseline: TestReport, token: str) -> Iterator[Plant]:  # noqa: ARG002
        return iter(())


TAP = _Tap()


@dataclass(slots=True)
class _Point:
    """One `ok` or `not ok`, with what follows it. `above` are the subtests around it."""

    said: str
    failed: bool
    above: tuple[str, ...] = ()
    group: str = ""
    message: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Document:
    """One program's output. `wrong` is what can't be so in it."""

    has_version: bool = False
    plan: int | None = None
    counted: int = 0
    skipped: str = ""
    file: str = ""
    wrong: str = ""
    points: list[_Point] = field(default_factory=list)

    @property
    def is_tap(self) -> bool:
        """With a version line or a plan: a line “ok 1” alone may stand in any output."""
        if self.has_version:
            return bool(self.points) or self.plan is not None
        return self.plan is not None and (self.counted > 0 or bool(self.skipped))

    @property
    def contradiction(self) -> str:
        if self.wrong:
            return self.wrong
        if self.plan is None:
            return "the tests ended before they said how many they are"
        return "" if self.plan == self.counted else f"{self.plan} tests are planned and {self.counted} are reported"


def _documents(stdout: str) -> Sequence[_Document]:
    reading = _Reading()
    for line in stdout.splitlines():
        reading.take(line.rstrip())
    return reading.documents


class _Reading:
    """Takes an output line by line. Indented lines are of subtests; what fits nothing is a program's own words."""

    def __init__(self) -> None:
        self.documents = [_Document()]
        self._subtests: list[tuple[int, str]] = []
        self._point: _Point | None = None
        self._group = ""
        self._yaml: int | None = None
        self._after_yaml = False

    @property
    def _document(self) -> _Document:
        return self.documents[-1]

    def take(self, line: str) -> None:
        indent = len(line) - len(line.lstrip(" "))
        text = line[indent:]
        if self._yaml is not None:
            self._take_yaml(text, indent)
        elif text == "---" and self._point is not None:
            self._yaml = indent
        elif found := _POINT.match(text):
            self._take_point(found, indent)
        elif indent == 0:
            self._take_outer(text)
        else:
            self._take_inner(text, indent)

    def _take_yaml(self, text: str, indent: int) -> None:
        if text == "..." and indent == self._yaml:
            self._yaml, self._after_yaml = None, True
        elif self._point is not None:
            self._point.message.append(" " * max(0, indent - (self._yaml or 0)) + text)

    def _take_outer(self, text: str) -> None:
        if _VERSION.match(text):
            self._start(_Document(has_version=True))
        elif found := _PLAN.match(text):
            if self._document.plan is not None:
                self._start(_Document())
            self._document.plan = int(found["count"])
            self._document.skipped = found["skip"] or ""
        elif found := _OF_PROVE.match(text):
            self._start(_Document(file=found["file"]))
        elif found := _BAIL.match(text):
            self._document.wrong = f"the tests bailed out: {found['why']}".rstrip(": ")
        elif found := _SUBTEST.match(text):
            self._subtests = [(0, found["name"])]
        elif text.startswith("#") and self._point is not None and self._point.failed and not self._after_yaml:
            self._point.message.append(text[1:].strip())
        elif (found := _GROUP.match(text)) and self._document.has_version:
            self._group, self._point = found["name"], None

    def _take_inner(self, text: str, indent: int) -> None:
        if found := _SUBTEST.match(text):
            self._subtests = [each for each in self._subtests if each[0] < indent]
            self._subtests.append((indent, found["name"]))

    def _take_point(self, found: re.Match[str], indent: int) -> None:
        document = self._document
        if indent == 0:
            if found["number"] == "1" and document.counted and not self._is_open(document):
                self._start(_Document())
                document = self._document
            document.counted += 1
        said = _TIME.sub("", (found["said"] or "").removesuffix("{").rstrip())
        above = tuple(name for depth, name in self._subtests if depth < indent)
        point = _Point(said, bool(found["no"]), above, self._group if indent == 0 else "")
        self._subtests = [each for each in self._subtests if each[0] < indent]
        document.points.append(point)
        self._point, self._after_yaml = point, False

    def _is_open(self, document: _Document) -> bool:
        return document.plan is None or document.counted < document.plan

    def _start(self, document: _Document) -> None:
        document.file = document.file or ("" if document.has_version else self._document.file)
        self.documents.append(document)
        self._subtests, self._point, self._group = [], None, ""


def _cases(document: _Document, left: Left) -> Iterator[TestCase]:
    if document.skipped and not document.points:
        yield TestCase(document.file or "all tests", TestStatus.SKIPPED, document.skipped)
    counted: Counter[tuple[str, ...]] = Counter()
    for point in document.points:
        place = (*point.above, point.group)
        counted[place] += 1
        said = point.said
        directive = _DIRECTIVE.search(said)
        if directive:
            said = said[: directive.start()]
        names = [*point.above, said.strip().replace("\\#", "#") or f"test {counted[place]}"]
        if point.group and point.group != names[-1]:
            names.insert(0, point.group)
        status = TestStatus.SKIPPED if directive else TestStatus.FAILED if point.failed else TestStatus.PASSED
        message = directive["why"] if directive else "\n".join(point.message) if point.failed else ""
        test_id = "::".join(part for part in (document.file, " > ".join(names)) if part)
        yield TestCase(test_id, status, plain(message, left.root), document.file or None)

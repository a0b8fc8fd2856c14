"""Lines of TAP, versions 12 to 14, as documents: what one program printed, point by point. Pure.

Source: https://testanything.org/tap-version-14-specification.html.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_VERSION = re.compile(r"^TAP version \d+$")
_PLAN = re.compile(r"^1\.\.(?P<count>\d{1,9})(?:\s*#\s*(?P<skip>skip\w*\b.*))?$", re.IGNORECASE)
_POINT = re.compile(r"^(?P<no>not )?ok (?P<number>\d{1,9})(?:\s+(?:- )?(?P<said>.*)|\{)?$")
_BAIL = re.compile(r"^Bail out!\s*(?P<why>.*)$")
_SUBTEST = re.compile(r"^# Subtest: (?P<name>.*)$")
_GROUP = re.compile(
    r"^# (?!(?:tests|pass|fail|failed|skip|todo|suites|cancelled|duration_ms|time=|ok$|success)\b)(?P<name>\S.*)$"
)
_OF_PROVE = re.compile(r"^(?P<file>\S+\.t) \.+ ?$")
_TIME = re.compile(r"(?<!\s)\s*# (?:time|duration_ms)[= ]\S+$")


@dataclass(slots=True)
class Point:
    """One `ok` or `not ok`, with what follows it. `above` are the subtests around it, `is_subtest`: it is one too."""

    said: str
    failed: bool
    above: tuple[str, ...] = ()
    is_subtest: bool = False
    group: str = ""
    message: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Document:
    """One program's output. `bailed_out` is why it said that it can't go on, or ""."""

    has_version: bool = False
    plan: int | None = None
    counted: int = 0
    skipped: str = ""
    file: str = ""
    bailed_out: str = ""
    points: list[Point] = field(default_factory=list)

    @property
    def is_tap(self) -> bool:
        """With a version line or a plan: a line “ok 1” alone may stand in any output."""
        return self.has_version or (self.plan is not None and (self.counted > 0 or bool(self.skipped)))

    @property
    def lacks(self) -> str:
        """How it is not all that it should be, or ""."""
        if self.bailed_out:
            return self.bailed_out
        if self.plan is None:
            return "the tests ended before they said how many they are"
        return "" if self.plan == self.counted else f"{self.plan} tests are planned and {self.counted} are reported"


def documents_in(stdout: str) -> Sequence[Document]:
    """The documents of TAP in an output, in their order."""
    reading = _Reading()
    for line in stdout.splitlines():
        reading.take(line.rstrip())
    return [document for document in reading.documents if document.is_tap]


class _Reading:
    """Takes an output line by line. Indented lines are of subtests; what fits nothing is a program's own words."""

    def __init__(self) -> None:
        self.documents = [Document()]
        self._subtests: list[tuple[int, str]] = []
        self._point: Point | None = None
        self._group = ""
        self._yaml: int | None = None
        self._after_yaml = False

    @property
    def _document(self) -> Document:
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
            self._start(Document(has_version=True))
        elif found := _PLAN.match(text):
            if self._document.plan is not None:
                self._start(Document())
            self._document.plan = int(found["count"])
            self._document.skipped = found["skip"] or ""
        elif found := _OF_PROVE.match(text):
            self._start(Document(file=found["file"]))
        elif found := _BAIL.match(text):
            self._document.bailed_out = f"the tests bailed out: {found['why']}".rstrip(": ")
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
                self._start(Document())
                document = self._document
            document.counted += 1
        text = found["said"] or ""
        is_opened = found[0].endswith("{")
        said = _TIME.sub("", text.removesuffix("{").rstrip())
        above = tuple(name for depth, name in self._subtests if depth < indent)
        is_subtest = is_opened or (indent, said) in self._subtests
        point = Point(said, bool(found["no"]), above, is_subtest, self._group if indent == 0 else "")
        self._subtests = [each for each in self._subtests if each[0] < indent]
        if is_opened:
            self._subtests.append((indent, said))
        document.points.append(point)
        self._point, self._after_yaml = point, False

    def _is_open(self, document: Document) -> bool:
        return document.plan is None or document.counted < document.plan

    def _start(self, document: Document) -> None:
        document.file = document.file or ("" if document.has_version else self._document.file)
        self.documents.append(document)
        self._subtests, self._point, self._group = [], None, ""

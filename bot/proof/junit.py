"""Reading JUnit XML: a stranger's bytes become test cases. pytest's own family (xunit1) gives back its node ids."""

import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser, iterparse

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from bot.proof.results import Results, line_of, results_of, worse
from bot.records import TestCase, TestStatus

_TAGS = {"failure": TestStatus.FAILED, "error": TestStatus.ERROR, "skipped": TestStatus.SKIPPED}
_TOTALS = ("failures", "errors", "skipped", "tests")
_DIGITS = re.compile(r"[0-9]{1,9}")
_OF_PYTEST = re.compile(rb"<testsuite\b[^>]*\sname=\"pytest\"")
_HEAD = 4096
_MAX_ELEMENTS = 500_000


def read_junit(data: bytes, *, directory: str = ".") -> Results | None:
    """Read a results file; None where it is not one. Never raises for what is in it.

    `directory` is where the command ran: paths in the file are taken as relative to it.
    """
    read = _Read(directory, first_line=0 if _OF_PYTEST.search(data[:_HEAD]) else 1)
    try:
        return read.results() if read.takes(_ends(data)) else None
    except _TooMuchError:
        return results_of((), contradiction=f"the results file can't be read: it has over {_MAX_ELEMENTS:,} elements")
    except (ParseError, DefusedXmlException, ValueError):
        return None


class _TooMuchError(Exception):
    """A file of more elements than are held in memory at once."""


def _ends(data: bytes) -> Iterator[Element]:
    """Each element when it ends. Without a document type there is nothing that the slower parser would refuse."""
    text = data.decode("utf-8", "replace").encode()
    parser: XMLParser[Any] | DefusedXMLParser = XMLParser(encoding="utf-8")  # noqa: S314
    if b"<!DOCTYPE" in text:
        parser = DefusedXMLParser(target=TreeBuilder(), encoding="utf-8", forbid_dtd=True)
    begun = 0
    for event, element in iterparse(io.BytesIO(text), ("start", "end"), parser):  # noqa: S314
        if event == "end":
            yield element
            continue
        begun += 1
        if begun > _MAX_ELEMENTS:
            raise _TooMuchError


@dataclass(slots=True)
class _Read:
    """What was read so far. `first_line` is the number that the file has for a first line."""

    directory: str
    first_line: int
    cases: list[TestCase] = field(default_factory=list)
    suites: list[Mapping[str, str]] = field(default_factory=list)
    counted: Counter[str] = field(default_factory=Counter)
    elements: int = 0
    internal_error: bool = False

    def takes(self, ends: Iterator[Element]) -> bool:
        """Read it all; False where it is no results file. What has been read is let go of, so that it stays small."""
        element = None
        for element in ends:
            if element.tag == "testcase":
                self._take(element)
                element.clear()
            elif element.tag == "testsuite":
                self.suites.append(dict(element.attrib))
                del element[:]
        return element is not None and element.tag in ("testsuites", "testsuite")

    def results(self) -> Results:
        return results_of(
            self.cases,
            contradiction=_contradiction(self.suites, self.counted, self.elements),
            internal_error=self.internal_error,
        )

    def _take(self, element: Element) -> None:
        self.elements += 1
        for child in element:
            self.counted[child.tag] += 1
        if _is_internal(element):
            self.internal_error = True
        else:
            self.cases.append(_case(element, self.directory, self.first_line))


def _is_internal(element: Element) -> bool:
    """Whether this is a crash of pytest itself, which it reports like a test. Source: `LogXML.pytest_internalerror`."""
    return element.get("classname") == "pytest" and element.get("name") == "internal"


def _case(element: Element, directory: str, first_line: int) -> TestCase:
    attributes = element.attrib
    file, classname, name = attributes.get("file", ""), attributes.get("classname", ""), attributes.get("name", "")
    status, child = TestStatus.PASSED, None
    for candidate in element:
        if candidate.tag in _TAGS and worse(_TAGS[candidate.tag], status):
            status, child = _TAGS[candidate.tag], candidate
    placed, dotted = _placed(file, directory)
    line = _line(attributes.get("line", ""), first_line) if placed else None
    message = "" if child is None else _message(child, status)
    if status in (TestStatus.FAILED, TestStatus.ERROR):
        line = line_of(message, placed or None, line)
    return TestCase(_id(placed, dotted, classname, name), status, message, placed or None, line)


def _id(placed: str, dotted: str, classname: str, name: str) -> str:
    """The node id that pytest took apart. Source: `mangle_test_address` in pytest's junitxml.py."""
    if placed and not classname and name == dotted:
        return placed
    if placed and classname == dotted:
        return f"{placed}::{name}"
    if placed and classname.startswith(dotted + "."):
        return "::".join((placed, *classname[len(dotted) + 1 :].split("."), name))
    return "::".join(part for part in (classname, name) if part)


@lru_cache(maxsize=4096)
def _placed(file: str, directory: str) -> tuple[str, str]:
    """A file's path in the repository, and its name as pytest writes it with dots."""
    path, dotted = file.replace("\\", "/").removeprefix("./"), file.removesuffix(".py").replace("/", ".")
    if not path or directory in ("", ".") or path.startswith((directory.rstrip("/") + "/", "/", "../")):
        return path, dotted
    return f"{directory.rstrip('/')}/{path}", dotted


def _line(said: str, first_line: int) -> int | None:
    number = int(said) + 1 - first_line if _DIGITS.fullmatch(said) else 0
    return number or None


def _message(child: Element, status: TestStatus) -> str:
    said, text = child.get("message") or "", (child.text or "").strip()
    if status is TestStatus.SKIPPED or not text:
        return said
    return text if said in text or "\n" in said else f"{said}\n{text}"


def _contradiction(suites: Sequence[Mapping[str, str]], counted: Mapping[str, int], cases: int) -> str:
    """How the totals differ from the cases. `tests` may exceed the cases: subtests and double failures count in it."""
    totals = {attribute: _total(suites, attribute) for attribute in _TOTALS}
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        said, listed = totals[attribute], counted.get(tag, 0)
        if said is not None and said != listed:
            return f"the results file says {said} {attribute} and lists {listed}"
    said = totals["tests"]
    if said is not None and said < cases - (totals["errors"] or 0):
        return f"the results file says {said} tests and lists {cases}"
    return ""


def _total(suites: Sequence[Mapping[str, str]], attribute: str) -> int | None:
    values = [suite.get(attribute) or "" for suite in suites]
    if not values or not all(_DIGITS.fullmatch(value) for value in values):
        return None
    return sum(int(value) for value in values)

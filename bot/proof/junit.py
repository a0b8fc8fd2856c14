"""Reading JUnit XML: a stranger's bytes become test cases. pytest's own family (xunit1) gives back its node ids."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from bot.records import TestCase, TestStatus
from sandbox.contract import clipped

MAX_BYTES = 32 * 1024 * 1024
_MESSAGE = 4000
_MESSAGES_IN_ALL = 400_000
_ORDER = (TestStatus.PASSED, TestStatus.SKIPPED, TestStatus.FAILED, TestStatus.ERROR)
_TAGS = {"failure": TestStatus.FAILED, "error": TestStatus.ERROR, "skipped": TestStatus.SKIPPED}
_DIGITS = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Results:
    """What a results file says. `contradiction` is how its own totals differ from its cases, or ""."""

    cases: tuple[TestCase, ...]
    contradiction: str = ""
    internal_error: bool = False


def read_junit(data: bytes, *, directory: str = ".") -> Results | None:
    """Read a results file; None where it is not one. Never raises for what is in it.

    `directory` is where the command ran: paths in the file are taken as relative to it.
    """
    try:
        root = fromstring(data.decode("utf-8", "replace"), forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        return None
    if root.tag not in ("testsuites", "testsuite"):
        return None
    elements = list(root.iter("testcase"))
    cases = _merged([_case(element, directory) for element in elements if not _is_internal(element)])
    return Results(
        cases=tuple(_within_bounds(cases)),
        contradiction=_contradiction(root, elements),
        internal_error=any(_is_internal(element) for element in elements),
    )


def _is_internal(element: Element) -> bool:
    """Whether this is a crash of pytest itself, which it reports like a test. Source: `LogXML.pytest_internalerror`."""
    return element.get("classname") == "pytest" and element.get("name") == "internal"


def _case(element: Element, directory: str) -> TestCase:
    file, classname, name = (element.get(key) or "" for key in ("file", "classname", "name"))
    found = [(_TAGS[child.tag], child) for child in element if child.tag in _TAGS]
    status, child = max(found, key=lambda pair: _ORDER.index(pair[0]), default=(TestStatus.PASSED, None))
    message = "" if child is None else _message(child, status)
    placed = _placed(file, directory)
    return TestCase(id=_id(placed, file, classname, name), status=status, message=message, file=placed or None)


def _id(placed: str, file: str, classname: str, name: str) -> str:
    """The node id that pytest took apart. Source: `mangle_test_address` in pytest's junitxml.py."""
    dotted = file.removesuffix(".py").replace("/", ".")
    if file and not classname and name == dotted:
        return placed
    if file and classname == dotted:
        return f"{placed}::{name}"
    if file and classname.startswith(dotted + "."):
        return "::".join((placed, *classname[len(dotted) + 1 :].split("."), name))
    return "::".join(part for part in (classname, name) if part)


def _placed(file: str, directory: str) -> str:
    path = file.replace("\\", "/").removeprefix("./")
    if not path or directory in ("", ".") or path.startswith((directory.rstrip("/") + "/", "/", "../")):
        return path
    return f"{directory.rstrip('/')}/{path}"


def _message(child: Element, status: TestStatus) -> str:
    said, text = child.get("message") or "", (child.text or "").strip()
    if status is TestStatus.SKIPPED or not text:
        return said
    return text if said in text or "\n" in said else f"{said}\n{text}"


def _merged(cases: Sequence[TestCase]) -> list[TestCase]:
    """One case for each id, its worst result: a failing teardown or subtest comes as a case of its own."""
    worst: dict[str, TestCase] = {}
    for case in cases:
        known = worst.get(case.id)
        if known is None or _ORDER.index(case.status) > _ORDER.index(known.status):
            worst[case.id] = case
    return list(worst.values())


def _within_bounds(cases: Sequence[TestCase]) -> Iterator[TestCase]:
    left = _MESSAGES_IN_ALL
    for case in cases:
        message = clipped(case.message, _MESSAGE if left > 0 else 200)
        left -= len(message)
        yield TestCase(id=case.id, status=case.status, message=message, file=case.file)


def _contradiction(root: Element, elements: Sequence[Element]) -> str:
    """How the totals differ from the cases. `tests` may exceed the cases: subtests and double failures count in it."""
    suites = list(root.iter("testsuite"))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        counted = sum(1 for element in elements for child in element if child.tag == tag)
        said = _total(suites, attribute)
        if said is not None and said != counted:
            return f"the results file says {said} {attribute} and lists {counted}"
    said, errors = _total(suites, "tests"), _total(suites, "errors") or 0
    if said is not None and said < len(elements) - errors:
        return f"the results file says {said} tests and lists {len(elements)}"
    return ""


def _total(suites: Sequence[Element], attribute: str) -> int | None:
    values = [suite.get(attribute) or "" for suite in suites]
    if not values or not all(_DIGITS.fullmatch(value) for value in values):
        return None
    return sum(int(value) for value in values)

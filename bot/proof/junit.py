"""Reading JUnit XML: a stranger's bytes become test cases. pytest's own family (xunit1) gives back its node ids."""

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from bot.proof.results import Results, results_of, worse
from bot.records import TestCase, TestStatus

_TAGS = {"failure": TestStatus.FAILED, "error": TestStatus.ERROR, "skipped": TestStatus.SKIPPED}
_DIGITS = re.compile(r"[0-9]{1,9}")


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
    return results_of(
        (_case(element, directory) for element in elements if not _is_internal(element)),
        contradiction=_contradiction(root, elements),
        internal_error=any(_is_internal(element) for element in elements),
    )


def _is_internal(element: Element) -> bool:
    """Whether this is a crash of pytest itself, which it reports like a test. Source: `LogXML.pytest_internalerror`."""
    return element.get("classname") == "pytest" and element.get("name") == "internal"


def _case(element: Element, directory: str) -> TestCase:
    file, classname, name = (element.get(key) or "" for key in ("file", "classname", "name"))
    found = [(_TAGS[child.tag], child) for child in element if child.tag in _TAGS]
    status, child = TestStatus.PASSED, None
    for candidate, said in found:
        if worse(candidate, status):
            status, child = candidate, said
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

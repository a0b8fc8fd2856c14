"""TAP on stdout: node-tap, ava --tap, bats, prove -v, and tape where its recorder can't get in. Pure."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from bot.proof.plant import Plant, fullest
from bot.proof.readers.naming import line_in, numbered, placed, plain
from bot.proof.readers.node.crashes import crash_of
from bot.proof.readers.reader import OUTPUT_CUT, Left, Preparation, Site
from bot.proof.readers.script_plants import Texts, plants_beside
from bot.proof.readers.tap.documents import Document, Point, documents_in
from bot.proof.results import Results, results_of
from bot.records import TestCase, TestReport, TestStatus

TEXTS = Texts(
    script='require("tap").fail("planted by selfcode: {token}");\n',
    module='import t from "tap";\n\nt.fail("planted by selfcode: {token}");\n',
)
OF_PROVE = 'print "1..1\\nnot ok 1 - planted by selfcode: {token}\\n";\n'
_DIRECTIVE = re.compile(r"(?:^|\s)#\s*(?P<kind>skip|todo)\b\S*\s*(?P<why>.*)$", re.IGNORECASE)
_FILE = re.compile(r"[^\s:]+\.([cm]?[jt]sx?|t|sh|bats|py|rb|pl|php)")
_WHOLE = "all tests"


class _Tap:
    name = "tap"
    reads_output = True
    takes_plants = True

    def prepare(self, site: Site) -> Preparation:  # noqa: ARG002
        return Preparation()

    def read(self, left: Left) -> Results | None:
        """See `Reader`. A program that fails before it has told all is an error of its own, and no contradiction."""
        documents = documents_in(left.stdout)
        if not documents:
            return None
        cut = [document for document in documents if document.lacks]
        has_failed = left.exit_code not in (0, None)
        cases = [case for document in documents for case in _cases(document, left)]
        contradictions = [] if has_failed else [document.lacks for document in cut]
        if left.truncated:
            contradictions.append(OUTPUT_CUT)
        return results_of(
            numbered([*cases, *(_cut_short(document, left) for document in cut if has_failed)]),
            contradiction="; ".join(dict.fromkeys(contradictions)),
            ended_early=bool(cut) and has_failed,
        )

    def plants(self, baseline: TestReport, token: str) -> Iterator[Plant]:
        """Where the results name files: node-tap's, and Perl's under prove."""
        yield from plants_beside(baseline, token, TEXTS)
        of_prove = [PurePosixPath(case.file) for case in baseline.cases if case.file and case.file.endswith(".t")]
        if of_prove:
            folder = fullest(Counter(str(path.parent) for path in of_prove))
            yield Plant(str(PurePosixPath(folder) / f"zz-selfcode-{token}.t"), token, template=OF_PROVE)


TAP = _Tap()


def _cases(document: Document, left: Left) -> Iterator[TestCase]:
    if document.skipped and not document.points:
        yield TestCase(document.file or _WHOLE, TestStatus.SKIPPED, document.skipped)
    inside = Counter(point.above[0] for point in document.points if point.above)
    counted: Counter[tuple[str, ...]] = Counter()
    for point in document.points:
        counted[*point.above, point.group] += 1
        yield _case(point, document, left, inside=inside[point.said], number=counted[*point.above, point.group])


def _case(point: Point, document: Document, left: Left, *, inside: int, number: int) -> TestCase:
    """The point as a test. `inside`: how many are in it, where it is a subtest; `number`: its own, where it is."""
    directive = _DIRECTIVE.search(point.said)
    said = (point.said[: directive.start()] if directive else point.said).strip().replace("\\#", "#")
    names = [*point.above, said or f"test {number}"]
    if point.group and point.group != names[-1]:
        names.insert(0, point.group)
    file = document.file
    if not file and (point.above or point.is_subtest) and _FILE.fullmatch(names[0]):
        file = placed(names.pop(0), left.root, left.directory)
    status = TestStatus.SKIPPED if directive else TestStatus.FAILED if point.failed else TestStatus.PASSED
    message = directive["why"] if directive else "\n".join([said, *point.message]) if point.failed else ""
    if not names and not inside and status is TestStatus.FAILED:
        status, message = TestStatus.ERROR, crash_of(left.stderr, f"{left.root}/{file}") or message
    test_id = "::".join(part for part in (file, " > ".join(names)) if part)
    message = plain(message, left.root)
    return TestCase(test_id, status, message, file or None, line_in(message, file))


def _cut_short(document: Document, left: Left) -> TestCase:
    """The program itself, which failed before it had told all."""
    said = left.stderr.strip() or "it said no more"
    message = plain(f"{document.lacks}\n{said[-_SAID:]}", left.root)
    return TestCase(document.file or _WHOLE, TestStatus.ERROR, message, document.file or None)


_SAID = 3000
"""Characters of a program's last words."""

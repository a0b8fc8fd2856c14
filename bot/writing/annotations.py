"""What the check run says of single lines: tests that fail, tests that were altered, changes that no test notices."""

import posixpath
from collections.abc import Collection, Iterator

from bot.records import Annotation, AnnotationLevel, Proof, RunResult, TestCase, TestReport
from bot.writing.answering import change_of
from bot.writing.places import places_of
from bot.writing.safe import clean, cut, one_line

MESSAGE_LIMIT = 4000
"""Characters of a message; GitHub takes 64 KB, and shows it beside the line."""


def annotations(result: RunResult, *, in_head: Collection[str]) -> tuple[Annotation, ...]:
    """All there is to say of lines, what matters most first. `in_head` are the head's files: of no other is spoken.

    They are plain text: GitHub renders no Markdown there.
    """
    proof = result.proof
    if proof is None:
        return ()
    every = (*_failures(result, proof), *_altered(result, proof), *_unnoticed(proof))
    return tuple(dict.fromkeys(each for each in every if each.path in in_head and each.path.isprintable()))


def _failures(result: RunResult, proof: Proof) -> Iterator[Annotation]:
    """Tests that fail with the change. What the base's own tests say stands where the change left their file alone."""
    changed = set(change_of(result).paths)
    wanted = {*proof.evidence.broke, *proof.newly_failing}
    seen: set[str] = set()
    for report in (proof.head, proof.base_tests_on_head):
        for case in _failing(report, wanted - seen):
            if case.file and not (report is proof.base_tests_on_head and case.file in changed):
                seen.add(case.id)
                broke = "broke" if case.id in proof.evidence.broke else "fails with the change"
                message = case.message or "It does not pass with the change."
                title = f"{broke}: {case.id}"
                yield _annotation(case.file, case.line, AnnotationLevel.FAILURE, title=title, message=message)


def _failing(report: TestReport | None, wanted: set[str]) -> list[TestCase]:
    return [case for case in report.cases if case.id in wanted and case.id in report.failed] if report else []


def _altered(result: RunResult, proof: Proof) -> Iterator[Annotation]:
    places = places_of(change_of(result).patch)
    accepted = f"Accepted by {proof.accepted_by}." if proof.accepted_by else "A maintainer has to accept it."
    for said in proof.tests_altered:
        path = max((path for path in proof.tests_changed if said.startswith(f"{path}: ")), key=len, default="")
        first = min((place.hunk.start for place in places if place.hunk.path == path), default=1)
        line = _line_of(proof.head, path, said.removeprefix(f"{path}: ").partition(" ")[0]) or first
        if path:
            message = f"{said.removeprefix(f'{path}: ')}. {accepted}"
            yield _annotation(
                path, line, AnnotationLevel.WARNING, title="an existing test was altered", message=message
            )


def _line_of(report: TestReport | None, path: str, name: str) -> int | None:
    """Where the test stands in the head, as far as the report tells."""
    ends = tuple(f"{separator}{name}" for separator in ("::", ".", " ", "#", "/"))
    cases = report.cases if report and name else ()
    return next((each.line for each in cases if each.file == path and each.id.partition("[")[0].endswith(ends)), None)


def _unnoticed(proof: Proof) -> Iterator[Annotation]:
    for hunk in proof.hunks.unnoticed if proof.hunks else ():
        yield _annotation(
            hunk.path,
            hunk.start,
            AnnotationLevel.NOTICE,
            title="noticed by no test",
            message="This change was taken back alone, and the tests passed still.",
            lines=hunk.lines,
        )


def _annotation(
    path: str, line: int | None, level: AnnotationLevel, *, title: str, message: str, lines: int = 1
) -> Annotation:
    """Lines are counted from 1 on; a path from a report may be written in another way than git writes it."""
    start = max(line or 1, 1)
    return Annotation(
        path=posixpath.normpath(path),
        start_line=start,
        end_line=start + max(lines - 1, 0),
        level=level,
        title=one_line(title, 200),
        message=cut(clean(message).strip() or title, MESSAGE_LIMIT),
    )

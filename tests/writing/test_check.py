from dataclasses import replace

from hypothesis import given

from bot.records import (
    ANNOTATIONS_AT_MOST,
    Annotation,
    AnnotationLevel,
    Evidence,
    HunkCheck,
    Outcome,
    RunResult,
    TestCase,
    TestStatus,
)
from bot.writing.check import CheckText, check, stale_check
from bot.writing.document import LIMIT
from tests.writing.builders import (
    a_change,
    a_hunk,
    a_progress,
    a_proof,
    a_provenance,
    a_report,
    a_result,
    an_iteration,
    hunks,
)
from tests.writing.foreign import TOKEN, foreign_text, patiently

IN_HEAD = frozenset({"prices.py", "tests/test_prices.py", "tests/test_total.py"})
BROKEN = TestCase("tests/test_prices.py::test_tax", TestStatus.FAILED, "assert 3 == 6", "tests/test_prices.py", 14)


def written(result: RunResult | None = None) -> CheckText:
    return check(result or a_result(), run_id="r-1", in_head=IN_HEAD)


def with_failing(*cases: TestCase, broke: tuple[str, ...] = ()) -> RunResult:
    report = a_report(failing=("x",))
    failing = replace(report, cases=cases)
    proof = a_proof(missing=("x",), head=failing, base_tests_on_head=failing)
    return a_result(Outcome.UNPROVEN, proof=replace(proof, evidence=Evidence(broke=broke)))


def test_the_check_is_green_where_proven_and_neutral_where_not() -> None:
    assert written().conclusion == "success"
    assert written(a_result(Outcome.UNPROVEN, proof=a_proof(missing=("no test",)))).conclusion == "neutral"


def test_the_check_says_the_outcome_in_its_title_and_the_evidence_in_its_summary() -> None:
    text = written()

    assert text.title == (
        "Proven: 2 tests fail without this change and pass with it; all 12 that passed before still pass"
    )
    assert "| ✅ | Passed before, pass still | 12 of 12 |" in text.summary
    assert len(written(a_result(proof=a_proof(red=("😀" * 99,) * 9_999))).summary) <= LIMIT


def test_the_summary_says_what_the_proof_was_made_of_and_which_run_it_was() -> None:
    summary = written(a_result(proof=replace(a_proof(), provenance=a_provenance()))).summary

    assert "| image | `python:3.13-slim (sha256:abab" in summary
    assert "| pytest | `8.3.4` |" in summary
    assert "Run `r-1`" in summary


def test_a_test_that_broke_is_annotated_where_it_stands() -> None:
    text = written(with_failing(BROKEN, broke=(BROKEN.id,)))

    assert text.annotations == (
        Annotation(
            "tests/test_prices.py",
            14,
            14,
            AnnotationLevel.FAILURE,
            "broke: tests/test_prices.py::test_tax",
            "assert 3 == 6",
        ),
    )


def test_a_test_without_a_line_is_annotated_at_the_start_of_its_file() -> None:
    (annotation,) = written(with_failing(replace(BROKEN, line=None))).annotations

    assert (annotation.start_line, annotation.end_line) == (1, 1)
    assert annotation.title.startswith("fails with the change")


def test_of_files_that_the_head_does_not_hold_nothing_is_said() -> None:
    elsewhere = [replace(BROKEN, id=path, file=path) for path in ("gone.py", "../x.py", "/etc/passwd", "")]

    assert written(with_failing(*elsewhere)).annotations == ()


def test_an_altered_test_is_a_warning_and_a_place_that_no_test_notices_a_notice() -> None:
    case = TestCase("tests/test_prices.py::test_tax[1]", TestStatus.PASSED, file="tests/test_prices.py", line=30)
    proof = a_proof(
        missing=("x",),
        head=a_report(cases=(case,)),
        tests_changed=("tests/test_prices.py",),
        tests_altered=("tests/test_prices.py: test_tax loosens a comparison",),
        hunks=HunkCheck(unnoticed=(a_hunk(start=4, lines=3),)),
    )

    warning, notice = written(a_result(Outcome.UNPROVEN, proof=proof)).annotations

    assert (warning.path, warning.start_line, warning.level) == ("tests/test_prices.py", 30, AnnotationLevel.WARNING)
    assert warning.message == "test_tax loosens a comparison. A maintainer has to accept it."
    assert (notice.path, notice.start_line, notice.end_line, notice.level) == (
        "prices.py",
        4,
        6,
        AnnotationLevel.NOTICE,
    )


def test_of_many_annotations_the_gravest_are_shown_and_the_rest_is_said() -> None:
    cases = [replace(BROKEN, id=f"t{n}", line=n + 1) for n in range(ANNOTATIONS_AT_MOST + 5)]

    text = written(with_failing(*cases))

    assert len(text.annotations) == ANNOTATIONS_AT_MOST
    assert "Of 55 remarks on lines, the 50 most important are shown." in text.summary


@patiently
@given(foreign_text)
def test_annotations_hold_foreign_text_in_its_bounds(text: str) -> None:
    case = replace(BROKEN, id=text or "x", message=f"{text} {TOKEN}" + "x" * 100_000)
    change = a_change(patch=text)
    result = replace(with_failing(case), progress=a_progress(an_iteration(change=change)))

    for annotation in written(result).annotations:
        assert TOKEN not in annotation.message + annotation.title
        assert len(annotation.message) <= 4000
        assert len(annotation.title) <= 255
        assert annotation.message.strip()


def test_places_that_no_test_notices_are_in_the_summary() -> None:
    summary = written(a_result(proof=replace(a_proof(), hunks=hunks(noticed=5, unnoticed=2)))).summary

    assert "**2 of 7 changed places are noticed by no test**" in summary


def test_the_check_on_a_pushed_commit_says_that_the_proof_is_of_another() -> None:
    text = stale_check("1f0c" * 10, "2a9b" * 10, run_id="r-2")

    assert text.conclusion == "neutral"
    assert text.title == "Stale: the proof is for 1f0c1f0c1f; 2a9b2a9b2a is not proven"

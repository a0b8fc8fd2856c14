"""Every kind of comment, review answer, pull request and check that people read, as they come from a run."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from bot.records import (
    Aim,
    Answer,
    Attempt,
    Caps,
    Evidence,
    FailedCheck,
    HunkCheck,
    Note,
    Outcome,
    Progress,
    PullRequestText,
    ReportState,
    Request,
    RunResult,
    Spend,
    Task,
    TestCase,
    TestStatus,
    TriggerKind,
    Verdict,
)
from bot.writing.check import check, stale_check, unrenewed_check
from bot.writing.iteration_log import iteration_log
from bot.writing.progress import Phase, ProgressView, progress_comment, queue_comment
from bot.writing.pull_request import pull_request
from bot.writing.renewing import answer as accepted
from bot.writing.replies import help_comment, not_begun
from bot.writing.result import result_comment
from bot.writing.review_answers import review_answer, review_summary
from bot.writing.status import AtWork, Ended, InLine, Standing, status_comment
from tests.writing.builders import (
    RED,
    a_change,
    a_hunk,
    a_plan,
    a_progress,
    a_proof,
    a_provenance,
    a_report,
    a_result,
    a_task,
    an_iteration,
)

RUN = "3a5f0c9e71b24d08"
PAGES = "https://bot.example.com"
BASE, HEAD, OTHER = "1f0c" * 10, "2a9b" * 10, "7be4" * 10
FAILING = ("tests/test_total.py::test_the_first_price_counts", "tests/test_total.py::test_one_price")

ANSWER = """\
`total` leaves out the first price **on purpose**: it is the deposit, see `prices.py`.

To have all of them:

```python
sum(prices)
```

1. `prices[0]` is the deposit
2. the rest is what is owed
"""
QUESTION = """\
May the function raise `ValueError` for an empty list, or should it give 0?

- `invoice.py` expects an error
- the documentation says 0
"""
REQUESTS = (
    Request(1, (("ada", "Please use `math.fsum` here."),), path="prices.py", lines="2"),
    Request(2, (("ada", "And a test for an empty list?"),), path="tests/test_total.py", lines="4–9"),
    Request(3, (("ada", "Rename it to `grand_total`."),), path="prices.py"),
    Request(4, (("ada", "Good start. Mind the rounding, please."),)),
)
ANSWERS = (
    Answer(1, is_done=True, text="`total` sums with `math.fsum` now."),
    Answer(2, is_done=True, text="Added `test_no_prices`:\n\n```python\nassert total([]) == 0\n```"),
    Answer(3, is_done=False, text="The name is used by `invoice.py` of another package."),
    Answer(4, is_done=True, text="Rounding is left to the caller, as the docstring says now."),
)
ATTEMPTS = (
    Attempt(1, "9d41", "label added", "unsolved", "", "https://github.com/octo/calc/issues/7#issuecomment-101"),
    Attempt(2, "b7c2", "retry by ada", "unproven", OTHER, "https://github.com/octo/calc/pull/12#issuecomment-140"),
    Attempt(3, RUN, "review by ada", "proven", HEAD),
)


def several(*, passing: int = 40) -> Progress:
    """Four iterations that come nearer."""
    first = an_iteration(
        1,
        summary="a test for the first price",
        aim=Aim.TEST,
        report=a_report(passed=passing, failing=FAILING),
        why_next="the test fails on the base, as it should",
    )
    second = an_iteration(
        2,
        summary="start the slice at 0",
        report=a_report(
            passed=passing - 9, failing=(*FAILING, *(f"tests/test_invoice.py::test_{n}" for n in range(9)))
        ),
        why_next="11 tests fail: TypeError: 'int' object is not iterable",
    )
    third = an_iteration(
        3,
        summary="sum all of them",
        report=a_report(passed=passing + 1, failing=FAILING[:1]),
        why_next="1 test fails still: assert 3 == 6",
    )
    spend = Spend(
        calls=7, prompt_tokens=31_000, completion_tokens=2_100, cost_usd=0.14, seconds=312.0, cached_tokens=9_000
    )
    return Progress((first, second, third), spend)


def unsolved() -> Progress:
    made = several()
    return replace(
        made, verdict=Verdict.LIMIT, why="the limit of 3 iterations is reached; after the last: 1 test fails still"
    )


def working(phase: Phase = Phase.WORKING, **changed: object) -> ProgressView:
    view = ProgressView(
        RUN, phase, plan=a_plan(), baseline=a_report(passed=40), model="gpt-5-mini", sandbox="docker", iteration=4
    )
    return replace(view, **changed)  # type: ignore[arg-type]


def full_proof() -> RunResult:
    checked = HunkCheck(
        noticed=(a_hunk(noticed_by=RED), a_hunk(start=20, noticed_by=RED[:1])),
        unnoticed=(a_hunk(start=40),),
        budget_s=60,
    )
    return a_result(
        proof=replace(
            a_proof(),
            hunks=checked,
            provenance=a_provenance(),
            second_looks=("`prices.py` answers 6 where [1, 2, 3] comes in, and the new tests hold both",),
        ),
        attempts=ATTEMPTS,
        built_on=OTHER,
        by_people=("5c6d" * 10,),
        critic="gpt-5",
        progress=a_progress(doubts="An empty list is not looked at.\n\n- `total([])` gives 0 now; was it an error?"),
    )


def drafted() -> RunResult:
    proof = a_proof(
        missing=(
            "Existing tests were altered: tests/test_prices.py: test_total loosens a comparison.",
            "Dependency or build files were changed, and the tests ran without them: pyproject.toml.",
        ),
        tests_altered=("tests/test_prices.py: test_total loosens a comparison",),
    )
    return a_result(
        Outcome.UNPROVEN,
        proof=replace(proof, evidence=replace(proof.evidence, flaky=("tests/test_io.py::test_slow",))),
        conflicts=("prices.py", "docs/prices.md"),
    )


def task() -> Task:
    return a_task(body="`total([1, 2, 3])` gives 5.\n\nIt should be 6.")


def opened(result: RunResult, **given: object) -> PullRequestText:
    return pull_request(
        result,
        task(),
        branch="selfcode/issue-7",
        run_id=RUN,
        repository="octo/calc",
        **given,  # type: ignore[arg-type]
    )


def told(outcome: Outcome, **changed: object) -> str:
    return result_comment(a_result(outcome, **changed), run_id=RUN, caps=Caps())


def pieces() -> Mapping[str, str]:
    """Every text by the name of its kind."""
    return dict(_pieces())


def _pieces() -> Iterator[tuple[str, str]]:
    yield "queue", queue_comment(RUN, 3, attempt=2, because="retry by ada")
    yield "queue-next", queue_comment(RUN, 1, pages=PAGES)
    yield "queue-far", queue_comment(RUN, 5)
    yield "queue-paused", queue_comment(RUN, 1, is_paused=True)
    yield "progress-preparing", progress_comment(working(Phase.PREPARING, plan=None, baseline=None))
    yield "progress-working", progress_comment(working(progress=several()))
    yield (
        "progress-many-tests",
        progress_comment(
            working(
                progress=several(passing=2340),
                baseline=a_report(passed=2340),
                attempt=3,
                because="review by ada",
                notes=(Note("ada", "keep the old signature"), Note("grace", "see how `invoice.py` does it")),
                left_out=("a comment by eve: no write access",),
            )
        ),
    )
    yield "progress-with-a-page", progress_comment(working(progress=several(), pages=PAGES))
    held_up = working(progress=several(), waits_for="no connection to the model server", waits_since=1_780_000_000.0)
    yield "progress-held-up", progress_comment(held_up)
    yield "progress-proving", progress_comment(working(Phase.PROVING, progress=several()))
    yield from _results()
    yield from _pull_requests()
    yield from _reviews()
    yield "log", iteration_log(unsolved(), a_report(passed=40), run_id=RUN)
    yield "help", help_comment(key="comment-5", complaint="There is no command `frobnicate`.")
    yield from _statuses()
    yield "not-begun", not_begun("label removed", RUN)
    yield "accepted", accepted(a_result(), who="ada", key="comment-6")
    yield "check-proven", check(full_proof(), run_id=RUN).summary
    yield "check-stale", stale_check(HEAD, OTHER, run_id=RUN).summary
    yield "check-unrenewed", unrenewed_check(Outcome.BASELINE_BROKEN, "The setup failed.\npip: no", run_id=RUN).summary


def _statuses() -> Iterator[tuple[str, str]]:
    work = AtWork(RUN, TriggerKind.REVIEW, Phase.WORKING, iteration=3, progress=several())
    last = Ended(RUN, Outcome.UNPROVEN, "The change alters existing tests.", 12, several())
    waits = InLine(TriggerKind.RETRY)
    busy = Standing(at_work=[work], in_line=[waits], last=last)
    yield "status-at-work", status_comment(busy, key="comment-7", label="selfcode")
    yield "status-ended", status_comment(Standing(last=last), key="comment-7", label="selfcode", pages=PAGES)
    queued = Standing(in_line=[InLine(TriggerKind.START, 2, 3)])
    yield "status-queued", status_comment(queued, key="comment-7", label="selfcode")
    yield "status-paused", status_comment(replace(queued, is_paused=True), key="comment-7", label="selfcode")


def _results() -> Iterator[tuple[str, str]]:
    yield "result-proven", told(Outcome.PROVEN, progress=several(), attempts=ATTEMPTS)
    yield (
        "result-unsolved",
        told(
            Outcome.UNSOLVED,
            reason="The limit of 3 iterations is reached.",
            progress=unsolved(),
            baseline=a_report(passed=40),
        ),
    )
    asks = replace(several(), verdict=Verdict.QUESTION, why=QUESTION)
    yield "result-question", told(Outcome.NEEDS_INFORMATION, reason=QUESTION, progress=asks)
    yield (
        "result-question-unlabelled",
        told(Outcome.NEEDS_INFORMATION, reason=QUESTION, progress=asks, is_labelled=False),
    )
    answered = Progress(spend=Spend(1, 4000, 300, 0.01, 8.0), verdict=Verdict.ANSWERED, why=ANSWER)
    yield "result-answer", told(Outcome.NOTHING_TO_DO, reason=ANSWER, progress=answered)
    shows = an_iteration(1, aim=Aim.TEST, change=a_change(paths=("tests/test_total.py",)), report=_one_failing())
    yield (
        "result-asks-about-test",
        told(
            Outcome.NEEDS_INFORMATION,
            reason="A person is asked whether this test says what the issue says.",
            progress=a_progress(shows, verdict=Verdict.ASKING, why="the test fails on the base"),
        ),
    )
    broken = a_report(
        passed=0, state=ReportState.USAGE_ERROR, cases=(), output="/usr/bin/python: No module named pytest"
    )
    yield (
        "result-baseline-broken",
        told(Outcome.BASELINE_BROKEN, reason="The test command could not run.", baseline=broken, progress=Progress()),
    )
    yield (
        "result-refused",
        told(Outcome.REFUSED, reason="The change touches what is protected: `.github/workflows/ci.yml`."),
    )
    yield "result-stopped", told(Outcome.STOPPED, reason="Stopped by ada.", head_sha="")
    yield "result-error", told(Outcome.ERROR, reason="GitHub did not answer for an hour.", progress=Progress())
    yield "result-nothing", told(Outcome.NOTHING_TO_DO, reason="No change was needed.", progress=a_progress())
    yield (
        "result-not-reproduced",
        told(Outcome.NOT_REPRODUCED, reason="The test passes on the base.", progress=several()),
    )
    dry = replace(full_proof(), pull_request=None)
    yield "result-dry-run", result_comment(dry, run_id=RUN, caps=Caps(), would_open=opened(dry, labels=("bot",)))


def _one_failing() -> object:
    case = TestCase(RED[0], TestStatus.FAILED, "E   assert 5 == 6", "tests/test_total.py", 4)
    return a_report(cases=(case,), state=ReportState.FAILED)


def _pull_requests() -> Iterator[tuple[str, str]]:
    yield "pull-proven", opened(a_result()).body
    yield "pull-attempts", opened(full_proof()).body
    yield "pull-with-a-page", opened(a_result(), pages=PAGES).body
    failing = (FailedCheck("ci / test (3.12)", "https://ci.test/1", "2 tests failed on macOS"), FailedCheck("lint", ""))
    yield "pull-checks", opened(a_result(checks=failing)).body
    yield "pull-draft", opened(drafted()).body
    yield "pull-draft-again", opened(replace(drafted(), is_draft_again=True)).body
    yield "pull-stale", opened(a_result(), moved_to=OTHER).body
    broke = a_proof(missing=("1 test that passed before fails.",))
    evidence = Evidence(red=RED, broke=("tests/test_prices.py::test_3",))
    yield "pull-broke", opened(a_result(Outcome.UNPROVEN, proof=replace(broke, evidence=evidence))).body


def _reviews() -> Iterator[tuple[str, str]]:
    paths = ("prices.py", "tests/test_total.py")
    answered = partial(review_answer, head_sha=HEAD, run_id=RUN, changed_paths=paths)
    yield "review-done", answered(ANSWERS[1], path="tests/test_total.py")
    yield "review-not-done", answered(ANSWERS[2], path="prices.py")
    yield "review-unsaid", answered(None, number=5, path="prices.py")
    yield (
        "review-nothing-pushed",
        review_answer(ANSWERS[0], head_sha="", run_id=RUN, outcome=Outcome.UNSOLVED, reason="2 tests fail still."),
    )
    yield (
        "review-summary",
        review_summary(
            REQUESTS, ANSWERS, reviewer="ada", head_sha=HEAD, run_id=RUN, outcome=Outcome.PROVEN, asked_again=True
        ),
    )

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from bot.errors import Stopped
from bot.proof import A, Arrangement, B, C, in_turn, never, prove
from bot.proof.arrangements import UNPLANTED, UNTOUCHED
from bot.records import Proof, ReportState, TestReport
from tests.proof.laboratory import (
    BASE,
    FIXED,
    NEW_TEST,
    SOLVED,
    SOURCE,
    TESTS,
    Laboratory,
    a_report,
    changed,
    changes,
    proof_of,
)

Given = TypeVar("Given")
Result = TypeVar("Result")
LARGE = "tests/test_large.py::test_large"


def lacks(proof: Proof, *words: str) -> bool:
    """Whether the proof fails for exactly these reasons, each known by a few of its words."""
    found = [[word for word in words if word in reason] for reason in proof.missing]
    return all(found) and {word for each in found for word in each} == set(words)


# --- Proven


def test_a_test_that_fails_without_the_change_and_passes_with_it_is_the_proof() -> None:
    laboratory = Laboratory(BASE, SOLVED)

    proof = laboratory.prove()

    assert proof.missing == ()
    assert proof.holds
    assert proof.evidence.red == (LARGE,)
    assert proof.evidence.new == (LARGE,)
    assert proof.evidence.new_interface == ()
    assert proof.tests_changed == ("tests/test_large.py",)
    assert laboratory.arrangements == [A, A, B, B, C]


def test_a_test_that_failed_on_the_base_already_needs_no_new_test() -> None:
    base = {**BASE, "tests/test_large.py": NEW_TEST}
    laboratory = Laboratory(base, {"calc.py": FIXED})

    proof = laboratory.prove()

    assert proof.missing == ()
    assert proof.evidence.red == (LARGE,)
    assert laboratory.arrangements == [A, A, B, B]


def test_an_unrelated_failure_of_the_base_is_listed_and_does_no_harm() -> None:
    old = {"tests/test_old.py": "def test_old(): assert False"}

    proof = proof_of({**BASE, **old}, SOLVED)

    assert proof.missing == ()
    assert proof.evidence.still_failing == ("tests/test_old.py::test_old",)


def test_a_test_of_a_function_that_the_change_adds_is_red_by_its_import() -> None:
    proof = proof_of(
        BASE,
        {
            "calc.py": SOURCE + "\ndef triple(n):\n    return 3 * n\n",
            "tests/test_triple.py": "from calc import triple\n\ndef test_triple(): assert triple(2) == 6",
        },
    )

    assert proof.missing == ()
    assert proof.evidence.red == proof.evidence.new_interface == ("tests/test_triple.py::test_triple",)


def test_a_new_test_in_an_existing_file_is_no_alteration() -> None:
    more = TESTS.replace("import double", "import double, triple") + "\n    def test_triple(): assert triple(2) == 6"

    proof = proof_of(BASE, {"calc.py": SOURCE + "\ndef triple(n):\n    return 3 * n\n", "tests/test_calc.py": more})

    assert proof.missing == ()
    assert proof.evidence.red == ("tests/test_calc.py::test_triple",)
    assert proof.evidence.broke == ()


def test_a_module_that_the_change_adds_is_red_by_its_import_inside_the_test() -> None:
    proof = proof_of(
        BASE,
        {
            "shapes/__init__.py": "",
            "shapes/round.py": "AREA = 3",
            "tests/test_round.py": "def test_area():\n    from shapes.round import AREA\n    assert AREA == 3",
        },
    )

    assert proof.missing == ()
    assert proof.evidence.new_interface == ("tests/test_round.py::test_area",)


def test_a_broken_file_of_the_base_hides_no_evidence() -> None:
    broken = {"tests/test_broken.py": "import nowhere"}

    proof = proof_of({**BASE, **broken}, SOLVED)

    assert proof.missing == ()
    assert proof.evidence.still_failing == ("tests/test_broken.py",)


@pytest.mark.parametrize(
    "command",
    [
        "python -m pytest -q tests",
        "python -m pytest -q -x",
        "python -m pytest tests/test_calc.py tests/test_more.py",
        "make test",
    ],
)
def test_the_command_is_taken_as_it_is(command: str) -> None:
    base = {
        **BASE,
        "tests/test_more.py": "def test_more(): pass",
        "Makefile": "test:\n\t@python -m pytest -q\n",
    }
    more = "\nimport calc\n\ndef test_large():\n    assert calc.double(20) == 40"

    proof = proof_of(base, {"calc.py": FIXED, "tests/test_more.py": "def test_more(): pass" + more}, command)

    assert proof.missing == ()
    assert proof.evidence.red == ("tests/test_more.py::test_large",)


# --- Not proven


def test_a_new_test_that_passes_without_the_change_proves_nothing() -> None:
    proof = proof_of(BASE, {"calc.py": FIXED, "tests/test_new.py": "def test_new(): assert True"})

    assert lacks(proof, "No test fails without the change")


def test_a_change_that_knows_the_new_tests_by_heart_is_not_proven() -> None:
    source = "def double(n):\n    if n == 20:\n        return 40\n    return n + n if n < 10 else 0\n"

    proof = Laboratory(BASE, {**SOLVED, "calc.py": source}).prove()

    assert proof.evidence.red == (LARGE,)
    assert lacks(proof, "answers only what its own tests ask")


def test_an_import_of_something_that_the_change_does_not_define_is_not_red(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.py").write_text("")
    test = f"""
        import sys
        import calc

        if calc.double(20):
            sys.path.append({str(tmp_path)!r})
        import elsewhere

        def test_it():
            pass
    """

    proof = proof_of(BASE, {"calc.py": FIXED, "tests/test_new.py": test})

    assert lacks(proof, "No test fails without the change", "can't import something")
    assert "tests/test_new.py" in " ".join(proof.missing)


def test_what_breaks_is_named() -> None:
    proof = proof_of(BASE, {**SOLVED, "calc.py": "def double(n):\n    return n + n if n else 1\n"})

    assert lacks(proof, "do not pass after it: tests/test_calc.py::test_zero")
    assert proof.evidence.broke == ("tests/test_calc.py::test_zero",)
    assert proof.evidence.red == (LARGE,)


def test_a_new_test_that_fails_with_the_change_is_named() -> None:
    failing = {"tests/test_new.py": "def test_new(): assert False"}

    proof = proof_of(BASE, {**SOLVED, **failing})

    assert lacks(proof, "Tests fail with the change: tests/test_new.py::test_new")


def test_a_test_that_fails_by_turns_is_flaky_and_counts_neither_way(tmp_path: Path) -> None:
    flaky = f"""
        from pathlib import Path

        def test_flaky():
            counter = Path({str(tmp_path / "counter")!r})
            count = int(counter.read_text()) + 1 if counter.exists() else 0
            counter.write_text(str(count))
            assert count % 2 == {{remainder}}
    """

    new = proof_of(BASE, {"calc.py": FIXED, "tests/test_new.py": flaky.format(remainder=1)}, by_turns=True)
    (tmp_path / "counter").unlink()
    old = proof_of({**BASE, "tests/test_old.py": flaky.format(remainder=0)}, SOLVED, by_turns=True)

    assert new.evidence.red == ()
    assert new.evidence.flaky == ("tests/test_new.py::test_flaky",)
    assert lacks(new, "No test fails without the change")
    assert old.missing == ()
    assert old.evidence.flaky == ("tests/test_old.py::test_flaky",)


def test_a_new_test_that_passes_with_the_change_by_luck_is_flaky_too(tmp_path: Path) -> None:
    """A counter outside of the repository: it fails in A and its repetition, passes in B, and then no more."""
    lucky = f"""
        from pathlib import Path

        def test_lucky():
            counter = Path({str(tmp_path / "counter")!r})
            count = int(counter.read_text()) + 1 if counter.exists() else 1
            counter.write_text(str(count))
            assert count == 3
    """

    proof = proof_of(BASE, {"calc.py": FIXED, "tests/test_new.py": lucky}, by_turns=True)

    assert proof.evidence.flaky == ("tests/test_new.py::test_lucky",)
    assert lacks(proof, "No test fails without the change")


def test_tests_whose_names_are_others_in_every_run_are_flaky_and_broke_nothing() -> None:
    named = """
        import random
        import pytest

        @pytest.mark.parametrize("n", [random.SystemRandom().randrange(10**9)])
        def test_any(n): pass
    """

    proof = proof_of({**BASE, "tests/test_any.py": named}, SOLVED, by_turns=True)

    assert proof.evidence.broke == ()
    assert all(one.startswith("tests/test_any.py::test_any[") for one in proof.evidence.flaky)
    assert proof.evidence.flaky
    assert proof.evidence.red == (LARGE,)


@pytest.mark.parametrize(
    ("altered", "says"),
    [
        (None, "tests/test_calc.py: removed"),
        (TESTS.replace("double(0) == 0", "abs(double(0) - 0) < 1e9"), "tests/test_calc.py: test_zero changed"),
        (
            TESTS.replace("def test_zero", "@pytest.mark.skip\n    def test_zero"),
            "tests/test_calc.py: test_zero changed",
        ),
        (TESTS.replace("def test_zero", "def zero"), "tests/test_calc.py: test_zero removed"),
    ],
)
def test_existing_tests_that_are_altered_are_named(altered: str | None, says: str) -> None:
    proof = proof_of(BASE, {**SOLVED, "tests/test_calc.py": altered})

    assert not proof.holds
    assert says in proof.tests_altered
    assert any(reason.startswith("Existing tests were altered") for reason in proof.missing)
    assert proof.evidence.red == (LARGE,)


def test_an_alteration_that_a_maintainer_accepted_is_no_reason() -> None:
    head = {
        "calc.py": "def double(n):\n    return n + n if n else 1\n",
        "tests/test_calc.py": TESTS.replace("double(0) == 0", "double(0) == 1"),
        "tests/test_large.py": NEW_TEST,
    }

    without, accepted = proof_of(BASE, head), proof_of(BASE, head, accepted_tests=True)

    assert lacks(without, "Existing tests were altered", "do not pass after it: tests/test_calc.py::test_zero")
    assert accepted.missing == ()
    assert accepted.tests_altered == ("tests/test_calc.py: test_zero changed",)


def test_tests_moved_to_where_nothing_is_collected_are_missed() -> None:
    proof = proof_of(BASE, {"calc.py": FIXED, "tests/test_calc.py": None, "checks/calc_checks.py": TESTS})

    assert "The proof run with the new tests with the change could not be judged: no test ran." in proof.missing


def test_a_conftest_that_swallows_failures_is_named_and_noticed() -> None:
    conftest = """
        import pytest

        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_makereport(item, call):
            outcome = yield
            outcome.get_result().outcome = "passed"
    """

    proof = proof_of(BASE, {**SOLVED, "conftest.py": conftest})

    assert "Test configuration was changed: conftest.py." in proof.missing
    assert any(reason.startswith("Results tampered with") for reason in proof.missing)


def test_the_bases_own_configuration_is_what_nothing_broke_is_judged_by() -> None:
    hidden = {"pytest.ini": "[pytest]\naddopts = --deselect tests/test_calc.py::test_zero"}

    proof = proof_of(BASE, {**SOLVED, **hidden, "calc.py": "def double(n):\n    return n + n if n else 1\n"})

    assert proof.evidence.broke == ("tests/test_calc.py::test_zero",)
    assert proof.evidence.gone == ("tests/test_calc.py::test_zero",)


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos._exit(0)\n",
        """
        import atexit, glob

        def forge():
            for path in glob.glob("/proc/self/cwd/.selfcode-results-*/recorder/pytest-*.jsonl"):
                with open(path, "w") as file:
                    print('{"run": "pytest"}', file=file)
                    print('{"case": "tests/test_large.py::test_large", "status": "passed", "message": ""}', file=file)
                    print('{"end": 1, "early": false}', file=file)
        atexit.register(forge)

        def double(n):
            return n
        """,
    ],
)
def test_source_that_ends_or_forges_the_tests_proves_nothing(source: str) -> None:
    proof = proof_of(BASE, {**SOLVED, "calc.py": source})

    assert not proof.holds
    assert any(reason.startswith("Results tampered with") for reason in proof.missing)


def test_source_that_exits_when_it_is_imported_proves_nothing() -> None:
    proof = proof_of(BASE, {**SOLVED, "calc.py": "import sys\nsys.exit(0)\n"})

    assert not proof.holds
    assert proof.evidence.red == ()
    assert proof.evidence.broke == ("tests/test_calc.py::test_small", "tests/test_calc.py::test_zero")


def test_a_refactoring_is_not_proven() -> None:
    proof = proof_of(BASE, {"calc.py": "def double(n):\n    return 2 * n if n < 10 else 0\n"})

    assert lacks(proof, "No test fails without the change")


def test_an_exit_code_alone_is_no_proof() -> None:
    script = "import sys, calc\nsys.exit(calc.double(20) != 40)\n"

    proof = proof_of({"calc.py": SOURCE, "check.py": script}, {"calc.py": FIXED}, "python check.py")

    assert lacks(proof, "The command tells only its exit code; nothing is known of single tests.")


def test_an_exit_code_that_fails_or_never_failed_is_said() -> None:
    base = {"calc.py": SOURCE, "check.py": "import sys, calc\nsys.exit(calc.double(2) != 4)\n"}

    broken = proof_of(base, {"calc.py": "def double(n):\n    return n\n"}, "python check.py")

    assert lacks(broken, "only its exit code", "fails with the change", "passes without the change too")


def test_a_command_in_which_the_hosts_own_test_does_not_show_can_not_be_proven() -> None:
    proof = proof_of(BASE, SOLVED, "unset PYTHONPATH; python -m pytest -q -k 'small or large'")

    assert lacks(proof, "The failing test that the host adds was not reported")
    assert proof.evidence.red == (LARGE,)


def test_a_base_whose_tests_can_not_run_is_nothing_to_compare_with() -> None:
    laboratory = Laboratory(BASE, SOLVED, "nosuchcommand")

    proof = laboratory.prove()

    assert (
        "The tests could not be run on the base (command not found), so there is nothing to compare with."
        in proof.missing
    )
    assert laboratory.arrangements == []


# --- By reports alone

BEFORE = a_report(passed=["t.py::a"])
REPORTS = {
    A: a_report(passed=["t.py::a"], failed=["t.py::new"]),
    B: a_report(passed=["t.py::a", "t.py::new"]),
    C: a_report(passed=["t.py::a"]),
}


def test_the_three_runs_need_not_wait_for_each_other_and_what_is_seen_again_is_seen_alone() -> None:
    together = Together()

    proof = prove(
        changes(BASE, SOLVED), BEFORE, by_turns(a=[REPORTS[A]], b=[REPORTS[B]], c=[REPORTS[C]]), each=together
    )

    assert proof.missing == ()
    assert together.given == [(A, B, C), (A,), (B,)]


def test_a_change_without_tests_of_its_own_has_two_runs_and_no_third() -> None:
    together = Together()
    old = a_report(passed=["t.py::a"], failed=["t.py::new"])

    prove(changes(BASE, {"calc.py": FIXED}), old, by_turns(a=[old], b=[REPORTS[B]]), each=together)

    assert together.given == [(A, B), (A,), (B,)]


def test_which_of_the_runs_ends_first_makes_no_difference() -> None:
    broken = a_report(passed=["t.py::new"], failed=["t.py::a"])
    flaky = a_report(passed=["t.py::a", "t.py::new"], failed=["t.py::other"])
    steady = a_report(passed=["t.py::a", "t.py::new", "t.py::other"])
    given = {"a": [REPORTS[A]], "b": [flaky, steady], "c": [broken], "untouched": [BEFORE]}

    one, other, alone = (
        prove(changes(BASE, SOLVED), BEFORE, by_turns(**given), each=each) for each in (in_turn, Together(), None)
    )

    assert one == other == alone
    assert one.evidence.broke == ("t.py::a",)
    assert one.evidence.flaky == ("t.py::other",)


@pytest.mark.parametrize("state", list(ReportState))
def test_a_run_that_others_may_have_kept_from_its_end_is_doubtful(state: ReportState) -> None:
    together = Together()
    given = {each: a_report(passed=["t.py::a"]) for each in (A, C)} | {B: a_report(state=state)}

    with suppress(Stopped):
        prove(changes(BASE, SOLVED), BEFORE, given.__getitem__, each=together)

    expected = state in (ReportState.TIMED_OUT, ReportState.OUT_OF_MEMORY, ReportState.CRASHED)
    assert together.doubted == ([B] if expected else [])


class Together:
    """Does the last first, and notes what was given together, and what was doubted of it."""

    def __init__(self) -> None:
        self.given: list[tuple[object, ...]] = []
        self.doubted: list[object] = []

    def __call__(
        self, work: Callable[[Given], Result], given: Sequence[Given], *, is_doubtful: Callable[[Result], bool] = never
    ) -> Sequence[Result]:
        self.given.append(tuple(given))
        results = [work(one) for one in reversed(given)][::-1]
        self.doubted += [one for one, result in zip(given, results, strict=True) if is_doubtful(result)]
        return results


def test_a_person_who_stops_the_run_stops_the_proof() -> None:
    stopped = a_report(state=ReportState.STOPPED)

    with pytest.raises(Stopped):
        prove(changes(BASE, SOLVED), a_report(passed=["t.py::a"]), lambda _: stopped)


@pytest.mark.parametrize(
    ("state", "says"),
    [
        (ReportState.NOTHING_RAN, "no test ran"),
        (ReportState.ALL_SKIPPED, "every test was skipped"),
        (ReportState.USAGE_ERROR, "the test command is broken"),
        (ReportState.TIMED_OUT, "it ran out of time"),
        (ReportState.OUT_OF_MEMORY, "it ran out of memory"),
        (ReportState.CRASHED, "it crashed"),
    ],
)
def test_a_run_that_can_not_be_judged_is_a_reason_of_its_own(state: ReportState, says: str) -> None:
    proof = prove(changes(BASE, SOLVED), a_report(passed=["t.py::a"]), lambda _: a_report(state=state))

    assert f"The proof run with the base's own tests could not be judged: {says}." in proof.missing


def by_turns(**reports: list[TestReport]) -> Callable[[Arrangement], TestReport]:
    """A proof run that gives each arrangement's reports one after the other, the last again and again."""
    places = {"a": A, "b": B, "c": C, "untouched": UNTOUCHED, "unplanted": UNPLANTED}
    left = {places[name]: list(given) for name, given in reports.items()}
    return lambda arrangement: left[arrangement].pop(0) if len(left[arrangement]) > 1 else left[arrangement][0]


def test_what_does_not_hold_on_the_untouched_base_either_did_not_break() -> None:
    loose = a_report(passed=["t.py::new"], failed=["t.py::a"])
    run = by_turns(a=[REPORTS[A]], b=[REPORTS[B]], c=[loose], untouched=[a_report(failed=["t.py::a"])])

    proof = prove(changes(BASE, SOLVED), BEFORE, run)

    assert proof.missing == ()
    assert proof.evidence.broke == ()
    assert proof.evidence.flaky == ("t.py::a",)


def test_what_broke_is_asked_of_the_untouched_base_once_more() -> None:
    broken = a_report(passed=["t.py::new"], failed=["t.py::a"])
    run = by_turns(a=[REPORTS[A]], b=[REPORTS[B]], c=[broken], untouched=[BEFORE])

    assert prove(changes(BASE, SOLVED), BEFORE, run).evidence.broke == ("t.py::a",)


@pytest.mark.parametrize("second", [a_report(passed=["t.py::a"], skipped=["t.py::new"]), a_report(passed=["t.py::a"])])
def test_a_test_that_is_there_or_runs_only_once_is_flaky_and_not_red(second: TestReport) -> None:
    run = by_turns(a=[REPORTS[A]], b=[REPORTS[B], second], c=[REPORTS[C]])

    proof = prove(changes(BASE, SOLVED), BEFORE, run)

    assert proof.evidence.red == ()
    assert proof.evidence.flaky == ("t.py::new",)


def test_a_repetition_that_can_not_run_is_a_reason_and_makes_nothing_flaky() -> None:
    run = by_turns(a=[REPORTS[A]], b=[REPORTS[B], a_report(state=ReportState.TIMED_OUT)], c=[REPORTS[C]])

    proof = prove(changes(BASE, SOLVED), BEFORE, run)

    assert lacks(proof, "with the change, once more, could not be judged: it ran out of time")
    assert proof.evidence.flaky == ()


@pytest.mark.parametrize(("missing", "is_red"), [("Triple", True), ("Quadruple", False)])
def test_a_package_that_does_not_compile_is_red_where_the_change_brings_what_it_misses(
    missing: str, is_red: bool
) -> None:
    files = [
        changed("calc/calc.go", "package calc\n", "package calc\n\nfunc Triple(n int) int { return 3 * n }\n"),
        changed("calc/more_test.go", None, "package calc\n"),
    ]
    new = ("calc/more_test.go::TestTriple", "calc/other_test.go::TestOther")
    old = ("calc/calc_test.go::TestOld", "text/text_test.go::TestText")
    before = a_report(passed=old)
    on_base = a_report(
        passed=["text/text_test.go::TestText"],
        failed={"calc/more_test.go": f"./more_test.go:6:5: undefined: {missing}"},
    )
    run = by_turns(a=[on_base], b=[a_report(passed=[*old, *new])], c=[before])

    proof = prove(files, before, run)

    assert proof.evidence.red == proof.evidence.new_interface == (new if is_red else ())
    assert proof.holds is is_red


def test_results_without_a_plant_are_not_proof() -> None:
    reports = {
        A: a_report(passed=["t.py::a"], failed=["t.py::new"], reader="junit", planted_failed=None),
        B: a_report(passed=["t.py::a", "t.py::new"], reader="junit", planted_failed=None),
        C: a_report(passed=["t.py::a"], reader="junit", planted_failed=None),
    }

    proof = prove(changes(BASE, SOLVED), a_report(passed=["t.py::a"], reader="junit"), reports.__getitem__)

    assert lacks(proof, "The host can't add a failing test of its own")


def test_a_test_that_is_skipped_after_the_change_is_missed() -> None:
    reports = {
        A: a_report(passed=["t.py::a"], failed=["t.py::new"]),
        B: a_report(passed=["t.py::new"], skipped=["t.py::a"]),
        C: a_report(passed=["t.py::a"]),
    }

    proof = prove(changes(BASE, SOLVED), a_report(passed=["t.py::a"]), reports.__getitem__)

    assert lacks(proof, "are skipped or gone after it: t.py::a")
    assert proof.evidence.skipped == ("t.py::a",)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("conftest.py", "Test configuration was changed: conftest.py."),
        ("src/sitecustomize.py", "Test configuration was changed: src/sitecustomize.py."),
        ("quiet.pth", "Test configuration was changed: quiet.pth."),
        ("pyproject.toml", "Dependency or build files were changed, and the tests ran without them: pyproject.toml."),
        ("uv.lock", "Dependency or build files were changed, and the tests ran without them: uv.lock."),
        ("Makefile", "Dependency or build files were changed, and the tests ran without them: Makefile."),
        (".github/workflows/ci.yml", "Files of the continuous integration were changed: .github/workflows/ci.yml."),
    ],
)
def test_files_that_a_proof_can_not_vouch_for_are_named(path: str, says: str) -> None:
    files = (*changes(BASE, SOLVED), changed(path, None, "new"))

    assert lacks(prove(files, BEFORE, REPORTS.__getitem__), says)


@pytest.mark.parametrize(
    ("head", "says"),
    [
        ({"tests/test_large.py": NEW_TEST}, "Only tests were changed"),
        ({"README.md": "Calc", "docs/index.rst": "Calc"}, "Only documentation was changed"),
        ({"README.md": "Calc", "requirements.txt": "six"}, "No source was changed"),
    ],
)
def test_a_change_without_source_is_nothing_to_prove(head: dict[str, str | None], says: str) -> None:
    green = a_report(passed=["t.py::a"])

    assert says in " ".join(prove(changes(BASE, head), green, lambda _: green).missing)


# --- The exit code beside the results

ENDS_BADLY = "The test command fails with the change, though no test does."
FAILING = replace(a_report(passed=["t.py::a", "t.py::new"]), state=ReportState.FAILED)


@pytest.mark.parametrize(
    ("b", "c"), [([FAILING], [BEFORE]), ([REPORTS[B], FAILING], [BEFORE]), ([REPORTS[B]], [FAILING])]
)
def test_a_command_that_fails_though_no_test_does_is_a_reason(b: list[TestReport], c: list[TestReport]) -> None:
    run = by_turns(a=[REPORTS[A]], b=b, c=c)

    assert prove(changes(BASE, SOLVED), BEFORE, run).missing == (ENDS_BADLY,)


def test_a_command_that_failed_before_may_fail_with_the_change() -> None:
    run = by_turns(a=[REPORTS[A]], b=[FAILING], c=[BEFORE])

    assert prove(changes(BASE, SOLVED), replace(BEFORE, state=ReportState.FAILED), run).holds


@pytest.mark.parametrize(
    ("unplanted", "says"),
    [
        ([REPORTS[B]], None),
        ([a_report(failed=["t.py::a"]), REPORTS[B]], None),
        ([FAILING], ENDS_BADLY),
        ([a_report(failed=["t.py::a"])], "Tests fail with the change: t.py::a."),
        (
            [a_report(state=ReportState.CRASHED)],
            "head without the host's failing test could not be judged: it crashed.",
        ),
        ([a_report(passed=["t.py::a"], reader="exit code")], "pytest's are not written as they were on the base."),
        ([a_report(passed=["t.py::a"], tampered="no end")], "not to be trusted: no end."),
    ],
)
def test_where_the_plant_is_a_file_the_head_has_to_be_green_without_it(
    unplanted: list[TestReport], says: str | None
) -> None:
    run = by_turns(a=[REPORTS[A]], b=[REPORTS[B]], c=[REPORTS[C]], unplanted=unplanted)

    proof = prove(changes(BASE, SOLVED), BEFORE, run, planted_file=True)

    assert proof.holds if says is None else lacks(proof, says)


def test_the_run_without_the_plant_is_spared_where_there_is_no_proof_anyhow() -> None:
    run = by_turns(a=[REPORTS[C]], b=[REPORTS[B]], c=[REPORTS[C]])

    assert lacks(prove(changes(BASE, SOLVED), BEFORE, run, planted_file=True), "No test fails without the change")


@pytest.mark.parametrize("kept_out", ["", "unset PYTHONPATH; "])
def test_what_the_command_does_behind_the_tests_counts(kept_out: str) -> None:
    command = f"{kept_out}python -m pytest -q && grep -q 'if n < 10' calc.py"

    assert proof_of(BASE, SOLVED, command).missing == (ENDS_BADLY,)


# --- What could be mistaken for a proof


def test_tests_in_files_that_are_not_named_as_such_are_protected_too() -> None:
    check = "from calc import double\n\ndef test_small():\n    assert double(2) == 4\n"
    base = {"calc.py": SOURCE, "pytest.ini": "[pytest]\npython_files = check_*.py test_*.py\n", "check_calc.py": check}

    proof = proof_of(base, {**SOLVED, "check_calc.py": check.replace("== 4", "is not None")})

    assert lacks(proof, "Existing tests were altered: check_calc.py: test_small changed")


TWO_SESSIONS = "python -m pytest -q unit; python -m pytest -q tests"
UNIT = "from calc import double\n\ndef test_unit():\n    assert double(3) == 6\n"
UNIT_BROKEN = "def double(n):\n    return 7 if n == 3 else n + n\n"


def test_a_test_that_breaks_in_the_first_of_two_pytest_sessions_is_named() -> None:
    proof = proof_of({**BASE, "unit/test_unit.py": UNIT}, {**SOLVED, "calc.py": UNIT_BROKEN}, TWO_SESSIONS)

    assert proof.evidence.broke == ("unit/test_unit.py::test_unit",)


def test_of_two_pytest_sessions_without_a_recorder_only_the_last_is_known_and_that_is_no_proof() -> None:
    command = f"unset PYTHONPATH; {TWO_SESSIONS}"

    proof = proof_of({**BASE, "unit/test_unit.py": UNIT}, {**SOLVED, "calc.py": UNIT_BROKEN}, command)

    assert lacks(proof, "runs pytest 2 times")


def test_what_the_test_command_starts_is_no_part_of_a_proven_change() -> None:
    files = changes({**BASE, "run.py": "1\n"}, {**SOLVED, "run.py": "2\n"})
    baseline = replace(a_report(passed=["tests/test_calc.py::test_small"]), command="python run.py")

    proof = prove(files, baseline, lambda _: baseline)

    assert "What the test command starts was changed: run.py." in proof.missing

"""Tiny projects under real pytest: a base and a head as texts, each run in a clean workspace."""

import secrets
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.proof import Arrangement, Plant, Side, check_hunks, overlay, place, plant_that_shows, prove, run_tests
from bot.records import ChangedFile, HunkCheck, Proof, TestCase, TestPlan, TestReport, TestStatus
from bot.records import ReportState as State
from sandbox.contract import File, Workspace, archive_of
from sandbox.process import ProcessSandbox

Texts = Mapping[str, str | None]

SOURCE = "def double(n):\n    return n + n if n < 10 else 0\n"
FIXED = "def double(n):\n    return n + n\n"
TESTS = """
    from calc import double

    def test_small():
        assert double(2) == 4

    def test_zero():
        assert double(0) == 0
"""
NEW_TEST = """
    from calc import double

    def test_large():
        assert double(20) == 40
"""
BASE: Texts = {"calc.py": SOURCE, "tests/test_calc.py": TESTS}
SOLVED: Texts = {"calc.py": FIXED, "tests/test_large.py": NEW_TEST}
PYTEST = "python -m pytest -q"


def text(content: str) -> bytes:
    return textwrap.dedent(content).lstrip("\n").encode()


def changes(base: Texts, head: Texts) -> tuple[ChangedFile, ...]:
    """What `head` changes over `base`; None there means deleted."""
    return tuple(
        changed(path, before, after) for path, after in sorted(head.items()) if (before := base.get(path)) != after
    )


def changed(path: str, before: str | None, after: str | None) -> ChangedFile:
    return ChangedFile(
        path,
        None if before is None else text(before),
        None if after is None else text(after),
        None if before is None else "100644",
        None if after is None else "100644",
    )


def put(workspace: Workspace, files: Texts) -> None:
    workspace.put(archive_of({path: File(text(content)) for path, content in files.items() if content is not None}))


def report_on(
    files: Texts,
    command: str = PYTEST,
    *,
    plant: Plant | None = None,
    timeout_s: float = 60,
    stop: Callable[[], bool] | None = None,
    plan: TestPlan | None = None,
) -> TestReport:
    """One run of the test command on these files."""
    with ProcessSandbox().open() as workspace:
        put(workspace, {"calc.py": SOURCE, **files})
        return run_tests(
            workspace, without_plugins(plan or TestPlan(command)), timeout_s=timeout_s, plant=plant, stop=stop
        )


_bases: dict[tuple[object, ...], tuple[TestReport, Plant | None]] = {}
_runs: dict[tuple[object, ...], TestReport] = {}


@dataclass
class Laboratory:
    """Proves a change as a run does; `arrangements` and `reverted` record what was asked for, in order.

    Tests that come to the same whenever they run are run once on the same files: say `by_turns` where they don't.
    """

    base: Texts
    head: Texts
    command: str = PYTEST
    by_turns: bool = False
    arrangements: list[Arrangement] = field(default_factory=list)
    reverted: list[str] = field(default_factory=list)

    def prove(self, *, accepted_tests: bool = False) -> Proof:
        files = changes(self.base, self.head)
        baseline, plant = self._before()

        def run(arrangement: Arrangement) -> TestReport:
            self.arrangements.append(arrangement)
            side, replaced = overlay(files, arrangement)
            start = self.base if side is Side.BASE else {**self.base, **self.head}
            return self._known(start, replaced, plant if arrangement.planted else None)

        planted_file = plant is not None and not plant.injected
        return prove(files, baseline, run, accepted_tests=accepted_tests, planted_file=planted_file)

    def check_hunks(self, *, budget_s: float = 60) -> HunkCheck | None:
        """Proves the change, then takes its hunks back."""

        def run_without(replaced: Mapping[str, File | None], timeout_s: float) -> TestReport:
            self.reverted.extend(replaced)
            return self._known({**self.base, **self.head}, replaced, None)

        return check_hunks(changes(self.base, self.head), self.prove(), run_without, run_s=1, budget_s=budget_s)

    def _before(self) -> tuple[TestReport, Plant | None]:
        """The baseline and the plant that shows there, taken once, however many changes are proven on that base."""
        key = (frozenset(self.base.items()), self.command)
        if key not in _bases:
            baseline = self._run(self.base, {}, None)
            _bases[key] = (baseline, plant_that_shows(baseline, token(), lambda plant: self._run(self.base, {}, plant)))
        return _bases[key]

    def _known(self, files: Texts, replaced: Mapping[str, File | None], plant: Plant | None) -> TestReport:
        """The report on these files, each time with a plant of another name."""
        put_there = {path: File(text(content)) for path, content in files.items() if content is not None}
        tree = {path: file for path, file in {**put_there, **replaced}.items() if file is not None}
        key = (frozenset(tree.items()), self.command, plant and plant.again("0000"))
        if self.by_turns or key not in _runs:
            _runs[key] = self._run(files, replaced, plant and plant.again(token()))
        return _runs[key]

    def _run(self, files: Texts, replaced: Mapping[str, File | None], plant: Plant | None) -> TestReport:
        with ProcessSandbox().open() as workspace:
            put(workspace, files)
            place(workspace, replaced)
            return run_tests(workspace, without_plugins(TestPlan(self.command)), timeout_s=60, plant=plant)


def proof_of(
    base: Texts, head: Texts, command: str = PYTEST, *, accepted_tests: bool = False, by_turns: bool = False
) -> Proof:
    return Laboratory(base, head, command, by_turns=by_turns).prove(accepted_tests=accepted_tests)


def without_plugins(plan: TestPlan) -> TestPlan:
    """The same, and pytest starts four times as fast: what happens to be installed beside it stays out."""
    return replace(plan, test=f"export PYTEST_DISABLE_PLUGIN_AUTOLOAD=1; {plan.test}")


def token() -> str:
    return secrets.token_hex(8)


def a_report(
    *,
    passed: Sequence[str] = (),
    failed: Mapping[str, str] | Sequence[str] = (),
    skipped: Sequence[str] = (),
    state: State | None = None,
    reader: str = "pytest",
    planted_failed: bool | None = True,
    tampered: str = "",
) -> TestReport:
    """A report as a run might give it; `failed` may say with which message."""
    messages = failed if isinstance(failed, Mapping) else dict.fromkeys(failed, "AssertionError")
    cases = (
        *(TestCase(one, TestStatus.PASSED, file=_file(one)) for one in passed),
        *(TestCase(one, _failing(one), message, file=_file(one)) for one, message in messages.items()),
        *(TestCase(one, TestStatus.SKIPPED, file=_file(one)) for one in skipped),
    )
    return TestReport(
        command=PYTEST,
        state=state or (State.FAILED if failed else State.PASSED),
        cases=cases,
        exit_code=1,
        reader=reader,
        planted_failed=planted_failed,
        tampered=tampered,
    )


def _file(test_id: str) -> str:
    return test_id.partition("::")[0]


def _failing(test_id: str) -> TestStatus:
    return TestStatus.FAILED if "::" in test_id else TestStatus.ERROR

"""A fix looked at without a model: its tests fail on the base and pass with it, in clean workspaces, twice."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from bot.backtest.judging import Judge, judged_tree, passed_in
from bot.backtest.sources import Source, key_for
from bot.errors import Gone, Refused
from bot.proof import what_is_broken
from bot.proof.reasons import names
from bot.records import CheckedFix, Examination, PastFix, ReportState, StopCheck, TestPlan, TestReport
from bot.repository import GitFailed, Mirror
from bot.runs.doctor import Means, Patient, look, sandbox_facts
from bot.runs.ground import Ground
from bot.runs.house import SetupBroken, setup_for
from bot.runs.subjects import mirror_for_once

REASON_CHARS = 500
_NO_SETUP = "the set-up fails on the base"
_NO_PLAN = "at the base"
_BROKEN = "the suite is broken on the base"


@dataclass(frozen=True, slots=True)
class Look:
    """A checked fix, with what only the judge needs: `kept` are the tests that a change may not break."""

    checked: CheckedFix
    kept: tuple[str, ...] = ()
    plan: TestPlan | None = None

    @property
    def is_lasting(self) -> bool:
        """Whether another look would come to the same; a set-up may fail for want of a network."""
        return not self.checked.reason.startswith(_NO_SETUP)

    @property
    def blames_the_base(self) -> bool:
        """Whether already the base can't be tested: other fixes of the repository may fare no better."""
        return self.checked.reason.startswith((_NO_SETUP, _NO_PLAN, _BROKEN))


class _Unfit(Exception):
    """Why a fix can't be asked for again."""


def checked(source: Source, found: CheckedFix, sight: Means, *, tell: Callable[[str], None]) -> Look:
    """Find out whether a fix can be asked for again. A bad commit is a reason, never an error.

    Raises: `Unavailable` where the sandbox fails, `Stopped`.
    """
    if not found.is_fit:
        return Look(found)
    began = time.monotonic()
    try:
        with both_sides(source, found.fix, stop=sight.stop) as mirror:
            seen = _seen(source, found.fix, mirror, sight, tell)
    except (_Unfit, Refused, Gone, GitFailed, ValueError) as unfit:
        seen = Look(replace(found, reason=" ".join(str(unfit).split())[:REASON_CHARS] or type(unfit).__name__))
    seconds = round(time.monotonic() - began, 2)
    return replace(seen, checked=replace(seen.checked, seconds=seconds))


@contextmanager
def both_sides(source: Source, fix: PastFix, *, stop: StopCheck) -> Iterator[Mirror]:
    """A mirror with both sides of a fix: for who judges, and never for a run."""
    with mirror_for_once() as mirror:
        source.bring_both(mirror, fix, stop=stop)
        yield mirror


def judge_of(source: Source, seen: Look, mirror: Mirror, sight: Means) -> Judge:
    """The judge of a fix that is fit, over a mirror with both sides of it. Raises: `Refused`, `Unavailable`."""
    if seen.plan is None:
        raise AssertionError("only what was found fit is judged")
    ground = _ground(source, seen.checked.fix, mirror, seen.plan, sight)
    return Judge(
        _with_judges_command(source, seen.checked.fix, ground),
        head=seen.checked.fix.head,
        paths=seen.checked.judge_paths,
        judges=frozenset(seen.checked.judges),
        kept=frozenset(seen.kept),
    )


def _seen(source: Source, fix: PastFix, mirror: Mirror, sight: Means, tell: Callable[[str], None]) -> Look:
    plan = _plan(source, fix, mirror, sight)
    ground = _ground(source, fix, mirror, plan, sight)
    tell(f"{fix.name}: on the base: {plan.test}")
    baseline = ground.test(fix.base)
    if broken := what_is_broken(baseline, build=plan.build):
        raise _Unfit(f"{_BROKEN}: {broken}")
    changed = (file.path for file in mirror.changed_files(fix.base, fix.head))
    paths = source.judge_paths(fix, changed)
    judging = _with_judges_command(source, fix, ground)
    fixed = judged_tree(mirror, fix.base, fix.head, fix.head, paths)
    before = judged_tree(mirror, fix.base, fix.head, fix.base, paths)
    tell(f"{fix.name}: with the fix and its tests")
    on_head = _twice(judging, fixed, why="with the fix")
    passing = passed_in(on_head[0]) & passed_in(on_head[1])
    tell(f"{fix.name}: its tests on the base")
    on_base = [judging.test(before) for _ in range(2)]
    if ReportState.TIMED_OUT in {report.state for report in on_base}:
        raise _Unfit("the fix's tests do not end on the base")
    is_same = judging.plan == ground.plan
    passed = [passed_in(report if report.could_run or not is_same else baseline) for report in on_base]
    judges = passing - passed[0] - passed[1]
    kept = passed[0] & passed[1]
    if is_same:
        kept |= passed_in(baseline)
    if not judges:
        raise _Unfit(_why_none_judges(passing, on_head[0], paths))
    checked_fix = CheckedFix(fix, judges=tuple(sorted(judges)), judge_paths=paths)
    return Look(checked_fix, kept=tuple(sorted(kept & passing - judges)), plan=plan)


def _plan(source: Source, fix: PastFix, mirror: Mirror, sight: Means) -> TestPlan:
    """How the base says that its tests are run."""
    begun = Examination(repository=str(source.path), sandbox=sandbox_facts(sight.sandbox))
    known = look(Patient(mirror, fix.base, key_for(source)), begun, source.given(fix), sight)
    if known.plan is None or known.trouble:
        raise _Unfit(f"{_NO_PLAN}: {known.trouble}")
    return known.plan


def _ground(source: Source, fix: PastFix, mirror: Mirror, plan: TestPlan, sight: Means) -> Ground:
    """The base in its environment."""
    image = plan.image or sight.image
    setup = setup_for(plan, mirror, fix.base, image=image, repository_id=key_for(source), repository="")
    try:
        prepared = sight.prepare_image(setup, sight.stop)
    except SetupBroken as broken:
        raise _Unfit(f"{_NO_SETUP}: {broken}") from broken
    return Ground(
        mirror=mirror,
        base=fix.base,
        plan=plan,
        sandbox=sight.sandbox,
        image=prepared.image,
        limits=sight.limits,
        stop=sight.stop,
        identity=prepared.identity,
        places=sight.places,
    )


def _with_judges_command(source: Source, fix: PastFix, ground: Ground) -> Ground:
    test = source.judge_test(fix)
    return replace(ground, plan=replace(ground.plan, test=test)) if test else ground


def _twice(ground: Ground, tree: str, *, why: str) -> tuple[TestReport, TestReport]:
    reports = (ground.test(tree), ground.test(tree))
    if cut := next((report for report in reports if not report.could_run), None):
        raise _Unfit(f"{why}: {cut.state}")
    return reports


def _why_none_judges(passing: frozenset[str], on_head: TestReport, paths: Iterable[str]) -> str:
    if not passing:
        return "no test passes with the fix"
    its_own = frozenset(paths)
    failing = sorted(case.id for case in on_head.cases if case.id in on_head.failed and case.file in its_own)
    if failing:
        return f"tests that the fix changes fail with it too: {names(failing)}"
    return "no test of the fix fails on the base"

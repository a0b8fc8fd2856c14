"""What an examination comes to: obstacles, which keep changes from being proven, and remarks, which don't. Pure."""

import re
from collections.abc import Iterator
from dataclasses import replace

from bot.records import Examination, ReportState, TestStatus

_MISSING = re.compile(
    r"No module named ['\"]?([A-Za-z0-9_.]+)|Cannot find (?:module|package) ['\"]([^'\"./][^'\"]*)['\"]"
)


_NO_SETUP = (
    "This sandbox runs no `setup`: install what the tests need on this machine, or take one with images (`docker`)."
)


def diagnosed(known: Examination) -> Examination:
    """The examination with its obstacles and remarks."""
    return replace(known, obstacles=tuple(_obstacles(known)), remarks=tuple(_remarks(known)))


def _obstacles(known: Examination) -> Iterator[str]:
    if known.trouble:
        yield known.trouble.partition("\n")[0]
        return
    if not known.could_run:
        yield _unusable(known) + (f" {_NO_SETUP}" if _is_without_images(known) else "")
        return
    yield from _of_results(known)
    if known.fault is not None and not known.fault.is_noticed and not known.fault.asked:
        yield (
            "The test command succeeds with a fault in every source file too. Say a test command that runs the tests, "
            "and of the workspace's own code."
        )
    elif known.fault is not None and not known.fault.is_noticed:
        yield (
            "The tests don't run the workspace's own code: a fault in every source file went unnoticed. Install the "
            "project editable in `setup` (`python -m pip install -e .`), or build and install it before each run with "
            "`build:`."
        )


def _unusable(known: Examination) -> str:
    """Which command it was, and how it ended: a build that fails is no fault of the test command's."""
    last = known.runs[-1] if known.runs else None
    if last and known.plan and known.plan.build and last.command == known.plan.build:
        how = f"exit code {last.exit_code}" if last.state is ReportState.CRASHED and last.exit_code else last.state
        return f"The build command fails ({how}), so that no test can run."
    return f"The test command can't be used: {last.state if last else ReportState.NOTHING_RAN}."


def _of_results(known: Examination) -> Iterator[str]:
    by_name = any(report.cases for report in known.runs)
    if not by_name and not all(report.is_green for report in known.runs):
        states = ", ".join(str(report.state) for report in known.runs)
        yield f"No test is known by name, and the command as a whole is not green each time: {states}."
        return
    if by_name and not known.steady:
        yield "No test passes each time."
    missing = missing_modules(known)
    if missing:
        named = ", ".join(f"`{name}`" for name in missing)
        who = _NO_SETUP if _is_without_images(known) else "`setup` must install it."
        yield f"What tests need is not installed: {named}. {who}"
    elif by_name and known.steady and len(unexplained(known)) > len(known.steady):
        yield f"More tests fail ({len(unexplained(known)):,}) than pass ({len(known.steady):,})."


def _is_without_images(known: Examination) -> bool:
    return bool(known.runs) and known.prepared is None


def _remarks(known: Examination) -> Iterator[str]:
    yield from known.notes
    if known.failing:
        yield f"{_tests(len(known.failing), 'fails')} on the untouched source, each time: no change is blamed for that."
    if known.flaky:
        yield f"{_tests(len(known.flaky))} came out differently from run to run: they count neither way."
    if known.offline:
        hosts = sorted({host for each in known.offline for host in each.hosts})
        which = f" ({', '.join(hosts[:5])}{', …' if len(hosts) > 5 else ''})" if hosts else ""
        who = "The test command" if not known.offline[0].test else _tests(len(known.offline))
        yield f"{who} wanted the network{which}, which nothing but `setup` has."
    yield from _of_fault(known)
    if known.could_run and not any(report.cases for report in known.runs):
        yield "No test is known by name: a change can be `unproven` at best. `report:` names a JUnit XML file, if any."
    if known.plan is not None and known.plan.setup and _is_without_images(known):
        yield "`setup` was not run: this sandbox has no images. What the tests need has to be on this machine."
    if known.sandbox.has_network and known.runs:
        yield "This sandbox has the network: what wants it may pass here, and fail where it is closed."


def _of_fault(known: Examination) -> Iterator[str]:
    fault = known.fault
    if fault is None:
        if known.could_run and not known.trouble:
            yield "Whether the tests run the workspace's own code is not known: no fault could be planted."
        return
    if fault.is_noticed and fault.noticed < fault.asked:
        rest = fault.asked - fault.noticed
        yield (
            f"Of {fault.asked:,} tests that pass, {fault.noticed:,} noticed a fault in every source file; {rest:,} did "
            "not: they test something else, or an installed copy."
        )


def unexplained(known: Examination) -> tuple[str, ...]:
    """The tests that fail each time, but for want of the network."""
    offline = {each.test for each in known.offline}
    return tuple(case.id for case in known.failing if case.id not in offline)


def missing_modules(known: Examination) -> tuple[str, ...]:
    """What is not installed, by the words of tests that could not even be collected; at most five."""
    found: dict[str, None] = {}
    for case in known.failing:
        for match in _MISSING.finditer(case.message if case.status is TestStatus.ERROR else ""):
            found[(match[1] or match[2]).rstrip(".")] = None
    return tuple(found)[:5]


def _tests(count: int, does: str = "") -> str:
    """“1 test fails”, “2 tests fail”."""
    words = f"1 test {does}" if count == 1 else f"{count:,} tests {does.removesuffix('s')}"
    return words.rstrip()

"""What to write into `.github/selfcode.yml` so that a test command that can't run will run."""

import re
from dataclasses import dataclass

import yaml

from bot.records import ReportState, TestPlan, TestReport

PLACE = ".github/selfcode.yml"

_MODULE = re.compile(
    r"No module named ['\"]?([A-Za-z0-9_]+)|Cannot find (?:module|package) ['\"]([@A-Za-z0-9_/.-]+)['\"]"
)
_PYTHON = re.compile(r"\b(python[0-9.]*|pytest|tox|nox|unittest)\b")
_NODE = {"pnpm": "pnpm install --frozen-lockfile", "yarn": "yarn install --frozen-lockfile"}


@dataclass(frozen=True, slots=True)
class Mending:
    """What is wrong, in a sentence for people, and the whole configuration file that would mend it."""

    cause: str
    configuration: str


def mending(plan: TestPlan | None, report: TestReport | None) -> Mending:
    """Read the cause from the plan and the report of the baseline, and write the configuration."""
    if plan is None:
        setup, test = "python -m pip install -e . pytest", "python -m pytest"
        return Mending("It is not known how this repository's tests are run.", _written(setup=setup, test=test))
    module = missing_module(report)
    if module:
        return Mending(f"The tests need `{module}`, which is not installed.", _with_setup(plan, module))
    if report and plan.build and report.command == plan.build:
        return Mending(_BROKEN_BUILD, _with_setup(plan))
    cause, more = _CAUSES.get(report.state, _BROKEN) if report else _NO_SETUP
    return Mending(cause, _with_test(plan, more) if more else _with_setup(plan))


_BROKEN = ("The test command ends before it has run a test. Correct it.", "")
_BROKEN_BUILD = (
    "The build command fails on the untouched source. It runs without the network: `setup` has to install all it needs."
)
_NO_SETUP = ("The setup commands failed. Tests run without the network: `setup` has to install all they need.", "")
_CAUSES = {
    ReportState.COMMAND_NOT_FOUND: ("The test command is not there: `setup` has to install it.", ""),
    ReportState.NOTHING_RAN: ("The command ran, but no test did. Say where the tests are.", "path/to/tests"),
    ReportState.ALL_SKIPPED: ("Every test was skipped. Name tests that need no network.", "path/to/tests"),
    ReportState.TIMED_OUT: (
        "The tests took too long. Name a part of them that is faster, or ask for more SELFCODE_TEST_SECONDS.",
        "path/to/fast/tests",
    ),
    ReportState.OUT_OF_MEMORY: (
        "The tests need more memory than they get. Name a part of them, or ask for more SELFCODE_SANDBOX_MEMORY_MB.",
        "path/to/tests",
    ),
    ReportState.OUTPUT_LIMIT: ("The tests print too much. Make the command quieter.", "--quiet"),
}
"""What is wrong by the report's state, and what the test command would get in addition."""


def missing_module(report: TestReport | None) -> str:
    """The first module that the output says is not installed, or ""."""
    found = _MODULE.search(report.output) if report else None
    return (found[1] or found[2]).rstrip(".") if found else ""


def _with_setup(plan: TestPlan, module: str = "") -> str:
    return _written(setup=_setup(plan, module), test=plan.test, directory=plan.directory, build=plan.build)


def _setup(plan: TestPlan, module: str) -> str:
    """The setup that there is, with what lacks behind it; where there is none, one that may do."""
    node = re.search(r"\b(npm|npx|yarn|pnpm|node)\b", plan.test)
    if node:
        more = f" && npm install --no-save {module}" if module else ""
        return plan.setup + more if plan.setup else _NODE.get(node[1], "npm ci")
    if plan.setup:
        return f"{plan.setup} && python -m pip install {module}" if module else plan.setup
    if _PYTHON.search(plan.test):
        wanted = " ".join(dict.fromkeys(("pytest", *([module] if module else []))))
        return f"python -m pip install -e . {wanted}"
    return "the commands that install what the tests need"


def _with_test(plan: TestPlan, more: str) -> str:
    return _written(setup=plan.setup, test=f"{plan.test} {more}", directory=plan.directory, build=plan.build)


def _written(*, setup: str, test: str, directory: str = ".", build: str = "") -> str:
    values = {"directory": directory if directory != "." else "", "setup": setup, "build": build, "test": test}
    return yaml.safe_dump(
        {name: value for name, value in values.items() if value}, sort_keys=False, allow_unicode=True, width=10_000
    )

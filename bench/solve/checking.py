"""Whether a built task is what it says: tests that pass, tests that fail, and a fix that makes all of them pass."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from defusedxml import ElementTree

REPORTED = "test_reported"
RUN_S = 120.0


class Unreadable(Exception):
    """A test run left no results; the text is its output."""


@dataclass(frozen=True, slots=True)
class Results:
    """Of one run of pytest."""

    passed: int
    failed: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.passed} passed, {len(self.failed)} failed"


@dataclass(frozen=True, slots=True)
class Check:
    """What a task's tests do on its base, and on the source without the bug."""

    task: str
    visible: Results
    judged: Results
    fixed: Results
    """Visible and judge's tests together."""
    reported: bool
    """Whether the task says that its visible tests hold the reporter's."""

    @property
    def wrong(self) -> tuple[str, ...]:
        """What is not as it should be; empty for a good task."""
        reported = [name for name in self.visible.failed if REPORTED in name]
        claims = {
            "no visible test passes on the base": self.visible.passed > 0,
            "visible tests fail on the base": len(reported) == len(self.visible.failed),
            "the reported test does not do as the task says": bool(reported) == self.reported,
            "the judge passes on the base": bool(self.judged.failed),
            "the judge asks no more than the reporter": len(self.judged.failed) > len(reported),
            "tests fail on the fixed source": not self.fixed.failed,
        }
        return tuple(claim for claim, holds in claims.items() if not holds)


def check(task: str, base: Path, fixed: Path, *, reported: bool) -> Check:
    """Run the tests of a built task, and of the same task built without its bug. Raises `Unreadable`."""
    judges = sorted(path.relative_to(base / "judge").as_posix() for path in (base / "judge").rglob("test_*.py"))
    for ready in (base, fixed):
        shutil.copytree(ready / "judge", ready / "repository", dirs_exist_ok=True)
    return Check(
        task,
        visible=run(base / "repository", "tests"),
        judged=run(base / "repository", *judges),
        fixed=run(fixed / "repository", "tests", *judges),
        reported=reported,
    )


def run(repository: Path, *tests: str) -> Results:
    """The results of the tests in some folders. Raises `Unreadable`."""
    report = repository.parent / "report.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *tests]
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    done = subprocess.run(
        command, cwd=repository, env=environment, capture_output=True, text=True, timeout=RUN_S, check=False
    )
    if not report.exists():
        raise Unreadable(f"{repository}: {done.stdout}{done.stderr}")
    cases = list(ElementTree.parse(report).iter("testcase"))
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    names = tuple(f"{case.get('classname')}::{case.get('name')}" for case in failed)
    return Results(len(cases) - len(failed), names)

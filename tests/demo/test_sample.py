"""The sample is what the demo says: a bug that its tests miss, tests for it, a fix that falls short, one that holds."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.demo import sample


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for path, data in sample.files().items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return tmp_path


def run_tests(checkout: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    return done.returncode, done.stdout.strip().splitlines()[-1]


def play(checkout: Path, iteration: int) -> None:
    """Do what the recorded replies of one iteration ask for."""
    recording = json.loads(sample.RECORDING.read_text())
    calls = [call for reply in recording["iterations"][iteration - 1] for call in reply["tool_calls"]]
    for call in calls:
        _DO.get(call["name"], lambda *_: None)(checkout, call["arguments"])


def _write(checkout: Path, wanted: dict[str, Any]) -> None:
    (checkout / wanted["path"]).write_text(wanted["content"])


def _edit(checkout: Path, wanted: dict[str, Any]) -> None:
    file = checkout / wanted["path"]
    assert file.read_text().count(wanted["search"]) == 1
    file.write_text(file.read_text().replace(wanted["search"], wanted["replace"]))


_DO: dict[str, Any] = {"write": _write, "edit": _edit}


def test_the_samples_own_tests_miss_the_bug(checkout: Path) -> None:
    assert run_tests(checkout)[0] == 0


def test_the_bug_is_the_one_that_the_issue_tells_of(checkout: Path) -> None:
    code = "import lapse; print(lapse.humanize(59.7), '|', lapse.humanize(3599.7))"

    said = subprocess.run([sys.executable, "-c", code], cwd=checkout, capture_output=True, text=True, check=True).stdout

    assert said.strip() == "60 s | 59 min 60 s"
    assert "'60 s'" in sample.issue().body
    assert "'59 min 60 s'" in sample.issue().body


def test_the_recorded_tests_fail_without_a_fix(checkout: Path) -> None:
    play(checkout, 1)

    assert run_tests(checkout)[1].startswith("2 failed, 15 passed")


def test_the_first_recorded_fix_falls_short_and_the_second_does_not(checkout: Path) -> None:
    play(checkout, 1)
    play(checkout, 2)
    first = run_tests(checkout)
    play(checkout, 3)
    second = run_tests(checkout)

    assert first[1].startswith("2 failed, 15 passed")
    assert second[1].startswith("17 passed")


def test_the_recording_is_found_by_the_issues_text() -> None:
    match = json.loads(sample.RECORDING.read_text())["match"]

    assert match in sample.issue().body

"""What the recorded model replies does what it is recorded for: wrong once, then right, on the base as described."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from bot.agent.actions import Request
from bot.agent.fences import parse_reply
from bot.agent.hands import carry_out
from bot.agent.tools import request_of
from bot.records import Change, TestReport, Unreproduced
from sandbox.contract import MEBIBYTE, ExecutionResult
from tests.real.packages import PACKAGES, RealPackage, repository_files

pytestmark = pytest.mark.real

each_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)


class Checkout:
    """A `Workbench` over a plain folder, for looking and editing. Tests are run by `failing`, as a person would."""

    def __init__(self, folder: Path, package: RealPackage) -> None:
        self.folder = folder
        self.package = package
        for path, file in repository_files(package).items():
            self.write(path, file.data)

    def paths(self) -> Sequence[str]:
        found = (path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file())
        return sorted(found)

    def read(self, path: str) -> bytes | None:
        target = self.folder / path
        return target.read_bytes() if target.is_file() else None

    def read_many(self, paths: Collection[str]) -> Mapping[str, bytes]:
        return {path: data for path in paths if (data := self.read(path)) is not None and len(data) <= MEBIBYTE}

    def write(self, path: str, data: bytes) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_bytes(data)

    def delete(self, path: str) -> None:
        (self.folder / path).unlink()

    def search(self, pattern: str, path: str = ".") -> Sequence[str]:
        command = ["grep", "-rnIE", "-e", pattern, "--", path]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False).stdout.splitlines()

    def run(self, command: str) -> ExecutionResult:
        raise NotImplementedError(command)

    def test(self) -> TestReport:
        raise NotImplementedError

    def change(self) -> Change:
        raise NotImplementedError

    def objection(self, change: Change, report: TestReport) -> str:
        raise NotImplementedError(change, report)

    def unreproduced(self, change: Change, report: TestReport) -> Unreproduced | None:
        raise NotImplementedError(change, report)

    def fork(self) -> AbstractContextManager["Checkout"]:
        raise NotImplementedError

    def contents(self) -> Mapping[str, bytes | None]:
        return {path: self.read(path) for path in self.paths()}

    def failing(self, only: str = "") -> frozenset[str]:
        """The ids that fail, of the whole suite or of one file. Anything but passing and failing tests is an error."""
        done = subprocess.run(
            ["sh", "-c", f"{self.package.test_command} {only}"],
            cwd=self.folder,
            # `python3` is the interpreter of this test run, which has pytest.
            env={
                "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.defpath)),
                "HOME": str(self.folder),
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTEST_ADDOPTS": "-p no:cacheprovider -rfE",
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        failed = frozenset(re.findall(r"^FAILED (\S+)", done.stdout, re.MULTILINE))
        assert done.returncode == bool(failed), done.stdout + done.stderr
        return failed


@pytest.fixture(params=PACKAGES, ids=lambda package: package.name)
def base(request: pytest.FixtureRequest, tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "base", request.param)


@pytest.fixture
def head(base: Checkout, tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "head", base.package)


def recording_of(package: RealPackage) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(package.recording.read_text("utf-8"))
    return found


def iterations_of(package: RealPackage) -> Sequence[Sequence[Sequence[Request]]]:
    """What the replies ask for: of each iteration, of each of its replies."""
    return [[requests_of(reply) for reply in replies] for replies in recording_of(package)["iterations"]]


def requests_of(reply: Mapping[str, Any]) -> Sequence[Request]:
    if reply["tool_calls"]:
        return [request_of(call["name"], json.dumps(call["arguments"])) for call in reply["tool_calls"]]
    parsed = parse_reply(reply["content"])
    assert not parsed.problem
    return parsed.requests


def work_through(checkout: Checkout, iteration: Sequence[Sequence[Request]]) -> Iterator[str | None]:
    """Do what the replies of one iteration ask for, and say of each how it closed the iteration, if it did."""
    for requests in iteration:
        done = carry_out(checkout, requests)
        assert [action for action in done.actions if not action.ok] == []
        assert all(action.result.strip() for action in done.actions)
        yield done.finish


@each_package
def test_a_recording_answers_the_package_s_issue(package: RealPackage) -> None:
    recording = recording_of(package)

    assert recording.keys() == {"model", "match", "iterations"}
    assert (recording["model"], recording["match"]) == ("recorded", package.title)
    assert len(recording["iterations"]) == package.iterations


def test_recordings_speak_both_dialects() -> None:
    replies = [reply for package in PACKAGES for replies in recording_of(package)["iterations"] for reply in replies]

    assert {bool(reply["tool_calls"]) for reply in replies} == {True, False}


def test_the_base_fails_in_nothing_but_what_is_said(base: Checkout) -> None:
    expected = base.package.red if base.package.fails_on_base else ()

    assert base.failing() == frozenset(expected)


def test_the_recorded_model_fails_once_before_it_succeeds(head: Checkout) -> None:
    *before, last = iterations_of(head.package)
    red = frozenset(head.package.red)

    failing = []
    for iteration in before:
        *looking, closing = work_through(head, iteration)
        failing.append(head.failing(only=head.package.test_file))
        assert looking == [None] * len(looking)
        assert closing
    closing_again = list(work_through(head, last))

    assert failing[:-1] == [red] * (len(before) - 1)
    assert failing[-1]
    assert failing[-1] <= red
    assert len(closing_again) == 1
    assert closing_again[0]
    assert head.failing() == frozenset()


def test_the_recorded_model_writes_the_test_before_the_change(head: Checkout) -> None:
    before = head.contents()
    first, *_ = iterations_of(head.package)

    list(work_through(head, first))

    expected = head.package.breakage.path if head.package.fails_on_base else head.package.test_file
    assert {path for path, data in head.contents().items() if before.get(path) != data} == {expected}


def test_what_the_fix_turns_green_is_red_on_the_base(base: Checkout, head: Checkout) -> None:
    tests = base.package.test_file
    for iteration in iterations_of(base.package):
        list(work_through(head, iteration))

    base.write(tests, head.contents()[tests] or b"")

    assert base.failing(only=tests) == frozenset(base.package.red)


def test_a_recorded_change_is_confined_to_the_function_and_to_new_tests(base: Checkout, head: Checkout) -> None:
    for iteration in iterations_of(base.package):
        list(work_through(head, iteration))

    before, after = base.contents(), head.contents()
    changed = {path for path in after if before.get(path) != after[path]}
    new_tests = set() if base.package.fails_on_base else {base.package.test_file}
    kept = (before.get(base.package.test_file) or b"").splitlines()
    left = iter((after[base.package.test_file] or b"").splitlines())

    assert before.keys() <= after.keys()
    assert changed == {base.package.breakage.path} | new_tests
    assert all(line in left for line in kept)

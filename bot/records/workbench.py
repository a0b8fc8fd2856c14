"""What the agent works at."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from bot.records.changes import Change
from bot.records.reports import TestReport
from sandbox.contract import ExecutionResult


@dataclass(frozen=True, slots=True)
class Unreproduced:
    """Why a test does not show the issue, in words for the model.

    `passes`: new tests ran, and all of them pass on the base: what they say of the issue is so already.
    """

    why: str
    passes: bool = False


class Readable(Protocol):
    """Files to look at. Paths are relative, with `/`."""

    def paths(self) -> Sequence[str]:
        """Every file, sorted, caches and ignored files left out."""
        ...

    def read(self, path: str) -> bytes | None:
        """A file's bytes; None where there is none."""
        ...

    def read_many(self, paths: Collection[str]) -> Mapping[str, bytes]:
        """Several files' bytes at once. Missing are those that are not there, and those of more than a mebibyte."""
        ...

    def search(self, pattern: str, path: str = ".") -> Sequence[str]:
        """`path:line: text` for each line that the POSIX extended regular expression matches, at most 200."""
        ...


class Workbench(Readable, Protocol):
    """What the agent works at: the base plus the change so far, checked out in a sandbox.

    Every method raises `Unavailable` when the sandbox fails, `Stopped` when a person ended the run.
    """

    def write(self, path: str, data: bytes) -> None:
        """Write a file whole; the mode of an existing one stays."""
        ...

    def delete(self, path: str) -> None: ...

    def run(self, command: str) -> ExecutionResult:
        """Run a shell command in the checkout's folder."""
        ...

    def test(self) -> TestReport:
        """Run the repository's test command."""
        ...

    def change(self) -> Change:
        """What differs from the base by now."""
        ...

    def objection(self, change: Change, report: TestReport) -> str:
        """What keeps a green change from being proven, in words for the model; "" where nothing does.

        Asked only after the test command was green: “no test was added”, “the new test passes without the change too”.
        """
        ...

    def unreproduced(self, change: Change, report: TestReport) -> Unreproduced | None:
        """Why a change that is to hold nothing but a test does not show the issue; None where it does.

        `report` is of the base's own source with this test in it.
        """
        ...

    def fork(self) -> AbstractContextManager["Workbench"]:
        """A second workbench in a fresh copy of the tree, as this one was when it was opened. Gone after the block."""
        ...

"""What the agent works at: one workspace with the base and the change so far, by the words of `records.Workbench`."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from bot.errors import Stopped
from bot.proof import A, overlay, quick_objection
from bot.records import Change, TestReport, Unreproduced
from bot.repository import collect
from bot.runs.ground import Ground
from sandbox import Ending, ExecutionResult, Workspace
from sandbox.contract import CACHES, File, archive_of, files_of

SEARCH_HITS = 200
SEARCH_S = 30.0
COMMAND_S = 180.0
BYPRODUCTS_AT_MOST = 20_000


@dataclass(frozen=True, slots=True)
class Bench:
    """A `records.Workbench` over one open workspace.

    `byproducts` are files that setup, build and tests make by themselves: no part of a change, unless they are written.
    """

    ground: Ground
    workspace: Workspace
    byproducts: set[str] = field(default_factory=set)

    def untracked(self) -> tuple[str, ...]:
        """The files that the base does not have."""
        tracked = self.ground.mirror.entries(self.ground.base)
        return tuple(path for path in self.paths() if path not in tracked)[:BYPRODUCTS_AT_MOST]

    def paths(self) -> Sequence[str]:
        """Every file, sorted."""
        skipped = [part for name in (*CACHES, ".git") for part in ("-name", name, "-prune", "-o")]
        listed = self._run(["find", ".", *skipped, "-not", "-type", "d", "-print"], timeout_s=SEARCH_S)
        return sorted(line.removeprefix("./") for line in listed.stdout.splitlines() if line.startswith("./"))

    def read(self, path: str) -> bytes | None:
        """A file's bytes."""
        file = self._file(path)
        return None if file is None or file.symlink else file.data

    def write(self, path: str, data: bytes) -> None:
        """Write a file whole, in place of a link too."""
        self.byproducts.discard(path)
        before = self._file(path)
        if before is not None and before.symlink:
            self.workspace.remove([path])
        self.workspace.put(archive_of({path: File(data, executable=before is not None and before.executable)}))

    def delete(self, path: str) -> None:
        """Delete a file."""
        self.workspace.remove([path])

    def search(self, pattern: str, path: str = ".") -> Sequence[str]:
        """Search the workspace's text files."""
        skipped = [f"--exclude-dir={name}" for name in (*CACHES, ".git")]
        found = self._run(["grep", "-rnIE", *skipped, "-e", pattern, "--", path], timeout_s=SEARCH_S)
        lines = found.stdout.splitlines() or found.stderr.splitlines()
        return [line.removeprefix("./")[:400] for line in lines[:SEARCH_HITS]]

    def run(self, command: str) -> ExecutionResult:
        """Run a shell command."""
        return self._run(command, timeout_s=min(COMMAND_S, self.ground.limits.wall_s))

    def test(self) -> TestReport:
        """Run the test command."""
        return self.ground.test_in(self.workspace)

    def change(self) -> Change:
        """Everything since the base, read out of the workspace as data."""
        mirror, base = self.ground.mirror, self.ground.base
        everything = files_of(self.workspace.get(exclude=[*CACHES, ".git"]))
        held = [(path, file) for path, file in everything if path not in self.byproducts]
        files, left_out = collect(mirror, base, held)
        return mirror.change(base, mirror.tree_with(base, files), left_out=left_out)

    def objection(self, change: Change, report: TestReport) -> str:
        """What a proof would miss, found out by one run of the new tests on the base."""
        ground = self.ground
        files = ground.mirror.changed_files(ground.base, ground.tree(change))
        _, replaced = overlay(files, A)
        return quick_objection(files, lambda: ground.test(ground.base, replaced), report)

    def unreproduced(self, change: Change, report: TestReport) -> Unreproduced | None:
        """Why a test does not show the issue."""
        raise NotImplementedError

    def fork(self) -> AbstractContextManager["Bench"]:
        """A second workbench in a fresh copy of the tree."""
        raise NotImplementedError

    def _file(self, path: str) -> File | None:
        return dict(files_of(self.workspace.get([path]))).get(path)

    def _run(self, command: str | Sequence[str], *, timeout_s: float) -> ExecutionResult:
        result = self.workspace.run(command, timeout_s=timeout_s, stop=self.ground.stop)
        if result.ending is Ending.STOPPED:
            raise Stopped
        return result

"""What the agent works at: one workspace with the base and the change so far, by the words of `records.Workbench`."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from bot.errors import Stopped
from bot.proof import A, FileKind, HiddenTests, Scene, kind_of, objection_of, overlay, quick_objection, unreproduced
from bot.records import Change, ChangedFile, TestReport, Unreproduced
from bot.repository import collect
from bot.runs.ground import Ground
from bot.runs.hidden import run_hidden
from bot.runs.markers import marked
from bot.writing.safe import clean, cut
from sandbox import Ending, ExecutionResult, Workspace
from sandbox.contract import CACHES, MEBIBYTE, File, archive_of, files_of

SEARCH_HITS = 200
SEARCH_S = 30.0
COMMAND_S = 180.0
COMMAND_SHOWN = 200
"""How much of a command whoever looks on is told."""

BYPRODUCTS_AT_MOST = 20_000


@dataclass(frozen=True, slots=True)
class Bench:
    """A `records.Workbench` over one open workspace.

    `tree` is what the workspace was opened with, the base where it is "". `held` is the tree of what was there before
    the run, where that is not the base. `byproducts` are files that setup, build and tests make by themselves: no part
    of a change, unless they are written. `baseline` and `issue`, its whole text, are
    what a new test is judged by; without `wants_test` a change is fine without one. `hidden` tests run in workspaces of
    their own, when nothing else objects to a green change; `tell` is told where nothing can be told of them.
    """

    ground: Ground
    workspace: Workspace
    tree: str = ""
    held: str = ""
    byproducts: Collection[str] = frozenset()
    baseline: TestReport | None = None
    issue: str = ""
    wants_test: bool = True
    hidden: HiddenTests | None = None
    tell: Callable[[str], None] = field(default=lambda _: None)
    _written: set[str] = field(default_factory=set, init=False)

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

    def read_many(self, paths: Collection[str]) -> Mapping[str, bytes]:
        """Several files' bytes, by two commands, however many they are."""
        if not paths:
            return {}
        asked = [f"./{path}" for path in paths]
        small = ["-maxdepth", "0", "-type", "f", "-size", f"-{MEBIBYTE + 1}c", "-print"]
        listed = self._run(["find", *asked, *small], timeout_s=SEARCH_S)
        there = [line.removeprefix("./") for line in listed.stdout.splitlines() if line.startswith("./")]
        held = files_of(self.workspace.get(there)) if there else ()
        return {path: file.data for path, file in held if path in paths and not file.symlink}

    def write(self, path: str, data: bytes) -> None:
        """Write a file whole, in place of a link too."""
        self._written.add(path)
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
        self.tell(f"  runs: {cut(' '.join(clean(command).split()), COMMAND_SHOWN)}")
        return self._run(command, timeout_s=min(COMMAND_S, self.ground.limits.wall_s))

    def test(self) -> TestReport:
        """Run the test command."""
        self.tell("  the tests run")
        return self.ground.test_in(self.workspace)

    def change(self) -> Change:
        """Everything since the base, read out of the workspace as data."""
        mirror, base = self.ground.mirror, self.ground.base
        everything = files_of(self.workspace.get(exclude=[*CACHES, ".git"]))
        held = [(path, file) for path, file in everything if path in self._written or path not in self.byproducts]
        files, left_out = collect(mirror, base, held)
        return mirror.change(base, mirror.tree_with(base, files), left_out=left_out)

    def objection(self, change: Change, report: TestReport) -> str:
        """What a proof would miss, found out by one run of the new tests on the base; then the acceptance tests."""
        ground = self.ground
        tree = ground.tree(change)
        files = ground.mirror.changed_files(ground.base, tree)
        if left := marked(files):
            return (
                f"Conflict markers are left in {', '.join(left)}. Keep what both sides mean, and take the markers out."
            )
        _, replaced = overlay(files, A)
        said = quick_objection(
            self._answerable(files, tree),
            lambda: ground.test(ground.base, replaced),
            report,
            wants_test=self.wants_test,
        )
        if said or self.hidden is None or not self.hidden.feedback:
            return said
        results = run_hidden(ground, tree, self.hidden)
        if results.unusable:
            self.tell(f"  acceptance tests: {results.unusable}")
        return objection_of(results)

    def _answerable(self, files: Sequence[ChangedFile], tree: str) -> Sequence[ChangedFile]:
        """The files without the tests that were altered before the run began: whoever did that means it."""
        if not self.held:
            return files
        own = {file.path for file in self.ground.mirror.changed_files(self.held, tree)}
        settled = (FileKind.TEST, FileKind.TEST_CONFIG)
        return [file for file in files if file.path in own or file.before is None or kind_of(file.path) not in settled]

    def unreproduced(self, change: Change, report: TestReport) -> Unreproduced | None:
        """Why a test does not show the issue; what fails has to fail in a clean workspace too."""
        ground = self.ground
        files = ground.mirror.changed_files(ground.base, ground.tree(change))
        _, replaced = overlay(files, A)
        scene = Scene(self.baseline, self.issue, self._defines)
        return unreproduced(files, report, scene, lambda: ground.test(ground.base, replaced))

    @contextmanager
    def fork(self) -> Iterator["Bench"]:
        """A second workbench in a fresh copy of the tree."""
        with self.ground.workspace(self.tree or self.ground.base) as workspace:
            yield replace(self, workspace=workspace)

    def _defines(self, name: str) -> bool:
        """Whether the program defines a function or class of this name, or assigns it."""
        return bool(self.search(rf"((def|class)[[:space:]]+{name}|^[[:space:]]*{name}[[:space:]]*=)([^[:alnum:]_]|$)"))

    def _file(self, path: str) -> File | None:
        return dict(files_of(self.workspace.get([path]))).get(path)

    def _run(self, command: str | Sequence[str], *, timeout_s: float) -> ExecutionResult:
        result = self.workspace.run(command, timeout_s=timeout_s, stop=self.ground.stop)
        if result.ending is Ending.STOPPED:
            raise Stopped
        return result

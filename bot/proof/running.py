"""The door to the sandbox: run the test command, fetch its results, say what it came to."""

import re
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from bot.errors import Unavailable
from bot.proof import readers
from bot.proof.fetching import HIDDEN, fetched, named_reports
from bot.proof.plant import Plant
from bot.proof.planting import judge
from bot.proof.readers import Left, Site
from bot.proof.results import Results
from bot.proof.states import state_of
from bot.records import ReportState, StopCheck, TestPlan, TestReport
from sandbox.contract import Ending, ExecutionResult, File, SandboxError, Workspace, WorkspaceFull, archive_of

_EXTENDED = ("PYTHONPATH", "NODE_OPTIONS", "GOFLAGS")
_PROGRAMS = {"node": "node --version", "go": "GOTOOLCHAIN=local go version"}
_LOOK = "; ".join(
    f'printf "%s\\n" "{said}"'
    for said in (*(f"${name}" for name in _EXTENDED), *(f"$({ask} 2>/dev/null)" for ask in _PROGRAMS.values()))
)
_VERSION = re.compile(r"\d+(\.\d+)+")


def run_tests(
    workspace: Workspace,
    plan: TestPlan,
    *,
    timeout_s: float,
    plant: Plant | None = None,
    options: Sequence[str] = (),
    stop: StopCheck | None = None,
) -> TestReport:
    """Run the plan's build and test commands in the workspace and report on them. `timeout_s` is for both together.

    Results are read wherever in the command a program is started that `bot.proof.readers` knows, and from the plan's
    own results file; the exit code is all there is otherwise. With a `plant`, its file is added for this run, and its
    case is not in the report. `options` are pytest's, over those of the project's settings and below those of the
    command.

    Raises: `Unavailable` when the sandbox fails, `WorkspaceFull` when there is no room for what we add. A stop is a
    report whose state is STOPPED.
    """
    try:
        return _TestRun(workspace, plan, time.monotonic() + timeout_s, plant, tuple(options), stop).report()
    except WorkspaceFull:
        raise
    except SandboxError as error:
        raise Unavailable(f"The sandbox failed while the tests ran: {error}") from error


@dataclass(frozen=True, slots=True)
class _TestRun:
    workspace: Workspace
    plan: TestPlan
    deadline: float
    plant: Plant | None
    options: tuple[str, ...]
    stop: StopCheck | None

    def report(self) -> TestReport:
        built = self._run(self.plan.build, {}) if self.plan.build else None
        if built is not None and built.exit_code != 0:
            return _build_failed(self.plan.build, built)
        with self._results_folder() as folder, self._planted():
            site = self._site(folder)
            preparation = readers.prepared(site)
            if preparation.files:
                put = {f"{folder}/{name}": File(data, executable=True) for name, data in preparation.files.items()}
                self.workspace.put(archive_of(put))
            tested = self._run(self.plan.test, preparation.variables)
            results, reader = readers.read(self._left(folder, tested))
        return self._judged(tested, results, reader)

    def _run(self, command: str, env: Mapping[str, str]) -> ExecutionResult:
        left = max(1.0, self.deadline - time.monotonic())
        return self.workspace.run(command, timeout_s=left, env=env, directory=self.plan.directory, stop=self.stop)

    @contextmanager
    def _results_folder(self) -> Iterator[str]:
        """A hidden folder in the workspace under a name that nobody can know beforehand, gone afterwards."""
        folder = f"{HIDDEN}{secrets.token_hex(8)}"
        if stale := named_reports(self.workspace, self.plan, self.stop):
            self.workspace.remove(stale)
        try:
            yield folder
        finally:
            self.workspace.remove([folder])

    @contextmanager
    def _planted(self) -> Iterator[None]:
        if self.plant is None or self.plant.injected:
            yield
            return
        self.workspace.put(archive_of({self.plant.path: File(self.plant.content)}))
        try:
            yield
        finally:
            self.workspace.remove([self.plant.path])

    def _site(self, folder: str) -> Site:
        """What the sandbox has by itself, found out by one command."""
        root = self.workspace.directory.rstrip("/")
        looked = self._run(_LOOK, {})
        said = looked.stdout.splitlines()
        variables = dict(zip(_EXTENDED, said, strict=False))
        versions = dict(zip(_PROGRAMS, map(_VERSION.search, said[len(_EXTENDED) :]), strict=False))
        return Site(
            root=root,
            folder=f"{root}/{folder}",
            directory=self.plan.directory,
            variables={name: value for name, value in variables.items() if value},
            versions={name: found[0] for name, found in versions.items() if found},
            plant=self.plant,
            options=self.options,
        )

    def _left(self, folder: str, tested: ExecutionResult) -> Left:
        written = fetched(self.workspace, [folder])
        found = fetched(self.workspace, named_reports(self.workspace, self.plan, self.stop))
        reports = [found[path] for path in sorted(found)]
        return Left(
            files={name.removeprefix(f"{folder}/"): data for name, data in written.items()},
            report=reports[0] if reports else None,
            stdout=tested.stdout,
            stderr=tested.stderr,
            truncated=tested.truncated,
            root=self.workspace.directory.rstrip("/"),
            directory=self.plan.directory,
            plant=self.plant,
            further_reports=reports[1:],
            exit_code=tested.exit_code,
        )

    def _judged(self, tested: ExecutionResult, results: Results | None, reader: str) -> TestReport:
        planted_failed: bool | None = None
        if tested.ending is not Ending.EXITED:
            results, reader = None, readers.EXIT_CODE  # cut off by us: what there is, is not what it came to
        tampered = results.contradiction if results else ""
        if self.plant is not None:
            judged = judge(results, self.plant, command=self.plan.test)
            planted_failed, tampered = judged.planted_failed, judged.tampered
            results = results and judged.results
        expect_failure = bool(planted_failed) and not (self.plant and self.plant.injected)
        return TestReport(
            command=self.plan.test,
            state=state_of(self.plan.test, tested, results, expect_failure=expect_failure),
            cases=results.cases if results else (),
            exit_code=tested.exit_code,
            output=_output(tested),
            duration_s=tested.duration_s,
            reader=reader,
            planted_failed=planted_failed,
            tampered=tampered,
        )


def _build_failed(command: str, built: ExecutionResult) -> TestReport:
    """A build that fails runs no test. Its own state says more, if any; a plain failure is no test result."""
    state = state_of(command, built, None, expect_failure=False)
    state = ReportState.CRASHED if state in (ReportState.FAILED, ReportState.NOTHING_RAN) else state
    return TestReport(
        command=command,
        state=state,
        exit_code=built.exit_code,
        output=f"The build command failed.\n{_output(built)}",
        duration_s=built.duration_s,
    )


def _output(result: ExecutionResult) -> str:
    return "\n".join(text for text in (result.stdout.rstrip(), result.stderr.rstrip()) if text)

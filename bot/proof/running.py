"""The door to the sandbox: run the test command, fetch its results, say what it came to."""

import secrets
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.errors import Unavailable
from bot.proof.junit import MAX_BYTES, Results, read_junit
from bot.proof.planting import Plant, judge
from bot.proof.states import sessions_in, state_of
from bot.records import ReportState, StopCheck, TestPlan, TestReport
from sandbox.contract import ExecutionResult, File, SandboxError, Workspace, WorkspaceFull, archive_of, files_of

_RESULTS = "results.xml"


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

    pytest's results are read wherever in the command pytest is started; the plan's own results file comes second; the
    exit code is all there is otherwise. With a `plant`, its file is added for this run, and its case is not in the
    report. `options` are pytest's, over those of the project's settings and below those of the command.

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
            tested = self._run(self.plan.test, self._environment(folder))
            found = self._results(folder)
        return self._judged(tested, *found)

    def _run(self, command: str, env: Mapping[str, str]) -> ExecutionResult:
        left = max(1.0, self.deadline - time.monotonic())
        return self.workspace.run(command, timeout_s=left, env=env, directory=self.plan.directory, stop=self.stop)

    @contextmanager
    def _results_folder(self) -> Iterator[str]:
        """A hidden folder in the workspace under a name that nobody can know beforehand, gone afterwards."""
        folder = f".selfcode-results-{secrets.token_hex(8)}"
        if self.plan.report:
            self.workspace.remove([_below(self.plan.directory, self.plan.report)])
        try:
            yield folder
        finally:
            self.workspace.remove([folder])

    @contextmanager
    def _planted(self) -> Iterator[None]:
        if self.plant is None:
            yield
            return
        self.workspace.put(archive_of({self.plant.path: File(self.plant.content)}))
        try:
            yield
        finally:
            self.workspace.remove([self.plant.path])

    def _environment(self, folder: str) -> Mapping[str, str]:
        """What makes pytest write its results, whoever starts it.

        `maxfail=0` undoes an `-x` of the project's settings: one failing test must not hide the others. A cache of its
        own, because `--last-failed` would leave out what passed before. tox hands the variable on when told to.
        One hash seed, so that sets have one order: tests that are parametrized from a set have ids by that order.
        """
        root = self.workspace.directory.rstrip("/")
        options = [
            f"--junitxml={root}/{folder}/{_RESULTS}",
            "--continue-on-collection-errors",
            "--maxfail=0",
            *("-o", "junit_family=xunit1", "-o", "junit_logging=no", "-o", f"cache_dir={root}/{folder}/cache"),
            *self.options,
        ]
        if self.plant is not None and self.plant.positional:
            options.append(f"{root}/{self.plant.path}")
        return {
            "PYTEST_ADDOPTS": shlex.join(options),
            "PYTHONHASHSEED": "0",
            "TOX_TESTENV_PASSENV": "PYTEST_ADDOPTS",
            "TOX_OVERRIDE": "testenv.pass_env+=PYTEST_ADDOPTS",
        }

    def _results(self, folder: str) -> tuple[Results | None, str]:
        """What was found, and who wrote it: our own file first, then the one that the plan names."""
        for path, reader in ((f"{folder}/{_RESULTS}", "pytest"), (self.plan.report, "junit")):
            at = path if reader == "pytest" else _below(self.plan.directory, path)
            data = self._fetch(at) if path else None
            results = None if data is None else read_junit(data, directory=self.plan.directory)
            if results is not None:
                return results, reader
        return None, "exit code"

    def _fetch(self, path: str) -> bytes | None:
        """A results file's bytes; None where it is missing, a link, or too large to be one.

        A dead sandbox looks like a file too large here; it shows itself when the results folder is removed.
        """
        try:
            archive = self.workspace.get([path], limit_bytes=MAX_BYTES)
        except SandboxError:
            return None
        found = [file for name, file in files_of(archive) if name == path]
        return found[0].data if found and not found[0].symlink else None

    def _judged(self, tested: ExecutionResult, results: Results | None, reader: str) -> TestReport:
        planted_failed: bool | None = None
        tampered = results.contradiction if results else ""
        if self.plant is not None:
            judged = judge(results if reader == "pytest" else None, self.plant, command=self.plan.test)
            planted_failed, tampered = judged.planted_failed, judged.tampered
            results = judged.results if reader == "pytest" else results
        if reader == "pytest" and (sessions := sessions_in(tested.stdout)) > 1:
            tampered = f"the command runs pytest {sessions} times, and only the last run's results can be read"
        return TestReport(
            command=self.plan.test,
            state=state_of(self.plan.test, tested, results, expect_failure=bool(planted_failed)),
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


def _below(directory: str, path: str) -> str:
    return str(PurePosixPath(directory) / path)

"""Commands as plain subprocesses, with the caller's own rights: for code that you trust."""

import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from sandbox import machine, scripts, supervisor, tree
from sandbox.contract import (
    CLEAN_ENVIRONMENT,
    Capacity,
    Ending,
    ExecutionResult,
    Guarantee,
    Limits,
    SandboxError,
    Workspace,
)
from sandbox.output import Output, Watch
from sandbox.paths import relative
from sandbox.streams import Streams

_ENDING_S = 8.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ProcessSandbox:
    """A folder of its own, a clean environment, limits of time, output and file size; no isolation from the machine.

    Memory, processes and the folder's size are not limited. The interpreter's own programs (those of a virtual
    environment) come first on PATH, unless PATH has a place for them.
    """

    @property
    def name(self) -> str:
        return "process"

    @property
    def isolated(self) -> bool:
        return False

    @property
    def unheld(self) -> Mapping[Guarantee, str]:
        reason = "the code runs with your own rights"
        return {found: reason for found in Guarantee if found is not Guarantee.ENDING}

    def check(self) -> str:
        return "plain processes with your own rights"

    def capacity(self) -> Capacity:
        return machine.capacity()

    def remove_leftovers(self) -> int:
        """Nothing: a command ends with the process that ran it, however that ended."""
        return 0

    def open(self, *, image: str | None = None, limits: Limits | None = None) -> AbstractContextManager[Workspace]:  # noqa: ARG002 - there are no images here
        return _opened(limits or Limits())


@contextmanager
def _opened(limits: Limits) -> Iterator[Workspace]:
    folder = Path(tempfile.mkdtemp(prefix="selfcode-")).resolve()
    try:
        for name in ("workspace", "home", "tmp"):
            (folder / name).mkdir()
        yield _ProcessWorkspace(folder, limits)
    finally:
        try:
            tree.remove_all(folder)
        except OSError as error:  # what became of the command matters more than its folder
            _log.warning("could not remove %s: %s", folder, error)


class _ProcessWorkspace:
    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder / "workspace"
        self._home = folder / "home"
        self._tmp = folder / "tmp"
        self._limits = limits

    @property
    def directory(self) -> str:
        return str(self._folder)

    def put(self, archive: bytes) -> None:
        tree.unpack(archive, self._folder)

    def get(self, paths: Sequence[str] = (), *, exclude: Sequence[str] = (), limit_bytes: int | None = None) -> bytes:
        limit = self._limits.workspace_bytes if limit_bytes is None else limit_bytes
        return tree.pack(self._folder, paths, exclude=exclude, limit_bytes=limit)

    def remove(self, paths: Sequence[str]) -> None:
        try:
            for path in paths:
                tree.remove(self._folder, path)
        except OSError as error:
            raise SandboxError(f"removing failed: {error}") from error

    def run(
        self,
        command: str | Sequence[str],
        *,
        timeout_s: float | None = None,
        env: Mapping[str, str] | None = None,
        directory: str = ".",
        stop: Callable[[], bool] | None = None,
    ) -> ExecutionResult:
        words = scripts.launch(command, relative(directory))
        watch = Watch(self._limits, timeout_s, stop)
        output = Output(self._limits.output_bytes)
        with _Supervised(words, self._folder, self._environment(env), self._limits.file_size_bytes) as running:
            ending = running.follow(output, watch)
            exit_code = running.end(output)
        return output.result(ending, exit_code, duration_s=watch.elapsed_s)

    def _environment(self, env: Mapping[str, str] | None) -> dict[str, str]:
        own = {"PATH": _programs(), "HOME": str(self._home), "TMPDIR": str(self._tmp)}
        return {**CLEAN_ENVIRONMENT, **own, **(env or {})}


def _programs() -> str:
    ours, path = str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)
    return path if ours in path.split(":") else f"{ours}:{path}"


class _Supervised:
    """A command below `sandbox.supervisor`, which ends it and all that it started when this context ends."""

    def __init__(self, words: Sequence[str], folder: Path, env: Mapping[str, str], file_size_bytes: int) -> None:
        control, self._control = os.pipe()
        stdout, their_stdout = os.pipe()
        stderr, their_stderr = os.pipe()
        self._pipes = (stdout, stderr)
        self._streams = Streams(stdout, stderr)
        arguments = [str(control), str(file_size_bytes), *words]
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(Path(supervisor.__file__)), *arguments],
                cwd=folder,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=their_stdout,
                stderr=their_stderr,
                pass_fds=(control,),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            os.close(self._control)
            self._close_streams()
            raise SandboxError(f"the command could not be started: {error}") from error
        finally:
            for descriptor in (control, their_stdout, their_stderr):
                os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_command()
        try:
            self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._close_streams()

    def follow(self, output: Output, watch: Watch) -> Ending:
        """Read until the command has ended or has to be ended."""
        while not self._streams.at_end:
            self._streams.read(output, watch.wait_s)
            if (verdict := watch.verdict(output)) is not None:
                return verdict
        return Ending.EXITED

    def end(self, output: Output) -> int:
        """End what is left of the command, take what it had still written, and return its exit code."""
        self._end_command()
        self._streams.drain(output)
        try:
            return self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired as error:
            raise SandboxError("the command cannot be ended: a process of it is stuck or another user's") from error

    def _close_streams(self) -> None:
        self._streams.close()
        for descriptor in self._pipes:
            os.close(descriptor)

    def _end_command(self) -> None:
        """Close the pipe that the supervisor listens on; a second time does nothing."""
        if self._control >= 0:
            with suppress(OSError):
                os.close(self._control)
            self._control = -1

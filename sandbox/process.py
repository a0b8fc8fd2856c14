"""Commands as plain subprocesses, with the caller's own rights: for code that you trust."""

import logging
import os
import selectors
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from sandbox import scripts, supervisor, tree
from sandbox.contract import CLEAN_ENVIRONMENT, Ending, ExecutionResult, Limits, SandboxError, Workspace
from sandbox.output import Output, Watch
from sandbox.paths import relative

_CHUNK = 65536
_DRAIN_S = 1.0
_ENDING_S = 8.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ProcessSandbox:
    """A folder of its own, a clean environment, limits of time, output and file size; no isolation from the machine.

    Memory, processes and the folder's size are not limited. The interpreter's own programs (those of a virtual
    environment) come first on PATH.
    """

    @property
    def name(self) -> str:
        return "process"

    @property
    def isolated(self) -> bool:
        return False

    def check(self) -> str:
        return "plain processes with your own rights"

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
        return ExecutionResult(
            exit_code=exit_code if ending is Ending.EXITED else None,
            stdout=output.stdout.text(),
            stderr=output.stderr.text(),
            ending=ending,
            truncated=output.truncated,
            duration_s=watch.elapsed_s,
        )

    def _environment(self, env: Mapping[str, str] | None) -> dict[str, str]:
        programs = f"{Path(sys.executable).parent}:{os.environ.get('PATH', os.defpath)}"
        own = {"PATH": programs, "HOME": str(self._home), "TMPDIR": str(self._tmp)}
        return {**CLEAN_ENVIRONMENT, **own, **(env or {})}


class _Supervised:
    """A command below `sandbox.supervisor`, which ends it and all that it started when this context ends."""

    def __init__(self, words: Sequence[str], folder: Path, env: Mapping[str, str], file_size_bytes: int) -> None:
        control, self._control = os.pipe()
        arguments = [str(control), str(file_size_bytes), *words]
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(Path(supervisor.__file__)), *arguments],
                cwd=folder,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(control,),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            os.close(self._control)
            raise SandboxError(f"the command could not be started: {error}") from error
        finally:
            os.close(control)

    def __enter__(self) -> Self:
        self._selector = selectors.DefaultSelector()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                self._selector.register(stream, selectors.EVENT_READ)
        return self

    def __exit__(self, *_: object) -> None:
        self._end_command()
        try:
            self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._selector.close()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def follow(self, output: Output, watch: Watch) -> Ending:
        """Read until the command has ended or has to be ended."""
        while self._selector.get_map():
            self._read(output, watch.wait_s)
            if (verdict := watch.verdict(output)) is not None:
                return verdict
        return Ending.EXITED

    def end(self, output: Output) -> int:
        """End what is left of the command, take what it had still written, and return its exit code."""
        self._end_command()
        drained = Watch(Limits(), _DRAIN_S, None)
        while self._selector.get_map() and drained.verdict(output) is None:
            self._read(output, drained.wait_s)
        try:
            return self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired as error:
            raise SandboxError("the command cannot be ended: a process of it is stuck or another user's") from error

    def _read(self, output: Output, wait_s: float) -> None:
        for key, _ in self._selector.select(wait_s):
            chunk = os.read(key.fd, _CHUNK)
            if not chunk:
                self._selector.unregister(key.fileobj)
            elif key.fileobj is self._process.stdout:
                output.stdout.add(chunk)
            else:
                output.stderr.add(chunk)

    def _end_command(self) -> None:
        """Close the pipe that the supervisor listens on; a second time does nothing."""
        if self._control >= 0:
            with suppress(OSError):
                os.close(self._control)
            self._control = -1

"""Workspaces in namespaces of their own, by the program bubblewrap: for code that nobody vouches for, without a daemon.

A process beside this one (`resident.keeper`) keeps each workspace's folders in memory, where only it sees them, and
starts bubblewrap over them for each command. This side sets the limits, and reads what the command writes.
"""

import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path

from sandbox import machine, scripts
from sandbox.contract import (
    CLEAN_ENVIRONMENT,
    MEBIBYTE,
    Capacity,
    Ending,
    ExecutionResult,
    Guarantee,
    Limits,
    SandboxError,
    SandboxUnavailable,
    Workspace,
)
from sandbox.output import Output, Watch
from sandbox.paths import relative
from sandbox.resident import cgroups, host, owners, planning, stage
from sandbox.resident.cgroups import Controller
from sandbox.resident.command import Command
from sandbox.resident.keeping import Keeper, Keepers

_PROBE = Limits(wall_s=10, workspace_bytes=MEBIBYTE, tmp_bytes=MEBIBYTE)
_PROBE_S = 5.0


class BubblewrapSandbox:
    """Namespaces, a set of them for each command, over folders in memory that a workspace keeps between commands.

    What is of this machine's system, of the caller's Python and in the `readable` folders shows, read-only, at its own
    path. Processes and control groups carry `owner`: two workers on one machine need two names. `program` is another
    bubblewrap than the package's. Nothing is started before the first use. Threads may share one.
    """

    def __init__(self, *, owner: str = "selfcode", readable: Sequence[Path] = (), program: Path | None = None) -> None:
        self._owner = owner
        self._readable = tuple(readable)
        self._program = program
        self._keepers = Keepers(owner)

    @property
    def name(self) -> str:
        return "bubblewrap"

    @property
    def isolated(self) -> bool:
        return True

    @property
    def unheld(self) -> Mapping[Guarantee, str]:
        return planning.unheld(cgroups.places(), machine=platform.machine(), kernel=platform.release())

    def check(self) -> str:
        """Program, kernel and kinds of limits in a line. Raises `SandboxUnavailable` where no command can be run."""
        try:
            with self._opened(_PROBE) as workspace:
                result = workspace.run(["true"])
        except SandboxUnavailable:
            raise
        except SandboxError as error:
            raise SandboxUnavailable(f"bubblewrap does not work here: {error}{planning.advice()}") from error
        if result.exit_code != 0:
            raise SandboxUnavailable(f"bubblewrap runs no command here: {result.stderr.strip()}{planning.advice()}")
        limits = ", ".join(cgroups.places()) or "none"
        return f"{self._version()} on Linux {platform.release()}, control groups: {limits}"

    def capacity(self) -> Capacity:
        return machine.capacity()

    def remove_leftovers(self) -> int:
        """End the keepers and remove the control groups of this owner whose process is gone, and say how many."""
        _require_linux()
        return owners.end_left(self._owner) + cgroups.remove_groups(partial(owners.is_left, self._owner))

    def open(self, *, image: str | None = None, limits: Limits | None = None) -> AbstractContextManager[Workspace]:  # noqa: ARG002 - there are no images here
        return self._opened(limits or Limits())

    def close(self) -> None:
        """End the process that waits for the next workspace; it ends with this process, too."""
        self._keepers.close()

    @contextmanager
    def _opened(self, limits: Limits) -> Iterator[Workspace]:
        _require_linux()
        places = cgroups.places()
        program = planning.program(self._program)
        view = host.view(self._readable)
        plan = planning.plan(limits, view=view, program=program, has_memory_limit=Controller.MEMORY in places)
        with cgroups.group(owners.group_name(self._owner), limits, places) as group:
            try:
                keeper = self._keepers.open(plan)
            except SandboxUnavailable as error:
                raise SandboxUnavailable(f"{error}{planning.advice()}") from error
            try:
                yield _BubblewrapWorkspace(keeper, group, limits, path=view.path)
            finally:
                keeper.close()

    def _version(self) -> str:
        path = planning.program(self._program).path
        return subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=_PROBE_S, check=True
        ).stdout.strip()


class _BubblewrapWorkspace:
    def __init__(self, keeper: Keeper, group: cgroups.Group, limits: Limits, *, path: str) -> None:
        self._keeper = keeper
        self._group = group
        self._limits = limits
        self._path = path

    @property
    def directory(self) -> str:
        return stage.WORKSPACE

    def put(self, archive: bytes) -> None:
        self._keeper.put(archive)

    def get(self, paths: Sequence[str] = (), *, exclude: Sequence[str] = (), limit_bytes: int | None = None) -> bytes:
        limit = self._limits.workspace_bytes if limit_bytes is None else limit_bytes
        wanted = [relative(path) for path in paths]
        return self._keeper.get({"paths": wanted, "exclude": list(exclude), "limit_bytes": limit})

    def remove(self, paths: Sequence[str]) -> None:
        self._keeper.remove([relative(path) for path in paths])

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
        output = Output(self._limits.output_bytes)
        kills = self._group.oom_kills()
        with Command(self._keeper, words, self._environment(env or {})) as running:
            self._prepare(running.process)
            watch = Watch(self._limits, timeout_s, stop)
            running.begin()
            ending = running.follow(output, watch)
            exit_code = running.end(output)
        if ending is Ending.EXITED and exit_code != 0 and self._group.oom_kills() > kills:
            ending = Ending.OUT_OF_MEMORY
        if ending is Ending.EXITED and exit_code is None:
            raise SandboxError(f"{running.problem}: {output.stderr.text().strip()}")
        return output.result(ending, exit_code, duration_s=watch.elapsed_s)

    def _prepare(self, process: int) -> None:
        """Bound what the process, which waits, and all that it starts may use."""
        self._group.add(process)
        with suppress(OSError):  # a preference: this rather than anything else of the machine, where memory runs out
            Path(f"/proc/{process}/oom_score_adj").write_text("1000")

    def _environment(self, env: Mapping[str, str]) -> dict[str, str]:
        for name, value in env.items():
            if not name or "=" in name or "\0" in name + value:
                raise SandboxError(f"not a variable for a command: {name!r}")
        own = {"PATH": self._path, "HOME": stage.HOME, "TMPDIR": stage.TMP}
        return {**CLEAN_ENVIRONMENT, **own, **env}


def _require_linux() -> None:
    if sys.platform != "linux":
        raise SandboxUnavailable("bubblewrap needs Linux: use Docker here")

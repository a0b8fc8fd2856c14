"""A workspace in a container: commands and files over whatever runs one command in a container."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, Self

from sandbox import scripts, tree
from sandbox.containers import container
from sandbox.containers.container import WORKSPACE
from sandbox.containers.frames import Stream
from sandbox.contract import Ending, ExecutionResult, Limits, SandboxError, WorkspaceFull
from sandbox.output import Output, Watch
from sandbox.paths import relative

_CHUNK = 256 * 1024
_ENDING_S = 1.0
_TRANSFER_S = 300.0
_KILLED = 128 + 9
_SAID_BYTES = 2000
_NO_ROOM = ("No space left on device", "File too large", "Wrote only")
"""What tar says of it, in whichever of its writes the end of the room falls."""
_log = logging.getLogger(__name__)


class Running(Protocol):
    """One command in a container, which waits for what `send` gives it. Each method raises `SandboxError`."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def fileno(self) -> int:
        """What to wait on, with whatever else is waited for, until something may have arrived."""
        ...

    def send(self, data: bytes) -> None: ...

    def offer(self, data: bytes) -> int:
        """Send what can be sent without waiting, from its start; how many bytes that is.

        What was offered once has to come first again, until it is sent.
        """
        ...

    def read(self, wait_s: float) -> list[tuple[Stream, bytes]] | None:
        """What has arrived within the time, perhaps nothing; None at the stream's end."""
        ...

    def follow(self, watch: Watch, output: Output) -> Ending:
        """Read until the command has ended, whatever it left running, or has to be ended."""
        ...

    def drain(self, output: Output) -> None:
        """Take what has arrived, for a second at most."""
        ...

    def close(self) -> None:
        """Hear no more of it. A flood that nobody reads holds up the engine, and with it whatever is to end it."""
        ...

    def exit_code(self) -> int: ...


class Box(Protocol):
    """A container in which commands run. Each method raises `SandboxError`."""

    def execute(self, words: Sequence[str], *, user: str, env: Mapping[str, str]) -> Running: ...

    def is_known_silent(self) -> bool:
        """Nothing runs but what is ours, at this moment. False also where nobody can tell."""
        ...

    def is_silent(self, *, within_s: float = 0.0) -> bool:
        """Nothing runs but process 1 and its sleep, at the latest after a time: what is killed takes a moment to go."""
        ...

    def replace(self) -> None:
        """Take another container for the same workspace, and end this one with all that is in it."""
        ...

    def commit(self, *, repository: str, tag: str, labels: Mapping[str, str]) -> str:
        """Keep the root directory as an image, without the workspace; return its name."""
        ...


SHELL = ("/bin/sh", "-c")


class OutOfMemory(SandboxError):
    """The container has ended for want of memory, and its files with it."""


class ContainerWorkspace:
    """A workspace in a container. Where a command can't be ended, the container is replaced: files stay, but not
    those in /tmp and HOME.

    `left` is the image's folder of what its setup has left, to which HOME leads in the next container too.
    """

    def __init__(self, box: Box, limits: Limits, *, user: str, home: str, left: str | None = None) -> None:
        self._box = box
        self._limits = limits
        self._user = user
        self._home = home
        self._left = left
        self._oom_kills = 0
        self._is_quiet = True

    @property
    def is_quiet(self) -> bool:
        """Nothing that was asked for runs. False where a command could not be seen to its end."""
        return self._is_quiet

    @property
    def directory(self) -> str:
        return WORKSPACE

    def put(self, archive: bytes) -> None:
        prepared, files = tree.with_folders(archive)
        words = [*SHELL, scripts.READ_GO + scripts.UNPACK, "sh", str(len(prepared)), WORKSPACE]
        try:
            self.command(words, stdin=prepared, doing="unpacking")
        except SandboxError:
            self._for_each(scripts.REMOVE_FOLDERS, files, doing="unpacking")  # a file can't take a full folder's place
            self.command(words, stdin=prepared, doing="unpacking")

    def get(self, paths: Sequence[str] = (), *, exclude: Sequence[str] = (), limit_bytes: int | None = None) -> bytes:
        limit = self._limits.workspace_bytes if limit_bytes is None else limit_bytes
        listed = scripts.nul_ended([relative(path) for path in paths or (".",)])
        options = scripts.excluding(exclude)
        words = [*SHELL, scripts.READ_GO + scripts.PACK, "sh", str(len(listed)), scripts.EXISTING, *options]
        try:
            return self.command(words, stdin=listed, doing="packing", limit_bytes=limit)
        except SandboxError as error:
            if "Permission denied" not in str(error):
                raise
        self.command([*SHELL, scripts.MAKE_READABLE], doing="packing")
        return self.command(words, stdin=listed, doing="packing", limit_bytes=limit)

    def remove(self, paths: Sequence[str]) -> None:
        names = [relative(path) for path in paths]
        if "." in names:
            self.command([*SHELL, scripts.EMPTY], doing="removing")
        self._for_each(scripts.REMOVE, [name for name in names if name != "."], doing="removing")

    def run(
        self,
        command: str | Sequence[str],
        *,
        timeout_s: float | None = None,
        env: Mapping[str, str] | None = None,
        directory: str = ".",
        stop: Callable[[], bool] | None = None,
    ) -> ExecutionResult:
        words = scripts.launch(command, relative(directory), prefix=scripts.READ_GO, suffix=scripts.COMMAND_SUFFIX)
        output = Output(self._limits.output_bytes)
        self._is_quiet = False
        with self._exec(words, env or {}) as running:
            watch = Watch(self._limits, timeout_s, stop)
            try:
                running.send(b"\n")
                ending = running.follow(watch, output)
            except BaseException:  # whatever it was, the caller's `stop` included: the command must not go on
                running.close()
                self._end_all()
                raise
            duration_s = watch.elapsed_s
            exit_code = running.exit_code() if ending is Ending.EXITED else None
            running.drain(output)
            running.close()
            ending = self._end(ending, exit_code)
            self._is_quiet = True
        return output.result(ending, exit_code, duration_s=duration_s)

    def command(self, words: Sequence[str], *, doing: str, stdin: bytes = b"", limit_bytes: int = _CHUNK) -> bytes:
        """Run one of our own commands and return what it wrote. Raises `SandboxError` when it fails or writes more."""
        written = bytearray()
        problems = Output(4096)
        with self._exec(words, {}) as running:
            watch = Watch(Limits(wall_s=_TRANSFER_S), None, None)
            running.send(b"\n" + stdin if stdin else b"\n")
            while (pieces := running.read(watch.wait_s)) is not None:
                for stream, piece in pieces:
                    if stream is Stream.STDOUT:
                        written += piece
                    else:
                        problems.stderr.add(piece)
                if len(written) > limit_bytes:
                    running.close()
                    self._end_all()
                    raise WorkspaceFull(f"{doing} failed: more than {limit_bytes} bytes")
                if watch.verdict(problems) is not None:
                    running.close()
                    self._end_all()
                    raise SandboxError(f"{doing} failed: it does not come to an end")
            exit_code = running.exit_code()
        if exit_code != 0:
            said = problems.stderr.text().strip() or written[:_SAID_BYTES].decode("utf-8", "replace").strip()
            kind = WorkspaceFull if any(words in said for words in _NO_ROOM) else SandboxError
            raise kind(f"{doing} failed ({exit_code}): {said}")
        return bytes(written)

    def _for_each(self, script: str, paths: Sequence[str], *, doing: str) -> None:
        listed = scripts.nul_ended(paths)
        if listed:
            words = [*SHELL, scripts.READ_GO + scripts.FOR_EACH, "sh", str(len(listed)), script]
            self.command(words, stdin=listed, doing=doing)

    def _exec(self, words: Sequence[str], env: Mapping[str, str]) -> Running:
        return self._box.execute(words, user=self._user, env=container.environment(env, home=self._home))

    def _end(self, ending: Ending, exit_code: int | None) -> Ending:
        """End what is left of a command, and say whether it was for want of memory that it failed."""
        if ending is Ending.EXITED and exit_code == 0 and self._box.is_known_silent():
            return ending
        try:
            memory_ran_out = self._end_all()
        except OutOfMemory:  # a result all the same: it is the command's doing
            return Ending.OUT_OF_MEMORY
        if ending is not Ending.EXITED or exit_code == 0:
            return ending
        if memory_ran_out is None:
            return Ending.OUT_OF_MEMORY if exit_code == _KILLED else ending
        return Ending.OUT_OF_MEMORY if memory_ran_out else ending

    def _end_all(self) -> bool | None:
        """End every process of the user. Whether memory had run out since the last time; None where nobody knows."""
        said = self._kill_all()
        if said is None or not self._box.is_silent(within_s=_ENDING_S):
            self._replace()
            return None
        counted = [int(line.split()[1]) for line in said.splitlines()]
        if not counted:
            return None
        before, self._oom_kills = self._oom_kills, counted[0]
        return self._oom_kills > before

    def _kill_all(self) -> str | None:
        """What `END_ALL` said; None where it could not be started, or did not come to its end."""
        output = Output(4096)
        try:
            with self._exec([*SHELL, scripts.READ_GO + scripts.END_ALL], {}) as running:
                running.send(b"\n")
                ending = running.follow(Watch(Limits(wall_s=_ENDING_S), None, None), output)
                if ending is not Ending.EXITED or running.exit_code() != 0:
                    return None
        except SandboxError:  # nothing can be started where the process table is full
            return None
        return output.stdout.text()

    def _replace(self) -> None:
        _log.warning("a command could not be ended: its container is replaced")
        self._box.replace()
        self._oom_kills = 0
        if self._left is not None:
            self.command([*SHELL, scripts.LINK_HOME, "sh", self._left], doing="preparing HOME")


class SetupWorkspace(ContainerWorkspace):
    """A workspace whose container becomes an image."""

    def _replace(self) -> None:
        raise SandboxError("what setup has started cannot be ended")

    def attach(self, words: Sequence[str], *, user: str | None = None) -> Running:
        """Start a command of ours, as root unless a user is named, that goes on beside `run`, and ends with it."""
        return self._box.execute(words, user=user or self._user, env=container.environment({}, home=self._home))

    def script(self, text: str, stdin: bytes, *, doing: str) -> bytes:
        """Run a script of ours as root, which reads $1 bytes of stdin; return what it wrote."""
        return self.command([*SHELL, scripts.READ_GO + text, "sh", str(len(stdin))], stdin=stdin, doing=doing)

    def commit(self, *, repository: str, tag: str, labels: Mapping[str, str]) -> str:
        """Keep the container's root directory as the image `repository:tag`, without the workspace; return its name."""
        return self._box.commit(repository=repository, tag=tag, labels=labels)

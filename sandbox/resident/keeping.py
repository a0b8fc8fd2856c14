"""The worker's side of `sandbox.resident.keeper`: ask for a workspace, and use it."""

import json
import os
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from sandbox.contract import SandboxError, SandboxUnavailable, WorkspaceFull
from sandbox.resident import owners

_CODE = "import sys; sys.path.append(sys.argv.pop(1)); from sandbox.resident.keeper import main; main()"
_MESSAGE = 65536
_READY_S = 20.0
_ENDING_S = 20.0
_TRANSFER_S = 300.0


class Keepers:
    """Starts keepers, by one program that is started with the first and ends with this process. Thread-safe."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._process = 0

    def open(self, plan: Mapping[str, Any]) -> "Keeper":
        """A workspace by this plan (see `stage`). Raises `SandboxUnavailable` where the machine does not let us."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        found = Keeper(ours)
        try:
            with theirs:
                self._ask(json.dumps(plan).encode(), theirs)
            found.reply(within_s=_READY_S)
        except SandboxError as error:
            found.close()
            raise SandboxUnavailable(str(error)) from error
        return found

    def close(self) -> None:
        """Let the program end, once the workspaces are closed. The next `open` starts another."""
        with self._lock:
            if self._control is not None:
                self._control.close()
                self._control = None

    def _ask(self, plan: bytes, use: socket.socket) -> None:
        with self._lock, _file(plan) as given:
            for may_retry in (True, False):
                if self._control is None or self._process != os.getpid():  # a fork has no claim to its parent's
                    self._control, self._process = self._started(), os.getpid()
                try:
                    socket.send_fds(self._control, [b"open"], [given.fileno(), use.fileno()])
                except OSError as error:
                    self._control.close()
                    self._control = None
                    if not may_retry:
                        raise SandboxUnavailable(f"the keeper of workspaces has ended: {error}") from error
                else:
                    return

    def _started(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        weakref.finalize(self, ours.close)
        package = str(Path(__file__).parents[2])
        words = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _CODE, package]
        words += [owners.MARK, self._owner, owners.own_name()]
        with theirs:
            try:
                subprocess.run(  # it goes on by itself in the background
                    words,
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={},
                    cwd="/",
                    start_new_session=True,
                    check=True,
                    timeout=_READY_S,
                )
            except (OSError, subprocess.SubprocessError) as error:
                raise SandboxUnavailable(f"the keeper of workspaces can't be started: {error}") from error
        return ours


class Keeper:
    """One workspace's keeper, for one caller at a time. After a failure of the keeper itself the workspace is gone."""

    def __init__(self, use: socket.socket) -> None:
        self._use = use

    def fileno(self) -> int:
        """Ready for reading when there is a reply."""
        return self._use.fileno()

    def close(self) -> None:
        """End the workspace with all that is in it; return when it is gone."""
        with suppress(OSError):
            self._use.shutdown(socket.SHUT_WR)
            self._use.settimeout(_ENDING_S)
            while self._use.recv(_MESSAGE):
                pass
        self._use.close()

    def put(self, archive: bytes) -> None:
        """Unpack an archive into the workspace."""
        with _file(archive) as given:
            self.ask(b"put", {}, given.fileno())
            self.reply(within_s=_TRANSFER_S)

    def get(self, request: Mapping[str, Any]) -> bytes:
        """An archive of `paths`, without what `exclude` names, of at most `limit_bytes`."""
        with _file(b"") as made:
            self.ask(b"get", request, made.fileno())
            self.reply(within_s=_TRANSFER_S)
            made.seek(0)
            found: bytes = made.read()
        return found

    def remove(self, paths: Sequence[str]) -> None:
        """Delete what is at the paths."""
        self.ask(b"remove", {"paths": list(paths)})
        self.reply(within_s=_TRANSFER_S)

    def ask(self, words: bytes, request: Mapping[str, Any], *descriptors: int) -> None:
        """Ask for something, with files for it; `reply` has the answer."""
        with _file(json.dumps(request).encode()) as given:
            try:
                socket.send_fds(self._use, [words], [given.fileno(), *descriptors])
            except OSError as error:
                raise _gone() from error

    def say(self, words: bytes) -> None:
        """Say something about what was asked for; it has no reply of its own."""
        try:
            self._use.send(words)
        except OSError as error:
            raise _gone() from error

    def reply(self, *, within_s: float) -> Mapping[str, Any]:
        """The next reply. Raises what went wrong there; where nothing comes, the workspace is given up."""
        self._use.settimeout(within_s)
        try:
            received = self._use.recv(_MESSAGE)
        except OSError as error:
            self._use.close()
            raise _gone() from error
        if not received:
            raise _gone()
        found: Mapping[str, Any] = json.loads(received)
        match found.get("error"):
            case None:
                return found
            case "full":
                raise WorkspaceFull(found["text"])
            case "unavailable":
                raise SandboxUnavailable(found["text"])
            case _:
                raise SandboxError(found["text"])


def _gone() -> SandboxError:
    return SandboxError("the workspace is gone: the process that kept it has ended, or does not answer")


def _file(contents: bytes) -> BinaryIO:
    made: BinaryIO = os.fdopen(os.memfd_create("selfcode"), "w+b")
    made.write(contents)
    made.flush()
    made.seek(0)
    return made

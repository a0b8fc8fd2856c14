"""Keeps workspaces for `sandbox.bubblewrap`: a program of its own, which forks a keeper for each workspace.

Its arguments are those of `sandbox.resident.owners`; its stdin is a socket. Each message there is one
workspace: a plan, in a file, and the socket over which that workspace is used. A keeper makes namespaces of its own,
in which the workspace's folders are mounted in memory. They are gone, with all that runs in them, when the keeper is,
and it ends with its socket or with the worker. It has no privileges outside its namespaces, whoever started it. The
program itself ends last, and removes the control groups of a worker that could not do so any more.

Nothing but the standard library, and modules that need no more, may be imported here. Linux only.
"""

import json
import os
import select
import signal
import socket
import sys
import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from sandbox import supervisor, tree
from sandbox.contract import SandboxError, WorkspaceFull
from sandbox.resident import bwrap, cgroups, namespaces, owners, stage

_MESSAGE = 4096
_DESCRIPTORS = 8
_TEXT = 2000
_KILLED = 128 + signal.SIGKILL
_PATIENCE_S = 5.0
_LOOK_S = 0.02


def main() -> None:
    """Fork a keeper for each workspace that is asked for, until the worker is gone. The caller gets on at once."""
    owner, worker = sys.argv[2:4]
    alive = os.pidfd_open(int(worker.partition(".")[0]))  # the caller: it waits for the next line
    if os.fork() != 0:
        return
    control = socket.socket(fileno=os.dup(0))
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 0)
    os.umask(0o022)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps keepers
    while (message := _next(control, alive)) is not None:
        plan, use = message.descriptors
        if os.fork() == 0:
            control.close()
            _keep(socket.socket(fileno=use), json.loads(_contents(plan)), alive)
        os.close(plan)
        os.close(use)
    with suppress(ChildProcessError):
        os.waitpid(-1, 0)  # the last keeper's end, as none leaves a status
    if not owners.is_there(worker):
        cgroups.remove_groups(partial(owners.is_left, owner))


@dataclass(frozen=True, slots=True)
class _Message:
    """What the worker says, `b"woken"` for a child that may have ended; and the files that came along."""

    words: bytes
    descriptors: Sequence[int] = ()


def _keep(use: socket.socket, plan: Mapping[str, Any], alive: int) -> NoReturn:
    """Be the keeper of one workspace, to the end of this process."""
    try:
        woken, wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        stage.build(plan)
        namespaces.adopt_orphans()
        _reply(use, ready=True)
        _Keeper(use, plan, alive, woken).serve()
    except (OSError, SandboxError) as error:
        _reply(use, **_problem("unavailable", _said(error)))
    finally:
        os._exit(0)


class _Keeper:
    def __init__(self, use: socket.socket, plan: Mapping[str, Any], alive: int, woken: int) -> None:
        self._use = use
        self._plan = plan
        self._alive = alive
        self._woken = woken

    def serve(self) -> None:
        """Answer one request after the other, until the socket's end or the worker's."""
        while (message := _next(self._use, self._alive)) is not None:
            if not message.descriptors:  # an end that came too late for its command
                continue
            given, *files = message.descriptors
            request = json.loads(_contents(given))
            os.close(given)
            match message.words:
                case b"run":
                    self._run(request, *files)
                case b"put":
                    self._confined(files, partial(_put, files[0]))
                case b"get":
                    self._confined(files, partial(_get, files[0], request))
                case b"remove":
                    self._confined(files, partial(_remove, request))
        self._end_all()

    def _run(self, request: Mapping[str, Any], stdout: int, stderr: int) -> None:
        """Start a command, say which process it is, let it begin when told so, and end all of it with it."""
        os.chmod(stage.FOLDERS[stage.WORKSPACE], 0o755)  # noqa: PTH101, S103 - an earlier command may have closed it
        status, said = os.pipe2(os.O_CLOEXEC)
        go, told = os.pipe2(os.O_CLOEXEC)
        child = os.fork()
        if child == 0:
            os.close(told)
            bwrap.become(self._plan, request, outputs=(stdout, stderr), status=said, go=go)
        for descriptor in (stdout, stderr, said, go):
            os.close(descriptor)
        _reply(self._use, started=child)
        exit_status = self._ended(child, told)
        adopted = self._end_all()
        with open(status, "rb") as written:  # noqa: PTH123
            has_begun = b'"exit-code"' in written.read()
        if exit_status is None:
            _reply(self._use, ended=True)
        elif not has_begun:
            _reply(self._use, problem="bubblewrap has not started the command")
        elif (code := supervisor.exit_code(exit_status)) == _KILLED and adopted == 0:
            # bubblewrap leaves its namespace's first process to us, but for one that had ended before the command
            _reply(self._use, problem="the command's process namespace was killed from outside")
        else:
            _reply(self._use, exit=code)

    def _confined(self, files: Sequence[int], work: Callable[[], None]) -> None:
        """Do it in a process whose root directory is the workspace, and reply with how it went."""
        result, said = os.pipe2(os.O_CLOEXEC)
        child = os.fork()
        if child == 0:
            _in_workspace(work, said)
        for descriptor in (*files, said):
            os.close(descriptor)
        self._ended(child, None)
        self._end_all()
        with open(result, "rb") as written:  # noqa: PTH123
            words = written.read()
        _reply(self._use, **(json.loads(words) if words else _problem("failed", "the transfer broke off")))

    def _ended(self, child: int, told: int | None) -> int | None:
        """The child's status; None when the worker wants the end before, or is gone."""
        try:
            while True:
                found, status = os.waitpid(child, os.WNOHANG)
                if found:
                    return status
                message = _next(self._use, self._alive, self._woken)
                if message is None or message.words == b"end":
                    return None
                if message.words == b"go" and told is not None:
                    os.write(told, b"\n")
        finally:
            if told is not None:
                os.close(told)

    def _end_all(self) -> int:
        """Kill every process below this one, wait for the last, and say how many children of ours those were.

        With a process namespace's first process go all that are in it, before it is gone itself.
        """
        deadline = time.monotonic() + _PATIENCE_S
        ended = 0
        with suppress(ChildProcessError):
            while time.monotonic() < deadline:
                while os.waitpid(-1, os.WNOHANG) != (0, 0):
                    ended += 1
                for child in _children():
                    with suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)
                select.select([self._woken], [], [], _LOOK_S)
                with suppress(BlockingIOError):
                    os.read(self._woken, _MESSAGE)
            raise SandboxError("what a command has started cannot be ended")
        return ended


def _in_workspace(work: Callable[[], None], said: int) -> NoReturn:
    try:
        os.chroot(stage.FOLDERS[stage.WORKSPACE])
        os.chdir("/")
        os.write(said, json.dumps(_outcome(work)).encode())
    finally:
        os._exit(0)


def _outcome(work: Callable[[], None]) -> Mapping[str, Any]:
    try:
        work()
    except WorkspaceFull as error:
        return _problem("full", str(error))
    except (OSError, SandboxError) as error:
        return _problem("failed", _said(error))
    return {"done": True}


def _said(error: OSError | SandboxError) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{error.strerror}: {error.filename}"
    return str(error)


def _problem(kind: str, text: str) -> Mapping[str, Any]:
    return {"error": kind, "text": text[:_TEXT]}


def _put(archive: int) -> None:
    with open(archive, "rb") as opened:
        tree.unpack_from(opened, Path("/"))


def _get(output: int, request: Mapping[str, Any]) -> None:
    with open(output, "wb") as opened:
        tree.pack_into(
            opened, Path("/"), request["paths"], exclude=request["exclude"], limit_bytes=request["limit_bytes"]
        )


def _remove(request: Mapping[str, Any]) -> None:
    for path in request["paths"]:
        tree.remove(Path("/"), path)


def _next(use: socket.socket, alive: int, woken: int | None = None) -> _Message | None:
    """The next message; None when there will be none, for the worker has closed the socket, or is gone."""
    ready, _, _ = select.select([use.fileno(), alive, *([] if woken is None else [woken])], [], [])
    if alive in ready:
        return None
    if use.fileno() in ready:
        return _received(use)
    with suppress(BlockingIOError):
        os.read(woken or 0, _MESSAGE)
    return _Message(b"woken")


def _received(use: socket.socket) -> _Message | None:
    # `socket.recv_fds` passes its flags over: what it receives, a command would have too
    room = socket.CMSG_SPACE(_DESCRIPTORS * array("i").itemsize)
    words, extra, _, _ = use.recvmsg(_MESSAGE, room, socket.MSG_CMSG_CLOEXEC)
    descriptors = array("i")
    for level, kind, data in extra:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            descriptors.frombytes(data)
    return _Message(words, descriptors.tolist()) if words else None


def _reply(use: socket.socket, **words: Any) -> None:
    with suppress(OSError):  # the worker is gone, as `_next` will say
        use.send(json.dumps(words).encode())


def _contents(descriptor: int) -> bytes:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


def _children() -> Sequence[int]:
    try:
        return [int(word) for word in Path(f"/proc/self/task/{os.getpid()}/children").read_bytes().split()]
    except FileNotFoundError:  # a kernel without CONFIG_PROC_CHILDREN
        return supervisor.descendants()

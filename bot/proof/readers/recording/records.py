"""What the recorder writes: one file for each run of a test program in a process, a JSON object a line.

`{"run": "pytest"}` first; `{"start": id}` and `{"case": id, "status": …, "message": …, "file": …, "line": …}` for each
test; `{"crash": text}`; last `{"end": number of cases, "early": whether a failure ended it}`. A file without its end is
of a run that was cut off. Runs in the project's own Python.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from types import ModuleType
from typing import Any

FOLDER = os.path.dirname(__file__)
"""The recorder's own, below the hidden folder of this run."""

INSIDE = "SELFCODE_INSIDE_A_TEST"
"""Set while a test runs: what it starts is a matter of that test, and no run of its own."""

_MESSAGE = 20_000
_MESSAGES_IN_ALL = 4_000_000
_SHORT = 500

# Tests replace what they like while they run.
_open, _write, _close, _unlink, _getpid = os.open, os.write, os.close, os.unlink, os.getpid
_random, _dumps = os.urandom, json.dumps
_environ = os.environ
_process = _getpid()
_root = os.path.dirname(os.path.dirname(FOLDER))
_roots = tuple(dict.fromkeys((_root, os.path.realpath(_root))))


def is_inside() -> bool:
    """Whether a test is running around this, in this process or in one that started it, or this is a worker of one."""
    if INSIDE in _environ or "PYTEST_CURRENT_TEST" in _environ or _getpid() != _process:
        return True
    multiprocessing = sys.modules.get("multiprocessing.process")
    return getattr(multiprocessing, "parent_process", lambda: None)() is not None


def enter_test() -> None:
    """What is started from now on is a matter of a test."""
    _environ[INSIDE] = "1"


def leave_test() -> None:
    """The test has ended."""
    _environ.pop(INSIDE, None)


def in_repository(path: str) -> str | None:
    """A path relative to the repository, None for one outside of it."""
    absolute = os.path.normpath(path)
    for root in _roots:
        if absolute.startswith(root + os.sep):
            return absolute[len(root) + 1 :].replace(os.sep, "/")
    return None


class Run:
    """One run of a test program. Of a process that was forked from this one nothing is written."""

    def __init__(self, program: str) -> None:
        self._path = os.path.join(FOLDER, f"{program}-{_process}-{_random(8).hex()}.jsonl")
        self._cases = 0
        self._room = _MESSAGES_IN_ALL
        self._discarded = False
        self._line(run=program)

    def start(self, test_id: str) -> None:
        self._line(start=test_id)

    def case(
        self, test_id: str, status: str, message: str = "", file: str | None = None, line: int | None = None
    ) -> None:
        self._cases += 1
        self._line(case=test_id, status=status, message=self._clipped(message), file=file, line=line)

    def crash(self, text: str) -> None:
        self._line(crash=self._clipped(text))

    def end(self, *, early: bool = False) -> None:
        self._line(end=self._cases, early=early)

    def discard(self) -> None:
        """Write nothing of this run: it is of a kind that is not understood, and half of it is worse than none."""
        self._discarded = True
        with contextlib.suppress(OSError):
            _unlink(self._path)

    def _clipped(self, message: str) -> str:
        limit = _MESSAGE if self._room > 0 else _SHORT
        if len(message) > limit:
            message = message[: limit // 2] + "\n[…]\n" + message[-limit // 2 :]
        self._room -= len(message)
        return message

    def _line(self, **said: Any) -> None:
        """Opened for each line: tests close files that are not theirs."""
        if self._discarded or _getpid() != _process:
            return
        data = (_dumps(said) + "\n").encode()
        try:
            file = _open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                _write(file, data)
            finally:
                _close(file)
        except OSError:
            pass  # no room, no file left to open: a line that is missing is seen


class Plant:
    """The host's own failing test. `name` is its file's, `token` is in all of its names."""

    def __init__(self, name: str, token: str, text: str) -> None:
        self.name = name
        self.token = token
        self._text = text

    def module(self, path: str) -> ModuleType:
        """It as a module, as if there were a file at `path`.

        Its code is of no file: nothing looks for its lines, so a traceback says what it says only where it was raised.
        """
        module = ModuleType(self.name.partition(".")[0])
        module.__file__ = path
        exec(compile(self._text, "<selfcode plant>", "exec"), module.__dict__)  # noqa: S102
        return module


def plant() -> Plant | None:
    """The test that is to run last in each run, if any."""
    path = os.path.join(FOLDER, "plant.json")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        said = json.load(file)
    return Plant(said["name"], said["token"], said["text"])

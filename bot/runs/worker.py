"""The worker process: takes triggers from the inbox, runs what they ask for, goes on with what an earlier one left."""

import fcntl
import hashlib
import logging
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.errors import ConfigError, Unavailable
from bot.runs.beat import BEAT, BEAT_EVERY_S
from bot.runs.dispatcher import Dispatcher
from bot.runs.house import House
from bot.runs.known import Known
from bot.runs.steps import Engine
from bot.runs.workflow import tell
from sandbox import SandboxError

LOOK_EVERY_S = 0.25

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Worker:
    """One worker over one home."""

    house: House
    steps_url: str
    allowed_owners: frozenset[str]
    runs_at_once: int

    def work(self, until: threading.Event) -> None:
        """Work until the event is set. Raises `ConfigError` where another worker is at work on the same home."""
        with alone(self.house.home), temporary_files_apart(self.house.home):
            self._clear()
            with Engine(self.steps_url, "worker", lambda run_id: tell(run_id, self.house)) as engine:
                dispatcher = Dispatcher(
                    store=self.house.store,
                    github=self.house.github,
                    starter=engine,
                    allowed_owners=self.allowed_owners,
                    label=self.house.label,
                    min_permission=self.house.min_permission,
                    runs_at_once=self.runs_at_once,
                    trusted_bots=self.house.trusted_bots,
                    caps_of=lambda run_id: Known(self.house, run_id).shown_caps,
                    secrets=self.house.secrets,
                )
                threading.Thread(target=self._beat, args=(until,), name="beat", daemon=True).start()
                log.info("the worker is ready")
                while not until.wait(LOOK_EVERY_S):
                    self._turn(dispatcher)
                self._leave()

    def _turn(self, dispatcher: Dispatcher) -> None:
        try:
            dispatcher.turn()
        except Unavailable as away:
            log.warning("the triggers wait: %s", away)
        except Exception:  # the outermost frame of the worker: one bad trigger must not end all runs
            log.exception("bug in the dispatcher")

    def _beat(self, until: threading.Event) -> None:
        """Show that the worker lives, and what ails its sandbox, in a file that the web processes read."""
        said = ""
        while True:
            problem = self._problem()
            if problem and problem != said:
                log.error("%s", problem)
            said = problem
            self._show(problem)
            if until.wait(BEAT_EVERY_S):
                return

    def _problem(self) -> str:
        """What keeps the sandbox from working, or ""."""
        try:
            self.house.sandbox.check()
        except SandboxError as problem:
            return f"the sandbox: {problem}"
        return ""

    def _show(self, problem: str) -> None:
        partial = self.house.home / f"{BEAT}.new"
        try:
            partial.write_text(problem, encoding="utf-8")
            partial.replace(self.house.home / BEAT)
        except OSError as full:  # a disk may be full for a while; the heart beats on
            log.warning("the worker can't show that it lives: %s", full)

    def _clear(self) -> None:
        """Remove the containers of this home's worker; an engine that is away has none that we could reach."""
        try:
            removed = self.house.sandbox.remove_leftovers()
        except SandboxError as problem:
            log.warning("containers that were left: %s", problem)
            return
        if removed:
            log.info("removed %d containers and volumes that were left", removed)

    def _leave(self) -> None:
        """End at once, runs in mid-step too: they are durable, and go on there when a worker starts again."""
        self._clear()
        shutil.rmtree(tempfile.gettempdir(), ignore_errors=True)
        log.info("the worker ends; unfinished runs go on at the next start")
        logging.shutdown()
        os._exit(0)


@contextmanager
def alone(home: Path) -> Iterator[None]:
    """Hold the home's worker lock. The kernel lets go of it when the process dies, however it dies."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (home / "worker.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(f"another worker is at work on {home}; a SQLite home takes one at a time") from None
        yield


@contextmanager
def temporary_files_apart(home: Path) -> Iterator[None]:
    """Keep all temporary files of this process in a folder of the home's own, and clear what a killed worker left.

    Not below the home itself: tools that run in a workspace look for their settings in the folders above.
    """
    ours = Path(tempfile.gettempdir()) / f"selfcode-worker-{hashlib.sha256(bytes(home.resolve())).hexdigest()[:12]}"
    shutil.rmtree(ours, ignore_errors=True)
    try:
        ours.mkdir(mode=0o700)
    except FileExistsError:  # another user's, or not to be removed
        ours = Path(tempfile.mkdtemp(prefix=f"{ours.name}-"))
    before, tempfile.tempdir = tempfile.tempdir, str(ours)
    try:
        yield
    finally:
        tempfile.tempdir = before
        shutil.rmtree(ours, ignore_errors=True)

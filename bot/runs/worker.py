"""The worker process: takes triggers from the inbox, runs what they ask for, goes on with what an earlier one left."""

import logging
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sqlalchemy import Engine as Database

from bot.errors import Unavailable
from bot.runs.beat import BEAT, BEAT_EVERY_S, Pulse, beat_text
from bot.runs.deciding import AtOnce
from bot.runs.desk import Desk
from bot.runs.dispatcher import Dispatcher
from bot.runs.engine import Engine
from bot.runs.guarded import guarded
from bot.runs.home import alone, alone_at, temporary_files_apart
from bot.runs.house import House
from bot.runs.known import Known
from bot.runs.leases import RENEW_EVERY_S, Held, Lease
from bot.runs.lines import Send
from bot.runs.messengers import Messengers
from bot.runs.offices import Offices
from bot.runs.space import space_problem
from bot.runs.taking import Taking
from bot.runs.workers import Workers
from bot.runs.workflow import tell
from sandbox import SandboxError

LOOK_EVERY_S = 0.25
LAST_WORDS_S = 2.0
"""How long an ending worker waits for what is being said to GitHub."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Worker:
    """One worker over one home. `at_once` are the limits over all workers; `workers` knows how many places this has."""

    house: House
    database: Database
    steps_url: str
    workers: Workers
    offices: Offices
    allowed_owners: frozenset[str]
    at_once: AtOnce
    beside: Mapping[str, Callable[[threading.Event], None]] = field(default_factory=dict)
    """What goes on beside the runs until the worker ends, by name: each in a thread of its own."""
    pulse: Pulse = field(default_factory=Pulse)
    _ails: dict[str, str] = field(default_factory=dict, init=False)

    def work(self, until: threading.Event) -> None:
        """Work until the event is set. Raises `ConfigError` where another worker is at work on its home or its file."""
        with alone(self.house.home), alone_at(self.database.url), temporary_files_apart(self.house.home):
            self._clear()
            self.workers.enter()
            with Engine(self.steps_url, self.workers.badge.id, self._tell) as engine:
                messengers = Messengers()
                taking = Taking(self.database, self.workers, engine)
                desk = Desk(self.offices, lambda office: self._dispatcher(office, taking, messengers))
                beside = {"beat": self._beat, "leases": lambda until: self._renew(taking, until), **self.beside}
                for name, work in beside.items():
                    threading.Thread(target=work, args=(until,), name=name, daemon=True).start()
                log.info("the worker is ready")
                while not until.is_set() and not taking.is_done:
                    desk.wait(LOOK_EVERY_S)
                    if self._is_done(desk.turn, desk) and self._is_done(taking.turn, desk):
                        self.pulse.came_through()
                messengers.close(LAST_WORDS_S)
                self._hand_over(taking)
                self._leave()

    def _tell(self, lease: Lease) -> None:
        """Tell a run by what this lease lets it write."""
        store = self.house.store.holding(lease)
        github = guarded(self.house.github, store.require_held)
        tell(lease.run_id, replace(self.house, store=store, github=github))

    def _dispatcher(self, office: Held, taking: Taking, send: Send) -> Dispatcher:
        """Who acts on what waits, as long as the office is this worker's."""
        store = self.house.store.holding(office)
        return Dispatcher(
            store=store,
            github=guarded(self.house.github, store.require_held),
            starter=taking,
            allowed_owners=self.allowed_owners,
            label=self.house.label,
            min_permission=self.house.min_permission,
            limits=lambda: self.at_once.within(self.workers.places()),
            trusted_bots=self.house.trusted_bots,
            caps_of=lambda run_id: Known(self.house, run_id).shown_caps,
            secrets=self.house.secrets,
            pages=self.house.pages,
            send=send,
        )

    def _is_done(self, turn: Callable[[], None], desk: Desk) -> bool:
        """Whether it came through."""
        try:
            turn()
        except Unavailable as away:
            log.warning("the triggers wait: %s", away)
        except Exception:  # the outermost frame of the worker: one bad trigger must not end all runs
            log.exception("bug in the dispatcher")
            desk.let_others()
        else:
            return True
        return False

    def _renew(self, taking: Taking, until: threading.Event) -> None:
        """Hold on to what is held, whatever else goes on; offices are left to others where this worker is stuck."""
        while True:
            try:
                taking.renew()
                if not self.pulse.problem():
                    self.offices.renew()
                self.workers.beat("; ".join(filter(None, list(self._ails.values()))))
            except Unavailable as away:
                log.warning("what this worker holds can't be renewed: %s", away)
            except Exception:  # the outermost frame of its thread
                log.exception("bug in renewing")
            if until.wait(RENEW_EVERY_S):
                return

    def _beat(self, until: threading.Event) -> None:
        """Show that the worker lives, and what ails it, in a file that the web processes read."""
        while True:
            for part, problem in self._problems().items():
                if problem and problem != self._ails.get(part):
                    log.error("%s: %s", part, problem)
                self._ails[part] = problem
            self._show(beat_text(**self._ails))
            if until.wait(BEAT_EVERY_S):
                return

    def _problems(self) -> Mapping[str, str]:
        """What keeps the worker, its sandbox or the disk from working, each "" where nothing does."""
        sandbox = ""
        try:
            self.house.sandbox.check()
        except SandboxError as problem:
            sandbox = str(problem)
        disk = space_problem((self.house.home, Path(tempfile.gettempdir())))
        return {"worker": self.pulse.problem(), "sandbox": sandbox, "disk": disk}

    def _show(self, text: str) -> None:
        partial = self.house.home / f"{BEAT}.new"
        try:
            partial.write_text(text, encoding="utf-8")
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

    def _hand_over(self, taking: Taking) -> None:
        """Let other workers go on at once, with runs in mid-step too: what they do here yet is for nobody."""
        try:
            taking.leave()
            self.offices.leave()
            self.workers.leave()
        except Unavailable as away:
            log.warning("runs go on when their leases are over: %s", away)

    def _leave(self) -> None:
        """End at once, runs in mid-step too: they are durable, and go on there in another worker, or in the next."""
        self._clear()
        shutil.rmtree(tempfile.gettempdir(), ignore_errors=True)
        log.info("the worker ends; unfinished runs go on in another one, or at the next start")
        logging.shutdown()
        os._exit(0)

"""Replies of models that were paid for, kept until the step they are for is done: told again, it asks none twice."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat

from sqlalchemy import Connection, Engine, delete, select

from bot.agent import Model, Reply
from bot.agent.limits import spent as limit_reached
from bot.errors import Unavailable
from bot.records import Caps, Progress, Spend, StopCheck, Usage, dump, load
from bot.runs.alike import digest
from bot.runs.leases import Held
from bot.runs.spent import spend
from bot.runs.tables import paid
from bot.runs.transactions import insert_new, leave_no_trace, transaction
from bot.runs.wrapped_model import WrappedModel

NOTHING = Spend()
PAUSES_S = (0.5, 2.0, 10.0, 30.0)

log = logging.getLogger(__name__)

Asked = tuple[str, int]
"""A request's digest, and which of several askings of the same in one telling."""


class Paid:
    """The kept replies of all runs."""

    def __init__(self, engine: Engine, held: Held) -> None:
        self._engine = engine
        self._held = held

    def telling_of(self, run_id: str, step: str, *, before: Spend = NOTHING, caps: Caps | None = None) -> "Telling":
        """A step, as it is told now: from its beginning, with what it was given in earlier tellings.

        `before` is what the run has spent before it, `caps` what it may spend in all.
        """
        query = select(paid).where(paid.c.run_id == run_id, paid.c.step == step)
        with transaction(self._engine) as connection:
            rows = connection.execute(query).all()
        kept = {(row.request, row.nth): load(Reply, row.reply) for row in rows}
        if kept:
            log.info("step %s of run %s is told again: %d replies are paid for already", step, run_id, len(kept))
        return Telling(kept, lambda asked, reply: self._keep(run_id, step, asked, reply), before, caps)

    def _keep(self, run_id: str, step: str, asked: Asked, reply: Reply) -> None:
        """Keep a reply and what it cost, once. Raises `LeaseLost`, `Unavailable`."""
        request, nth = asked
        with transaction(self._engine) as connection:
            self._held.lock(connection)
            place = {"run_id": run_id, "step": step, "request": request, "nth": nth}
            if insert_new(connection, paid, **place, reply=dump(reply)):
                spend(connection, run_id, reply.usage.cost_usd or 0.0)


def let_go(connection: Connection, *run_ids: str) -> None:
    """Forget the kept replies of runs: what they led to is kept by now, or never will be."""
    leave_no_trace(connection)
    connection.execute(delete(paid).where(paid.c.run_id.in_(run_ids)))


@dataclass
class Telling:
    """The replies of one telling of a step. Several threads may ask at a time.

    `kept` are those of earlier tellings; `keep` keeps one more, the same one twice is one.
    """

    kept: Mapping[Asked, Reply]
    keep: Callable[[Asked, Reply], None]
    before: Spend = NOTHING
    caps: Caps | None = None
    _new: list[Usage] = field(default_factory=list, init=False)
    _times: Counter[str] = field(default_factory=Counter, init=False)
    _used: set[Asked] = field(default_factory=set, init=False)
    _is_news: bool = field(default=False, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def in_place_of(self, model: Model) -> WrappedModel:
        """The same model, whose replies are kept."""
        return WrappedModel(model, lambda asked, call, stop: self.ask(digest(model.name, asked), call, stop=stop))

    def ask(self, request: str, call: Callable[[], Reply], *, stop: StopCheck) -> Reply:
        """The reply that was kept for this request, else that of the call, which is kept before it is given.

        While it can't be kept it is held on to: it would be paid again. Only a stop has it given without. Raises
        `Unavailable` where no more may be spent, counting what was paid for in vain: a step that is never told alike
        would be paid for again and again.
        """
        with self._lock:
            self._times[request] += 1
            asked = (request, self._times[request])
            known = self.kept.get(asked)
            self._is_news = self._is_news or known is None
            self._used.add(asked)
        if known is not None:
            log.info("a reply that is paid for already is used")
            return known
        self._require_means()
        reply = call()
        self._new.append(reply.usage)
        self._keep_patiently(asked, reply, stop)
        return reply

    @property
    def is_repeating(self) -> bool:
        """Whether it goes as an earlier telling went, so far, and that one went further."""
        return not self._is_news and bool(self.unused)

    @property
    def unused(self) -> Sequence[Reply]:
        """What was paid for in earlier tellings and not asked for in this one."""
        return [reply for asked, reply in self.kept.items() if asked not in self._used]

    def with_unused(self, progress: Progress) -> Progress:
        """The progress after the step, with what was paid for in vain: it was spent all the same."""
        lost = self.unused
        if not lost:
            return progress
        spent = progress.spend
        for reply in lost:
            spent = spent.plus(reply.usage)
        before, last = progress.iterations[:-1], progress.iterations[-1:]
        return replace(progress, spend=spent, iterations=(*before, *(replace(each, spend=spent) for each in last)))

    def _require_means(self) -> None:
        if self.caps is None or not self.unused:
            return
        so_far = self.before
        for usage in (*(reply.usage for reply in self.kept.values()), *self._new):
            so_far = so_far.plus(usage)
        if reached := limit_reached(so_far, self.caps, seconds=0.0):
            raise Unavailable(f"{reached}, with what was lost each time that it was cut off", passes=False)

    def _keep_patiently(self, asked: Asked, reply: Reply, stop: StopCheck) -> None:
        for pause_s in chain(PAUSES_S, repeat(PAUSES_S[-1])):
            try:
                self.keep(asked, reply)
            except Unavailable as away:
                log.warning("a reply can't be kept: %s; again in %g s", away, pause_s)
            else:
                return
            until = time.monotonic() + pause_s
            while time.monotonic() < until:
                if stop():
                    return
                time.sleep(0.2)

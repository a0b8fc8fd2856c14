"""What `selfcode queue` shows and asks for: in the database alone, for whichever worker comes to it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bot.errors import Refused
from bot.records import Receipt, RunChoice, RunState
from bot.runs.controls import CANCELLED, Controls
from bot.runs.overview import overview
from bot.runs.steering import again
from bot.runs.store import SqlInbox, Store, run_id_for
from bot.runs.viewing import SqlViewing
from bot.settings import Settings
from bot.wire.database import database_there
from bot.wire.room import at_once_of
from bot.writing.queue import QueueView

ENDED_AT_MOST = 3
"""How many of the runs that ended last are shown."""


@dataclass(frozen=True, slots=True)
class Retried:
    """The run that an ended one becomes again; `is_new` where nobody had asked for it yet."""

    run_id: str
    is_new: bool


def queue_of(settings: Settings) -> QueueView:
    """What waits, what is at work, and what ended last."""
    with database_there(settings) as engine:
        store, controls = Store(engine), Controls(engine)
        view = overview(
            waiting=store.waiting(),
            active=store.unfinished(),
            workers=controls.workers(),
            wanted=controls.wanted(),
            at_once=at_once_of(settings),
        )
        lately = SqlViewing(engine).runs(RunChoice(state=RunState.ENDED, limit=ENDED_AT_MOST))
    return replace(view, ended=lately.runs)


def cancel(settings: Settings, name: str) -> str:
    """Have what waits dropped and what is at work stopped, by a request's key or the beginning of a run's id.

    Returns the run's id. Raises `Refused` where that is not exactly one.
    """
    with database_there(settings) as engine:
        store = Store(engine)
        waiting = {run_id_for(each.trigger): each.trigger.key for each in store.waiting()}
        running = {run.id: run.trigger.key for run in store.unfinished()}
        known = waiting | running
        found = [run_id for run_id, key in known.items() if key == name or run_id.startswith(name)]
        run_id = _only(found, name, "waits or is at work")
        Controls(engine).cancel(run_id, time.time())
        store.request_stop_of_run(run_id, CANCELLED)
    return run_id


def retry(settings: Settings, name: str) -> Retried:
    """Have an ended run done again, once however often this is asked. Raises `Refused` where it can't be."""
    with database_there(settings) as engine:
        store = Store(engine)
        run = store.run(_only(store.run_ids(name), name, "is kept as a run"))
        trigger = again(run, datetime.now(UTC))
        receipt = SqlInbox(engine).accept(trigger)
    return Retried(run_id_for(trigger), receipt is Receipt.ACCEPTED)


def pause(settings: Settings) -> bool:
    """Let nothing new begin. False where it was so already."""
    with database_there(settings) as engine:
        return Controls(engine).pause(time.time())


def resume(settings: Settings) -> bool:
    """Let it begin again. False where nothing was paused, and nobody drains."""
    with database_there(settings) as engine:
        return Controls(engine).resume()


def drain(settings: Settings, name: str | None) -> Sequence[str]:
    """Have one worker, or all that are alive, end once their runs have. Returns their names."""
    with database_there(settings) as engine:
        names = Controls(engine).drain(name)
    if not names:
        raise Refused(f"No worker {name} is alive." if name else "No worker is alive.")
    return names


def _only(found: Sequence[str], name: str, what: str) -> str:
    if not found:
        raise Refused(f"Nothing of the name {name} {what}.")
    if len(found) > 1:
        raise Refused(f"{name} may be any of {', '.join(found[:5])}: give more of it.")
    return found[0]

"""What `selfcode purge` forgets: in the databases, in this home, on this machine's engine."""

import time
from collections.abc import Callable
from functools import partial

from sqlalchemy import Engine

from bot.errors import Refused, Unavailable
from bot.runs.caches import remove_unknown
from bot.runs.forgetting import Forgetting, Forgotten, Whole, compact, is_installation_known, repositories_named
from bot.runs.old_steps import forget_steps, steps_database
from bot.runs.orders import Orders
from bot.settings import Settings
from bot.wire.database import database_there
from bot.wire.housekeeping import DAY_S, remove_images

Tell = Callable[[str], None]


def purge_repository(settings: Settings, full_name: str, tell: Tell) -> Forgotten:
    """Forget all of a repository. Raises `Refused` where nothing is kept of one of that name."""
    with database_there(settings) as engine:
        found = repositories_named(engine, full_name)
        if not found:
            raise Refused(f"Nothing is kept of a repository {full_name}.")
        gone = _purge(settings, engine, [Whole(each) for each in found], tell)
    for each in found:
        _politely(partial(remove_images, settings, each), tell)
    return gone


def purge_installation(settings: Settings, installation_id: int, tell: Tell) -> Forgotten:
    """Forget all of an installation. Raises `Refused` where nothing is kept of one of that number."""
    with database_there(settings) as engine:
        if not is_installation_known(engine, installation_id):
            raise Refused(f"Nothing is kept of an installation {installation_id}.")
        return _purge(settings, engine, [Whole(installation_id=installation_id)], tell)


def purge_older(settings: Settings, days: float, tell: Tell) -> Forgotten:
    """Forget what ended longer ago."""
    with database_there(settings) as engine:
        now = time.time()
        gone = _forgetting(settings, engine).older_than(now - days * DAY_S, now=now)
        _clean(settings, engine, tell)
    return gone


def _purge(settings: Settings, engine: Engine, orders: list[Whole], tell: Tell) -> Forgotten:
    given = Orders(engine, _forgetting(settings, engine))
    for what in orders:
        given.give(what, time.time())
    done = [gone for what, gone in given.carry_out().items() if what in orders]
    _clean(settings, engine, tell)
    return Forgotten(
        sum(each.runs for each in done), sum(each.requests for each in done), sum(each.at_work for each in done)
    )


def _forgetting(settings: Settings, engine: Engine) -> Forgetting:
    return Forgetting(engine, partial(forget_steps, settings.workflow_database))


def _clean(settings: Settings, engine: Engine, tell: Tell) -> None:
    """What is deleted leaves no copy: neither in the files of the databases nor beside them."""
    remove_unknown(settings.home / "mirrors", engine)
    _politely(partial(compact, engine), tell)
    with steps_database(settings.workflow_database) as steps:
        if steps is not None:
            _politely(partial(compact, steps), tell)


def _politely(work: Callable[[], object], tell: Tell) -> None:
    """Do what can be done later as well; where it can't be now, say so."""
    try:
        work()
    except Unavailable as away:
        tell(str(away))

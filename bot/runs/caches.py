"""The mirrors of repositories that nothing is kept of any more: they go, and would be made anew."""

import re
import shutil
import tempfile
import time
from pathlib import Path

from sqlalchemy import Engine, and_, exists, or_, select

from bot.errors import Unavailable
from bot.repository.locking import locked
from bot.runs.tables import inbox, runs
from bot.runs.transactions import transaction

_MIRROR = re.compile(r"(?P<installation>\d+)-(?P<repository>\d+)\.git")
_LEFT_S = 86_400.0
"""A hidden folder that is older was left by a process that died over it."""


def is_known(engine: Engine, repository_id: int, installation_id: int | None = None) -> bool:
    """Whether a run of the repository is kept, or a request waits; `installation_id`: as that installation sees it.

    A run at work may use what another installation saw, before the repository was transferred.
    """
    conditions = []
    for table in (runs, inbox):
        condition = table.c.repository_id == repository_id
        if installation_id is not None:
            condition = and_(condition, table.c.installation_id == installation_id)
        conditions.append(condition)
    of_runs, of_requests = conditions
    at_work = and_(runs.c.repository_id == repository_id, runs.c.state == "running")
    kept = exists(select(runs.c.id).where(or_(of_runs, at_work)))
    waits = exists(select(inbox.c.seq).where(and_(of_requests, inbox.c.state == "waiting")))
    with transaction(engine) as connection:
        return bool(connection.execute(select(kept | waits)).scalar())


def remove_unknown(mirrors: Path, engine: Engine) -> int:
    """Remove the mirrors of repositories that are not known any more, and what died in the making. Returns how many.

    The database is asked under the mirror's lock: whoever begins a run after that fetches after us, and makes it anew.
    """
    if not mirrors.is_dir():
        return 0
    for left in mirrors.glob(".*"):
        if left.is_dir() and time.time() - left.stat().st_mtime > _LEFT_S:
            shutil.rmtree(left, ignore_errors=True)
    return sum(_remove(mirror, engine) for mirror in sorted(mirrors.glob("*.git")))


def _remove(mirror: Path, engine: Engine) -> bool:
    named = _MIRROR.fullmatch(mirror.name)
    if named is None or is_known(engine, int(named["repository"]), int(named["installation"])):
        return False
    try:
        with locked(mirror.with_name(f"{mirror.name}.lock"), timeout_s=0):
            if is_known(engine, int(named["repository"]), int(named["installation"])):
                return False
            apart = Path(tempfile.mkdtemp(prefix=f".{mirror.name}-", dir=mirror.parent))
            mirror.rename(apart / "gone")
    except Unavailable:  # somebody works with it
        return False
    shutil.rmtree(apart, ignore_errors=True)
    return True

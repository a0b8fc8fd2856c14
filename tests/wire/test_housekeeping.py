"""The housekeeping of a worker, as its settings say."""

import time
from pathlib import Path

import pytest
from sqlalchemy import update

from bot.errors import Unavailable
from bot.records import Outcome
from bot.runs.store import SqlInbox, Store
from bot.runs.tables import runs
from bot.settings import read_settings
from bot.wire.database import database_of
from bot.wire.housekeeping import DAY_S, housekeeping_of
from tests.runs.builders import begun


def test_a_home_forgets_what_is_too_old_with_its_mirrors(tmp_path: Path) -> None:
    settings = read_settings(
        {"SELFCODE_HOME": str(tmp_path), "SELFCODE_RETENTION_DAYS": "30", "SELFCODE_SANDBOX": "process"}
    )
    (tmp_path / "mirrors" / "1-42.git").mkdir(parents=True)
    engine = database_of(settings)
    run_id = begun(Store(engine), SqlInbox(engine))
    Store(engine).finish(run_id, Outcome.PROVEN, "")
    with engine.begin() as connection:
        connection.execute(update(runs).values(finished_at=time.time() - 31 * DAY_S))

    housekeeping_of(settings, engine).turn()

    assert Store(engine).run_ids(run_id) == []
    assert not (tmp_path / "mirrors" / "1-42.git").exists()
    engine.dispose()


def test_a_retention_of_0_days_keeps_everything(tmp_path: Path) -> None:
    settings = read_settings(
        {"SELFCODE_HOME": str(tmp_path), "SELFCODE_RETENTION_DAYS": "0", "SELFCODE_SANDBOX": "process"}
    )
    engine = database_of(settings)
    run_id = begun(Store(engine), SqlInbox(engine))
    Store(engine).finish(run_id, Outcome.PROVEN, "")

    housekeeping_of(settings, engine).turn()

    assert Store(engine).run_ids(run_id) == [run_id]
    engine.dispose()


def test_an_engine_that_is_away_is_tidied_later_and_all_else_is_done_before(tmp_path: Path) -> None:
    settings = read_settings({"SELFCODE_HOME": str(tmp_path), "DOCKER_HOST": "unix:///nonexistent.sock"})
    (tmp_path / "mirrors" / "1-42.git").mkdir(parents=True)
    engine = database_of(settings)

    with pytest.raises(Unavailable, match="the sandbox failed"):
        housekeeping_of(settings, engine).turn()

    assert not (tmp_path / "mirrors" / "1-42.git").exists()
    engine.dispose()

"""Which dialect a model speaks is kept in the database."""

import time

from sqlalchemy import Engine, update

from bot.agent import Dialect
from bot.runs.habits import KEPT_DAYS, SqlHabits
from bot.runs.store import DAY_S
from bot.runs.tables import dialects


def test_a_dialect_is_known_to_every_worker_by_endpoint_and_model(engine: Engine) -> None:
    SqlHabits(engine).keep("http://a/v1 m", Dialect.NATIVE)

    assert SqlHabits(engine).dialect_of("http://a/v1 m") is Dialect.NATIVE
    assert SqlHabits(engine).dialect_of("http://b/v1 m") is None


def test_what_is_found_out_anew_takes_the_place_of_what_was(engine: Engine) -> None:
    habits = SqlHabits(engine)

    habits.keep("m", Dialect.NATIVE)
    habits.keep("m", Dialect.FENCED)

    assert habits.dialect_of("m") is Dialect.FENCED


def test_an_old_finding_is_tried_again(engine: Engine) -> None:
    habits = SqlHabits(engine)
    habits.keep("m", Dialect.NATIVE)
    with engine.begin() as connection:
        connection.execute(update(dialects).values(found_at=time.time() - (KEPT_DAYS + 1) * DAY_S))

    assert habits.dialect_of("m") is None

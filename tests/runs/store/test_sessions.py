"""Sessions in the database, on whichever there is."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, func, select

from bot.records import SESSION_IDLE_S, SESSION_LASTS_S, SessionRow
from bot.runs import sessions as module
from bot.runs.sessions import SqlSessions
from bot.runs.tables import sessions, sign_ins
from tests.runs.builders import a_database_at


@pytest.fixture
def engine(new_address: str) -> Iterator[Engine]:
    with a_database_at(new_address) as opened:
        yield opened


def a_session(key: str = "k", user_id: int = 1, *, at: float = 100.0) -> SessionRow:
    return SessionRow(key, user_id, "sealed", at, at)


def keep(engine: Engine, row: SessionRow) -> SqlSessions:
    kept = SqlSessions(engine)
    kept.begin(row)
    return kept


def test_a_session_is_found_by_its_key_until_it_ends(engine: Engine) -> None:
    kept = keep(engine, a_session())
    assert kept.find("k") == a_session()
    assert kept.find("another") is None

    ended = [kept.end("k"), kept.end("k")]

    assert ended == [a_session(), None]
    assert kept.find("k") is None


def test_all_of_somebody_end_at_once_and_no_others(engine: Engine) -> None:
    for row in (a_session("a", 1), a_session("b", 1), a_session("c", 2)):
        kept = keep(engine, row)

    kept.end_all_of(1)

    assert [kept.find(key) is None for key in "abc"] == [True, True, False]


def test_of_somebody_those_end_that_had_begun_by_a_moment(engine: Engine) -> None:
    for row in (a_session("before", at=99.0), a_session("then", at=100.0), a_session("after", at=101.0)):
        kept = keep(engine, row)

    kept.end_all_of(1, begun_until=100.0)

    assert keys(engine) == ["after"]


def test_what_is_over_is_forgotten_when_the_next_begins_and_by_the_house(engine: Engine) -> None:
    now = 2.0 * SESSION_LASTS_S
    kept = keep(engine, a_session("old", at=now - SESSION_LASTS_S))
    kept.see("old", now - 1)
    keep(engine, a_session("idle", at=now - SESSION_IDLE_S))
    assert keys(engine) == ["idle", "old"]

    kept.begin(a_session("new", at=now))
    after_it = keys(engine)
    kept.forget_what_is_over(now + SESSION_IDLE_S)

    assert (after_it, keys(engine)) == (["new"], [])


def keys(engine: Engine) -> list[str]:
    with engine.begin() as connection:
        return sorted(connection.execute(select(sessions.c.key)).scalars())


def test_one_replaces_what_is_sealed_and_no_other_may_meanwhile(engine: Engine) -> None:
    kept = keep(engine, a_session())

    assert kept.claim(a_session(), 100.0, 130.0)
    assert not kept.claim(a_session(), 110.0, 140.0)
    assert kept.claim(a_session(), 131.0, 160.0)
    kept.replace(a_session(), "anew")

    found = kept.find("k")
    assert found is not None
    assert (found.sealed, found.version) == ("anew", 1)
    assert not kept.claim(a_session(), 200.0, 230.0)
    assert kept.claim(found, 200.0, 230.0)


def test_a_way_back_is_taken_once_and_not_too_late(engine: Engine) -> None:
    kept = SqlSessions(engine)
    kept.ask("a", "/runs/1", 100.0)
    kept.ask("b", "/", 10.0)

    assert [kept.arrive("a", 50.0), kept.arrive("a", 50.0), kept.arrive("b", 50.0)] == ["/runs/1", None, None]


def test_a_flood_of_browsers_under_way_is_bounded_and_the_newest_stay(engine: Engine) -> None:
    kept = SqlSessions(engine)
    many = [{"key": f"{number}", "leads_to": "/", "at": float(number)} for number in range(module._TOO_MANY)]
    with engine.begin() as connection:
        connection.execute(sign_ins.insert(), many)

    kept.ask("newest", "/here", 1e6)

    with engine.begin() as connection:
        assert connection.execute(select(func.count()).select_from(sign_ins)).scalar_one() == module.ASKED_AT_MOST
    assert kept.arrive("newest", 0.0) == "/here"

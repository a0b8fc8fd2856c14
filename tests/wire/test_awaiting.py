"""What is not there at the start of a process is waited for, unless no waiting mends it."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from prometheus_client import values
from sqlalchemy.exc import DBAPIError, InternalError, OperationalError, ProgrammingError

from bot.errors import ConfigError, Unavailable
from bot.runs.unreached import passes
from bot.settings import read_settings
from bot.wire.awaiting import LONGEST_PAUSE_S, awaited
from bot.wire.database import database_of, database_or_not
from bot.wire.watching import DATABASE, Readiness
from bot.wire.web import web_app
from tests.demo.keys import Keys
from tests.postgres.server import Server


def coming(*problems: Exception) -> Callable[[], str]:
    """Something that is there after so many problems."""
    left = list(problems)

    def attempt() -> str:
        if left:
            raise left.pop(0)
        return "there"

    return attempt


class Pauses(list[float]):
    """Remembers how long it was waited; told to end after so many."""

    def __init__(self, told_after: int | None = None) -> None:
        super().__init__()
        self.told_after = told_after

    def __call__(self, seconds: float) -> bool:
        self.append(seconds)
        return len(self) == self.told_after


@pytest.fixture
def counted_apart() -> Iterator[None]:
    """A web process counts into files from its start on; this process shall not go on to."""
    before = values.ValueClass
    yield
    values.ValueClass = before
    os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)


# --- Waiting


def test_what_comes_later_is_waited_for_with_growing_pauses_and_a_line_each(caplog: pytest.LogCaptureFixture) -> None:
    pauses = Pauses()

    found = awaited(coming(*[Unavailable("no route")] * 8), pauses)

    assert found == "there"
    assert pauses == [1, 2, 4, 8, 16, LONGEST_PAUSE_S, LONGEST_PAUSE_S, LONGEST_PAUSE_S]
    assert caplog.messages[1] == "not started yet: no route; trying again in 2 s"


def test_a_service_that_says_for_how_long_is_not_asked_before() -> None:
    pauses = Pauses()

    awaited(coming(Unavailable("limited", 120.0)), pauses)

    assert pauses == [120]


def test_who_is_told_to_end_waits_no_longer() -> None:
    with pytest.raises(SystemExit) as ended:
        awaited(coming(*[Unavailable("no route")] * 8), Pauses(told_after=2))

    assert ended.value.code == 0


@pytest.mark.parametrize("problem", [ConfigError("no such database"), Unavailable("no quota", passes=False)])
def test_what_the_operator_has_to_mend_is_not_waited_for(problem: Exception) -> None:
    pauses = Pauses()

    with pytest.raises(type(problem)):
        awaited(coming(problem), pauses)

    assert pauses == []


@pytest.mark.parametrize(("retry_after_s", "waited"), [(None, [1, 2, 4]), (3600.0, [])])
def test_what_can_be_done_without_is_waited_for_in_bounds(retry_after_s: float | None, waited: list[float]) -> None:
    pauses = Pauses()

    with pytest.raises(Unavailable):
        awaited(coming(*[Unavailable("no route", retry_after_s)] * 8), pauses, patience_s=10.0)

    assert pauses == waited


# --- Which


def of_postgres(text: str, kind: type[DBAPIError] = OperationalError) -> DBAPIError:
    return kind("SELECT 1", None, psycopg.OperationalError(text))


@pytest.mark.parametrize(
    "text",
    [
        "connection to server at “127.0.0.1”, port 5432 failed: Connection refused",
        "failed to resolve host 'postgres': [Errno -2] Name or service not known",
        'connection to server on socket "/run/x/.s.PGSQL.5432" failed: No such file or directory',
        "connection failed: FATAL:  the database system is starting up",
        "connection failed: FATAL:  sorry, too many clients already",
        "connection timeout expired",
    ],
)
def test_a_server_that_is_not_there_yet_passes(text: str) -> None:
    assert passes(of_postgres(text))


@pytest.mark.parametrize(
    "text",
    [
        'connection failed: FATAL:  password authentication failed for user "selfcode"',
        'connection failed: FATAL:  database "selfcode" does not exist',
        'connection failed: FATAL:  no pg_hba.conf entry for host "10.0.0.1", user "selfcode", no encryption',
        "connection failed: fe_sendauth: no password supplied",
        "connection failed: server does not support SSL, but SSL was required",
    ],
)
def test_what_a_server_refuses_does_not_pass(text: str) -> None:
    assert not passes(of_postgres(text))


@pytest.mark.parametrize(
    ("error", "kind", "expected"),
    [
        (psycopg.errors.LockNotAvailable, OperationalError, True),
        (psycopg.errors.ReadOnlySqlTransaction, InternalError, True),
        (psycopg.errors.AdminShutdown, OperationalError, True),
        (psycopg.errors.DiskFull, OperationalError, True),
        (psycopg.errors.InsufficientPrivilege, ProgrammingError, False),
        (psycopg.errors.SyntaxError, ProgrammingError, False),
    ],
)
def test_a_server_that_answers_says_by_its_code_what_passes(
    error: type[psycopg.Error], kind: type[DBAPIError], *, expected: bool
) -> None:
    assert passes(kind("CREATE TABLE x", None, error("no"))) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("database is locked", True),
        ("database or disk is full", True),
        ("unable to open database file", False),
        ("attempt to write a readonly database", False),
    ],
)
def test_a_file_that_is_busy_passes(text: str, *, expected: bool) -> None:
    assert passes(OperationalError("PRAGMA", None, sqlite3.OperationalError(text))) is expected


@pytest.mark.usefixtures("counted_apart")
def test_a_web_process_that_is_replaced_while_the_database_is_away_starts_and_says_so(tmp_path: Path) -> None:
    settings = read_settings(
        {
            "SELFCODE_HOME": str(tmp_path),
            "SELFCODE_DATABASE_URL": f"postgresql://selfcode@/selfcode?host={tmp_path}",
            "SELFCODE_APP_ID": "1",
            "SELFCODE_PRIVATE_KEY": Keys()()[0],
            "SELFCODE_WEBHOOK_SECRET": "hush",
        }
    )

    web_app(settings)

    assert "does not answer" in Readiness(settings, database_or_not(settings))()[DATABASE]


def test_a_database_that_a_server_does_not_have_is_the_operators_to_make(tmp_path: Path, postgres: Server) -> None:
    address = postgres.url("nowhere-to-be-found")
    settings = read_settings({"SELFCODE_HOME": str(tmp_path), "SELFCODE_DATABASE_URL": address})

    with pytest.raises(ConfigError, match=r'SELFCODE_DATABASE_URL.*"nowhere-to-be-found" does not exist'):
        database_of(settings)

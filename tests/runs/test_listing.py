"""A day's deliveries are caught up with in pieces, as GitHub takes few requests at a time."""

from datetime import UTC, datetime

from sqlalchemy import Engine, select

from bot.errors import Unavailable
from bot.runs.caught_up import CaughtUp
from bot.runs.hearing import Hearing
from bot.runs.inbox import SqlInbox
from bot.runs.missed_deliveries import MissedDeliveries
from bot.runs.tables import inbox
from tests.runs.archive import PAGE, Archive

NOON = 1_790_000_000.0
APP = 7


def a_label(number: int, at: float) -> dict[str, object]:
    """What GitHub tells of a label on an issue of this number."""
    moment = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    ada = {"login": "ada", "id": 5, "type": "User"}
    return {
        "action": "labeled",
        "installation": {"id": 1},
        "repository": {"id": 9, "full_name": "octo/cat"},
        "sender": ada,
        "issue": {"number": number, "updated_at": moment, "labels": [{"name": "selfcode"}], "user": ada},
        "label": {"name": "selfcode"},
    }


def filled(archive: Archive, count: int, *, asking: int, since: float = NOON) -> None:
    """So many deliveries, half a minute apart; every so many of them asks for a run."""
    for number in range(len(archive.sent), len(archive.sent) + count):
        at = since + 30 * number
        if number % asking == 0:
            archive.add("issues", "labeled", a_label(number + 1, at), at=at)
        else:
            archive.add("star", "created", {}, at=at)


def looking_back(archive: Archive, engine: Engine) -> MissedDeliveries:
    hearing = Hearing(archive, SqlInbox(engine), "selfcode", "selfcode[bot]")
    return MissedDeliveries(archive, hearing, CaughtUp(engine), APP, now=lambda: NOON + 86_400)


def looks(looker: MissedDeliveries, *, at_most: int) -> int:
    """How many looks it takes until all is done, or so many."""
    for count in range(1, at_most + 1):
        try:
            looker.catch_up()
        except Unavailable:
            continue
        return count
    return at_most + 1


def asked_for(engine: Engine) -> list[int]:
    with engine.connect() as connection:
        return list(connection.execute(select(inbox.c.number).order_by(inbox.c.seq)).scalars())


def test_what_was_missed_of_thousands_is_heard_once_each_though_github_takes_ten_requests_at_a_time(
    engine: Engine,
) -> None:
    archive = Archive(refuses_every=10)
    filled(archive, 7_000, asking=26)
    wanted = [number for number in range(1, 7_001) if number % 26 == 1]
    needed = 7_000 // PAGE + len(wanted)

    took = looks(looking_back(archive, engine), at_most=100)

    assert len(wanted) == 270
    assert asked_for(engine) == wanted
    assert sorted(archive.bodies) == wanted
    assert archive.requests <= needed + 3 * took
    assert CaughtUp(engine).mark(APP).delivery_id == 7_000


def test_what_comes_while_the_list_is_gone_through_is_heard_too(engine: Engine) -> None:
    archive = Archive(refuses_every=4)
    filled(archive, 1_000, asking=100)
    looker = looking_back(archive, engine)

    for _ in range(6):
        looks(looker, at_most=1)
        filled(archive, 250, asking=100)
    looks(looker, at_most=30)

    assert sorted(asked_for(engine)) == list(range(1, 2_501, 100))
    assert len(archive.bodies) == 25


def test_what_was_listed_and_not_read_is_not_listed_again(engine: Engine) -> None:
    archive = Archive(refuses_every=12)
    filled(archive, 1_000, asking=500)
    looker = looking_back(archive, engine)
    assert looks(looker, at_most=1) == 2
    before = archive.requests

    assert looks(looker, at_most=1) == 1

    assert archive.requests - before == 2
    assert asked_for(engine) == [1, 501]


def test_another_process_goes_on_behind_what_was_done(engine: Engine) -> None:
    archive = Archive(refuses_every=12)
    filled(archive, 1_000, asking=500)
    looks(looking_back(archive, engine), at_most=1)

    looks(looking_back(archive, engine), at_most=3)

    assert asked_for(engine) == [1, 501]
    assert archive.bodies == [1, 501]

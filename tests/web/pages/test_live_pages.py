"""What happens in a run, told to pages that are open."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine

from bot.records import HappeningKind, Outcome
from bot.runs.store import SqlInbox, Store
from bot.runs.viewing import SqlViewing
from bot.web.pages import events
from bot.web.pages.live import Live
from tests.runs.builders import begun
from tests.web.pages.browsing import look
from tests.web.pages.conftest import an_app


@dataclass
class Stream:
    """An answer that goes on, event by event."""

    pieces: Iterator[bytes]
    waiting: list[dict[str, str]] = field(default_factory=list)

    def next(self) -> dict[str, str]:
        """The next event, by its fields."""
        while not self.waiting:
            for block in next(self.pieces).decode().split("\n\n"):
                fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and line[0] != ":")
                if "data" in fields:
                    self.waiting.append(fields)
        return self.waiting.pop(0)


def listen(client: FlaskClient, address: str, **headers: str) -> Stream:
    answer = client.get(address, headers={name.replace("_", "-"): value for name, value in headers.items()})
    assert answer.content_type == "text/event-stream; charset=utf-8"
    return Stream(answer.iter_encoded())


def test_who_looks_at_a_run_is_told_what_happens_in_it(client: FlaskClient, store: Store, inbox: SqlInbox) -> None:
    run_id = begun(store, inbox)
    store.happenings.keep(run_id, HappeningKind.BEGAN, "fetch")
    store.happenings.write()
    heard = listen(client, f"/runs/{run_id}/events")

    first = heard.next()
    store.happenings.keep(run_id, HappeningKind.TOLD, "call 1: <edit>\x1b[31m")
    store.happenings.write()
    second = heard.next()

    assert (first["id"], json.loads(first["data"])["text"]) == ("1", "fetch")
    assert (second["id"], json.loads(second["data"])["text"]) == ("2", "call 1: <edit>")


def test_a_browser_that_was_cut_off_hears_what_came_since(client: FlaskClient, store: Store, inbox: SqlInbox) -> None:
    run_id = begun(store, inbox)
    for text in ("one", "two", "three"):
        store.happenings.keep(run_id, HappeningKind.TOLD, text)
    store.happenings.write()

    again = listen(client, f"/runs/{run_id}/events?after=1", Last_Event_ID="2")

    assert json.loads(again.next()["data"])["text"] == "three"


def test_who_looks_at_all_runs_is_told_that_they_have_changed(
    client: FlaskClient, store: Store, inbox: SqlInbox
) -> None:
    run_id = begun(store, inbox)
    [live] = look(client, "/").all("div", id="live")
    heard = listen(client, live["data-events"])

    store.finish(run_id, Outcome.PROVEN, "")

    assert heard.next()["event"] == "changed"
    assert look(client, "/").all("div", id="live")[0]["data-events"] != live["data-events"]


def test_who_comes_when_all_places_are_taken_hears_what_is_new_and_asks_again_later(
    engine: Engine, store: Store, inbox: SqlInbox
) -> None:
    app = an_app(engine)
    client = app.test_client()
    live: Live = app.extensions["selfcode"].live
    live.most = 1
    run_id = begun(store, inbox)
    store.happenings.keep(run_id, HappeningKind.BEGAN, "fetch")
    store.happenings.write()
    first = listen(client, f"/runs/{run_id}/events")
    first.next()

    second = client.get(f"/runs/{run_id}/events")

    assert f"retry: {events.AGAIN_MS}" in second.text
    assert "fetch" in second.text


def test_a_place_is_free_again_once_its_listener_has_gone(engine: Engine, store: Store, inbox: SqlInbox) -> None:
    live = Live(SqlViewing(engine), most=1)

    with live.listening("a-run") as first, live.listening("a-run") as second:
        assert (first is not None, second) == (True, None)

    with live.listening("a-run") as third:
        assert third is not None


@pytest.mark.parametrize("heard", ["", "x", "-1", "9" * 30, "1; drop table"])
def test_what_is_no_number_is_heard_from_the_beginning(
    client: FlaskClient, store: Store, inbox: SqlInbox, heard: str
) -> None:
    run_id = begun(store, inbox)
    store.happenings.keep(run_id, HappeningKind.BEGAN, "fetch")
    store.happenings.write()

    assert listen(client, f"/runs/{run_id}/events?after={heard}").next()["id"] == "1"


def test_whoever_listens_is_let_go_when_the_process_is_to_end(engine: Engine, store: Store, inbox: SqlInbox) -> None:
    app = an_app(engine)
    run_id = begun(store, inbox)
    heard = listen(app.test_client(), f"/runs/{run_id}/events")
    next(heard.pieces)

    app.extensions["selfcode"].live.close()

    assert list(heard.pieces) == []

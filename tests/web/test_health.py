import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from bot.records import Receipt, Trigger
from tests.triggers.payloads import an_issue_event
from tests.web.fakes import Client, MemoryInbox, an_app, deliver


def test_a_process_that_answers_is_alive(client: Client) -> None:
    answer = client.get("/healthz")

    assert (answer.status_code, answer.json) == (200, {"alive": True})


def test_who_asks_for_the_head_alone_gets_no_body(client: Client) -> None:
    answer = client.ask("HEAD", "/healthz")

    assert (answer.status_code, answer.headers["content-length"], answer.data) == (200, "15", b"")


def test_a_process_without_problems_is_ready(client: Client) -> None:
    answer = client.get("/readyz")

    assert (answer.status_code, answer.json) == (200, {"ready": True, "problems": []})


def test_what_is_wrong_is_told_to_the_operator(inbox: MemoryInbox) -> None:
    answer = Client(an_app(inbox, database="it does not answer")).get("/readyz")

    assert (answer.status_code, answer.json) == (503, {"ready": False, "problems": ["database: it does not answer"]})


STRANGERS = [
    {"remote": "203.0.113.9"},
    {"headers": {"X-Forwarded-For": "203.0.113.9"}},
    {"headers": {"Forwarded": "for=203.0.113.9"}},
    {"headers": {"Host": "selfcode.example.com"}},
    {"headers": {"Host": "127.0.0.1.example.com:8000"}},
    {"remote": ""},
]
OPERATORS = [
    {},
    {"headers": {"Host": "localhost:8000"}},
    {"headers": {"Host": "127.0.0.1:8000"}},
    {"headers": {"Host": "[::1]:8000"}, "remote": "::1"},
]


@pytest.mark.parametrize("request_", STRANGERS)
def test_a_stranger_learns_only_that_something_is_wrong(inbox: MemoryInbox, request_: dict[str, Any]) -> None:
    answer = Client(an_app(inbox, database="it does not answer")).get("/readyz", **request_)

    assert (answer.status_code, answer.json) == (503, {"ready": False})


@pytest.mark.parametrize("request_", STRANGERS)
def test_figures_are_not_for_strangers(client: Client, request_: dict[str, Any]) -> None:
    answer = client.get("/metrics", **request_)

    assert (answer.status_code, answer.json) == (404, {"error": "not found"})


@pytest.mark.parametrize("request_", OPERATORS)
def test_figures_are_for_whoever_is_on_this_machine(client: Client, request_: dict[str, Any]) -> None:
    assert client.get("/metrics", **request_).status_code == 200


def test_deliveries_are_counted_by_event_and_answer(client: Client) -> None:
    deliver(client, "issues", an_issue_event(label="selfcode"))
    deliver(client, "issues", an_issue_event(label="bug"))
    deliver(client, "made-up", {})
    deliver(client, "issues", {}, secret="another")

    figures = client.get("/metrics").text

    assert 'selfcode_deliveries_total{answer="accepted",event="issues"} 1.0' in figures
    assert 'selfcode_deliveries_total{answer="ignored",event="issues"} 1.0' in figures
    assert 'selfcode_deliveries_total{answer="ignored",event="other"} 1.0' in figures
    assert 'selfcode_deliveries_total{answer="error",event="other"} 1.0' in figures


@dataclass
class _InboxWithABug:
    async def keep(self, triggers: Sequence[Trigger]) -> Sequence[Receipt]:
        raise KeyError(triggers[0].key)


def test_a_bug_is_told_to_the_operator_and_not_to_the_sender(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)

    answer = deliver(Client(an_app(_InboxWithABug())), "issues", an_issue_event(label="selfcode"))

    assert (answer.status_code, answer.json) == (500, {"error": "internal error"})
    assert "KeyError" in caplog.text


def test_an_unknown_page_is_answered_in_json(client: Client) -> None:
    answer = client.get("/nothing-here")

    assert (answer.status_code, answer.json) == (404, {"error": "not found"})

import logging
from dataclasses import dataclass

import pytest
from flask.testing import FlaskClient

from bot.records import Receipt, Trigger
from tests.triggers.payloads import an_issue_event
from tests.web.fakes import MemoryInbox, an_app, deliver


def test_a_process_that_answers_is_alive(client: FlaskClient) -> None:
    answer = client.get("/healthz")

    assert (answer.status_code, answer.json) == (200, {"alive": True})


def test_a_process_without_problems_is_ready(client: FlaskClient) -> None:
    answer = client.get("/readyz")

    assert (answer.status_code, answer.json) == (200, {"ready": True, "problems": []})


def test_what_is_wrong_is_told_to_the_operator(inbox: MemoryInbox) -> None:
    answer = an_app(inbox, database="it does not answer").test_client().get("/readyz")

    assert (answer.status_code, answer.json) == (503, {"ready": False, "problems": ["database: it does not answer"]})


STRANGERS = [
    {"environ_base": {"REMOTE_ADDR": "203.0.113.9"}},
    {"headers": {"X-Forwarded-For": "203.0.113.9"}},
    {"headers": {"Forwarded": "for=203.0.113.9"}},
    {"headers": {"Host": "selfcode.example.com"}},
    {"headers": {"Host": "127.0.0.1.example.com:8000"}},
    {"environ_base": {"REMOTE_ADDR": ""}},
]
OPERATORS = [
    {},
    {"headers": {"Host": "localhost:8000"}},
    {"headers": {"Host": "127.0.0.1:8000"}},
    {"headers": {"Host": "[::1]:8000"}, "environ_base": {"REMOTE_ADDR": "::1"}},
]


@pytest.mark.parametrize("request_", STRANGERS)
def test_a_stranger_learns_only_that_something_is_wrong(
    inbox: MemoryInbox, request_: dict[str, dict[str, str]]
) -> None:
    answer = an_app(inbox, database="it does not answer").test_client().get("/readyz", **request_)

    assert (answer.status_code, answer.json) == (503, {"ready": False})


@pytest.mark.parametrize("request_", STRANGERS)
def test_figures_are_not_for_strangers(client: FlaskClient, request_: dict[str, dict[str, str]]) -> None:
    answer = client.get("/metrics", **request_)

    assert (answer.status_code, answer.json) == (404, {"error": "not found"})


@pytest.mark.parametrize("request_", OPERATORS)
def test_figures_are_for_whoever_is_on_this_machine(client: FlaskClient, request_: dict[str, dict[str, str]]) -> None:
    assert client.get("/metrics", **request_).status_code == 200


def test_deliveries_are_counted_by_event_and_answer(client: FlaskClient) -> None:
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
    def accept(self, trigger: Trigger) -> Receipt:
        raise KeyError(trigger.key)


def test_a_bug_is_told_to_the_operator_and_not_to_the_sender(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)

    answer = deliver(an_app(_InboxWithABug()).test_client(), "issues", an_issue_event(label="selfcode"))

    assert (answer.status_code, answer.json) == (500, {"error": "internal error"})
    assert "KeyError" in caplog.text


def test_an_unknown_page_is_answered_in_json(client: FlaskClient) -> None:
    answer = client.get("/nothing-here")

    assert (answer.status_code, answer.json) == (404, {"error": "not found"})

"""What the dispatcher's lines in the log are about."""

import logging
import threading

import pytest

from bot.records import TriggerKind
from bot.runs.lines import Line, Matter
from bot.runs.messengers import Messengers
from bot.seen.about import about, bound
from bot.seen.lines import TextLines
from tests.runs.builders import a_comment_trigger
from tests.runs.desk import Desk


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO)
    caplog.handler.setFormatter(TextLines(lambda text: text))
    return caplog


def test_what_came_of_a_request_names_the_delivery_that_it_came_by(desk: Desk, log: pytest.LogCaptureFixture) -> None:
    desk.inbox.accept(a_comment_trigger(TriggerKind.STATUS, issue=desk.issue, delivery_id="d-7"))

    desk.dispatcher.turn()

    ref = desk.repository.ref
    about_it = f"[delivery=d-7 installation={ref.installation_id} repository={ref.full_name} issue={desk.issue.number}]"
    lines = [line for line in log.text.splitlines() if "status" in line]
    assert lines
    assert [line for line in lines if about_it not in line] == []


def test_an_errand_is_about_what_it_is_run_for() -> None:
    messengers, said, done = Messengers(), list[object](), threading.Event()

    def errand() -> None:
        said.append(bound().get("delivery"))
        done.set()

    with about(delivery="d-7"):
        messengers(Line(Matter.TALK, 5), errand)
    done.wait(30)
    messengers.close(30)

    assert said == ["d-7"]

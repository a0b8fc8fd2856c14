"""Which deliveries are worth fetching, before anything of them is read but their event and action."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.triggers.decide import Accept, Decision, EndSessions, decide
from bot.triggers.events import parse
from bot.triggers.mattering import MATTERING, can_matter, is_said_by_machines
from tests.triggers.payloads import BOT

RECORDED = sorted((Path(__file__).parent / "deliveries").glob("*.json"))


ACTIONS = sorted({file.stem.partition(".")[2] for file in RECORDED})


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.stem)
def test_what_asks_for_something_is_worth_fetching_whatever_its_action(file: Path) -> None:
    event, payload = file.stem.partition(".")[0], json.loads(file.read_bytes())
    label = (payload.get("label") or {}).get("name", "selfcode")

    asking = {
        action
        for action in ACTIONS
        if isinstance(decided(event, payload | {"action": action}, label=label), Accept | EndSessions)
    }

    assert asking <= MATTERING.get(event, frozenset())


def test_each_action_that_is_worth_fetching_is_one_that_was_recorded() -> None:
    named = {f"{event}.{action}" for event, actions in MATTERING.items() for action in actions}

    assert named <= {file.stem for file in RECORDED}


@pytest.mark.parametrize(
    ("event", "action"),
    [("issues", "edited"), ("issue_comment", "deleted"), ("ping", ""), ("push", ""), ("star", "created"), ("", "")],
)
def test_what_never_asks_for_anything_is_not_fetched(event: str, action: str) -> None:
    assert not can_matter(event, action)


def test_machines_say_that_checks_have_ended_and_people_ask_for_them_again() -> None:
    assert is_said_by_machines("check_run", "completed")
    assert not is_said_by_machines("check_suite", "rerequested")
    assert not is_said_by_machines("issues", "labeled")


def decided(event: str, payload: dict[str, Any], *, label: str) -> Decision:
    body = json.dumps(payload).encode()
    return decide(parse(event, body, "application/json"), label=label, bot_login=BOT, delivery_id="d-1")

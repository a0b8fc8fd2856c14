import json
from pathlib import Path
from urllib.parse import urlencode

import pytest

from bot.errors import DeliveryRejected
from bot.triggers.events import (
    SUBSCRIBED,
    UNASKED,
    Event,
    Incomplete,
    IssueCommentEvent,
    IssueEvent,
    Ping,
    Unknown,
    parse,
)
from tests.triggers.payloads import a_comment_event, a_person, an_issue_event

DELIVERIES = sorted((Path(__file__).parent / "deliveries").glob("*.json"))
KINDS = {**SUBSCRIBED, **UNASKED}


@pytest.mark.parametrize("file", DELIVERIES, ids=lambda file: file.stem)
def test_every_recorded_delivery_is_parsed(file: Path) -> None:
    event_name = file.stem.partition(".")[0]

    event = parse(event_name, file.read_bytes(), "application/json")

    assert isinstance(event, KINDS[event_name])


def test_of_every_event_that_is_parsed_there_is_a_recorded_delivery() -> None:
    assert {file.stem.partition(".")[0] for file in DELIVERIES} == set(KINDS)


def test_a_form_encoded_delivery_is_read_from_its_field() -> None:
    body = urlencode({"payload": json.dumps({"zen": "café 😊 + & ="})}).encode()

    event = parse("ping", body, "application/x-www-form-urlencoded; charset=utf-8")

    assert event == Ping(zen="café 😊 + & =")


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b"1", b'"x"', b"\xff", b"[" * 100_000, b"1" * 10_000])
def test_what_is_no_json_object_is_refused(body: bytes) -> None:
    with pytest.raises(DeliveryRejected) as refusal:
        parse("issues", body, "application/json")

    assert refusal.value.status == 400


@pytest.mark.parametrize(
    "body", [b"", b"x=1", b"payload=", b"payload=[]", b"payload=%FF%FE", b"&" * 50, "é=1".encode()]
)
def test_a_form_without_a_readable_payload_is_refused(body: bytes) -> None:
    with pytest.raises(DeliveryRejected) as refusal:
        parse("issues", body, "application/x-www-form-urlencoded")

    assert refusal.value.status == 400


@pytest.mark.parametrize("content_type", [None, "", "text/plain", "multipart/form-data; boundary=x", "application/xml"])
def test_another_content_type_is_refused(content_type: str | None) -> None:
    with pytest.raises(DeliveryRejected) as refusal:
        parse("ping", b"{}", content_type)

    assert refusal.value.status == 415


def test_a_delivery_must_name_its_event() -> None:
    with pytest.raises(DeliveryRejected) as refusal:
        parse(None, b"{}", "application/json")

    assert refusal.value.status == 400


def test_an_event_that_we_do_not_know_is_no_error() -> None:
    assert parse("sponsorship", b'{"action": "created"}', "application/json") == Unknown("sponsorship")


def test_a_delivery_that_lacks_something_is_no_error_and_tells_what() -> None:
    event = parse("issues", '{"action":"labeled","issue":{"title":"café 😊"}}'.encode(), "application/json")

    assert isinstance(event, Incomplete)
    assert {"installation", "repository", "sender", "issue.number"} <= set(event.lacks)


def test_fields_that_github_adds_change_nothing() -> None:
    plain = an_issue_event(label="selfcode")
    grown = plain | {"enterprise": {"id": 1}, "issue": plain["issue"] | {"sub_issues_summary": {"total": 0}}}

    assert parsed("issues", grown) == parsed("issues", plain)


def test_null_where_a_text_was_expected_is_empty_text() -> None:
    event = parsed("issue_comment", a_comment_event(None))

    assert isinstance(event, IssueCommentEvent)
    assert event.comment.body == ""


@pytest.mark.parametrize("moment", ["2026-11-29T10:00:00Z", "2026-11-29T12:00:00+02:00", 1795946400])
def test_moments_are_read_in_every_way_that_github_writes_them(moment: object) -> None:
    payload = an_issue_event(label="selfcode")
    payload["issue"]["updated_at"] = moment

    event = parsed("issues", payload)

    assert isinstance(event, IssueEvent)
    assert event.issue.updated_at.isoformat() in ("2026-11-29T10:00:00+00:00", "2026-11-29T12:00:00+02:00")


def test_a_bot_is_known_by_its_type_or_by_its_name() -> None:
    by_type = parsed("issues", an_issue_event(sender=a_person("helper", "Bot")))
    by_name = parsed("issues", an_issue_event(sender=a_person("helper[bot]", "User")))

    assert isinstance(by_type, IssueEvent)
    assert isinstance(by_name, IssueEvent)
    assert by_type.sender.is_bot
    assert by_name.sender.is_bot


def parsed(event_name: str, payload: object) -> Event:
    return parse(event_name, json.dumps(payload).encode(), "application/json")

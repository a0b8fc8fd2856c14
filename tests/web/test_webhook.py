import json
import logging
from urllib.parse import urlencode

import pytest

from bot.errors import Unavailable
from bot.records import TriggerKind
from bot.seen.figures import Figures
from bot.seen.lines import TextLines
from bot.web.app import watch_pages
from bot.web.asgi import PAYLOAD_LIMIT_BYTES, Site
from bot.web.webhook import Webhook
from tests.triggers.payloads import (
    NOW,
    a_comment_event,
    a_person,
    a_review_comment_event,
    a_review_event,
    an_installation_event,
    an_issue,
    an_issue_event,
)
from tests.web.fakes import SECRET, Client, MemoryInbox, an_app, deliver

START = an_issue_event(label="selfcode", issue=an_issue(title="café 😊"))


def test_our_label_is_accepted_and_kept(client: Client, inbox: MemoryInbox) -> None:
    answer = deliver(client, "issues", START)

    assert (answer.status_code, answer.json) == (202, {"accepted": "start"})
    (trigger,) = inbox.kept.values()
    assert (trigger.kind, trigger.delivery_id) == (TriggerKind.START, "d-1")


def test_the_signature_is_checked_over_the_raw_bytes(client: Client) -> None:
    body = '{"action":"labeled","issue":{"title":"café 😊"}}'.encode()

    answer = deliver(client, "issues", None, body=body)

    assert answer.status_code == 200
    assert "ignored" in answer.json


def test_a_stranger_is_refused_and_nothing_is_stored(client: Client, inbox: MemoryInbox) -> None:
    answer = deliver(client, "issues", START, secret="another")

    assert (answer.status_code, answer.json) == (401, {"error": "the signature is missing or wrong"})
    assert inbox.calls == 0


def test_a_delivery_without_a_signature_is_refused_whatever_it_holds(client: Client) -> None:
    answer = deliver(client, "issues", None, body=b"{", X_Hub_Signature_256=None, Content_Type=None)

    assert answer.status_code == 401


def test_a_form_encoded_delivery_is_accepted(client: Client) -> None:
    body = urlencode({"payload": json.dumps(START)}).encode()

    answer = deliver(client, "issues", None, body=body, Content_Type="application/x-www-form-urlencoded")

    assert answer.status_code == 202


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"", None, 415),
        (b"", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"null", "application/json", 400),
        (b"{", "application/json", 400),
        (b"{}", "text/plain", 415),
        (b"x=1", "application/x-www-form-urlencoded", 400),
    ],
)
def test_what_is_no_delivery_is_refused_in_short_json(
    client: Client, inbox: MemoryInbox, body: bytes, content_type: str | None, status: int
) -> None:
    answer = deliver(client, "issues", None, body=body, Content_Type=content_type)

    assert answer.status_code == status
    assert set(answer.json) == {"error"}
    assert len(answer.data) < 200
    assert inbox.calls == 0


def test_a_ping_is_answered(client: Client) -> None:
    answer = deliver(client, "ping", {"zen": "Keep it logically awesome.", "hook_id": 1, "hook": {}})

    assert (answer.status_code, answer.json) == (200, {"pong": True})


@pytest.mark.parametrize(
    ("event_name", "payload"),
    [
        ("issues", an_issue_event(label="bug")),
        ("issue_comment", a_comment_event("thanks")),
        ("issue_comment", a_comment_event(sender={"login": "evil[bot]", "type": "Bot"})),
        ("star", {"action": "created"}),
    ],
)
def test_what_asks_for_nothing_is_ignored_with_a_reason_and_costs_no_io(
    client: Client, inbox: MemoryInbox, event_name: str, payload: object
) -> None:
    answer = deliver(client, event_name, payload)

    assert answer.status_code == 200
    assert answer.json["ignored"]
    assert inbox.calls == 0


def test_a_redelivery_is_told_that_it_is_known(client: Client, inbox: MemoryInbox) -> None:
    deliver(client, "issues", START)

    answer = deliver(client, "issues", START)

    assert (answer.status_code, answer.json) == (202, {"duplicate": True})
    assert len(inbox.kept) == 1


def test_each_repository_of_an_installation_is_kept(client: Client, inbox: MemoryInbox) -> None:
    answer = deliver(client, "installation", an_installation_event("created", "octo/cat", "octo/dog"))

    assert answer.json == {"accepted": "installed"}
    assert [trigger.issue.repository.name for trigger in inbox.kept.values()] == ["cat", "dog"]


def test_a_delivery_that_can_not_be_kept_fails_so_that_github_shows_it_and_can_be_redelivered(
    client: Client, inbox: MemoryInbox
) -> None:
    inbox.broken = True
    failed = deliver(client, "issues", START)
    inbox.broken = False
    again = deliver(client, "issues", START)

    assert failed.status_code == 503
    assert set(failed.json) == {"error"}
    assert (again.status_code, again.json) == (202, {"accepted": "start"})


def test_a_body_above_githubs_limit_is_not_read_and_a_line_in_the_log(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    answer = deliver(client, "issues", None, body=b" " * (PAYLOAD_LIMIT_BYTES + 1))

    assert (answer.status_code, answer.json) == (413, {"error": "request entity too large"})
    assert '127.0.0.1 "POST /webhook" 413, ' in caplog.text


def test_of_a_body_of_unknown_length_no_more_is_read_than_github_sends(client: Client, inbox: MemoryInbox) -> None:
    body = b" " * (PAYLOAD_LIMIT_BYTES + 1)

    answer = deliver(client, "issues", None, body=body, Content_Length="")

    assert answer.status_code == 413
    assert inbox.calls == 0


def test_a_body_that_does_not_go_on_is_no_delivery(client: Client, inbox: MemoryInbox) -> None:
    answer = deliver(client, "issues", START, ends=False)

    assert (answer.status_code, answer.json) == (408, {"error": "request timeout"})
    assert inbox.calls == 0


def test_a_large_delivery_is_accepted(client: Client) -> None:
    issue = an_issue(body="x" * 5_000_000)

    assert deliver(client, "issues", an_issue_event(label="selfcode", issue=issue)).status_code == 202


def test_a_large_form_is_accepted(client: Client) -> None:
    issue = an_issue(body="ü" * 500_000)
    body = urlencode({"payload": json.dumps(an_issue_event(label="selfcode", issue=issue))}).encode()

    answer = deliver(client, "issues", None, body=body, Content_Type="application/x-www-form-urlencoded")

    assert answer.status_code == 202


def test_the_webhook_is_only_posted_to(client: Client) -> None:
    answer = client.get("/webhook")

    assert (answer.status_code, answer.json) == (405, {"error": "method not allowed"})


def test_neither_the_body_nor_the_secret_reaches_the_log(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.handler.setFormatter(TextLines(lambda text: text))

    deliver(client, "issues", an_issue_event(label="selfcode", issue=an_issue(title="hush", body="hush")))
    deliver(client, "issue_comment", a_comment_event("/selfcode frobnicate hush"))

    assert "[delivery=d-1 installation=5 repository=octo/cat issue=7]" in caplog.text
    assert "hush" not in caplog.text
    assert SECRET not in caplog.text


def test_moments_are_githubs_not_ours(client: Client, inbox: MemoryInbox) -> None:
    deliver(client, "issues", START)

    assert [trigger.occurred_at for trigger in inbox.kept.values()] == [NOW]


def test_a_review_and_its_comments_are_kept_once(client: Client, inbox: MemoryInbox) -> None:
    first = deliver(client, "pull_request_review", a_review_event("changes_requested", None))
    second = deliver(client, "pull_request_review_comment", a_review_comment_event("@selfcode rename it"))

    assert (first.json, second.json) == ({"accepted": "review"}, {"duplicate": True})
    assert len(inbox.kept) == 1


REVOKED = {"action": "revoked", "sender": a_person() | {"id": 7}}


def test_where_nobody_signs_in_nobody_is_signed_out(client: Client, inbox: MemoryInbox) -> None:
    answer = deliver(client, "github_app_authorization", REVOKED)

    assert (answer.status_code, answer.json, inbox.calls) == (202, {"accepted": "revoked"}, 0)


def test_github_is_asked_to_send_again_what_could_not_sign_out(inbox: MemoryInbox) -> None:
    asked: list[int] = []

    def away(user_id: int) -> None:
        asked.append(user_id)
        raise Unavailable("no database")

    webhook = Webhook(
        secret=SECRET, label="selfcode", bot_login="selfcode[bot]", inbox=inbox, count=Figures().delivery, sign_out=away
    )
    site = Site(webhook, watch_pages(ready=dict, figures=Figures(), readings=tuple))

    answer = deliver(Client(site), "github_app_authorization", REVOKED)

    assert (answer.status_code, asked) == (503, [7])


def test_a_bot_is_heard_where_the_operator_lists_it(inbox: MemoryInbox) -> None:
    payload = a_comment_event(sender=a_person("other-ai[bot]", "Bot"))

    unlisted = deliver(Client(an_app(inbox)), "issue_comment", payload)
    listed = deliver(Client(an_app(inbox, trusted_bots=["other-ai"])), "issue_comment", payload)

    assert (unlisted.json, listed.json) == ({"ignored": "sent by a bot"}, {"accepted": "retry"})

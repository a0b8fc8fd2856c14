"""Webhooks as GitHub sends them: signed, in order, once."""

import hashlib
import hmac
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from bot.demo.deliveries import signature
from tests.demo.clients import Scene


@dataclass
class Receiver:
    """A web server that keeps what it is sent and answers `status`."""

    status: int = 202
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.got.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(receiver.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's name
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver.url = f"http://127.0.0.1:{server.server_port}/webhook"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield receiver
        server.shutdown()
        thread.join()


def test_githubs_own_test_vector_has_the_signature_that_github_names() -> None:
    """Source: GitHub, “Validating webhook deliveries”."""
    told = signature("It's a Secret to Everybody", b"Hello, World!")

    assert told == "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"


def test_a_delivery_carries_githubs_headers_and_a_signature_over_its_bytes(scene: Scene, receiver: Receiver) -> None:
    scene.hub.set_webhook(scene.app, receiver.url, ping=False)

    scene.repository.open_issue("café 😊", by="mona")
    scene.hub.wait_for_deliveries()

    [(headers, body)] = receiver.got
    expected = hmac.new(scene.app.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
    assert "café 😊".encode() in body
    assert headers["X-Hub-Signature-256"] == f"sha256={expected}"
    assert headers["X-GitHub-Event"] == "issues"
    assert headers["X-GitHub-Delivery"] == scene.hub.deliveries[-1].guid
    assert headers["User-Agent"].startswith("GitHub-Hookshot/")
    assert headers["X-GitHub-Hook-ID"] == str(scene.app.id)


def test_what_people_and_the_bot_do_is_delivered_in_order(scene: Scene, receiver: Receiver) -> None:
    scene.hub.set_webhook(scene.app, receiver.url)
    issue = scene.repository.open_issue("Sum is wrong", by="ada")
    issue.label("selfcode", by="mona")
    scene.bot().post("/repos/octo/adder/issues/1/comments", {"body": "On it."})
    issue.unlabel("selfcode", by="mona")
    issue.close(by="ada")
    issue.reopen(by="ada")
    comment = issue.comment("Thanks", by="ada")
    issue.edit_comment(comment, "Thank you", by="ada")
    issue.delete_comment(comment, by="ada")

    scene.hub.wait_for_deliveries()

    sent = [each for each in scene.hub.deliveries if each.status_code is not None]
    assert [f"{each.event}.{each.action} by {each.payload['sender']['type']}" for each in sent[1:]] == [
        "issues.opened by User",
        "issues.labeled by User",
        "issue_comment.created by Bot",
        "issues.unlabeled by User",
        "issues.closed by User",
        "issues.reopened by User",
        "issue_comment.created by User",
        "issue_comment.edited by User",
        "issue_comment.deleted by User",
    ]
    assert [headers["X-GitHub-Delivery"] for headers, _ in receiver.got] == [each.guid for each in sent]


def test_labels_that_come_with_an_issue_are_told_again_one_by_one(scene: Scene) -> None:
    scene.repository.open_issue("From a template", by="ada", labels=("selfcode",))

    opened, labeled = scene.hub.deliveries[-2:]
    assert (opened.action, [label["name"] for label in opened.payload["issue"]["labels"]]) == ("opened", ["selfcode"])
    assert (labeled.action, labeled.payload["label"]["name"]) == ("labeled", "selfcode")


def test_a_failed_delivery_is_not_sent_again_by_itself(scene: Scene, receiver: Receiver) -> None:
    receiver.status = 500
    scene.hub.set_webhook(scene.app, receiver.url)

    scene.hub.wait_for_deliveries()

    assert len(receiver.got) == 1
    assert scene.hub.deliveries[-1].status_code == 500


def test_a_delivery_that_nobody_answers_has_no_status_code(scene: Scene) -> None:
    scene.hub.set_webhook(scene.app, "http://127.0.0.1:9/webhook")

    scene.hub.wait_for_deliveries()

    assert (scene.hub.deliveries[-1].status_code, scene.hub.deliveries[-1].status) == (0, "failed to connect to host")


def test_a_redelivery_has_the_same_guid_and_body(scene: Scene, receiver: Receiver) -> None:
    scene.hub.set_webhook(scene.app, receiver.url)
    scene.hub.wait_for_deliveries()
    [ping] = scene.as_app().get("/app/hook/deliveries").json()

    asked = scene.as_app().post(f"/app/hook/deliveries/{ping['id']}/attempts")
    scene.hub.wait_for_deliveries()

    (first, body), (second, again) = receiver.got
    assert asked.status_code == 202
    assert first["X-GitHub-Delivery"] == second["X-GitHub-Delivery"] == ping["guid"]
    assert body == again
    assert [each["redelivery"] for each in scene.as_app().get("/app/hook/deliveries").json()] == [True, False]


def test_deliveries_older_than_three_days_cannot_be_sent_again(scene: Scene, receiver: Receiver) -> None:
    scene.hub.set_webhook(scene.app, receiver.url)
    scene.hub.wait_for_deliveries()

    scene.hub.advance(minutes=3 * 24 * 60 + 1)

    assert scene.as_app().get("/app/hook/deliveries").json() == []


def test_a_suspended_installation_gets_no_events_of_its_repositories(scene: Scene) -> None:
    scene.hub.suspend(scene.installation)

    scene.repository.open_issue("Unheard", by="ada")

    assert scene.hub.deliveries[-1].action == "suspend"


def test_an_app_hears_only_of_repositories_that_it_is_installed_on(scene: Scene) -> None:
    elsewhere = scene.hub.create_repository("acme/tool")
    before = len(scene.hub.deliveries)

    elsewhere.open_issue("Unheard", by="ada")

    assert len(scene.hub.deliveries) == before


def test_an_app_hears_only_of_events_that_it_subscribes_to(scene: Scene) -> None:
    deaf = scene.hub.create_app("deaf", events=("pull_request",))
    scene.hub.install(deaf, "octo")

    scene.repository.open_issue("Unheard by one", by="ada")

    assert [each.app.slug for each in scene.hub.deliveries if each.event == "issues"] == ["selfcode"]


# --- Looking back


def _pings(scene: Scene, count: int) -> list[int]:
    """That many deliveries, which nobody took; returns their ids, the newest first."""
    for _ in range(count):
        scene.hub.set_webhook(scene.app, "https://selfcode.invalid/webhook")
    scene.hub.wait_for_deliveries()
    return [each.id for each in reversed(scene.hub.deliveries) if each.event == "ping"]


def test_deliveries_are_listed_newest_first_and_paged_by_a_cursor(scene: Scene) -> None:
    ids = _pings(scene, 5)

    first = scene.as_app().get("/app/hook/deliveries?per_page=2")
    _pings(scene, 1)
    second = scene.as_app().get(first.links["next"]["url"].removeprefix(scene.hub.api_url))
    third = scene.as_app().get(second.links["next"]["url"].removeprefix(scene.hub.api_url))

    assert [[each["id"] for each in page.json()] for page in (first, second, third)] == [ids[:2], ids[2:4], ids[4:]]
    assert "next" not in third.links


def test_a_page_number_means_nothing_there(scene: Scene) -> None:
    ids = _pings(scene, 3)

    page = scene.as_app().get("/app/hook/deliveries?per_page=2&page=2")

    assert [each["id"] for each in page.json()] == ids[:2]


def test_a_cursor_that_was_never_handed_out_is_refused(scene: Scene) -> None:
    assert scene.as_app().get("/app/hook/deliveries?cursor=7").status_code == 400


def test_a_host_that_leads_nowhere_is_not_connected_to(scene: Scene) -> None:
    _pings(scene, 1)

    [ping] = scene.as_app().get("/app/hook/deliveries").json()
    assert (ping["status_code"], ping["status"]) == (0, "failed to connect to host")


def test_githubs_filter_for_failures_leaves_out_where_nobody_could_be_connected_to(
    scene: Scene, receiver: Receiver
) -> None:
    _pings(scene, 1)
    for receiver.status in (202, 500):
        scene.hub.set_webhook(scene.app, receiver.url)
        scene.hub.wait_for_deliveries()

    def codes(query: str) -> list[int]:
        return [each["status_code"] for each in scene.as_app().get(f"/app/hook/deliveries{query}").json()]

    assert codes("") == [500, 202, 0]
    assert codes("?status=failure") == [500]
    assert codes("?status=success") == [202]


def test_deliveries_that_were_sent_again_can_be_told_apart(scene: Scene, receiver: Receiver) -> None:
    scene.hub.set_webhook(scene.app, receiver.url)
    again = scene.hub.redeliver(scene.hub.deliveries[-1])
    scene.hub.wait_for_deliveries()

    assert [each["id"] for each in scene.as_app().get("/app/hook/deliveries?redelivery=true").json()] == [again.id]


def test_an_issues_events_say_who_put_which_label_on(scene: Scene) -> None:
    issue = scene.repository.open_issue("Sum is wrong", by="ada")
    issue.label("selfcode", by="mona")
    issue.unlabel("selfcode", by="tria")

    events = scene.bot().get("/repos/octo/adder/issues/1/events").json()

    assert [(each["event"], each["label"]["name"], each["actor"]["login"]) for each in events] == [
        ("labeled", "selfcode", "mona"),
        ("unlabeled", "selfcode", "tria"),
    ]


def test_issues_are_listed_that_anything_happened_to_since(scene: Scene) -> None:
    scene.repository.open_issue("Old", by="ada")
    scene.hub.advance(minutes=60)
    scene.repository.open_issue("New", by="ada")
    since = scene.hub.world.now().strftime("%Y-%m-%dT%H:%M:%SZ")

    found = scene.bot().get(f"/repos/octo/adder/issues?since={since}").json()

    assert [each["title"] for each in found] == ["New"]
    assert scene.bot().get("/repos/octo/adder/issues?since=yesterday").status_code == 422

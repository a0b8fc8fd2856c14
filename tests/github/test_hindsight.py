"""What the App can find out later: of deliveries, and of labels."""

import json
from itertools import count

import pytest

from bot.demo.handles import RepositoryHandle
from bot.demo.hub import Hub
from bot.demo.state import Delivery
from bot.errors import Gone, Unavailable
from bot.github.place import PAGE
from bot.github.server import next_cursor
from bot.records import DeliveryAttempt, IssueRef, LabelledIssue, Person, RepositoryRef
from tests.demo import published
from tests.github.stages import HubStage

NOWHERE = "https://selfcode.invalid/webhook"
_NUMBERS = count(1)


@pytest.fixture
def alone(hub: Hub) -> HubStage:
    """A repository with an App of its own on it, for deliveries are listed for an App as a whole. Nobody takes them."""
    number = next(_NUMBERS)
    app = hub.create_app(f"alone-{number}", owner="operator", webhook_url=NOWHERE)
    return HubStage(hub, app, f"alone-{number}")


def sent_to(stage: HubStage) -> list[Delivery]:
    """What its App was sent, the oldest first."""
    return [each for each in stage.hub.deliveries if each.app is stage.app]


# --- Deliveries


def test_what_was_delivered_is_told_newest_first(alone: HubStage) -> None:
    alone.open_issue()
    alone.hub.wait_for_deliveries()

    page = alone.github.hindsight.deliveries()

    newest, oldest = page.attempts
    sent = sent_to(alone)[-1]
    assert (newest.id, newest.guid, newest.event, newest.action) == (sent.id, sent.guid, "issues", "opened")
    assert newest.delivered_at == sent.created_at.timestamp()
    assert not newest.was_taken
    assert (oldest.event, oldest.action) == ("installation", "created")
    assert page.before is None


def test_a_long_list_is_turned_page_by_page(alone: HubStage) -> None:
    for _ in range(205):
        alone.hub.set_webhook(alone.app, NOWHERE)
    alone.hub.wait_for_deliveries()
    hindsight, cursor = alone.github.hindsight, None
    found: list[DeliveryAttempt] = []

    while (page := hindsight.deliveries(cursor)).before:
        cursor, found = page.before, [*found, *page.attempts]
    found += page.attempts

    assert [each.id for each in found] == [each.id for each in reversed(sent_to(alone))]
    assert len(alone.hub.calls_by(f"{alone.app.slug}[bot]")) == 3
    assert found[0].action == ""


def test_what_was_delivered_can_be_read_whole(alone: HubStage) -> None:
    alone.open_issue(title="café 😊")
    alone.hub.wait_for_deliveries()
    hindsight = alone.github.hindsight

    body = hindsight.body(hindsight.deliveries().attempts[0].id)

    assert json.loads(body) == sent_to(alone)[-1].payload


def test_what_github_no_longer_keeps_is_gone(alone: HubStage) -> None:
    alone.hub.wait_for_deliveries()
    hindsight = alone.github.hindsight
    [attempt] = hindsight.deliveries().attempts
    alone.hub.advance(minutes=3 * 24 * 60 + 1)

    with pytest.raises(Gone):
        hindsight.body(attempt.id)
    assert hindsight.deliveries().attempts == ()


def test_a_delivery_whose_body_github_lost_is_gone(alone: HubStage) -> None:
    alone.hub.fail_next("GET", "/app/hook/deliveries/7", 200, {"id": 7, "request": {"headers": None, "payload": None}})

    with pytest.raises(Gone):
        alone.github.hindsight.body(7)


def test_it_waits_for_github_and_for_a_clock_that_is_wrong(alone: HubStage) -> None:
    alone.hub.fail_next("GET", "/app/hook/deliveries", 401, {"message": "'Expiration time' claim is too far ahead"})
    with pytest.raises(Unavailable, match="clock"):
        alone.github.hindsight.deliveries()

    alone.hub.fail_next("GET", "/app/hook/deliveries", 502, times=2)
    assert alone.github.hindsight.deliveries().before is None


@pytest.mark.parametrize(
    ("link", "cursor"),
    [
        ("", None),
        ('<https://ghe.example.com/api/v3/app/hook/deliveries?per_page=100&cursor=v1_384%3D>; rel="next"', "v1_384="),
        ('<https://api.github.com/app/hook/deliveries?cursor=v1_9>; rel="prev"', None),
        ('<https://api.github.com/app?cursor=a>; rel="prev", <https://api.github.com/app?cursor=b>; rel="next"', "b"),
        ('<https://api.github.com/app/hook/deliveries?page=2>; rel="next"', None),
        ("not a link", None),
    ],
)
def test_the_next_pages_cursor_is_read_off_the_link(link: str, cursor: str | None) -> None:
    assert next_cursor(link) == cursor


# --- Where the App is


def test_every_account_that_the_app_is_on_is_told_with_since_when(alone: HubStage) -> None:
    alone.hub.suspend(alone.hub.install(alone.app, "acme-alone"))

    octo, acme = alone.github.hindsight.installations()

    assert (octo.id, octo.account, octo.is_suspended) == (alone.installation.id, alone.ref.owner, False)
    assert octo.since == alone.installation.created_at.timestamp()
    assert (acme.account, acme.is_suspended) == ("acme-alone", True)


def test_what_the_app_sees_is_asked_now(alone: HubStage) -> None:
    hindsight, account = alone.github.hindsight, RepositoryRef(alone.installation.id, 0, alone.ref.owner, "")
    assert hindsight.sees(alone.ref)
    assert hindsight.sees(account)

    alone.hub.select(alone.installation, alone.repository, added=False)
    assert not hindsight.sees(alone.ref)
    assert hindsight.sees(account)

    alone.hub.suspend(alone.installation)
    assert not hindsight.sees(account)

    alone.hub.uninstall(alone.installation)
    assert not hindsight.sees(account)


# --- Labels


def another(stage: HubStage, name: str) -> RepositoryHandle:
    return stage.hub.create_repository(f"{stage.ref.owner}/{name}")


def labelled(stage: HubStage, *, since: float = 0.0, label: str = "selfcode") -> list[LabelledIssue]:
    hindsight = stage.github.hindsight
    [installation] = [each for each in hindsight.installations() if each.id == stage.installation.id]
    return list(hindsight.labelled(installation, label, since=since))


def test_open_issues_with_the_label_are_found_in_every_repository(scene: HubStage) -> None:
    other = another(scene, "dog")
    one, _, closed = scene.open_issue(labels=("SelfCode",)), scene.open_issue(labels=("bug",)), scene.open_issue()
    two = other.open_issue("It barks", by="ada", labels=("bug", "selfcode"))
    scene.issue(closed).label("selfcode", by="ada")
    scene.close(closed)

    found = labelled(scene)

    dog = RepositoryRef(scene.installation.id, other.id, scene.ref.owner, "dog")
    assert [each.issue for each in found] == [one, IssueRef(dog, two.number)]
    assert found[1].labels == ("bug", "selfcode")


def test_a_pull_request_with_the_label_is_no_issue(scene: HubStage) -> None:
    scene.push("more", "x = 2\n")
    number = scene.repository.open_pull("more", by="mona").number
    scene.hub.changes.add_label(
        scene.hub.world.issue(scene.repository.state_of, number), scene.hub.create_user("ada"), "selfcode"
    )

    assert labelled(scene) == []


def test_issues_that_nothing_has_happened_to_since_are_not_asked_for(scene: HubStage) -> None:
    scene.open_issue(labels=("selfcode",))
    scene.hub.advance(minutes=60)
    new = scene.open_issue(labels=("selfcode",))

    assert [each.issue for each in labelled(scene, since=scene.hub.world.now().timestamp())] == [new]


def test_an_account_where_nothing_happened_costs_one_request_however_many_repositories_it_has(scene: HubStage) -> None:
    for number in range(3):
        another(scene, f"dog-{number}").open_issue("It barks", by="ada")
    old = another(scene, "old")
    old.open_issue("It rusts", by="ada", labels=("selfcode",))
    old.archive()
    hindsight = scene.github.hindsight
    [installation] = [each for each in hindsight.installations() if each.id == scene.installation.id]
    before = len(scene.hub.requests)

    assert list(hindsight.labelled(installation, "selfcode", since=0.0)) == []

    assert [asked.path.rpartition("/")[2] for asked in scene.hub.requests[before:]] == ["access_tokens", "issues"]


def test_a_public_repository_that_the_app_is_not_on_is_left_out(alone: HubStage) -> None:
    elsewhere = another(alone, "elsewhere")
    elsewhere.open_issue("It barks", by="ada", labels=("selfcode",))
    alone.hub.select(alone.installation, elsewhere, added=False)
    one = alone.open_issue(labels=("selfcode",))

    assert [each.issue for each in labelled(alone)] == [one]


def test_more_than_a_page_of_issues_is_told_once_each_though_some_change_meanwhile(scene: HubStage) -> None:
    opened = [scene.open_issue(labels=("selfcode",)) for _ in range(PAGE + 1)]
    scene.hub.advance(minutes=1)
    opened += [scene.open_issue(labels=("selfcode",)) for _ in range(PAGE)]
    hindsight = scene.github.hindsight
    [installation] = [each for each in hindsight.installations() if each.id == scene.installation.id]

    told = []
    for found in hindsight.labelled(installation, "selfcode", since=0.0):
        told.append(found.issue)
        if len(told) == 1:
            scene.hub.advance(minutes=1)
            scene.issue(opened[0]).comment("Anyone?", by="ada")

    assert sorted(told, key=lambda at: at.number) == opened


def test_what_a_search_has_not_seen_is_looked_for_later(scene: HubStage) -> None:
    half = {"total_count": 0, "incomplete_results": True, "items": []}
    scene.hub.fail_next("GET", "/search/issues", 200, half)

    with pytest.raises(Unavailable):
        labelled(scene)


def test_a_label_with_quotes_in_its_name_is_searched_for(scene: HubStage) -> None:
    label = 'ask "selfcode"\\now'
    at = scene.open_issue(labels=(label,))

    assert [each.issue for each in labelled(scene, label=label)] == [at]


def test_who_put_the_label_on_last_is_told_with_when(scene: HubStage) -> None:
    at = scene.open_issue(labels=("bug", "selfcode"))
    scene.hub.advance(minutes=60)
    scene.issue(at).unlabel("selfcode", by="ada")
    scene.issue(at).label("selfcode", by="mona")
    scene.issue(at).label("later", by="ada")

    found = scene.github.hindsight.labelling(at, "SelfCode")

    assert found is not None
    assert (found.by, found.at, found.off_at) == (Person("mona"), *[scene.hub.world.now().timestamp()] * 2)


def test_of_a_label_that_had_another_name_it_is_not_known_who_put_it_on(scene: HubStage) -> None:
    at = scene.open_issue(labels=("bot",))

    assert scene.github.hindsight.labelling(at, "selfcode") is None


def test_a_label_that_was_put_on_by_an_account_that_is_gone_is_nobodys(scene: HubStage) -> None:
    at = scene.open_issue()
    event = {"event": "labeled", "created_at": "2026-11-30T10:00:00Z", "actor": None, "label": {"name": "selfcode"}}
    scene.hub.fail_next("GET", f"/{scene.ref.full_name}/issues/1/events", 200, [event])

    found = scene.github.hindsight.labelling(at, "selfcode")

    assert found is not None
    assert found.by is None


def test_all_that_is_asked_and_answered_here_is_as_github_published_it(scene: HubStage) -> None:
    at, since = scene.open_issue(labels=("selfcode",)), len(scene.hub.requests)
    hindsight = scene.github.hindsight
    scene.hub.set_webhook(scene.app, NOWHERE)
    scene.hub.wait_for_deliveries()

    hindsight.body(hindsight.deliveries().attempts[0].id)
    labelled(scene)
    hindsight.labelling(at, "selfcode")
    scene.hub.set_webhook(scene.app, "")

    asked = scene.hub.requests[since:]
    assert {each.status for each in asked} <= {200, 201}
    for each in asked:
        published.check_request(each.method, each.path, each.json, each.version)
        published.check_answer(each.method, each.path, each.status, each.answer, each.version)

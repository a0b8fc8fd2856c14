"""What could not be heard when it happened is found out later, once."""

import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine, delete

from bot.demo.hub import Hub
from bot.records import IssueRef, Receipt, RepositoryRef, Trigger, TriggerKind
from bot.runs.catching_up import AWAY_S, EVERY_S
from bot.runs.hearing import LateInbox
from bot.runs.inbox import SqlInbox
from bot.runs.missed_deliveries import TRIES
from bot.runs.missed_labels import AGAIN_S, labelled_event
from bot.runs.store import Store
from bot.runs.tables import inbox
from bot.triggers.decide import Accept, decide
from bot.triggers.events import parse
from bot.triggers.happening import told_at
from tests.runs.builders import a_trigger
from tests.runs.lookout import DAY, HOUR, NOWHERE, Lookout

INSTALLED, START, STATUS, STOP, RETRY, UNINSTALLED = (
    str(kind)
    for kind in (
        TriggerKind.INSTALLED,
        TriggerKind.START,
        TriggerKind.STATUS,
        TriggerKind.STOP,
        TriggerKind.RETRY,
        TriggerKind.UNINSTALLED,
    )
)
LIMITED = {"message": "You have exceeded a secondary rate limit. Please wait."}


@dataclass(frozen=True, slots=True)
class Stumbling:
    """An inbox with a bug over one kind of trigger."""

    inbox: LateInbox
    over: str

    def accept_as_one(self, trigger: Trigger, others: Collection[str]) -> Receipt:
        if trigger.kind == self.over:
            raise KeyError(self.over)
        return self.inbox.accept_as_one(trigger, others)


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    with Hub() as running:
        yield running


@pytest.fixture
def lookout(hub: Hub, engine: Engine) -> Lookout:
    return Lookout(hub, engine)


# --- Deliveries


def test_what_nobody_took_is_heard_as_the_webhook_would_have_heard_it(lookout: Lookout) -> None:
    lookout.an_issue().label("selfcode", by="ada")

    lookout.turn()

    sent = lookout.sent()[-1]
    decision = decide(
        parse("issues", sent.body, "application/json"),
        label="selfcode",
        bot_login=f"{lookout.app.slug}[bot]",
        delivery_id=sent.guid,
    )
    assert isinstance(decision, Accept)
    assert lookout.heard()[-1:] == list(decision.triggers)
    assert lookout.kinds() == [INSTALLED, START]


def test_what_people_did_is_heard_in_the_order_in_which_they_did_it(lookout: Lookout) -> None:
    issue = lookout.an_issue("selfcode")
    issue.comment("/selfcode retry Keep the API.", by="ada")
    issue.close(by="ada")

    lookout.turn()

    assert lookout.kinds() == [INSTALLED, START, RETRY, STOP]


def test_who_took_back_what_they_allowed_is_signed_out_though_nobody_took_that(lookout: Lookout) -> None:
    ada = lookout.lets_it_ask("ada")
    lookout.hub.revoke("ada")

    lookout.turn()
    lookout.turn()

    assert ([user_id for user_id, _ in lookout.signed_out], lookout.kinds()) == ([ada], [INSTALLED])


def test_who_has_signed_in_anew_since_they_took_it_back_stays_in_though_it_is_told_again(lookout: Lookout) -> None:
    lookout.lets_it_ask("ada")
    lookout.hub.revoke("ada")
    lookout.hub.wait_for_deliveries()
    told_at = lookout.now()
    lookout.hub.advance(minutes=20)
    told = [each for each in lookout.hub.world.deliveries if each.event == "github_app_authorization"]
    lookout.hub.redeliver(next(each for each in told if each.app is lookout.app))

    lookout.turn()

    [(_, until)] = lookout.signed_out
    assert until is not None
    assert until <= told_at


def test_the_same_is_heard_once_however_often_it_is_looked(lookout: Lookout) -> None:
    lookout.an_issue("selfcode")
    lookout.turn()

    lookout.turn()
    lookout.restart()
    lookout.turn()

    assert lookout.kinds() == [INSTALLED, START]


def test_what_was_looked_at_before_is_not_fetched_again(lookout: Lookout) -> None:
    lookout.an_issue("selfcode")
    lookout.turn()
    before = len(lookout.hub.requests)

    lookout.turn()

    assert lookout.asked(since=before) == ["/app/hook/deliveries"]


def test_what_was_taken_is_not_fetched(lookout: Lookout) -> None:
    lookout.turn()
    lookout.an_issue("selfcode")
    lookout.hub.wait_for_deliveries()
    for sent in lookout.sent():
        sent.status_code, sent.status = 202, "OK"
    before = len(lookout.hub.requests)

    lookout.turn()

    assert lookout.asked(since=before) == ["/app/hook/deliveries"]


def test_without_a_public_address_all_is_fetched_whoever_answered(lookout: Lookout) -> None:
    lookout.restart(polls=True)
    lookout.an_issue("selfcode")
    lookout.hub.wait_for_deliveries()
    for sent in lookout.sent():
        sent.status_code, sent.status = 200, "OK"

    pause_s = lookout.turn()

    assert lookout.kinds() == [INSTALLED, START]
    assert pause_s == 30.0


def test_what_can_ask_for_nothing_is_not_fetched(lookout: Lookout) -> None:
    lookout.turn()
    issue = lookout.an_issue()
    issue.edit(by="ada", title="It breaks badly")
    issue.lock()
    before = len(lookout.hub.requests)

    lookout.turn()

    [opened] = [each.id for each in lookout.sent() if each.action == "opened"]
    assert lookout.asked(since=before) == ["/app/hook/deliveries", f"/app/hook/deliveries/{opened}"]


def test_where_github_wants_us_to_wait_it_goes_on_there_later(lookout: Lookout) -> None:
    issue = lookout.an_issue()
    for _ in range(4):
        issue.comment("/selfcode status", by="ada")
    lookout.hub.wait_for_deliveries()
    third = [each.id for each in lookout.sent() if each.event == "issue_comment"][2]
    lookout.hub.fail_next("GET", f"/app/hook/deliveries/{third}$", 403, LIMITED, headers={"Retry-After": "1200"})

    pause_s = lookout.turn()
    heard = lookout.kinds()
    before = len(lookout.hub.requests)
    lookout.restart()
    lookout.turn()

    assert pause_s == 1200
    assert heard == [INSTALLED, STATUS, STATUS]
    assert lookout.kinds() == [INSTALLED, *[STATUS] * 4]
    fetched = [path for path in lookout.asked(since=before) if path.startswith("/app/hook/deliveries/")]
    assert int(fetched[-1].rpartition("/")[2]) == lookout.sent()[-1].id


def test_what_is_done_already_is_not_fetched_again_though_something_before_it_is_left_to_do(lookout: Lookout) -> None:
    lookout.an_issue("selfcode")
    lookout.hub.wait_for_deliveries()
    last = lookout.sent()[-1].id
    lookout.hub.fail_next("GET", f"/app/hook/deliveries/{last}$", 403, LIMITED, headers={"Retry-After": "1200"})
    lookout.turn()
    before = len(lookout.hub.requests)

    lookout.turn()

    assert lookout.asked(since=before) == ["/app/hook/deliveries", f"/app/hook/deliveries/{last}"]
    assert lookout.mark().delivery_id == last


def test_a_delivery_that_cannot_be_read_keeps_nobody_waiting(lookout: Lookout) -> None:
    lookout.an_issue("selfcode")
    lookout.hub.wait_for_deliveries()
    ids = [each.id for each in lookout.sent()]
    lookout.hub.fail_next("GET", f"/app/hook/deliveries/{ids[0]}$", 404, {"message": "Not Found"})
    lookout.hub.fail_next("GET", f"/app/hook/deliveries/{ids[1]}$", 200, {"request": {"payload": ["no", "object"]}})

    lookout.turn()

    assert lookout.kinds() == [START]
    assert lookout.mark().delivery_id == ids[-1]


def test_a_delivery_that_a_bug_is_met_over_keeps_no_other_unheard(lookout: Lookout) -> None:
    lookout.an_issue("selfcode")
    lookout.hub.wait_for_deliveries()
    last = lookout.sent()[-1].id
    deliveries = lookout.catching_up.deliveries
    deliveries.hearing = replace(deliveries.hearing, inbox=Stumbling(deliveries.hearing.inbox, over=INSTALLED))

    marks = []
    for _ in range(TRIES):
        lookout.turn()
        marks.append(lookout.mark().delivery_id)

    assert lookout.kinds() == [START]
    assert [mark == last for mark in marks] == [False, False, True]


def test_that_the_app_left_is_not_heard_where_nobody_can_look_whether_it_did(lookout: Lookout) -> None:
    lookout.hub.select(lookout.installation, lookout.repository, added=False)
    lookout.hub.select(lookout.installation, lookout.repository)
    lookout.an_issue("selfcode")
    refused = {"message": "Although you appear to have the correct authorization, your IP address is not permitted"}
    lookout.hub.fail_next("GET", "/repositories/[0-9]+$", 403, refused)

    lookout.turn()

    assert lookout.kinds() == [INSTALLED, INSTALLED, START]


def test_what_was_ordered_to_be_forgotten_is_not_heard_once_more(lookout: Lookout) -> None:
    lookout.restart(polls=True)
    lookout.an_issue("selfcode")
    lookout.turn()
    with lookout.engine.begin() as connection:
        connection.execute(delete(inbox).where(inbox.c.kind == START))
    lookout.forgotten[lookout.repository.id] = lookout.now()
    lookout.restart(polls=True)

    lookout.turn()

    assert lookout.kinds() == [INSTALLED]


def test_while_github_is_away_it_is_tried_again_soon(lookout: Lookout) -> None:
    lookout.hub.fail_next("GET", "/app/hook/deliveries", 502, times=3)

    assert lookout.turn() == AWAY_S
    assert lookout.turn() == EVERY_S
    assert lookout.kinds() == [INSTALLED]


def test_that_the_app_left_is_not_heard_where_it_is_again(lookout: Lookout) -> None:
    lookout.hub.select(lookout.installation, lookout.repository, added=False)
    lookout.hub.select(lookout.installation, lookout.repository)
    lookout.hub.suspend(lookout.installation)
    lookout.hub.unsuspend(lookout.installation)

    lookout.turn()

    assert lookout.kinds() == [INSTALLED, INSTALLED, INSTALLED]


def test_that_the_app_left_for_good_is_heard_late_too(lookout: Lookout) -> None:
    lookout.hub.select(lookout.installation, lookout.repository, added=False)
    lookout.turn()
    assert lookout.kinds() == [INSTALLED, UNINSTALLED]

    lookout.hub.uninstall(lookout.installation)
    lookout.turn()
    assert lookout.kinds() == [INSTALLED, UNINSTALLED, UNINSTALLED]


# --- Labels that no delivery tells of


def test_what_was_labelled_during_a_suspension_is_found_soon_after_it(lookout: Lookout) -> None:
    lookout.turn()
    lookout.hub.suspend(lookout.installation)
    account = IssueRef(RepositoryRef(lookout.installation.id, 0, lookout.owner, ""), 0)
    SqlInbox(lookout.engine).accept(a_trigger(TriggerKind.UNINSTALLED, issue=account))
    lookout.an_issue().label("selfcode", by="ada")
    lookout.hub.advance(minutes=3 * HOUR)
    lookout.turn()
    before = lookout.started()

    lookout.hub.unsuspend(lookout.installation)
    Store(lookout.engine).let_in_again(lookout.installation.id)
    is_asked = lookout.catching_up.labels.is_asked()
    lookout.turn()

    assert (before, is_asked) == ([], True)
    assert lookout.started() == ["cat"]
    assert not lookout.catching_up.labels.is_asked()


def test_a_label_is_found_whose_delivery_github_no_longer_keeps(lookout: Lookout) -> None:
    lookout.turn()
    issue = lookout.an_issue()
    issue.label("selfcode", by="ada")
    told = lookout.sent()[-1]
    lookout.forgets_what_was_delivered()

    lookout.turn()

    trigger = lookout.heard()[-1]
    assert trigger.kind is TriggerKind.START
    assert (trigger.issue.number, trigger.sender.login) == (issue.number, "ada")
    assert trigger.key == f"start:{lookout.repository.id}#{issue.number}@{told.payload['issue']['updated_at']}"


def test_a_label_that_is_found_and_then_told_of_is_one(lookout: Lookout) -> None:
    lookout.listens("")
    lookout.an_issue("selfcode")
    lookout.turn()
    assert lookout.kinds() == [INSTALLED, START]

    lookout.listens(NOWHERE)
    for unsent in [each for each in lookout.sent() if each.event == "issues"]:
        lookout.hub.redeliver(unsent)
    lookout.turn()

    assert lookout.kinds() == [INSTALLED, START]


def told(lookout: Lookout, *, seconds_later: int = 0) -> Trigger:
    """What the newest delivery asks for, where GitHub gave another moment to the issue than to the label's event."""
    event = parse("issues", lookout.sent()[-1].body, "application/json")
    decision = decide(event, label="selfcode", bot_login=f"{lookout.app.slug}[bot]", delivery_id="d-1")
    assert isinstance(decision, Accept)
    [trigger] = decision.triggers
    return told_at(trigger, datetime.fromisoformat(trigger.occurred_at) + timedelta(seconds=seconds_later))


@pytest.mark.parametrize("seconds_later", [-1, 1, 2])
def test_a_label_that_is_found_and_told_of_with_another_second_is_one(lookout: Lookout, seconds_later: int) -> None:
    lookout.listens("")
    lookout.an_issue().label("selfcode", by="ada")
    trigger = told(lookout, seconds_later=seconds_later)
    lookout.turn()

    assert SqlInbox(lookout.engine).accept(trigger) is Receipt.DUPLICATE
    assert lookout.kinds() == [INSTALLED, START]


@pytest.mark.parametrize("seconds_later", [-1, 1, 2])
def test_a_label_that_is_told_of_and_found_with_another_second_is_one(lookout: Lookout, seconds_later: int) -> None:
    lookout.listens("")
    lookout.an_issue().label("selfcode", by="ada")
    SqlInbox(lookout.engine).accept(told(lookout, seconds_later=seconds_later))

    lookout.turn()

    assert lookout.started() == ["cat"]


def test_a_label_that_was_taken_off_and_put_on_within_two_seconds_asks_again(lookout: Lookout) -> None:
    lookout.listens("")
    issue = lookout.an_issue("selfcode")
    SqlInbox(lookout.engine).accept(told(lookout))
    lookout.hub.advance(minutes=1 / 60)
    issue.unlabel("selfcode", by="ada")
    lookout.hub.advance(minutes=1 / 60)
    issue.label("selfcode", by="ada")

    lookout.turn()

    assert lookout.started() == ["cat", "cat"]


def test_a_label_that_may_yet_be_told_of_is_looked_at_again_soon(lookout: Lookout) -> None:
    lookout.listens("")
    lookout.an_issue("selfcode")
    lookout.catching_up.labels.catch_up()
    young = lookout.kinds()
    lookout.hub.advance(minutes=AGAIN_S / 60)

    lookout.catching_up.labels.catch_up()

    assert (young, lookout.kinds()) == ([], [START])


@pytest.mark.parametrize("skew_s", [-300.0, 60.0])
def test_a_clock_that_is_wrong_loses_and_doubles_nothing(lookout: Lookout, skew_s: float) -> None:
    lookout.skew_s = skew_s
    lookout.an_issue("selfcode")
    lookout.turn()
    lookout.listens("")
    lookout.an_issue().label("selfcode", by="ada")
    untold = told(lookout)

    for _ in range(3):
        lookout.turn()
        lookout.hub.advance(minutes=HOUR)
    lookout.skew_s = -skew_s
    lookout.turn()

    assert SqlInbox(lookout.engine).accept(untold) is Receipt.DUPLICATE
    assert [(each.kind, each.issue.number) for each in lookout.heard()] == [(INSTALLED, 0), (START, 1), (START, 2)]


def test_of_very_many_labels_some_are_left_for_the_next_hour(
    lookout: Lookout, caplog: pytest.LogCaptureFixture
) -> None:
    lookout.turn()
    lookout.listens("")
    lookout.catching_up.labels.lookups = 3
    bot = lookout.hub.create_app("triage-2", owner="acme").bot
    for _ in range(3):
        lookout.hub.advance(minutes=1)
        with lookout.hub.world.lock:
            lookout.hub.changes.add_label(lookout.an_issue().state_of, bot, "selfcode")
    lookout.an_issue("selfcode")
    lookout.hub.advance(minutes=HOUR)

    lookout.turn()
    first = lookout.kinds()
    lookout.hub.advance(minutes=HOUR)
    lookout.turn()

    assert "3 issues of " in caplog.text
    assert (first, lookout.kinds()) == ([INSTALLED], [INSTALLED, START])


def test_a_label_that_was_told_of_costs_no_further_question(lookout: Lookout) -> None:
    lookout.an_issue("selfcode")

    lookout.turn()

    assert not [path for path in lookout.asked() if path.endswith("/events")]


def test_a_label_that_was_put_on_again_asks_again(lookout: Lookout) -> None:
    issue = lookout.an_issue("selfcode")
    lookout.turn()
    lookout.listens("")
    issue.unlabel("selfcode", by="ada")
    lookout.hub.advance(minutes=HOUR)
    issue.label("selfcode", by="ada")

    lookout.turn()

    assert lookout.kinds() == [INSTALLED, START, START]


def test_talk_on_an_issue_whose_label_was_told_of_starts_nothing(lookout: Lookout) -> None:
    issue = lookout.an_issue("selfcode")
    lookout.turn()
    lookout.listens("")
    lookout.hub.advance(minutes=HOUR)
    issue.comment("How is it going?", by="ada")

    lookout.turn()

    assert lookout.kinds() == [INSTALLED, START]


def test_what_was_labelled_before_the_app_came_is_left_alone(lookout: Lookout) -> None:
    lookout.turn()
    elsewhere = lookout.hub.create_repository(f"{lookout.owner}-2/dog")
    elsewhere.open_issue("It barks", by="ada", labels=("selfcode",))
    lookout.hub.advance(minutes=1)
    lookout.hub.install(lookout.app, f"{lookout.owner}-2")
    lookout.restart(owners=(f"{lookout.owner}-2",))

    lookout.turn()

    assert lookout.kinds() == [INSTALLED, INSTALLED]


def test_what_was_labelled_before_its_repository_was_added_is_left_alone(lookout: Lookout) -> None:
    lookout.hub.select(lookout.installation, lookout.repository, added=False)
    lookout.turn()
    lookout.an_issue("selfcode")
    lookout.hub.advance(minutes=1)
    lookout.hub.select(lookout.installation, lookout.repository)
    lookout.restart()

    lookout.turn()

    assert lookout.kinds() == [INSTALLED, UNINSTALLED, INSTALLED]


def test_it_is_looked_back_as_far_as_the_outage_was_long(lookout: Lookout) -> None:
    lookout.keep_mark(days_ago=0)
    lookout.an_issue("selfcode")
    lookout.hub.advance(minutes=20 * DAY)
    lookout.an_issue("selfcode")
    lookout.forgets_what_was_delivered()

    lookout.turn()

    assert lookout.kinds() == [START, START]


def test_without_a_mark_it_is_looked_back_as_far_as_deliveries_are_kept(lookout: Lookout) -> None:
    lookout.an_issue("selfcode")
    lookout.forgets_what_was_delivered()
    lookout.an_issue("selfcode")

    lookout.turn()

    assert [trigger.issue.number for trigger in lookout.heard()] == [2]


def test_what_is_older_than_what_is_kept_of_runs_is_left_alone(lookout: Lookout) -> None:
    lookout.keep_mark(days_ago=0)
    lookout.an_issue("selfcode")
    lookout.forgets_what_was_delivered()
    lookout.catching_up = replace(
        lookout.catching_up, labels=replace(lookout.catching_up.labels, longest_look_s=3 * DAY * 60)
    )

    lookout.turn()

    assert lookout.kinds() == []


def test_what_was_ordered_to_be_forgotten_does_not_come_back(lookout: Lookout) -> None:
    lookout.turn()
    lookout.an_issue().label("selfcode", by="ada")
    lookout.forgets_what_was_delivered()
    lookout.forgotten[lookout.repository.id] = lookout.now()

    lookout.turn()
    lookout.forgotten.clear()
    nothing = lookout.started()
    lookout.restart()
    lookout.keep_mark(days_ago=7)
    lookout.turn()

    assert (nothing, lookout.started()) == ([], ["cat"])


def test_a_label_that_a_bot_put_on_asks_for_nothing(lookout: Lookout) -> None:
    lookout.listens("")
    other = lookout.hub.create_app("triage", owner="acme")
    with lookout.hub.world.lock:
        lookout.hub.changes.add_label(lookout.an_issue().state_of, other.bot, "selfcode")

    lookout.turn()

    assert lookout.kinds() == [INSTALLED]


def test_labels_are_looked_through_hourly(lookout: Lookout) -> None:
    lookout.an_issue()
    lookout.turn()
    for minutes in (0, 30, 31):
        lookout.hub.advance(minutes=minutes)
        lookout.turn()

    assert len([path for path in lookout.asked() if path == "/search/issues"]) == 2


def test_accounts_that_may_not_use_it_and_those_that_suspended_it_are_left_out(lookout: Lookout) -> None:
    lookout.hub.create_repository("nobody-s/dog").open_issue("It barks", by="ada", labels=("selfcode",))
    lookout.hub.install(lookout.app, "nobody-s")
    lookout.an_issue("selfcode")
    lookout.hub.suspend(lookout.installation)

    lookout.turn()

    assert not [path for path in lookout.asked() if path == "/search/issues"]


def test_an_account_that_cannot_be_looked_through_now_keeps_no_other_from_it(lookout: Lookout) -> None:
    lookout.listens("")
    lookout.hub.create_repository(f"{lookout.owner}-3/dog").open_issue("It barks", by="ada")
    lookout.hub.install(lookout.app, f"{lookout.owner}-3")
    lookout.an_issue("selfcode")
    dog = lookout.hub.repository(f"{lookout.owner}-3/dog")
    dog.open_issue("It bites", by="ada", labels=("selfcode",))
    lookout.restart(owners=(f"{lookout.owner}-3",))
    lookout.hub.fail_next("GET", "/search/issues", 403, LIMITED, headers={"Retry-After": "2000"})

    lookout.turn()
    assert lookout.started() == ["dog"]

    lookout.hub.advance(minutes=30)
    lookout.turn()
    assert lookout.started() == ["dog"]

    lookout.hub.advance(minutes=30)
    lookout.turn()
    assert lookout.started() == ["dog", "cat"]


def test_an_account_that_took_back_its_permission_is_left_out(lookout: Lookout) -> None:
    lookout.an_issue("selfcode")
    lookout.listens("")
    lookout.hub.allow(lookout.installation, issues="none")

    lookout.turn()

    assert lookout.mark().at > 0


def test_what_nobody_told_of_asks_for_what_would_have_been_told(lookout: Lookout) -> None:
    lookout.an_issue("bug", "selfcode")
    lookout.hub.wait_for_deliveries()
    hindsight = lookout.catching_up.labels.hindsight
    [installation] = hindsight.installations()
    [found] = hindsight.labelled(installation, "selfcode", since=0.0)
    labelling = hindsight.labelling(found.issue, "selfcode")

    assert labelling is not None
    assert labelling.by is not None
    made = labelled_event(found, labelling.by, labelling.at, "selfcode")
    told = parse("issues", lookout.sent()[-1].body, "application/json")
    ours = {"label": "selfcode", "bot_login": "selfcode[bot]", "delivery_id": "d-1"}
    assert decide(made, **ours) == decide(told, **ours)


# --- When


def test_only_one_worker_looks_back_at_a_time(lookout: Lookout) -> None:
    lookout.catching_up = replace(lookout.catching_up, is_ours=lambda: False)
    lookout.an_issue("selfcode")

    assert lookout.turn() == EVERY_S
    assert lookout.asked() == []


@dataclass
class Ending:
    """Something to do that fails, and sets an event once it was done so often."""

    until: threading.Event
    times: int
    done: list[int] = field(default_factory=list)

    def __call__(self) -> bool:
        self.done.append(1)
        if len(self.done) >= self.times:
            self.until.set()
        raise RuntimeError("a bug")


def test_a_bug_does_not_end_it_and_the_end_of_the_worker_does(lookout: Lookout) -> None:
    until = threading.Event()
    fails = Ending(until, times=3)

    replace(lookout.catching_up, is_ours=fails, every_s=0.0).work(until)

    assert len(fails.done) == 3

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from bot.errors import Gone, Refused, Unavailable
from bot.records import Health, IssueRef, Person, Receipt, RepositoryRef, Subject, TriggerKind
from bot.runs.acting import TOLD_ELSEWHERE_S
from bot.runs.deciding import CHEAP_OF_AN_ACCOUNT, fair
from bot.runs.store import SqlInbox, Store, Waiting, run_id_for
from bot.triggers.installing import FOR_GOOD
from tests.github.fake import FakeGitHub
from tests.runs.builders import MAINTAINER, STRANGER, a_trigger, an_issue_ref, at
from tests.runs.desk import HEAD, Desk

START, RETRY, STOP, DOCTOR = TriggerKind.START, TriggerKind.RETRY, TriggerKind.STOP, TriggerKind.DOCTOR


# --- Starting


def test_a_label_starts_one_run(desk: Desk) -> None:
    trigger = desk.asks(START)

    desk.turn(3)

    assert desk.started == [run_id_for(trigger)]
    assert desk.store.waiting() == []


def test_an_issue_opened_with_the_label_and_labelled_then_has_one_run(desk: Desk) -> None:
    opened = desk.asks(START, occurred_at=at(0), because="opened with the label")
    desk.asks(START, occurred_at=at(1), because="label added")

    desk.turn()

    assert desk.started == [run_id_for(opened)]
    assert desk.store.waiting() == []


def test_a_label_event_that_comes_while_the_run_is_at_work_starts_no_other(desk: Desk) -> None:
    (run,) = desk.runs(occurred_at=at(0))

    desk.asks(START, occurred_at=at(1))
    desk.turn()

    assert desk.started == [run]
    assert desk.store.waiting() == []


def test_a_label_event_that_comes_late_does_not_start_again_what_has_ended(desk: Desk) -> None:
    (run,) = desk.runs(occurred_at=at(5))
    desk.ends(run)

    desk.asks(START, occurred_at=at(5))
    desk.asks(START, occurred_at=at(4))
    desk.turn()

    assert desk.started == [run]
    assert desk.store.waiting() == []


def test_the_label_set_anew_after_a_run_starts_the_next(desk: Desk) -> None:
    (first,) = desk.runs(occurred_at=at(0))
    desk.ends(first)

    (second,) = desk.runs(occurred_at=at(60))

    assert desk.started == [first, second]


def test_a_redelivered_trigger_starts_nothing_after_its_run_has_ended(desk: Desk) -> None:
    trigger = desk.asks(START)
    desk.turn()
    desk.ends(run_id_for(trigger))

    receipt = desk.inbox.accept(trigger)
    desk.turn()

    assert receipt is Receipt.DUPLICATE
    assert desk.started == [run_id_for(trigger)]


def test_a_retry_during_a_run_waits_and_follows(desk: Desk) -> None:
    (run,) = desk.runs()
    retry = desk.comments(RETRY, occurred_at=at(9))

    desk.turn(2)
    while_running = list(desk.started)
    desk.ends(run)
    desk.turn()

    assert while_running == [run]
    assert desk.started == [run, run_id_for(retry)]


def test_two_retries_follow_one_after_the_other(desk: Desk) -> None:
    first, second = desk.comments(RETRY), desk.comments(RETRY)

    desk.turn(2)
    at_first = list(desk.started)
    desk.ends(run_id_for(first))
    desk.turn()

    assert at_first == [run_id_for(first)]
    assert desk.started == [run_id_for(first), run_id_for(second)]


def test_different_issues_run_beside_each_other_up_to_the_limit(desk: Desk) -> None:
    first, second, third = [desk.asks(START, issue=IssueRef(desk.repository.ref, number)) for number in (1, 2, 3)]

    desk.turn(2)
    at_first = list(desk.started)
    desk.ends(run_id_for(first))
    desk.turn()

    assert at_first == [run_id_for(first), run_id_for(second)]
    assert desk.started[2:] == [run_id_for(third)]


@pytest.mark.parametrize("kind", list(TriggerKind))
def test_nothing_is_done_for_an_owner_who_is_not_allowed(desk: Desk, kind: TriggerKind) -> None:
    desk.asks(kind, issue=an_issue_ref(owner="someone-else"), comment_id=5, sender=MAINTAINER)

    desk.turn()

    assert (desk.started, desk.github.calls, desk.store.waiting()) == ([], [], [])


def test_an_owner_is_allowed_whatever_the_letter_case(desk: Desk) -> None:
    trigger = desk.asks(START, issue=an_issue_ref(owner="OctO"))

    desk.turn()

    assert desk.started == [run_id_for(trigger)]


def test_nobody_is_allowed_where_nobody_is_named(inbox: SqlInbox, store: Store, tmp_path: Path) -> None:
    desk = Desk(inbox, store, tmp_path, allowed_owners=frozenset())

    desk.runs()

    assert desk.started == []


# --- Examinations


def test_an_examination_is_begun_like_a_run_and_takes_a_place(desk: Desk) -> None:
    doctor = desk.comments(DOCTOR)
    others = [desk.asks(START, issue=IssueRef(desk.repository.ref, number)) for number in (2, 3)]

    desk.turn(2)

    assert desk.started == [run_id_for(doctor), run_id_for(others[0])]


def test_an_examination_and_the_work_on_its_issue_do_not_keep_each_other_waiting(desk: Desk) -> None:
    doctor = desk.comments(DOCTOR, occurred_at=at(0))
    start = desk.asks(START, occurred_at=at(1))

    desk.turn(2)

    assert desk.started == [run_id_for(doctor), run_id_for(start)]
    assert desk.store.waiting() == []


def test_a_label_that_was_set_before_an_examination_still_starts_its_run(desk: Desk) -> None:
    doctor = desk.comments(DOCTOR, occurred_at=at(5))
    desk.turn()
    desk.store.finish(run_id_for(doctor), Health.HEALTHY, "")

    start = desk.asks(START, occurred_at=at(4))
    desk.turn()

    assert desk.started == [run_id_for(doctor), run_id_for(start)]


def test_two_examinations_of_one_issue_follow_one_after_the_other(desk: Desk) -> None:
    first, second = desk.comments(DOCTOR), desk.comments(DOCTOR)

    desk.turn(2)
    at_first = list(desk.started)
    desk.store.finish(run_id_for(first), Health.UNHEALTHY, "")
    desk.turn()

    assert at_first == [run_id_for(first)]
    assert desk.started == [run_id_for(first), run_id_for(second)]


def test_an_examination_is_stopped_by_a_comment(desk: Desk) -> None:
    doctor, waiting = desk.comments(DOCTOR, occurred_at=at(0)), desk.comments(DOCTOR, occurred_at=at(1))
    desk.turn()

    desk.comments(STOP, occurred_at=at(9))
    desk.turn()

    assert desk.store.stop_because(run_id_for(doctor)) == "/selfcode stop"
    assert waiting not in [each.trigger for each in desk.store.waiting()]


@pytest.mark.parametrize("because", ["issue closed", "label removed", "pull request #9 closed"])
def test_what_ends_the_work_on_an_issue_leaves_an_examination_of_the_repository(desk: Desk, because: str) -> None:
    doctor, waiting = desk.comments(DOCTOR, occurred_at=at(0)), desk.comments(DOCTOR, occurred_at=at(1))
    (run,) = desk.runs(occurred_at=at(2))

    desk.asks(STOP, because=because, occurred_at=at(9))
    desk.turn()

    assert desk.store.stop_because(run) == because
    assert desk.store.stop_because(run_id_for(doctor)) is None
    assert [each.trigger for each in desk.store.waiting()] == [waiting]


# --- Fairness


def test_a_busy_account_does_not_keep_another_waiting(desk: Desk) -> None:
    busy = [desk.asks(START, issue=an_issue_ref(number, installation=1)) for number in (1, 2, 3)]
    other = desk.asks(START, issue=an_issue_ref(1, installation=2, repository=43))

    desk.turn()

    assert desk.started == [run_id_for(busy[0]), run_id_for(other)]


def test_a_busy_repository_does_not_keep_another_of_its_account_waiting(desk: Desk) -> None:
    busy = [desk.asks(START, issue=an_issue_ref(number, repository=42)) for number in (1, 2, 3)]
    other = desk.asks(START, issue=an_issue_ref(1, repository=43))

    desk.turn()

    assert desk.started == [run_id_for(busy[0]), run_id_for(other)]


def test_among_equals_the_oldest_goes_first() -> None:
    waiting = [Waiting(seq, a_trigger(issue=an_issue_ref(seq))) for seq in (3, 1, 2)]

    assert [each.seq for each in fair(waiting, [])] == [1, 2, 3]


def test_what_waits_is_not_looked_up_again_turn_after_turn(desk: Desk, engine: Engine) -> None:
    desk.runs(*(desk.asks(START, issue=desk.another_issue()) for _ in range(2)))
    for _ in range(9):
        desk.asks(START, issue=desk.another_issue())
    desk.turn(times=20)
    asked: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *given: asked.append(given[2]))

    desk.turn()
    with_nine = len(asked)
    desk.asks(START, issue=desk.another_issue())
    desk.turn(times=3)
    asked.clear()
    desk.turn()

    assert 0 < len(asked) <= with_nine


# --- Stopping


def test_a_stop_by_someone_with_write_access_ends_the_run(desk: Desk) -> None:
    (run,) = desk.runs()
    stop = desk.comments(STOP, occurred_at=at(9))

    desk.turn()

    assert desk.store.stop_because(run) == "/selfcode stop"
    assert desk.reactions_on(stop) == ["eyes"]


def test_a_stop_by_a_stranger_stops_nothing_and_says_no(desk: Desk) -> None:
    (run,) = desk.runs()
    waiting = desk.comments(RETRY, occurred_at=at(8))
    stop = desk.comments(STOP, by=STRANGER, occurred_at=at(9))

    desk.turn()

    assert desk.store.stop_because(run) is None
    assert [each.trigger for each in desk.store.waiting()] == [waiting]
    assert desk.reactions_on(stop) == ["-1"]


@pytest.mark.parametrize("permission", ["none", "read", "triage", "something-new"])
def test_less_than_write_access_is_not_enough_to_stop(desk: Desk, permission: str) -> None:
    desk.repository.roles[MAINTAINER.login] = permission
    (run,) = desk.runs()
    desk.comments(STOP, occurred_at=at(9))

    desk.turn()

    assert desk.store.stop_because(run) is None


@pytest.mark.parametrize("because", ["issue closed", "label removed"])
def test_closing_or_unlabelling_the_issue_needs_no_permission_and_no_answer(desk: Desk, because: str) -> None:
    (run,) = desk.runs()
    before = list(desk.github.calls)
    desk.asks(STOP, sender=STRANGER, because=because, occurred_at=at(9))

    desk.turn()

    assert desk.store.stop_because(run) == because
    assert desk.github.calls == before


def test_a_stop_drops_what_waits(desk: Desk) -> None:
    (run,) = desk.runs()
    desk.comments(RETRY, occurred_at=at(5))
    desk.comments(STOP, occurred_at=at(9))

    desk.turn()
    desk.ends(run)
    desk.turn()

    assert desk.started == [run]
    assert desk.store.waiting() == []


def test_what_was_asked_for_and_taken_back_before_anyone_looked_is_never_started(desk: Desk) -> None:
    desk.asks(START, occurred_at=at(0))
    desk.asks(STOP, because="label removed", occurred_at=at(1))

    desk.turn()

    assert desk.started == []
    assert desk.store.waiting() == []


def test_a_label_put_on_again_within_the_same_second_is_not_taken_back(desk: Desk) -> None:
    (run,) = desk.runs(occurred_at=at(0))
    desk.asks(STOP, because="label removed", occurred_at=at(5))
    again = desk.asks(START, occurred_at=at(5))

    desk.turn()
    desk.ends(run)
    desk.turn()

    assert desk.started == [run, run_id_for(again)]


def test_a_stop_leaves_other_issues_alone(desk: Desk) -> None:
    (other,) = desk.runs(issue=an_issue_ref(8))
    desk.comments(STOP, occurred_at=at(9))

    desk.turn()

    assert desk.store.stop_because(other) is None


def test_a_stop_for_nothing_is_seen_to_be_one(desk: Desk) -> None:
    stop = desk.comments(STOP)

    desk.turn()

    assert desk.reactions_on(stop) == ["confused"]


def test_a_stop_of_what_is_stopping_already_is_no_stop_for_nothing(desk: Desk) -> None:
    desk.runs()
    desk.comments(STOP, occurred_at=at(8))
    desk.turn()
    again = desk.comments(STOP, occurred_at=at(9))

    desk.turn()

    assert desk.reactions_on(again) == ["eyes"]


def test_a_stop_acts_while_all_places_are_taken(desk: Desk) -> None:
    runs = [*desk.runs(), *desk.runs(issue=an_issue_ref(8))]
    desk.asks(START, issue=an_issue_ref(9))
    desk.comments(STOP, occurred_at=at(9))

    desk.turn()

    assert desk.store.stop_because(runs[0]) == "/selfcode stop"


def test_a_stop_goes_before_everything_that_came_earlier(desk: Desk) -> None:
    (run,) = desk.runs()
    for number in range(1, 4):
        desk.asks(TriggerKind.INSTALLED, issue=IssueRef(desk.repository.ref, 0), key=f"installed:{number}")
    desk.asks(STOP, because="issue closed", occurred_at=at(9))

    desk.github.fail_next("ensure_label", RuntimeError("cut here"))
    desk.turn()

    assert desk.store.stop_because(run) == "issue closed"


def test_a_stop_is_done_though_github_takes_no_reaction(desk: Desk) -> None:
    (run,) = desk.runs()
    desk.comments(STOP, occurred_at=at(9))
    desk.github.fail_next("react", Unavailable("rate limit", retry_after_s=900))

    desk.turn()

    assert desk.store.stop_because(run) == "/selfcode stop"
    assert desk.store.waiting() == []


def test_the_label_taken_off_and_set_again_ends_the_run_and_starts_the_next(desk: Desk) -> None:
    (run,) = desk.runs(occurred_at=at(0))
    desk.asks(STOP, because="label removed", occurred_at=at(5))
    again = desk.asks(START, occurred_at=at(6))

    desk.turn()
    meanwhile = list(desk.started)
    desk.ends(run)
    desk.turn()

    assert meanwhile == [run]
    assert desk.started == [run, run_id_for(again)]


def test_a_stop_that_is_delivered_late_does_not_end_the_run_asked_for_after_it(desk: Desk) -> None:
    (run,) = desk.runs(occurred_at=at(6))
    desk.asks(STOP, because="label removed", occurred_at=at(5))

    desk.turn()

    assert desk.store.stop_because(run) is None


@dataclass
class Eventful(FakeGitHub):
    """A GitHub where something happens while it is asked to react."""

    happens: Callable[[], object] | None = None

    def react(self, at: IssueRef, reaction: str, *, subject: Subject | None = None) -> None:
        super().react(at, reaction, subject=subject)
        happens, self.happens = self.happens, None
        if happens is not None:
            happens()


def test_a_stop_that_comes_in_meanwhile_goes_before_the_next_thing_that_is_said_or_begun(
    inbox: SqlInbox, store: Store, tmp_path: Path
) -> None:
    github = Eventful()
    desk = Desk(inbox, store, tmp_path, github=github)
    first, second = desk.asks(START), desk.asks(START, issue=desk.another_issue(), occurred_at=at(1))
    github.happens = lambda: desk.asks(STOP, issue=second.issue, because="issue closed", occurred_at=at(9))

    desk.turn()

    assert desk.started == [run_id_for(first)]
    assert desk.store.waiting() == []


# --- A service that is away, a thing that is gone, a bug


def test_a_trigger_waits_while_github_is_away_and_is_acted_on_later(desk: Desk) -> None:
    (run,) = desk.runs()
    desk.repository.roles["henry"] = "write"
    stop = desk.comments(STOP, by=Person("henry"), occurred_at=at(9))
    desk.github.fail_next("permission", Unavailable("no answer"))

    desk.turn()
    meanwhile = desk.store.stop_because(run), [each.trigger for each in desk.store.waiting()]
    desk.clock.now += 5
    desk.turn()

    assert meanwhile == (None, [stop])
    assert desk.store.stop_because(run) == "/selfcode stop"


@pytest.mark.parametrize(("asked_s", "rests_s"), [(None, 5), (0.1, 5), (20, 20), (900, 60)])
def test_a_service_that_is_away_is_not_asked_again_at_once(desk: Desk, asked_s: float | None, rests_s: float) -> None:
    desk.comments(TriggerKind.HELP)
    desk.github.fail_next("permission", Unavailable("rate limit", retry_after_s=asked_s))

    desk.turn(3)
    desk.clock.now += rests_s - 1
    desk.turn()
    asked_early = desk.github.calls.count("permission")
    desk.clock.now += 1
    desk.turn()

    assert asked_early == 1
    assert len(desk.answers) == 1


def test_a_trigger_that_rests_keeps_no_other_waiting(desk: Desk) -> None:
    desk.comments(TriggerKind.HELP)
    desk.comments(TriggerKind.HELP)
    desk.github.fail_next("permission", Unavailable("no answer"))

    desk.turn(2)

    assert len(desk.answers) == 1


@pytest.mark.parametrize("kind", [START, RETRY, STOP, TriggerKind.NOTE, TriggerKind.STATUS, TriggerKind.HELP])
def test_what_is_asked_of_a_repository_that_is_gone_is_settled(desk: Desk, kind: TriggerKind) -> None:
    trigger = desk.asks(kind) if kind is START else desk.comments(kind)
    desk.repository.is_gone = True

    desk.turn(2)

    assert (desk.started, desk.store.waiting()) == ([], [])
    assert desk.reactions_on(trigger) == []


def test_a_repository_that_was_renamed_since_is_the_same_one(desk: Desk) -> None:
    trigger = desk.asks(START)
    desk.repository.ref = replace(desk.repository.ref, name="dog")

    desk.turn()

    assert desk.started == [run_id_for(trigger)]
    assert desk.reactions_on(trigger) == ["eyes"]


@pytest.mark.parametrize("error", [Gone("deleted"), Refused("locked")])
def test_what_can_not_be_done_is_settled(desk: Desk, error: Exception) -> None:
    desk.comments(TriggerKind.HELP)
    desk.github.fail_next("post_comment", error)

    desk.turn(2)

    assert desk.store.waiting() == []
    assert desk.answers == []


def test_a_bug_with_one_trigger_keeps_no_other_waiting(desk: Desk) -> None:
    desk.comments(TriggerKind.HELP)
    start = desk.asks(START)
    desk.github.fail_next("post_comment", ZeroDivisionError())

    desk.turn(2)

    assert desk.store.waiting() == []
    assert desk.started == [run_id_for(start)]


# --- Help, installing, uninstalling


def test_help_is_answered_once_and_opens_with_what_was_not_understood(desk: Desk) -> None:
    desk.comments(TriggerKind.HELP, text="There is no command `frobnicate`.")

    desk.turn(2)

    assert len(desk.answers) == 1
    assert "frobnicate" in desk.answers[0].splitlines()[0]
    assert "/selfcode retry" in desk.answers[0]


def test_help_that_was_answered_before_the_worker_died_is_not_answered_again(desk: Desk) -> None:
    trigger = desk.comments(TriggerKind.HELP)
    desk.turn()
    again = Waiting(99, trigger)

    desk.new_dispatcher()._act(again)

    assert len(desk.answers) == 1


def test_help_for_a_stranger_is_not_answered(desk: Desk) -> None:
    desk.comments(TriggerKind.HELP, by=STRANGER)

    desk.turn()

    assert desk.answers == []
    assert desk.store.waiting() == []


def test_installing_makes_the_label(desk: Desk) -> None:
    desk.asks(TriggerKind.INSTALLED, issue=IssueRef(desk.repository.ref, 0))

    desk.turn()

    assert desk.repository.labels == ["selfcode"]


def test_installing_on_many_repositories_holds_up_no_run(desk: Desk) -> None:
    for number in range(5):
        desk.asks(TriggerKind.INSTALLED, issue=IssueRef(desk.repository.ref, 0), key=f"installed:{number}")
    start = desk.asks(START)

    desk.turn()

    assert desk.started == [run_id_for(start)]
    assert desk.github.calls.count("ensure_label") == 1


def test_a_repository_taken_from_the_app_ends_its_runs_alone(desk: Desk) -> None:
    runs = desk.runs(
        desk.asks(START, issue=an_issue_ref(1, repository=42)),
        desk.asks(START, issue=an_issue_ref(1, repository=43)),
    )
    gone = an_issue_ref(0, repository=42)
    desk.asks(TriggerKind.UNINSTALLED, issue=gone, because="App uninstalled", sender=STRANGER)
    desk.now.now = desk.real_time() + TOLD_ELSEWHERE_S

    desk.turn()

    assert [desk.store.stop_because(run) for run in runs] == ["App uninstalled", None]


def test_a_repository_that_goes_to_another_account_loses_nothing_though_its_leaving_is_told_first(desk: Desk) -> None:
    (run,) = desk.runs()
    retry = desk.comments(RETRY)
    here = desk.repository.ref
    there = replace(here, installation_id=2)
    desk.asks(TriggerKind.UNINSTALLED, issue=IssueRef(here, 0), because=FOR_GOOD)
    desk.now.now = desk.real_time()

    desk.turn()
    desk.asks(TriggerKind.INSTALLED, issue=IssueRef(there, 0))
    desk.clock.now = desk.now.now = desk.real_time() + TOLD_ELSEWHERE_S
    desk.turn(2)

    assert desk.store.stop_because(run) is None
    (waiting,) = desk.store.waiting()
    assert (waiting.trigger.key, waiting.trigger.issue.repository) == (retry.key, there)


def test_an_account_that_uninstalls_ends_all_of_its_runs(inbox: SqlInbox, store: Store, tmp_path: Path) -> None:
    desk = Desk(inbox, store, tmp_path, places=3)
    runs = desk.runs(
        desk.asks(START, issue=an_issue_ref(1, repository=42)),
        desk.asks(START, issue=an_issue_ref(1, repository=43)),
        desk.asks(START, issue=an_issue_ref(1, repository=44, installation=2)),
    )
    before = list(desk.github.calls)
    account = IssueRef(RepositoryRef(1, 0, "octo", ""), 0)
    desk.asks(TriggerKind.UNINSTALLED, issue=account, because="App uninstalled")

    desk.turn()

    assert [store.stop_because(run) for run in runs] == ["App uninstalled", "App uninstalled", None]
    assert desk.github.calls == before


@pytest.mark.parametrize("is_account", [True, False])
def test_what_waits_where_the_app_may_see_nothing_any_more_is_dropped_without_a_word(
    inbox: SqlInbox, store: Store, tmp_path: Path, is_account: bool
) -> None:
    desk = Desk(inbox, store, tmp_path, places=1)
    (run,) = desk.runs()
    desk.asks(START, issue=desk.another_issue())
    other = desk.asks(START, issue=an_issue_ref(1, repository=44, installation=2))
    calls = list(desk.github.calls)
    left = desk.repository.ref
    gone = RepositoryRef(left.installation_id, 0 if is_account else left.id, left.owner, "")
    desk.asks(TriggerKind.UNINSTALLED, issue=IssueRef(gone, 0), because="App suspended")
    desk.now.now = desk.real_time() + TOLD_ELSEWHERE_S

    desk.dispatcher._end()

    assert store.stop_because(run) == "App suspended"
    assert [each.trigger for each in store.waiting()] == [other]
    assert desk.github.calls == calls


# --- Proofs of pull requests that are there already


@pytest.mark.parametrize("kind", [TriggerKind.ACCEPT, TriggerKind.RENEW, TriggerKind.MOVED, TriggerKind.CHECKS])
def test_what_is_about_a_proof_waits_for_the_work_on_its_issue(desk: Desk, kind: TriggerKind) -> None:
    (run_id,) = desk.runs(occurred_at=at(0))
    desk.store.learn(run_id, head_sha=HEAD)
    asked = desk.asks(kind, occurred_at=at(5), head_sha=HEAD)
    desk.turn()
    assert desk.started == [run_id]

    desk.ends(run_id)
    desk.turn()

    assert desk.started == [run_id, run_id_for(asked)]


def test_a_label_during_a_renewal_is_kept_until_its_end(desk: Desk) -> None:
    renewal = desk.asks(TriggerKind.RENEW, occurred_at=at(0))
    desk.turn()
    label = desk.asks(START, occurred_at=at(5))
    desk.turn()
    assert desk.started == [run_id_for(renewal)]

    desk.ends(run_id_for(renewal))
    desk.turn()

    assert desk.started[-1] == run_id_for(label)


def test_a_second_re_run_during_the_first_is_kept_until_its_end_it_may_be_of_another_commit(desk: Desk) -> None:
    first = desk.asks(TriggerKind.RENEW, occurred_at=at(0))
    desk.turn()
    second = desk.asks(TriggerKind.RENEW, occurred_at=at(0))
    desk.turn()
    assert desk.started == [run_id_for(first)]

    desk.ends(run_id_for(first))
    desk.turn()

    assert desk.started == [run_id_for(first), run_id_for(second)]


@pytest.mark.parametrize("kind", [TriggerKind.MOVED, TriggerKind.CHECKS])
def test_what_happened_to_a_pull_request_needs_no_free_place_and_nobodys_permission(
    desk: Desk, kind: TriggerKind
) -> None:
    desk.publishes()
    for number in (7, 8):
        desk.asks(START, issue=an_issue_ref(number, repository=desk.repository.ref.id))
    desk.turn()
    asked_before = desk.github.calls.count("permission")
    told = desk.asks(kind, sender=STRANGER, head_sha=HEAD)

    desk.turn()

    assert run_id_for(told) in desk.started
    assert desk.github.calls.count("permission") == asked_before


def test_failed_checks_of_a_commit_that_no_run_of_ours_has_judged_cost_no_run_and_no_call(desk: Desk) -> None:
    desk.publishes()
    before = (list(desk.started), list(desk.github.calls))

    for number in range(20):
        desk.asks(TriggerKind.CHECKS, key=f"checks:{number}", text="failure", head_sha="f0" * 20)
    desk.turn()

    assert (desk.started, desk.github.calls) == before
    assert desk.store.waiting() == []


def test_many_failed_checks_are_told_a_few_at_a_time_and_all_in_the_end(desk: Desk) -> None:
    issues = [worked_on(desk, 20 + number) for number in range(CHEAP_OF_AN_ACCOUNT + 1)]
    begun = len(desk.started)
    told = [desk.asks(TriggerKind.CHECKS, issue=issue, head_sha=HEAD, text="failure") for issue in issues]

    desk.turn()
    at_once = desk.started[begun:]
    desk.ends(*at_once)
    desk.turn()

    assert at_once == [run_id_for(trigger) for trigger in told[:CHEAP_OF_AN_ACCOUNT]]
    assert desk.started[begun:] == [run_id_for(trigger) for trigger in told]


def worked_on(desk: Desk, number: int) -> IssueRef:
    """An issue whose run has pushed, and ended."""
    issue = an_issue_ref(number, repository=desk.repository.ref.id)
    (run_id,) = desk.runs(desk.asks(START, issue=issue))
    desk.store.learn(run_id, head_sha=HEAD)
    desk.ends(run_id)
    return issue


@pytest.mark.parametrize("kind", [RETRY, TriggerKind.ACCEPT])
def test_a_command_on_our_pull_request_is_for_its_issue(desk: Desk, kind: TriggerKind) -> None:
    pull = desk.publishes()

    asked = desk.comments(kind, issue=pull, pull_request=pull.number, occurred_at=at(9))
    desk.turn()

    run = desk.store.run(run_id_for(asked))
    assert run.trigger.issue.number == desk.issue.number
    assert run.trigger.asked_at == pull


def test_a_stop_on_our_pull_request_stops_the_work_on_its_issue(desk: Desk) -> None:
    pull = desk.publishes()
    (again,) = desk.runs(desk.asks(RETRY, occurred_at=at(5)))

    desk.comments(STOP, issue=pull, pull_request=pull.number, occurred_at=at(9))
    desk.turn()

    assert desk.store.stop_because(again) is not None


@pytest.mark.parametrize("kind", [RETRY, TriggerKind.NOTE, TriggerKind.STATUS, STOP, DOCTOR])
def test_a_command_on_another_pull_request_is_answered_where_it_was_given(desk: Desk, kind: TriggerKind) -> None:
    pull = desk.pulls("feature")
    command = desk.comments(kind, issue=pull, pull_request=pull.number)

    desk.turn(2)

    assert desk.started == []
    assert desk.reactions_on(command) == ["confused"]
    (answer,) = desk.said_on(pull)
    assert answer.startswith("Commands are read on issues, and on selfcode's own pull requests")


def test_what_is_asked_on_a_pull_request_while_a_run_opens_one_waits_until_it_is_known_whose_it_is(desk: Desk) -> None:
    (at_work,) = desk.runs(occurred_at=at(0))
    ours, other = desk.pulls(), desk.pulls("feature")
    desk.store.learn(at_work, branch="selfcode/issue-1", head_sha=HEAD)
    desk.comments(STOP, issue=ours, pull_request=ours.number, occurred_at=at(9))
    desk.comments(STOP, issue=other, pull_request=other.number, occurred_at=at(9))

    desk.turn(2)
    before = (desk.store.stop_because(at_work), desk.said_on(ours), desk.said_on(other))
    desk.store.learn(at_work, pull_request=ours.number)
    desk.turn(2)

    assert before == (None, [], [])
    assert desk.store.stop_because(at_work) is not None
    assert desk.said_on(ours) == []
    assert len(desk.said_on(other)) == 1


@pytest.mark.parametrize("kind", [TriggerKind.ACCEPT, TriggerKind.RENEW])
def test_closing_the_issue_ends_what_is_about_its_proof(desk: Desk, kind: TriggerKind) -> None:
    (run_id,) = desk.runs(desk.asks(kind, occurred_at=at(0)))

    desk.asks(STOP, because="issue closed", occurred_at=at(5))
    desk.turn()

    assert desk.store.stop_because(run_id) == "issue closed"

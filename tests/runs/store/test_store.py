from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Engine, delete, text, update

from bot.errors import Gone
from bot.records import (
    Health,
    Iteration,
    Outcome,
    Progress,
    Receipt,
    Spend,
    Subject,
    SubjectKind,
    TriggerKind,
    Verdict,
    dump,
)
from bot.runs import tables
from bot.runs.forgetting import Whole
from bot.runs.store import SqlInbox, Store
from tests.runs.builders import a_database_at, a_trigger, an_issue_ref, an_iteration, at, begun

# --- The inbox


def test_a_trigger_that_is_accepted_twice_is_one(inbox: SqlInbox, store: Store) -> None:
    trigger = a_trigger()

    receipts = [inbox.accept(trigger), inbox.accept(trigger)]

    assert receipts == [Receipt.ACCEPTED, Receipt.DUPLICATE]
    assert [each.trigger for each in store.waiting()] == [trigger]


def test_of_what_is_kept_at_the_same_time_what_ends_comes_in_first(inbox: SqlInbox, store: Store) -> None:
    inbox.accept_all([a_trigger(), a_trigger(TriggerKind.STOP), a_trigger()])

    assert [each.trigger.kind for each in store.waiting()] == [TriggerKind.STOP, TriggerKind.START, TriggerKind.START]


def test_a_redelivery_after_a_restart_is_a_duplicate_though_the_trigger_was_settled(address: str) -> None:
    trigger = a_trigger()
    with a_database_at(address) as engine:
        SqlInbox(engine).accept(trigger)
        Store(engine).shelves.settle([1], "done")

    with a_database_at(address) as engine:
        receipt = SqlInbox(engine).accept(trigger)
        waiting = Store(engine).waiting()

    assert receipt is Receipt.DUPLICATE
    assert waiting == []


def test_triggers_wait_in_the_order_of_their_arrival_and_come_back_whole(inbox: SqlInbox, store: Store) -> None:
    triggers = [a_trigger(text="keep the API\r\ncaf\u00e9 \U0001f60a"), a_trigger(TriggerKind.STOP, comment_id=5)]
    for trigger in triggers:
        inbox.accept(trigger)

    assert [each.trigger for each in store.waiting()] == triggers


def test_what_was_asked_by_a_comment_before_there_were_subjects_still_needs_permission(
    engine: Engine, inbox: SqlInbox, store: Store
) -> None:
    stop = a_trigger(TriggerKind.STOP)
    inbox.accept(stop)
    of_before = dump(stop).replace('"subject":null', '"comment_id":900')
    with engine.begin() as connection:
        connection.execute(update(tables.inbox).values(trigger=of_before))

    (waiting,) = store.waiting()

    assert waiting.trigger.subject == Subject(SubjectKind.ISSUE_COMMENT, 900)


# --- Runs


def test_what_was_forgotten_since_it_was_read_begins_nothing(inbox: SqlInbox, store: Store, engine: Engine) -> None:
    inbox.accept(a_trigger())
    (waiting,) = store.waiting()
    with engine.begin() as connection:
        connection.execute(delete(tables.inbox))

    with pytest.raises(Gone):
        store.begin_run(waiting)

    assert store.unfinished() == []


def test_a_trigger_becomes_one_run_however_often_it_is_begun(inbox: SqlInbox, store: Store) -> None:
    inbox.accept(a_trigger())
    (waiting,) = store.waiting()

    ids = {store.begin_run(waiting), store.begin_run(waiting)}

    assert [run.id for run in store.unfinished()] == list(ids)
    assert store.waiting() == []


def test_a_run_comes_back_with_its_trigger(inbox: SqlInbox, store: Store) -> None:
    trigger = a_trigger()
    run = store.run(begun(store, inbox, trigger))

    assert run.trigger == trigger
    assert (run.is_finished, run.stop_because, run.outcome) == (False, None, None)


def test_a_run_that_nobody_began_is_an_error(store: Store) -> None:
    with pytest.raises(KeyError):
        store.run("none")


def test_the_first_end_of_a_run_stands(inbox: SqlInbox, store: Store) -> None:
    run_id = begun(store, inbox)

    store.finish(run_id, Outcome.PROVEN, "")
    store.finish(run_id, Outcome.ERROR, "late")

    run = store.run(run_id)
    assert (run.is_finished, run.outcome, run.reason) == (True, Outcome.PROVEN, "")
    assert store.unfinished() == []


UNKEPT = "t.py::test_\x00[\ud83d] fails"
KEPT = "t.py::test_\N{REPLACEMENT CHARACTER}[\N{REPLACEMENT CHARACTER}] fails"


def test_why_a_run_ends_is_kept_whatever_characters_a_test_is_named_by(inbox: SqlInbox, store: Store) -> None:
    run_id = begun(store, inbox)

    store.finish(run_id, Outcome.UNPROVEN, UNKEPT)

    assert store.run(run_id).reason == KEPT


def test_every_text_from_outside_is_kept_without_characters_that_a_database_refuses(
    engine: Engine, inbox: SqlInbox, store: Store
) -> None:
    run_id, first = begun(store, inbox), an_iteration(1)
    inbox.accept(a_trigger())

    store.shelves.settle([store.waiting()[0].seq], UNKEPT)
    store.request_stop(42, 7, UNKEPT, asked_at=at(1))
    store.keep_progress(run_id, Progress((first,), first.spend, Verdict.STUCK, UNKEPT))

    with engine.connect() as connection:
        notes = connection.execute(text("select note from inbox")).scalars().all()
    assert KEPT in notes
    assert store.stop_because(run_id) == KEPT
    assert store.progress(run_id).why == KEPT


def test_what_a_test_is_named_by_is_kept_in_its_report_too(inbox: SqlInbox, store: Store) -> None:
    run_id, first = begun(store, inbox), an_iteration(1, summary=UNKEPT)

    store.keep_progress(run_id, Progress((first,), first.spend))

    (kept,) = store.progress(run_id).iterations
    assert kept.summary.encode()
    assert kept.summary == UNKEPT.replace("\ud83d", "\N{REPLACEMENT CHARACTER}")


def test_when_a_trigger_came_in_is_known_by_our_own_clock(inbox: SqlInbox, store: Store) -> None:
    trigger = a_trigger()
    run_id = begun(store, inbox, trigger)

    accepted_at = store.accepted_at(trigger.key)

    assert accepted_at is not None
    assert accepted_at <= store.run(run_id).started_at
    assert store.accepted_at("none") is None


@pytest.mark.parametrize("health", Health)
def test_an_examination_ends_with_a_health_in_an_outcomes_place(inbox: SqlInbox, store: Store, health: Health) -> None:
    run_id = begun(store, inbox, a_trigger(TriggerKind.DOCTOR))

    store.finish(run_id, health, "so it is")

    assert store.run(run_id).outcome is health


def test_the_runs_of_an_issue_are_its_own_oldest_first(inbox: SqlInbox, store: Store) -> None:
    ids = [begun(store, inbox) for _ in range(3)]
    begun(store, inbox, a_trigger(issue=an_issue_ref(8)))
    begun(store, inbox, a_trigger(issue=an_issue_ref(repository=43)))

    assert [run.id for run in store.runs_of(42, 7)] == ids


# --- Facts


def test_what_steps_find_out_adds_up(inbox: SqlInbox, store: Store) -> None:
    run_id = begun(store, inbox)

    store.learn(run_id, base="abc", comment_id=5)
    store.learn(run_id, base="def", plant=["a", None])

    assert store.facts(run_id) == {"base": "def", "comment_id": 5, "plant": ["a", None]}


# --- Progress


def test_progress_is_read_back_whole(address: str) -> None:
    iterations = (an_iteration(1), an_iteration(2))
    whole = Progress(iterations, iterations[-1].spend, Verdict.LIMIT, "2 iterations are used up")
    with a_database_at(address) as engine:
        run_id = begun(Store(engine), SqlInbox(engine))
        Store(engine).keep_progress(run_id, Progress(iterations[:1], iterations[0].spend))
        Store(engine).keep_progress(run_id, whole)

    with a_database_at(address) as engine:
        assert Store(engine).progress(run_id) == whole


def test_a_run_without_an_iteration_has_made_no_progress(inbox: SqlInbox, store: Store) -> None:
    run_id = begun(store, inbox)

    store.keep_progress(run_id, Progress(verdict=Verdict.STOPPED))

    assert store.progress(run_id) == Progress()


def test_an_iteration_that_is_kept_twice_is_one(inbox: SqlInbox, store: Store) -> None:
    run_id, first = begun(store, inbox), an_iteration(1)
    progress = Progress((first,), first.spend)

    store.keep_progress(run_id, progress)
    store.keep_progress(run_id, progress)

    assert store.progress(run_id) == progress
    assert store.spent_today() == pytest.approx(0.25)


def test_a_verdict_after_the_last_iteration_is_kept(inbox: SqlInbox, store: Store) -> None:
    run_id, first = begun(store, inbox), an_iteration(1)
    store.keep_progress(run_id, Progress((first,), first.spend))

    store.keep_progress(run_id, Progress((first,), first.spend, Verdict.STOPPED, "ended"))

    assert store.progress(run_id).verdict is Verdict.STOPPED


# --- Stopping


def test_only_what_is_unfinished_is_asked_to_stop(inbox: SqlInbox, store: Store) -> None:
    ended, running = begun(store, inbox), begun(store, inbox)
    store.finish(ended, Outcome.PROVEN, "")

    asked = store.request_stop(42, 7, "label removed", asked_at=at(1))

    assert asked == 1
    assert (store.stop_because(ended), store.stop_because(running)) == (None, "label removed")


def test_the_first_reason_to_stop_stands(inbox: SqlInbox, store: Store) -> None:
    run_id = begun(store, inbox)

    asked = [store.request_stop(42, 7, because, asked_at=at(1)) for because in ("issue closed", "/selfcode stop")]

    assert asked == [1, 0]
    assert store.stop_because(run_id) == "issue closed"


def test_a_stop_that_arrives_late_ends_no_run_that_was_asked_for_after_it(inbox: SqlInbox, store: Store) -> None:
    run_id = begun(store, inbox, a_trigger(occurred_at=at(10)))

    assert store.request_stop(42, 7, "label removed", asked_at=at(9)) == 0
    assert store.stop_because(run_id) is None


def test_a_stop_of_an_issue_leaves_other_issues_alone(inbox: SqlInbox, store: Store) -> None:
    others = [begun(store, inbox, a_trigger(issue=issue)) for issue in (an_issue_ref(8), an_issue_ref(repository=43))]

    store.request_stop(42, 7, "issue closed", asked_at=at(1))

    assert [store.stop_because(other) for other in others] == [None, None]


def test_a_repository_or_an_account_that_goes_stops_all_of_its_runs(inbox: SqlInbox, store: Store) -> None:
    here = [begun(store, inbox, a_trigger(issue=an_issue_ref(number))) for number in (1, 2)]
    beside = begun(store, inbox, a_trigger(issue=an_issue_ref(repository=43)))
    elsewhere = begun(store, inbox, a_trigger(issue=an_issue_ref(repository=44, installation=2)))

    of_repository = store.request_stop_of_all(Whole(42), "App uninstalled")
    of_account = store.request_stop_of_all(Whole(installation_id=1), "account gone")

    assert (of_repository, of_account) == (2, 1)
    assert [store.stop_because(run) for run in here] == ["App uninstalled"] * 2
    assert (store.stop_because(beside), store.stop_because(elsewhere)) == ("account gone", None)


# --- Money


def spent(store: Store, inbox: SqlInbox, cost_usd: float | None, **issue: Any) -> str:
    run_id = begun(store, inbox, a_trigger(issue=an_issue_ref(**issue)))
    iteration: Iteration = an_iteration(spend=Spend(1, 100, 10, cost_usd))
    store.keep_progress(run_id, Progress((iteration,), iteration.spend))
    return run_id


def test_what_a_day_has_cost_is_counted_by_repository_and_by_account(inbox: SqlInbox, store: Store) -> None:
    spent(store, inbox, 1.0, repository=42)
    spent(store, inbox, 2.0, repository=43)
    spent(store, inbox, 4.0, repository=44, installation=2)
    spent(store, inbox, None, repository=42)

    assert store.spent_today(repository_id=42) == pytest.approx(1.0)
    assert store.spent_today(installation_id=1) == pytest.approx(3.0)
    assert store.spent_today(repository_id=99) == 0.0


def test_what_was_spent_a_day_ago_counts_no_more(inbox: SqlInbox, store: Store, engine: Engine) -> None:
    spent(store, inbox, 1.0)
    with engine.begin() as connection:
        connection.execute(text("update spent set hour = hour - 25"))

    assert store.spent_today() == 0.0


# --- Answers


def test_something_is_answered_once(store: Store) -> None:
    assert [store.answer_once("comment:1"), store.answer_once("comment:1"), store.answer_once("comment:2")] == [
        True,
        False,
        True,
    ]


# --- The database


def test_the_newest_proof_of_a_pull_request_is_found(inbox: SqlInbox, store: Store) -> None:
    first, second, unproven, other, elsewhere = (
        begun(store, inbox, a_trigger(issue=an_issue_ref(number, repository=repository)))
        for number, repository in ((7, 42), (7, 42), (7, 42), (8, 42), (7, 43))
    )
    for run_id, number in ((first, 12), (second, 12), (other, 123), (elsewhere, 12)):
        store.learn(run_id, pull_request=number, proof="{}")
    store.learn(unproven, pull_request=12)

    found, newest = store.proven_for(42, 12), store.published_as(42, 12)

    assert found is not None
    assert found.id == second
    assert newest is not None
    assert newest.id == unproven
    assert store.proven_for(42, 1) is None


@pytest.mark.parametrize(
    ("outcome", "is_told"), [(Outcome.PROVEN, True), (Outcome.UNPROVEN, True), (Outcome.ERROR, False), (None, False)]
)
def test_a_proof_is_told_where_its_run_came_to_its_end(
    inbox: SqlInbox, store: Store, outcome: Outcome | None, is_told: bool
) -> None:
    earlier, run_id = begun(store, inbox), begun(store, inbox)
    for each in (earlier, run_id):
        store.learn(each, pull_request=12, proof="{}")
    store.finish(earlier, Outcome.UNPROVEN, "")
    if outcome:
        store.finish(run_id, outcome, "")

    found = store.proven_for(42, 12, told=True)

    assert found is not None
    assert found.id == (run_id if is_told else earlier)


def test_progress_of_many_iterations_comes_back_in_their_order(inbox: SqlInbox, store: Store) -> None:
    run_id = begun(store, inbox)
    iterations: tuple[Iteration, ...] = ()
    for number in range(1, 13):
        iterations += (replace(an_iteration(), number=number),)
        store.keep_progress(run_id, Progress(iterations, iterations[-1].spend))

    assert [iteration.number for iteration in store.progress(run_id).iterations] == list(range(1, 13))

"""What is kept of runs, as it is read for who looks on."""

import pytest
from sqlalchemy import Engine, insert, update

from bot.records import (
    Happening,
    HappeningKind,
    NumbersChoice,
    Outcome,
    Progress,
    PullState,
    RunChoice,
    RunState,
    Spend,
    Task,
    TriggerKind,
    Verdict,
    dump,
)
from bot.runs.happenings import AT_ONCE, TOLD_AT_MOST, Happenings
from bot.runs.leases import Lease, Nothing
from bot.runs.rows import run_id_for
from bot.runs.store import SqlInbox, Store
from bot.runs.tables import happenings, iterations, runs
from bot.runs.transactions import transaction
from bot.runs.viewing import SqlViewing
from tests.runs.builders import STRANGER, a_trigger, an_issue_ref, an_iteration, at, begun


@pytest.fixture
def viewing(engine: Engine) -> SqlViewing:
    return SqlViewing(engine)


def kept(engine: Engine, run_id: str, **values: object) -> None:
    with transaction(engine) as connection:
        connection.execute(update(runs).where(runs.c.id == run_id).values(**values))


def test_a_run_in_a_list_has_what_its_steps_found_out(store: Store, inbox: SqlInbox, viewing: SqlViewing) -> None:
    run_id = begun(store, inbox)
    store.learn(run_id, task=dump(Task("Totals are too small", "…")))
    store.keep_progress(run_id, Progress((an_iteration(),), Spend(1, 100, 10, 0.25, 3.5)))
    store.learn(run_id, pull_request=12)
    store.finish(run_id, Outcome.PROVEN, "")

    [run] = viewing.runs(RunChoice()).runs

    assert (run.repository, run.number, run.title, run.asked_by) == (
        "octo/repository-42",
        7,
        "Totals are too small",
        "grace",
    )
    assert (run.iterations, run.tokens, run.cost_usd, run.model) == (1, 110, 0.25, "small")
    assert (run.state, run.outcome, run.pull_request, run.pull_state) == (
        RunState.ENDED,
        Outcome.PROVEN,
        12,
        PullState.OPEN,
    )


def test_runs_are_chosen_by_state_outcome_repository_person_and_time(
    engine: Engine, store: Store, inbox: SqlInbox, viewing: SqlViewing
) -> None:
    solved = begun(store, inbox)
    store.finish(solved, Outcome.PROVEN, "")
    other = begun(store, inbox, a_trigger(issue=an_issue_ref(8, repository=43), sender=STRANGER))
    held = begun(store, inbox, a_trigger(issue=an_issue_ref(9)))
    store.give_back(held, wait_s=60, waits_for="the model")
    kept(engine, other, started_at=1000.0)

    def chosen(**wanted: object) -> set[str]:
        return {run.id for run in viewing.runs(RunChoice(**wanted)).runs}  # type: ignore[arg-type]

    assert chosen() == {solved, other, held}
    assert chosen(state=RunState.ENDED) == chosen(outcome=Outcome.PROVEN) == {solved}
    assert chosen(state=RunState.WORKING) == {other}
    assert chosen(state=RunState.HELD) == {held}
    assert chosen(repository="octo/repository-43") == chosen(who="MALLORY") == {other}
    assert chosen(since=2000.0) == {solved, held}
    assert chosen(among=frozenset({43})) == {other}
    assert chosen(among=frozenset()) == set()


def test_a_list_goes_on_behind_its_cursor_and_counts_all_that_were_chosen(
    engine: Engine, store: Store, inbox: SqlInbox, viewing: SqlViewing
) -> None:
    begun_runs = [begun(store, inbox, a_trigger(issue=an_issue_ref(number))) for number in range(1, 6)]
    for place, run_id in enumerate(begun_runs):
        kept(engine, run_id, started_at=1000.0 + place // 2, cost_usd=0.5)

    first = viewing.runs(RunChoice(limit=2))
    second = viewing.runs(RunChoice(limit=2, before=first.older))
    third = viewing.runs(RunChoice(limit=2, before=second.older))

    assert [run.id for page in (first, second, third) for run in page.runs] == sorted(
        begun_runs, key=lambda run_id: (begun_runs.index(run_id) // 2, run_id), reverse=True
    )
    assert (first.count, third.count, first.cost_usd, third.older) == (5, 5, 2.5, "")


@pytest.mark.parametrize("cursor", ["nonsense", "~", "1e999~x", "nan~x", "'; drop table runs; --"])
def test_a_cursor_that_is_none_shows_no_error(store: Store, inbox: SqlInbox, viewing: SqlViewing, cursor: str) -> None:
    begun(store, inbox)

    assert viewing.runs(RunChoice(before=cursor)).count == 1


def test_facts_about_pull_requests_are_listed_where_they_are_asked_for(
    store: Store, inbox: SqlInbox, viewing: SqlViewing
) -> None:
    moved = begun(store, inbox, a_trigger(TriggerKind.MOVED))

    assert viewing.runs(RunChoice()).runs == ()
    assert [run.id for run in viewing.runs(RunChoice(facts=True)).runs] == [moved]


def test_what_waits_is_shown_with_its_place_and_why(store: Store, inbox: SqlInbox, viewing: SqlViewing) -> None:
    inbox.accept(a_trigger())
    inbox.accept(a_trigger(issue=an_issue_ref(8, repository=43)))

    queue = viewing.queue(None)

    assert [(each.number, each.place, each.why) for each in queue.waiting] == [
        (7, 1, "no worker is alive"),
        (8, 2, "no worker is alive"),
    ]
    assert [each.number for each in viewing.queue({43}).waiting] == [8]
    assert viewing.waiting(queue.waiting[0].run_id) == queue.waiting[0]


def test_what_has_just_been_asked_for_is_found_though_the_queue_was_read_a_moment_ago(
    engine: Engine, store: Store, inbox: SqlInbox
) -> None:
    viewing = SqlViewing(engine, clock=lambda: 0.0)
    inbox.accept(a_trigger())
    assert len(viewing.queue(None).waiting) == 1
    inbox.accept(a_trigger(issue=an_issue_ref(8)))
    new = run_id_for(store.waiting()[-1].trigger)

    found = viewing.waiting(new)

    assert found is not None
    assert found.number == 8
    assert viewing.waiting("of-nobody") is None


def test_a_story_has_its_iterations_at_a_glance_and_each_is_had_whole(
    store: Store, inbox: SqlInbox, viewing: SqlViewing
) -> None:
    run_id = begun(store, inbox)
    store.keep_progress(run_id, Progress((an_iteration(1),), Spend(1, 100, 10, 0.25, 3.5)))
    both = (an_iteration(1), an_iteration(2))
    store.keep_progress(run_id, Progress(both, Spend(2, 200, 20, 0.5, 7.0), Verdict.SOLVED, "All is summed."))

    story = viewing.story(run_id)

    assert story is not None
    assert [(line.number, line.counts, line.calls) for line in story.iterations] == [
        (1, "0 passed, 1 failed", 1),
        (2, "0 passed, 1 failed", 1),
    ]
    assert (story.verdict, story.why) == (Verdict.SOLVED, "All is summed.")
    assert viewing.iteration(run_id, 2) == (an_iteration(2), 1)
    assert viewing.iteration_of_call(run_id, 2) == (an_iteration(2), 1)
    assert viewing.iteration(run_id, 3) is viewing.iteration_of_call(run_id, 3) is None
    assert viewing.story("nobody") is None


def test_iterations_of_a_version_before_are_summed_up_when_they_are_looked_at(
    engine: Engine, store: Store, inbox: SqlInbox, viewing: SqlViewing
) -> None:
    run_id = begun(store, inbox)
    with transaction(engine) as connection:
        connection.execute(insert(iterations).values(run_id=run_id, number=1, iteration=dump(an_iteration()), why=""))

    story = viewing.story(run_id)

    assert story is not None
    assert [line.summary for line in story.iterations] == ["sum every price"]


def test_what_happens_is_kept_in_its_order_and_told_from_where_one_heard_last(
    store: Store, inbox: SqlInbox, viewing: SqlViewing
) -> None:
    run_id = begun(store, inbox)
    store.happenings.keep(run_id, HappeningKind.BEGAN, "iteration 1")
    store.happenings.keep(run_id, HappeningKind.TOLD, "call 1: edit\x00")
    store.happenings.keep(run_id, HappeningKind.ENDED, "proven")

    news = viewing.news({run_id: 1, "nobody": 0})

    assert [(each.seq, each.kind, each.text) for each in news[run_id]] == [
        (2, HappeningKind.TOLD, "call 1: edit\N{REPLACEMENT CHARACTER}"),
        (3, HappeningKind.ENDED, "proven"),
    ]
    line = viewing.line(run_id)
    assert line is not None
    assert line.step == "iteration 1"


def test_who_has_lost_a_run_tells_nothing_of_it(
    engine: Engine, store: Store, inbox: SqlInbox, viewing: SqlViewing
) -> None:
    run_id = begun(store, inbox)

    Happenings(engine, Lease(run_id, "another", 9)).keep(run_id, HappeningKind.ENDED, "proven")

    assert viewing.news({run_id: 0}) == {}


def test_what_is_told_of_one_run_is_bounded_and_its_steps_are_kept_all_the_same(
    engine: Engine, store: Store, inbox: SqlInbox, viewing: SqlViewing
) -> None:
    run_id = begun(store, inbox)
    with transaction(engine) as connection:
        row = {"run_id": run_id, "seq": TOLD_AT_MOST, "at": 1.0, "kind": "told", "text": "the last one"}
        connection.execute(insert(happenings).values(**row))
    telling = Happenings(engine, Nothing())

    telling.keep(run_id, HappeningKind.TOLD, "one more")
    telling.keep(run_id, HappeningKind.ENDED, "proven")

    assert viewing.news({run_id: 0})[run_id][1:] == (
        Happening(
            TOLD_AT_MOST + 1,
            viewing.news({run_id: TOLD_AT_MOST})[run_id][0].at,
            HappeningKind.ENDED,
            "proven",
        ),
    )


def test_a_page_shows_of_many_lines_the_newest_and_every_step(
    engine: Engine, store: Store, inbox: SqlInbox, viewing: SqlViewing
) -> None:
    run_id = begun(store, inbox)
    rows = [{"run_id": run_id, "seq": seq, "at": 1.0, "kind": "told", "text": "call"} for seq in range(2, AT_ONCE + 4)]
    with transaction(engine) as connection:
        connection.execute(insert(happenings), [{**rows[0], "seq": 1, "kind": "began", "text": "fetch"}, *rows])

    story = viewing.story(run_id)

    assert story is not None
    assert [each.seq for each in story.happenings] == [1, *range(4, AT_ONCE + 4)]


def test_the_mark_of_all_runs_is_another_once_one_has_gone_on(
    store: Store, inbox: SqlInbox, viewing: SqlViewing
) -> None:
    run_id = begun(store, inbox)
    before = viewing.mark(None)
    assert viewing.mark(None) == before

    store.happenings.keep(run_id, HappeningKind.BEGAN, "fetch")
    store.happenings.write()

    assert viewing.mark(None) != before


def test_the_mark_of_some_repositories_tells_nothing_of_others(
    store: Store, inbox: SqlInbox, viewing: SqlViewing
) -> None:
    ours, others = (an_issue_ref(7, repository=number) for number in (42, 43))
    begun(store, inbox, a_trigger(issue=ours))
    before = viewing.mark({42})
    whole = viewing.mark(None)

    theirs = begun(store, inbox, a_trigger(issue=others))
    store.happenings.keep(theirs, HappeningKind.BEGAN, "fetch")
    store.happenings.write()
    store.finish(theirs, Outcome.PROVEN, "")
    inbox.accept(a_trigger(issue=others, occurred_at=at(90)))

    assert (viewing.mark({42}), viewing.mark(set())) == (before, viewing.mark({44}))
    assert viewing.mark(None) != whole


def test_the_mark_is_another_once_what_waits_has_another_place(engine: Engine, store: Store, inbox: SqlInbox) -> None:
    viewing = SqlViewing(engine, clock=iter(range(0, 100, 10)).__next__)
    for number in (42, 43):
        inbox.accept(a_trigger(issue=an_issue_ref(7, repository=number)))
    before = viewing.mark({43})

    store.begin_run(store.waiting()[0])

    assert [each.place for each in viewing.queue({43}).waiting] == [1]
    assert viewing.mark({43}) != before


def test_an_issue_counts_once_with_all_its_runs_and_what_became_of_its_pull_request(
    engine: Engine, store: Store, inbox: SqlInbox, viewing: SqlViewing
) -> None:
    first, second = begun(store, inbox), begun(store, inbox, a_trigger(TriggerKind.RETRY, occurred_at=at(90)))
    store.keep_progress(first, Progress((an_iteration(),), Spend(1, 100, 10, 0.25, 3.5)))
    store.finish(first, Outcome.UNSOLVED, "")
    store.keep_progress(second, Progress((an_iteration(),), Spend(1, 100, 10, 0.5, 3.5)))
    store.learn(second, pull_request=12)
    store.finish(second, Outcome.PROVEN, "")
    store.pulls.turn(42, 12, PullState.MERGED, told_at=90.0)

    [issue] = viewing.issues(NumbersChoice(since=0.0))
    assert (issue.runs, issue.iterations, issue.cost_usd, issue.is_proven) == (2, 2, 0.75, True)
    assert (issue.pull_request, issue.pull_state, issue.model) == (12, PullState.MERGED, "small")
    assert viewing.issues(NumbersChoice(since=0.0, model="large")) == []
    assert viewing.issues(NumbersChoice(since=0.0, repository="octo/other")) == []

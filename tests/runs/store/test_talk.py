"""What is kept of the talk with people."""

import pytest
from sqlalchemy import Engine

from bot.records import IssueRef, Outcome, Trigger, TriggerKind
from bot.runs.store import SqlInbox, Store
from bot.runs.talk import KEPT_S, QueueComment, Talk
from tests.runs.builders import MAINTAINER, STRANGER, a_trigger, an_issue_ref

NOTE = TriggerKind.NOTE


@pytest.fixture
def talk(engine: Engine) -> Talk:
    return Talk(engine)


# --- Who asked


def test_what_was_found_out_about_who_asked_is_known_by_the_request(talk: Talk) -> None:
    trigger = a_trigger(sender=STRANGER)

    talk.keep_asked(trigger, is_let_in=False, at=10.0)
    talk.keep_asked(trigger, is_let_in=True, at=20.0)

    found = talk.asked(trigger.key)
    assert found is not None
    assert (found.is_let_in, found.at) == (True, 20.0)
    assert talk.asked("another") is None


def test_refusals_are_counted_by_person_and_repository_and_since_when(talk: Talk) -> None:
    for at, repository in ((10.0, 42), (20.0, 42), (30.0, 43)):
        talk.keep_asked(a_trigger(sender=STRANGER, issue=an_issue_ref(repository=repository)), is_let_in=False, at=at)
    talk.keep_asked(a_trigger(sender=MAINTAINER), is_let_in=False, at=20.0)
    talk.keep_asked(a_trigger(sender=STRANGER), is_let_in=True, at=20.0)

    assert talk.refusals(42, since=0.0) == 3
    assert talk.refusals(42, since=0.0, login="MALLORY") == 2
    assert talk.refusals(42, since=10.0, login="mallory") == 1


def test_who_had_access_is_known_by_the_newest_lookup(talk: Talk) -> None:
    assert not talk.was_let_in(42, "grace")

    talk.keep_asked(a_trigger(), is_let_in=True, at=10.0)
    before = talk.was_let_in(42, "Grace")
    talk.keep_asked(a_trigger(), is_let_in=False, at=20.0)

    assert (before, talk.was_let_in(42, "grace"), talk.was_let_in(43, "grace")) == (True, False, False)


def test_who_asked_long_ago_is_forgotten(talk: Talk) -> None:
    old = a_trigger()
    talk.keep_asked(old, is_let_in=True, at=10.0)

    talk.keep_asked(a_trigger(sender=STRANGER), is_let_in=False, at=11.0 + KEPT_S)

    assert talk.asked(old.key) is None


# --- What was answered


def test_an_answer_is_known_by_its_request_and_counted_in_its_thread(talk: Talk) -> None:
    at = an_issue_ref(7)

    for moment in (10.0, 20.0):
        talk.keep_answered("comment:1", at, moment=10.0)
        talk.keep_answered(f"comment:{moment}", at, moment=moment)
    talk.keep_answered("comment:9", an_issue_ref(8), moment=20.0)

    assert talk.is_answered("comment:1")
    assert not talk.is_answered("comment:2")
    assert (talk.answers_in(at, since=0.0), talk.answers_in(at, since=10.0)) == (3, 1)


# --- What is said of the queue


def test_the_comment_of_a_run_that_waits_is_kept_until_it_begins(talk: Talk) -> None:
    talk.keep_queue_comment("run-1", QueueComment(5, "2 of 2"))
    talk.keep_queue_comment("run-1", QueueComment(5, "1 of 2"))
    known = talk.queue_comment("run-1")

    talk.forget_queue_comment("run-1")

    assert known == QueueComment(5, "1 of 2")
    assert talk.queue_comment("run-1") is None


def test_all_comments_of_the_queue_are_known_at_once(talk: Talk) -> None:
    talk.keep_queue_comment("run-1", QueueComment(5, "1 of 2"))
    talk.keep_queue_comment("run-2", QueueComment(6, "2 of 2"))

    assert talk.queue_comments() == {"run-1": QueueComment(5, "1 of 2"), "run-2": QueueComment(6, "2 of 2")}


# --- Notes


def a_note(text_: str, issue: IssueRef | None = None) -> Trigger:
    return a_trigger(NOTE, text=text_, issue=issue or an_issue_ref())


def begun(store: Store, inbox: SqlInbox, kind: TriggerKind = TriggerKind.START) -> str:
    inbox.accept(a_trigger(kind))
    return store.begin_run(store.waiting()[-1])


def test_a_run_has_the_notes_that_were_given_since_it_was_asked_for_in_order(inbox: SqlInbox, store: Store) -> None:
    store.add_note(a_note("too early"))
    run = begun(store, inbox)
    same = a_note("first \x00")

    for note in (same, same, a_note("second"), a_note("another issue", an_issue_ref(8))):
        store.add_note(note)

    assert [(note.author, note.text) for note in store.notes_since(run)] == [
        ("grace", "first \N{REPLACEMENT CHARACTER}"),
        ("grace", "second"),
    ]


def test_a_run_that_waited_has_the_notes_of_then_too(inbox: SqlInbox, store: Store) -> None:
    inbox.accept(a_trigger())
    store.add_note(a_note("while it waits"))
    run = store.begin_run(store.waiting()[0])

    assert [note.text for note in store.notes_since(run)] == ["while it waits"]


def test_what_was_said_after_its_end_is_not_for_a_run(inbox: SqlInbox, store: Store) -> None:
    run = begun(store, inbox)
    store.add_note(a_note("in time"))
    store.finish(run, Outcome.UNSOLVED, "")
    store.add_note(a_note("late"))

    assert [note.text for note in store.notes_since(run)] == ["in time"]


def test_of_many_notes_the_newest_are_given(inbox: SqlInbox, store: Store) -> None:
    run = begun(store, inbox)
    for number in range(40):
        store.add_note(a_note(str(number)))

    assert [note.text for note in store.notes_since(run)] == [str(number) for number in range(10, 40)]


# --- Who waits and may


def test_who_was_let_in_is_known_of_each_request(talk: Talk) -> None:
    let_in, refused, new = a_trigger(), a_trigger(), a_trigger()
    talk.keep_asked(let_in, is_let_in=True, at=1.0)
    talk.keep_asked(refused, is_let_in=False, at=1.0)

    assert talk.let_in({each.key for each in (let_in, refused, new)}) == {let_in.key}

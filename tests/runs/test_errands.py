"""What the dispatcher asks of GitHub without waiting for it, and what it does meanwhile."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.errors import Gone, Unavailable
from bot.records import IssueRef, RepositoryRef, Subject, Trigger, TriggerKind
from bot.runs.errands import FRESH_S, HELD_S, Errands, Sent
from bot.runs.lines import Line, Matter, matter_of
from bot.runs.messengers import Messengers
from bot.runs.store import SqlInbox, Store, run_id_for
from tests.github.fake import FakeGitHub
from tests.runs.builders import MAINTAINER, a_comment_trigger, a_trigger, an_issue_ref, at
from tests.runs.desk import Desk
from tests.runs.fakes import Clock

START, RETRY, STOP = TriggerKind.START, TriggerKind.RETRY, TriggerKind.STOP
PATIENCE_S = 30.0


@dataclass
class Shelf:
    """A `Send` that keeps what it is given, until it is told to run it. `room` is how much it takes."""

    kept: list[tuple[Line, Callable[[], None]]] = field(default_factory=list)
    room: int = 1000

    def __call__(self, line: Line, work: Callable[[], None], /) -> bool:
        if len(self.kept) >= self.room:
            return False
        self.kept.append((line, work))
        return True

    def run(self, *matters: Matter) -> None:
        """Run all that was kept up to now: of these matters, of all where none is named."""
        due = [each for each in self.kept if not matters or each[0].matter in matters]
        self.kept = [each for each in self.kept if each not in due]
        for _, work in due:
            work()


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def errands(shelf: Shelf, clock: Clock) -> Errands:
    return Errands(FakeGitHub(), shelf, clock)


def sent(errands: Errands, trigger: Trigger, what: str = "it", work: Callable[[], object] = lambda: 1) -> None:
    with pytest.raises(Sent):
        errands.ask(trigger, what, work)


# --- Asking


def test_an_answer_is_there_when_the_errand_was_run(errands: Errands, shelf: Shelf) -> None:
    trigger = a_trigger()

    sent(errands, trigger, work=lambda: "write")
    sent(errands, trigger, work=lambda: "asked twice")
    shelf.run()

    assert errands.ask(trigger, "it", lambda: "asked again") == "write"
    assert shelf.kept == []


def test_what_was_raised_is_raised_where_the_answer_is_wanted(errands: Errands, shelf: Shelf) -> None:
    trigger = a_trigger()

    def fails() -> None:
        raise Gone("deleted")

    sent(errands, trigger, work=fails)
    shelf.run()

    with pytest.raises(Gone, match="deleted"):
        errands.ask(trigger, "it", fails)


def test_an_answer_that_has_grown_old_is_asked_for_again(errands: Errands, shelf: Shelf, clock: Clock) -> None:
    trigger = a_trigger()
    sent(errands, trigger)
    shelf.run()
    clock.now += FRESH_S

    sent(errands, trigger, work=lambda: 2)
    shelf.run()

    assert errands.ask(trigger, "it", lambda: 3) == 2


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_answer_that_nobody_wants_any_more_is_forgotten(errands: Errands, shelf: Shelf, when: str) -> None:
    trigger = a_trigger()
    sent(errands, trigger)
    if when == "after":
        shelf.run()
    errands.forget(trigger)
    shelf.run()

    sent(errands, trigger, work=lambda: 2)


def test_while_one_is_asked_about_others_of_its_account_wait_and_those_of_another_do_not(
    errands: Errands, shelf: Shelf
) -> None:
    first, second = a_trigger(issue=an_issue_ref(1)), a_trigger(issue=an_issue_ref(2))
    other = a_trigger(issue=an_issue_ref(1, installation=2))
    sent(errands, first)

    busy = [errands.is_busy(each) for each in (first, second, other)]
    sent(errands, second)
    under_way = len(shelf.kept)
    sent(errands, other)

    assert busy == [True, True, False]
    assert (under_way, len(shelf.kept)) == (1, 2)


def test_a_stop_waits_for_nothing_that_is_asked_about_runs(errands: Errands) -> None:
    issue = an_issue_ref(1)
    sent(errands, a_trigger(issue=issue))

    assert not errands.is_busy(a_comment_trigger(STOP, issue=issue))


def test_a_fact_that_ends_something_waits_for_no_lookup(errands: Errands) -> None:
    issue = an_issue_ref(1)
    asked, fact = a_comment_trigger(STOP, issue=issue), a_trigger(STOP, issue=issue)
    sent(errands, asked)

    assert (errands.is_busy(asked), errands.is_busy(fact)) == (True, False)


def test_where_too_much_is_asked_already_time_must_act(errands: Errands, shelf: Shelf) -> None:
    shelf.room = 0
    trigger = a_trigger()

    with pytest.raises(Unavailable):
        errands.ask(trigger, "it", lambda: 1)

    assert not errands.is_busy(trigger)


@pytest.mark.parametrize("kind", list(TriggerKind))
def test_every_kind_of_trigger_is_about_something(kind: TriggerKind) -> None:
    assert matter_of(kind) is not Matter.WORDS
    assert (matter_of(kind) is Matter.ENDING) == (kind in (STOP, TriggerKind.UNINSTALLED))


# --- Saying


def test_who_says_something_waits_only_where_it_has_to_be_said_first(errands: Errands, shelf: Shelf) -> None:
    one, other, said = a_trigger(), a_trigger(), list[str]()
    errands.say(one, lambda: said.append("a reaction"))
    errands.say(other, lambda: said.append("a place in the queue"), holds=True)

    busy = [errands.is_busy(one), errands.is_busy(other)]
    shelf.run()

    assert busy == [False, True]
    assert not errands.is_busy(other)
    assert said == ["a reaction", "a place in the queue"]


@pytest.mark.parametrize("error", [Unavailable("no answer"), ZeroDivisionError()])
def test_what_could_not_be_said_is_logged_and_holds_nothing_up(
    errands: Errands, shelf: Shelf, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    trigger = a_trigger()

    def fails() -> None:
        raise error

    with caplog.at_level(logging.WARNING):
        errands.say(trigger, fails, holds=True)
        shelf.run()

    assert len(caplog.records) == 1
    assert not errands.is_busy(trigger)


def test_what_is_too_much_to_be_said_is_left_unsaid(
    errands: Errands, shelf: Shelf, caplog: pytest.LogCaptureFixture
) -> None:
    shelf.room, trigger = 0, a_trigger()

    errands.say(trigger, lambda: None, holds=True)

    assert "not said" in caplog.text
    assert not errands.is_busy(trigger)


# --- At the dispatcher


@pytest.fixture
def slow(inbox: SqlInbox, store: Store, tmp_path: Path, shelf: Shelf) -> Desk:
    """A dispatcher whose errands are run when the test says so."""
    return Desk(inbox, store, tmp_path, send=shelf)


def test_a_run_begins_when_github_has_said_who_asks_and_the_reaction_comes_later(slow: Desk, shelf: Shelf) -> None:
    trigger = slow.asks(START)
    slow.turn(3)
    before = list(slow.started)
    shelf.run(Matter.RUNS)
    slow.turn()

    assert (before, slow.started) == ([], [run_id_for(trigger)])
    assert slow.reactions_on(trigger) == []
    shelf.run()
    assert slow.reactions_on(trigger) == ["eyes"]
    assert slow.github.calls.count("permission") == 1


def test_a_stop_by_a_comment_takes_effect_before_anything_is_said_of_it(slow: Desk, shelf: Shelf) -> None:
    slow.asks(START, occurred_at=at(0))
    slow.turn()
    shelf.run(Matter.RUNS)
    slow.turn()
    stop = slow.comments(STOP, occurred_at=at(9))
    slow.turn()
    shelf.run(Matter.ENDING)
    slow.turn()

    assert slow.store.stop_because(slow.started[0]) == "/selfcode stop"
    assert slow.reactions_on(stop) == []
    shelf.run()
    assert slow.reactions_on(stop) == ["eyes"]


def test_a_retry_that_is_taken_back_while_github_is_asked_about_it_is_never_begun(slow: Desk, shelf: Shelf) -> None:
    slow.comments(RETRY, occurred_at=at(0))
    slow.turn()
    slow.asks(STOP, because="issue closed", occurred_at=at(9))
    slow.turn()
    shelf.run()
    slow.turn(2)

    assert (slow.started, slow.store.waiting()) == ([], [])


def test_a_free_place_is_kept_while_github_is_asked_but_not_for_long(
    inbox: SqlInbox, store: Store, tmp_path: Path, shelf: Shelf
) -> None:
    desk = Desk(inbox, store, tmp_path, places=1, send=shelf)
    desk.asks(START, issue=an_issue_ref(1, installation=1, repository=51))
    other = desk.asks(START, issue=an_issue_ref(1, installation=2, repository=52))
    desk.turn(3)
    _, (_, about_other) = shelf.kept
    about_other()
    desk.turn(3)
    shelf.run(Matter.WORDS)
    at_first = list(desk.started)
    desk.clock.now += HELD_S
    desk.turn()

    assert (at_first, desk.started) == ([], [run_id_for(other)])


def test_of_two_retries_on_an_issue_only_one_begins_whatever_comes_back_when(slow: Desk, shelf: Shelf) -> None:
    first, _ = slow.comments(RETRY), slow.comments(RETRY)
    for _ in range(8):
        slow.turn()
        shelf.run()

    assert slow.started == [run_id_for(first)]


def test_a_run_whose_place_is_being_told_begins_when_it_was_and_takes_the_comment_over(
    slow: Desk, shelf: Shelf
) -> None:
    busy = [slow.asks(START, issue=slow.another_issue()) for _ in range(2)]
    waits = slow.asks(START)
    for _ in range(6):
        slow.turn()
        shelf.run(Matter.RUNS)
    slow.turn()
    slow.ends(run_id_for(busy[0]))
    slow.turn(2)
    while_told = list(slow.started)
    shelf.run()
    slow.turn()

    assert while_told == [run_id_for(each) for each in busy]
    assert slow.started[-1] == run_id_for(waits)
    (comment,) = [said for said in slow.repository.issues[1].comments if said.author.login == slow.github.login]
    assert slow.store.facts(run_id_for(waits))["comment_id"] == comment.id


def test_an_answer_is_given_after_the_reaction_and_the_same_request_is_not_acted_on_meanwhile(
    slow: Desk, shelf: Shelf
) -> None:
    status = slow.comments(TriggerKind.STATUS)
    slow.turn()
    shelf.run()
    slow.turn(3)
    under_way = [line.matter for line, _ in shelf.kept]
    shelf.run()
    slow.turn()

    assert under_way == [Matter.WORDS, Matter.WORDS]
    assert (slow.reactions_on(status), len(slow.answers)) == (["eyes"], 1)
    assert slow.github.calls.index("react") < slow.github.calls.index("post_comment")
    assert slow.store.waiting() == []


def test_what_is_taken_back_while_its_place_is_being_told_says_so_all_the_same(slow: Desk, shelf: Shelf) -> None:
    for _ in range(2):
        slow.asks(START, issue=slow.another_issue())
    slow.asks(START, occurred_at=at(1))
    for _ in range(6):
        slow.turn()
        shelf.run(Matter.RUNS)
    slow.turn()
    slow.asks(STOP, because="label removed", occurred_at=at(5))
    slow.turn()
    shelf.run()

    (comment,) = slow.answers
    assert comment.startswith("⏹️ **Not begun**: label removed.")
    assert slow.store.talk.queue_comments() == {}


def test_one_who_waits_keeps_its_place_in_the_queue_while_github_is_asked_about_it(slow: Desk, shelf: Shelf) -> None:
    for _ in range(2):
        slow.asks(START, issue=slow.another_issue())
    first, second = slow.asks(START), slow.asks(START, issue=slow.another_issue())
    for _ in range(9):
        slow.turn()
        shelf.run()

    told = {run_id: comment.said for run_id, comment in slow.store.talk.queue_comments().items()}
    assert told == {run_id_for(first): "1", run_id_for(second): "2"}


def test_all_accounts_are_asked_about_in_one_turn_and_of_each_one_run_at_a_time(
    inbox: SqlInbox, store: Store, tmp_path: Path, shelf: Shelf
) -> None:
    desk = Desk(inbox, store, tmp_path, places=9, send=shelf)
    for installation in (1, 2, 3):
        for number in (1, 2):
            desk.asks(START, issue=an_issue_ref(number, installation=installation, repository=50 + installation))

    desk.turn()

    assert [line.installation_id for line, _ in shelf.kept] == [1, 2, 3]


# --- A GitHub that does not answer


@dataclass
class Stuck(FakeGitHub):
    """A GitHub that answers nothing about some repositories, and takes no words at all, until it is let go."""

    stuck: set[int] = field(default_factory=set)
    go: threading.Event = field(default_factory=threading.Event)

    def permission(self, ref: RepositoryRef, login: str) -> str:
        if ref.id in self.stuck:
            assert self.go.wait(PATIENCE_S)
        return super().permission(ref, login)

    def react(self, at: IssueRef, reaction: str, *, subject: Subject | None = None) -> None:
        assert self.go.wait(PATIENCE_S)
        super().react(at, reaction, subject=subject)


def test_a_stop_takes_effect_while_github_answers_nothing_about_another_account_and_takes_no_words(
    inbox: SqlInbox, store: Store, tmp_path: Path
) -> None:
    github = Stuck()
    desk = Desk(inbox, store, tmp_path, github=github, send=Messengers())
    there = github.add_repository("octo/sick", installation_id=6)
    there.roles[MAINTAINER.login] = "write"
    sick = [github.open_issue(there.ref) for _ in range(3)]
    runs = [desk.asks(START, occurred_at=at(0)), desk.asks(START, issue=sick[0], occurred_at=at(0))]
    turn_until(desk, lambda: len(desk.started) == 2)
    github.stuck.add(there.ref.id)
    for issue in sick:
        desk.comments(STOP, issue=issue, occurred_at=at(8))
        desk.comments(RETRY, issue=issue, occurred_at=at(9))

    desk.comments(STOP, occurred_at=at(9))
    turn_until(desk, lambda: store.stop_because(run_id_for(runs[0])) is not None)

    assert store.stop_because(run_id_for(runs[1])) is None
    github.go.set()
    turn_until(desk, lambda: store.stop_because(run_id_for(runs[1])) is not None)


def turn_until(desk: Desk, is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < until
        desk.turn()
        desk.dispatcher.wait(0.05)

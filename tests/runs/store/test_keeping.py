"""What comes at the same time is kept by one transaction."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from bot.errors import Unavailable
from bot.records import Receipt, Trigger
from bot.runs.keeping import FileTurn, SharedInbox
from bot.runs.store import SqlInbox, Store
from tests.runs.builders import a_trigger

ACCEPTED, DUPLICATE = Receipt.ACCEPTED, Receipt.DUPLICATE


@dataclass
class Gate:
    """Keeps in memory, once the gate is open. What it can not bear it refuses, with all that comes along."""

    opened: threading.Event = field(default_factory=threading.Event)
    reached: threading.Event = field(default_factory=threading.Event)
    batches: list[list[str]] = field(default_factory=list)
    problem: Exception | None = None

    def accept_all(self, triggers: Sequence[Trigger]) -> Sequence[Receipt]:
        self.reached.set()
        self.opened.wait(30)
        if self.problem is not None:
            raise self.problem
        if any(trigger.text == "unbearable" for trigger in triggers):
            raise ValueError("unbearable")
        self.batches.append([trigger.key for trigger in triggers])
        return [ACCEPTED for _ in triggers]


def all_at_once(inbox: SharedInbox, gate: Gate, triggers: Sequence[Trigger]) -> list[object]:
    """The first is being kept when the others come; what each of them was told."""

    def accept(trigger: Trigger) -> object:
        try:
            return inbox.accept(trigger)
        except (Unavailable, ValueError) as problem:
            return problem

    with ThreadPoolExecutor(len(triggers)) as pool:
        first = pool.submit(accept, triggers[0])
        gate.reached.wait(30)
        others = [pool.submit(accept, trigger) for trigger in triggers[1:]]
        while len(inbox._brought) < len(others):
            pass
        gate.opened.set()
        return [each.result() for each in (first, *others)]


def test_whoever_comes_while_somebody_keeps_is_kept_in_the_next_transaction_with_all_others() -> None:
    gate, triggers = Gate(), [a_trigger() for _ in range(6)]

    receipts = all_at_once(SharedInbox(gate), gate, triggers)

    assert receipts == [ACCEPTED] * 6
    assert sorted(map(len, gate.batches)) == [1, 5]


def test_a_database_that_is_away_is_told_to_each_of_them() -> None:
    gate = Gate(problem=Unavailable("away"))

    answers = all_at_once(SharedInbox(gate), gate, [a_trigger() for _ in range(4)])

    assert {str(answer) for answer in answers} == {"away"}


def test_one_that_can_not_be_kept_spoils_it_for_nobody_else() -> None:
    gate = Gate()
    triggers = [a_trigger(), a_trigger(), a_trigger(text="unbearable"), a_trigger()]

    answers = all_at_once(SharedInbox(gate), gate, triggers)

    assert [str(answer) for answer in answers] == ["accepted", "accepted", "unbearable", "accepted"]


def test_one_transaction_keeps_several_each_once(engine: Engine) -> None:
    statements: list[str] = []
    event.listen(engine, "commit", lambda _: statements.append("commit"))
    known, first, second = a_trigger(), a_trigger(), a_trigger()
    SqlInbox(engine).accept(known)
    statements.clear()

    receipts = SqlInbox(engine).accept_all([second, known, first, second])

    assert receipts == [ACCEPTED, DUPLICATE, ACCEPTED, DUPLICATE]
    assert len(statements) == 1
    assert {each.trigger.key for each in Store(engine).waiting()} == {known.key, first.key, second.key}


def test_an_inbox_of_many_threads_keeps_each_trigger_once(engine: Engine) -> None:
    inbox, triggers = SharedInbox(SqlInbox(engine)), [a_trigger() for _ in range(20)]

    with ThreadPoolExecutor(8) as pool:
        receipts = list(pool.map(inbox.accept, triggers * 3))

    assert (receipts.count(ACCEPTED), receipts.count(DUPLICATE)) == (20, 40)
    assert len(Store(engine).waiting()) == 20


@pytest.mark.parametrize("count", [1, 3])
def test_nothing_is_kept_where_the_transaction_fails(engine: Engine, count: int) -> None:
    def refuse(*_: object) -> None:
        raise Unavailable("the disk is full")

    event.listen(engine, "commit", refuse)
    with pytest.raises(Unavailable):
        SqlInbox(engine).accept_all([a_trigger() for _ in range(count)])
    event.remove(engine, "commit", refuse)

    assert Store(engine).waiting() == []


def test_processes_that_write_to_one_file_have_their_turns(tmp_path: Path) -> None:
    ours, theirs = FileTurn(tmp_path / "inbox.lock"), FileTurn(tmp_path / "inbox.lock")
    order: list[str] = []
    begun = threading.Event()

    def wait_for_a_turn() -> None:
        begun.set()
        with theirs:
            order.append("theirs")

    with ThreadPoolExecutor(1) as pool:
        with ours:
            waiting = pool.submit(wait_for_a_turn)
            begun.wait(30)
            order.append("ours")
        waiting.result(30)

    assert order == ["ours", "theirs"]

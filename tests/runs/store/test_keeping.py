"""What comes at the same time is kept by one transaction."""

import asyncio
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


def all_at_once(inbox: SharedInbox, gate: Gate, brought: Sequence[Sequence[Trigger]]) -> list[object]:
    """The first is being kept when the others come; what each of them was told."""

    async def run() -> list[object]:
        first = asyncio.create_task(inbox.keep(brought[0]))
        await asyncio.to_thread(gate.reached.wait, 30)
        others = [asyncio.create_task(inbox.keep(each)) for each in brought[1:]]
        await asyncio.sleep(0)
        gate.opened.set()
        return list(await asyncio.gather(first, *others, return_exceptions=True))

    return asyncio.run(run())


def test_whoever_comes_while_somebody_keeps_is_kept_in_the_next_transaction_with_all_others() -> None:
    gate, brought = Gate(), [[a_trigger() for _ in range(count)] for count in (1, 1, 2, 1, 3)]

    receipts = all_at_once(SharedInbox(gate), gate, brought)

    assert receipts == [[ACCEPTED] * len(each) for each in brought]
    assert list(map(len, gate.batches)) == [1, 7]


def test_who_does_not_wait_for_it_any_more_takes_nothing_back() -> None:
    gate, first, second = Gate(), a_trigger(), a_trigger()
    inbox = SharedInbox(gate)

    async def run() -> Sequence[Receipt]:
        gone = asyncio.create_task(inbox.keep([first]))
        await asyncio.to_thread(gate.reached.wait, 30)
        gone.cancel()
        gate.opened.set()
        return await inbox.keep([second])

    assert asyncio.run(run()) == [ACCEPTED]
    assert gate.batches == [[first.key], [second.key]]


def test_a_database_that_is_away_is_told_to_each_of_them() -> None:
    gate = Gate(problem=Unavailable("away"))

    answers = all_at_once(SharedInbox(gate), gate, [[a_trigger()] for _ in range(4)])

    assert {str(answer) for answer in answers} == {"away"}


def test_one_that_can_not_be_kept_spoils_it_for_nobody_else() -> None:
    gate = Gate()
    brought = [[a_trigger()], [a_trigger()], [a_trigger(text="unbearable")], [a_trigger()]]

    first, second, third, fourth = all_at_once(SharedInbox(gate), gate, brought)

    assert [first, second, fourth] == [[ACCEPTED]] * 3
    assert str(third) == "unbearable"


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


def test_what_comes_several_times_at_once_is_kept_once(engine: Engine) -> None:
    triggers = [a_trigger() for _ in range(20)]

    async def run() -> list[Receipt]:
        inbox = SharedInbox(SqlInbox(engine))
        return [receipt for (receipt,) in await asyncio.gather(*(inbox.keep([each]) for each in triggers * 3))]

    receipts = asyncio.run(run())

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

"""One trigger that may be told of by several keys: whichever comes first is the one."""

from bot.records import Receipt
from bot.runs.store import SqlInbox, Store
from tests.runs.builders import a_trigger


def test_what_was_found_is_not_accepted_again_by_any_of_its_keys(inbox: SqlInbox, store: Store) -> None:
    found = a_trigger(key="start:7")

    assert inbox.accept_as_one(found, ["start:6", "start:7", "start:8"]) is Receipt.ACCEPTED

    told = [inbox.accept(a_trigger(key=f"start:{second}")) for second in (6, 7, 8)]
    assert told == [Receipt.DUPLICATE] * 3
    assert [waiting.trigger for waiting in store.waiting()] == [found]


def test_what_was_told_of_by_one_of_its_keys_is_not_found_and_takes_no_other_key(inbox: SqlInbox, store: Store) -> None:
    told = a_trigger(key="start:8")
    inbox.accept(told)

    assert inbox.accept_as_one(a_trigger(key="start:7"), ["start:6", "start:8"]) is Receipt.DUPLICATE

    assert [waiting.trigger for waiting in store.waiting()] == [told]
    assert inbox.accept(a_trigger(key="start:6")) is Receipt.ACCEPTED

"""The shelves on which triggers wait, on both databases."""

from typing import Any

import pytest

from bot.records import Trigger, TriggerKind
from bot.runs.forgetting import Whole
from bot.runs.shelf import Shelf
from bot.runs.shelves import Count, Shelves
from bot.runs.store import SqlInbox, Store, run_id_for
from tests.runs.builders import a_trigger, an_issue_ref


@pytest.fixture
def shelves(store: Store) -> Shelves:
    return store.shelves


def waits(inbox: SqlInbox, store: Store, number: int = 7, **place: Any) -> int:
    """Something waits on an issue: its `seq`."""
    return kept(inbox, store, a_trigger(issue=an_issue_ref(number, **place)))


def kept(inbox: SqlInbox, store: Store, trigger: Trigger) -> int:
    inbox.accept(trigger)
    return store.waiting()[-1].seq


def test_what_comes_in_is_new_and_what_ends_runs_lies_apart(inbox: SqlInbox, store: Store, shelves: Shelves) -> None:
    before = shelves.filled()
    start, stop = kept(inbox, store, a_trigger()), kept(inbox, store, a_trigger(TriggerKind.STOP))

    assert before == frozenset()
    assert shelves.filled() == {Shelf.NEW, Shelf.ENDS}
    assert [each.seq for each in shelves.first(Shelf.NEW, 42, 9)] == [start]
    assert [each.seq for each in shelves.after(Shelf.ENDS, (-1, 0), 9)] == [stop]


def test_of_each_repository_the_first_is_in_front(inbox: SqlInbox, store: Store, shelves: Shelves) -> None:
    first = waits(inbox, store, repository=44, installation=2)
    waits(inbox, store, 8, repository=44, installation=2)
    other = waits(inbox, store, repository=43)

    fronts = shelves.fronts(Shelf.NEW)

    assert [(each.installation_id, each.repository_id, each.seq) for each in fronts] == [(1, 43, other), (2, 44, first)]
    assert shelves.fronts(Shelf.NEW, most=1) == fronts[:1]
    assert shelves.fronts(Shelf.NEW, after=43) == fronts[1:]
    assert shelves.fronts(Shelf.PLACES) == []


def test_what_is_laid_elsewhere_and_sorted_again_lies_there(inbox: SqlInbox, store: Store, shelves: Shelves) -> None:
    start, stop = kept(inbox, store, a_trigger()), kept(inbox, store, a_trigger(TriggerKind.STOP))

    shelves.put(Shelf.ASIDE, [start, stop])
    aside = shelves.filled()
    shelves.sort_again([start, stop])

    assert aside == {Shelf.ASIDE}
    assert shelves.lies_on(Shelf.NEW, start)
    assert shelves.lies_on(Shelf.ENDS, stop)


def test_all_of_an_issue_or_of_a_shelf_is_sorted_again(inbox: SqlInbox, store: Store, shelves: Shelves) -> None:
    here, pull, elsewhere = waits(inbox, store, 7), waits(inbox, store, 9), waits(inbox, store, 8)
    shelves.put(Shelf.BEHIND, [here, pull, elsewhere])

    shelves.sort_again_of_issue(42, {7, 9})
    after_the_issue = [seq for seq in (here, pull, elsewhere) if shelves.lies_on(Shelf.NEW, seq)]
    shelves.sort_again_of_shelf(Shelf.BEHIND, 42)

    assert after_the_issue == [here, pull]
    assert shelves.filled() == {Shelf.NEW}


def test_what_is_done_lies_nowhere(inbox: SqlInbox, store: Store, shelves: Shelves) -> None:
    first, second = waits(inbox, store), waits(inbox, store, 8)

    shelves.settle([first, second], "done")

    assert shelves.filled() == frozenset()
    assert store.waiting() == []


def test_a_place_in_line_is_counted_by_repositories(inbox: SqlInbox, store: Store, shelves: Shelves) -> None:
    seqs = [waits(inbox, store, number) for number in (1, 2, 3)]
    seqs.append(waits(inbox, store, repository=43, installation=2))
    shelves.put(Shelf.PLACES, seqs)

    counts = shelves.counts(Shelf.PLACES, before=seqs[2])

    assert sorted(counts, key=lambda count: count.repository_id) == [Count(1, 42, 3, 2), Count(2, 43, 1, 0)]


def test_what_a_repository_or_an_account_leaves_behind_is_found(
    inbox: SqlInbox, store: Store, shelves: Shelves
) -> None:
    here = [waits(inbox, store, number) for number in (1, 2)]
    beside = waits(inbox, store, repository=43)
    waits(inbox, store, repository=44, installation=2)
    left = kept(inbox, store, a_trigger(TriggerKind.UNINSTALLED, issue=an_issue_ref(0)))

    def found(what: Whole, most: int = 9) -> list[int]:
        return sorted(seq for seq, _ in shelves.within(what, before=left + 1, most=most))

    repository, account = Whole(42), Whole(installation_id=1)
    assert found(repository) == here
    assert found(account) == [*here, beside]
    assert len(found(account, most=2)) == 2


def test_what_would_become_a_run_is_found_by_its_id(inbox: SqlInbox, store: Store, shelves: Shelves) -> None:
    wanted = a_trigger()
    for trigger in (a_trigger(), wanted):
        inbox.accept(trigger)

    assert [each.trigger for each in shelves.named({run_id_for(wanted)})] == [wanted]

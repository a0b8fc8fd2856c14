"""Where more repositories have something on a shelf than are looked at in one go, each has its turn."""

from bot.runs.rounds import FEW, Rounds
from bot.runs.shelf import Shelf
from bot.runs.store import SqlInbox, Store
from tests.runs.builders import a_trigger, an_issue_ref


def waits(inbox: SqlInbox, *repositories: int) -> None:
    """An issue waits in each of these."""
    for repository in repositories:
        inbox.accept(a_trigger(issue=an_issue_ref(repository=repository)))


def in_front(rounds: Rounds) -> list[int]:
    """The repositories whose turn it is."""
    return [front.repository_id for front in rounds.fronts(Shelf.NEW)]


def test_a_turn_goes_on_behind_the_one_before_and_begins_again_at_the_end(inbox: SqlInbox, store: Store) -> None:
    waits(inbox, 1, 2, 3)
    rounds, looked_at = Rounds(store, most=2), []

    for _ in range(3):
        rounds.next()
        looked_at.append([in_front(rounds), in_front(rounds)])

    assert looked_at == [[[1, 2]] * 2, [[3]] * 2, [[1, 2]] * 2]


def test_some_are_of_a_few_repositories_and_the_next_time_of_others(inbox: SqlInbox, store: Store) -> None:
    waits(inbox, *range(1, 2 * FEW + 1))
    rounds = Rounds(store)

    looked_at = [[each.trigger.issue.repository.id for each in rounds.some(Shelf.NEW, FEW)] for _ in range(3)]

    first, second = list(range(1, FEW + 1)), list(range(FEW + 1, 2 * FEW + 1))
    assert looked_at == [first, second, first]


def test_what_some_are_is_shared_out_among_the_repositories(inbox: SqlInbox, store: Store) -> None:
    for number in range(3):
        inbox.accept(a_trigger(issue=an_issue_ref(number, repository=1)))
    waits(inbox, 2)

    assert [each.trigger.issue.repository.id for each in Rounds(store).some(Shelf.NEW, 4)] == [1, 1, 2]

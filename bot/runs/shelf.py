"""Where a waiting trigger lies, by what it waits for. Pure."""

from enum import StrEnum

from bot.records import TriggerKind

ENDING = (TriggerKind.STOP, TriggerKind.UNINSTALLED)
"""What ends runs goes before everything else."""


class Shelf(StrEnum):
    """Each holds what waits for the same, so that nobody has to look through what waits for something else.

    What is new lies on NEW, or on ENDS where it ends runs, until it is sorted. FACTS count at once, as those that end
    runs do, STOPS once GitHub has said who asks. UNSEEN and PLACES hold what asks for runs that may begin: on PLACES
    that which was let in, and waits for a free place alone. CHEAP takes no place. BEHIND and ASIDE have to wait for
    what is at work on their issue: on BEHIND lies what has not been seen yet; ASIDE is also what rests as its service
    is away. Of what is UNPLACED it is not known yet which issue it is about.
    """

    NEW = "new"
    ENDS = "ends"
    FACTS = "facts"
    STOPS = "stops"
    NOTES = "notes"
    TALK = "talk"
    HOUSE = "house"
    CHEAP = "cheap"
    UNSEEN = "unseen"
    PLACES = "places"
    BEHIND = "behind"
    ASIDE = "aside"
    UNPLACED = "unplaced"


def shelf_of_new(kind: TriggerKind) -> Shelf:
    """Where it lies when it comes in."""
    return Shelf.ENDS if kind in ENDING else Shelf.NEW

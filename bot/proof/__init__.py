"""Reading test results, comparing base and head, the proof in clean containers."""

from bot.proof.alterations import altered_tests
from bot.proof.arrangements import A, Arrangement, B, C, Side, overlay, place
from bot.proof.kinds import FileKind, goes_with_tests, kind_of, kind_of_change, protected
from bot.proof.objections import quick_objection
from bot.proof.planting import Plant, plant_for, plant_that_shows
from bot.proof.proving import prove
from bot.proof.running import run_tests

__all__ = [
    "A",
    "Arrangement",
    "B",
    "C",
    "FileKind",
    "Plant",
    "Side",
    "altered_tests",
    "goes_with_tests",
    "kind_of",
    "kind_of_change",
    "overlay",
    "place",
    "plant_for",
    "plant_that_shows",
    "protected",
    "prove",
    "quick_objection",
    "run_tests",
]

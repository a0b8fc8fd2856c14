"""Reading test results, comparing base and head, the proof in clean containers."""

from bot.proof.acceptance import HiddenResults, HiddenTests, hidden_results, in_both, missing_of_hidden, objection_of
from bot.proof.alterations import altered_tests
from bot.proof.arrangements import A, Arrangement, B, C, Side, overlay, place
from bot.proof.kinds import FileKind, goes_with_tests, kind_of, kind_of_change, protected
from bot.proof.noticing import check_hunks, hunk_budget_s
from bot.proof.objections import quick_objection
from bot.proof.plant import Plant
from bot.proof.planting import plant_that_shows
from bot.proof.proving import prove
from bot.proof.readers.pytest import plant_for
from bot.proof.reproduction import Scene, unreproduced
from bot.proof.running import run_tests
from bot.proof.turns import Each, in_turn, never
from bot.proof.usable import what_is_broken

__all__ = [
    "A",
    "Arrangement",
    "B",
    "C",
    "Each",
    "FileKind",
    "HiddenResults",
    "HiddenTests",
    "Plant",
    "Scene",
    "Side",
    "altered_tests",
    "check_hunks",
    "goes_with_tests",
    "hidden_results",
    "hunk_budget_s",
    "in_both",
    "in_turn",
    "kind_of",
    "kind_of_change",
    "missing_of_hidden",
    "never",
    "objection_of",
    "overlay",
    "place",
    "plant_for",
    "plant_that_shows",
    "protected",
    "prove",
    "quick_objection",
    "run_tests",
    "unreproduced",
    "what_is_broken",
]

"""Fooled by nobody: each trick is caught for what it is, or docs/security.md names it."""

from pathlib import Path

import pytest

from bot.proof import quick_objection
from tests.proof.laboratory import a_report
from tests.proof.redteam import honest, in_configuration, in_earnest, in_source, in_tests, not_caught
from tests.proof.redteam.not_caught import Noted
from tests.proof.redteam.tricks import LARGE, SMALL, ZERO, Trick, lacks

BY_THE_TEXT = (*in_configuration.TRICKS, *in_tests.TRICKS, *in_source.TRICKS)
ALL = (*BY_THE_TEXT, *in_earnest.TRICKS, *not_caught.TRICKS, *(one.trick for one in not_caught.NOTED))
SECURITY = Path(__file__).parents[3] / "docs" / "security.md"


def name(given: Trick | Noted) -> str:
    trick = given.trick if isinstance(given, Noted) else given
    return f"{trick.kind}: {trick.name}".replace("/", "_").replace("::", "_")


@pytest.mark.parametrize("trick", BY_THE_TEXT, ids=name)
def test_a_trick_is_seen_by_its_text_even_where_it_fools_every_run(trick: Trick) -> None:
    assert lacks(trick.believed(), trick.says)


@pytest.mark.parametrize("trick", in_earnest.TRICKS, ids=name)
def test_a_trick_shows_in_the_runs(trick: Trick) -> None:
    assert lacks(trick.in_earnest(), trick.says)


@pytest.mark.parametrize("change", honest.BELIEVED, ids=name)
def test_honest_work_is_not_taken_for_a_trick(change: Trick) -> None:
    proof = change.believed()

    assert (proof.missing, proof.second_looks) == ((), ())


@pytest.mark.parametrize("change", honest.IN_EARNEST, ids=name)
def test_honest_work_is_proven(change: Trick) -> None:
    proof = change.in_earnest()

    assert (proof.missing, proof.second_looks) == ((), ())
    assert proof.evidence.red


@pytest.mark.parametrize("noted", not_caught.NOTED, ids=name)
def test_a_likely_trick_is_worth_a_second_look(noted: Noted) -> None:
    proof = noted.trick.believed()

    assert proof.holds
    assert [sign for sign in proof.second_looks if noted.sign in sign]


@pytest.mark.parametrize("trick", not_caught.TRICKS, ids=name)
def test_this_trick_is_not_caught_as_docs_security_says(trick: Trick) -> None:
    proof = trick.believed()

    assert (proof.missing, proof.second_looks) == ((), ())


def test_a_runner_that_is_reached_out_of_sight_is_not_caught_by_the_runs_either_as_docs_security_says() -> None:
    assert not_caught.LEAVES_THE_PLANT_ALONE.in_earnest().holds


def test_the_model_is_told_at_once_what_reaches_too_far() -> None:
    trick = next(trick for trick in in_source.TRICKS if trick.name == "who calls")
    green = a_report(passed=[SMALL, ZERO, LARGE])

    assert "reaches into the process" in quick_objection(trick.files, lambda: green, green)


@pytest.mark.parametrize("kind", sorted({trick.kind for trick in ALL}))
def test_each_kind_of_trick_is_a_row_of_docs_security(kind: str) -> None:
    rows = [line for line in SECURITY.read_text().splitlines() if line.startswith(f"| {kind} |")]

    assert len(rows) == 1

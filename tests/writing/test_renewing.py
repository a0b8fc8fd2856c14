import pytest

from bot.records import Outcome
from bot.writing.check import unrenewed_check
from bot.writing.renewing import answer
from tests.writing.builders import a_proof, a_result
from tests.writing.foreign import PIECES
from tests.writing.rendering import foreign_html, is_closed, live


def written(outcome: Outcome, who: str = "ada", **changed: object) -> str:
    return answer(a_result(outcome, **changed), who=who, key="comment:71/900")


def test_who_accepted_is_told_what_it_came_to() -> None:
    lines = written(Outcome.PROVEN).splitlines()

    assert lines[0] == "What the change does to existing tests is accepted by `ada`."
    assert lines[2].startswith("✅ **Proven**")
    assert lines[4] == "Ready for your review: #12"


def test_what_is_missing_beside_the_altered_tests_is_said() -> None:
    shown = written(Outcome.UNPROVEN, proof=a_proof(missing=("pyproject.toml was changed",)))

    assert "Missing: pyproject.toml was changed." in shown
    assert "A draft: #12" in shown


def test_a_refusal_is_its_one_sentence() -> None:
    shown = written(Outcome.REFUSED, reason="There is nothing to accept.")

    assert shown.splitlines()[0] == "There is nothing to accept."


@pytest.mark.parametrize("outcome", Outcome)
def test_every_end_has_an_answer_that_says_something(outcome: Outcome) -> None:
    shown = written(outcome, reason="")

    assert len(shown.splitlines()[0]) > 10
    assert shown.endswith("<!-- selfcode:reply comment:71/900 -->")


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("outcome", [Outcome.PROVEN, Outcome.REFUSED, Outcome.BASELINE_BROKEN])
def test_no_foreign_text_reaches_further_than_its_place(outcome: Outcome, piece: str) -> None:
    check = unrenewed_check(outcome, f"{piece}\n{piece} {piece}", run_id="r-1")
    for document in (written(outcome, who=piece, reason=piece, pull_request=None, not_ready=piece), check.summary):
        assert is_closed(document)
        assert live(document) == []
        assert foreign_html(document) == []
    assert "\n" not in check.title

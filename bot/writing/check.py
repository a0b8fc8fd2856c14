"""The check run `selfcode` on the head commit: the pull request's evidence once more, where CI results are read."""

from dataclasses import dataclass

from bot.records import Outcome, RunResult
from bot.writing.document import Section, compose
from bot.writing.evidence import at_a_glance, four_runs, names
from bot.writing.outcomes import headline, title, what_was_shown
from bot.writing.result import what_is_missing
from bot.writing.safe import cut, one_line

TITLE_LIMIT = 250


@dataclass(frozen=True, slots=True)
class CheckText:
    """What the check run says. `conclusion` is GitHub's word: success where proven, else neutral, never failure."""

    conclusion: str
    title: str
    summary: str


def check(result: RunResult) -> CheckText:
    """The check for a run's result. An unproven change is nobody's failure: its check is neutral."""
    proof = result.proof
    said = what_was_shown(proof) if proof else one_line(result.reason)
    sections = [
        Section(headline(result)),
        Section(at_a_glance(proof) if proof else ""),
        Section(what_is_missing(result) if result.outcome is not Outcome.PROVEN else ""),
        *(names(proof) if proof else []),
        Section(four_runs(proof, sandbox=result.sandbox) if proof else "", 50),
    ]
    return CheckText(
        conclusion="success" if result.outcome is Outcome.PROVEN else "neutral",
        title=cut(f"{title(result.outcome)}: {said}", TITLE_LIMIT),
        summary=compose([section for section in sections if section.text]),
    )

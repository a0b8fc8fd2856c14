"""The check run `selfcode` on the head commit: the pull request's evidence once more, where CI results are read."""

from collections.abc import Collection
from dataclasses import dataclass

from bot.records import ANNOTATIONS_AT_MOST, Annotation, Outcome, RunResult
from bot.writing.annotations import annotations
from bot.writing.answering import unnoticed
from bot.writing.document import Section, compose
from bot.writing.evidence import at_a_glance, four_runs, names
from bot.writing.made_of import made_of
from bot.writing.outcomes import headline, short, title, what_was_shown
from bot.writing.result import second_look, what_is_missing
from bot.writing.safe import cut, fenced, one_line, sentence

TITLE_LIMIT = 250


@dataclass(frozen=True, slots=True)
class CheckText:
    """What the check run says. `conclusion` is GitHub's word: success where proven, else neutral, never failure."""

    conclusion: str
    title: str
    summary: str
    annotations: tuple[Annotation, ...] = ()


def check(result: RunResult, *, run_id: str, in_head: Collection[str] = ()) -> CheckText:
    """The check for a run's result. An unproven change is nobody's failure: its check is neutral.

    `in_head` are the paths of the head's files: lines of no other can be spoken of.
    """
    proof = result.proof
    said = what_was_shown(proof) if proof else one_line(result.reason)
    lines = annotations(result, in_head=in_head)
    sections = [
        Section(headline(result)),
        Section(at_a_glance(proof) if proof else ""),
        Section(what_is_missing(result) if result.outcome is not Outcome.PROVEN else ""),
        second_look(result),
        unnoticed(result),
        *(names(proof) if proof else []),
        Section(four_runs(proof, sandbox=result.sandbox) if proof else "", 50),
        made_of(result),
        Section(_too_many(len(lines)), 50),
        Section(_footer(run_id)),
    ]
    return CheckText(
        conclusion="success" if result.outcome is Outcome.PROVEN else "neutral",
        title=cut(f"{title(result.outcome)}: {said}", TITLE_LIMIT),
        summary=compose([section for section in sections if section.text]),
        annotations=lines[:ANNOTATIONS_AT_MOST],
    )


def stale_check(proven: str, now: str, *, run_id: str) -> CheckText:
    """The check on a commit that somebody else pushed over a proven one."""
    said = f"the proof is for {short(proven)}; {short(now)} is not proven"
    renewed = "“Re-run” here takes the proof again, of what the branch holds then."
    return CheckText("neutral", f"Stale: {said}", f"⚠️ **Stale**: {said}. {renewed}\n\n{_footer(run_id)}")


def unrenewed_check(outcome: Outcome, reason: str, *, run_id: str) -> CheckText:
    """The check where the proof was asked for again and could not be taken."""
    first, _, rest = reason.strip().partition("\n")
    shown = [Section(f"**Not renewed**: {sentence(first) or title(outcome)}")]
    shown += [Section(fenced(rest.strip("\n"), "text", head=1000, tail=6000), 50)] if rest.strip() else []
    said = cut(f"Not renewed: {one_line(first) or title(outcome)}", TITLE_LIMIT)
    return CheckText("neutral", said, compose([*shown, Section(_footer(run_id))]))


def _too_many(count: int) -> str:
    most = ANNOTATIONS_AT_MOST
    return f"Of {count:,} remarks on lines, the {most} most important are shown." if count > most else ""


def _footer(run_id: str) -> str:
    return f"<sub>Run `{run_id}`.</sub>"

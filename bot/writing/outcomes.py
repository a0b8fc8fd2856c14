"""How a run ended, in one line, and what its proof did show."""

import re

from bot.records import Outcome, Proof, RunResult, Verdict
from bot.writing.evidence import held_of
from bot.writing.figures import counts, plural
from bot.writing.safe import code, fenced, sentence

_TITLES = {
    Outcome.PROVEN: "Proven",
    Outcome.UNPROVEN: "Unproven",
    Outcome.UNSOLVED: "Not solved",
    Outcome.NOT_REPRODUCED: "Not reproduced",
    Outcome.NEEDS_INFORMATION: "A question first",
    Outcome.BASELINE_BROKEN: "The tests can't be run",
    Outcome.REFUSED: "Refused",
    Outcome.NOTHING_TO_DO: "No change needed",
    Outcome.STOPPED: "Stopped",
    Outcome.ERROR: "An error on our side",
}

_IN_FULL = {
    Outcome.NEEDS_INFORMATION: "❓ **A question first**: the work can't go on without a decision.",
    Outcome.NOTHING_TO_DO: "💬 **Answered**: this needs no change of the code.",
}
"""The first line where the model's own words follow it whole."""


def title(outcome: Outcome) -> str:
    """The outcome in a word or two."""
    return _TITLES[outcome]


def headline(result: RunResult) -> str:
    """The outcome in one line of Markdown: what is known, never more."""
    match result.outcome, result.proof:
        case Outcome.PROVEN, Proof() as proof:
            return f"✅ **Proven**: {what_was_shown(proof)}."
        case Outcome.NEEDS_INFORMATION | Outcome.NOTHING_TO_DO, _ if speaks_in_full(result):
            return _IN_FULL[result.outcome]
        case Outcome.UNPROVEN, Proof() as proof:
            return f"⚠️ **Unproven**: {what_was_shown(proof)}. {_what_is_missing(proof, result.reason)}"
        case outcome, _:
            first = sentence(result.reason.strip().partition("\n")[0])
            return f"**{title(outcome)}**: {first}" if first else f"**{title(outcome)}**."


def speaks_in_full(result: RunResult) -> bool:
    """Whether the model's last words, a question or an answer, stand below the headline whole."""
    how = (result.outcome, result.progress.verdict)
    is_word = how in ((Outcome.NEEDS_INFORMATION, Verdict.QUESTION), (Outcome.NOTHING_TO_DO, Verdict.ANSWERED))
    return is_word and bool(result.progress.why.strip())


def stale(proven: str, now: str) -> str:
    """That the branch has moved on since the proof, in a line of Markdown, and what renews it."""
    return (
        f"⚠️ **Stale**: the proof below is of `{short(proven)}`, and the branch is at `{short(now)}` by now, "
        "which is not proven. “Re-run” on the check `selfcode` renews it."
    )


def short(sha: str) -> str:
    """A commit as people write it."""
    return sha[:10]


def commit(sha: str) -> str:
    """A commit as GitHub links it by itself: its whole name, in no code. What is no commit's name is shown as code."""
    return sha if re.fullmatch("[0-9a-f]{40}", sha) else code(sha, 60)


def further_reason(result: RunResult) -> str:
    """What the reason says below its first line: a list stays one, other lines are shown as output."""
    lines = [line for line in result.reason.strip().split("\n")[1:] if line.strip()]
    if not lines:
        return ""
    if all(line.startswith("- ") for line in lines):
        return "\n".join(f"- {sentence(line[2:])}" for line in lines[:50])
    return fenced("\n".join(lines), "text", head=1000, tail=6000)


def what_was_shown(proof: Proof) -> str:
    """What the proof did show, in plain words: “2 tests fail without this change and pass with it; …”."""
    red = len(proof.evidence.red)
    fail, and_pass = ("fails", "passes") if red == 1 else ("fail", "pass")
    first = f"{plural(red, 'test')} {fail} without this change and {and_pass} with it" if red else _head_in_words(proof)
    held, before = held_of(proof)
    if not before or proof.base_tests_on_head is None or not proof.base_tests_on_head.could_run:
        return first
    if held < before:
        return f"{first}; {held:,} of {plural(before, 'test')} that passed before still pass"
    kept = "the one that passed before still passes" if before == 1 else f"all {before:,} that passed before still pass"
    return f"{first}; {kept}"


def _head_in_words(proof: Proof) -> str:
    if proof.head is None:
        base = proof.baseline
        return f"on the base: {base.state}" if not base.could_run else "the change was not tested to the end"
    return "the tests pass with the change" if proof.head.is_green else f"with the change: {counts(proof.head)}"


def _what_is_missing(proof: Proof, reason: str) -> str:
    first, *more = proof.missing or (reason,)
    rest = f" (and {plural(len(more), 'more reason')} below)" if more else ""
    return f"Missing: {sentence(first, 300).rstrip('.')}{rest}."

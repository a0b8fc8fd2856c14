"""Work that has come to its end goes on for what people said too late for it. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from bot.agent.closing import count_of
from bot.agent.limits import spent
from bot.records import Aim, Caps, Note, Progress, Verdict

OPEN_TO_NOTES = (Verdict.SOLVED, Verdict.NOTHING_TO_DO, Verdict.ANSWERED, Verdict.QUESTION)
"""Ends that the model came to by its own word, which it might not have said had it heard the note."""


def reopened(progress: Progress, notes: Sequence[Note], caps: Caps) -> Progress:
    """The progress with one more iteration before it, for notes that came after the model's last call.

    It is as it was where there are none, where no limit leaves room for one, or where the end is of another kind. What
    passes the tests is not lost: the next iterations begin there, and come back to it where they find nothing better.
    """
    fits = count_of(progress, Aim.CHANGE) < caps.iterations
    fits = fits and not spent(progress.spend, caps, seconds=progress.spend.seconds)
    if not notes or not fits or progress.verdict not in OPEN_TO_NOTES:
        return progress
    *before, last = progress.iterations
    by = ", ".join(dict.fromkeys(note.author for note in notes))
    last = replace(last, why_next=f"a note by {by} came after the model's last call")
    return replace(progress, iterations=(*before, last), verdict=None, why="")

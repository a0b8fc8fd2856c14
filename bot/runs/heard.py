"""What people say to a run while it is at work: what its model was given of it, and what came too late for that."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.agent import reopened
from bot.records import Caps, Note, Progress
from bot.runs.patience import patiently
from bot.runs.store import Store

HEARD = "heard"
"""The fact that says up to which note the model was given them."""


def unheard(store: Store, run_id: str) -> tuple[Note, ...]:
    """The notes that the run's model was never given, for they came after its last call."""
    heard = store.facts(run_id).get(HEARD)
    if heard is None and store.progress(run_id).iterations:  # from before that was kept
        return ()
    return tuple(note for number, note in store.numbered_notes(run_id) if number > (heard or 0))


@dataclass(slots=True)
class Listening:
    """People's notes in one iteration, as the model is given them before each of its calls."""

    store: Store
    run_id: str
    _newest: int = field(init=False)

    def __post_init__(self) -> None:
        self._newest = self.store.facts(self.run_id).get(HEARD, 0)

    def said(self) -> Sequence[Note]:
        """All notes to the run so far, which count as told to the model."""
        numbered = patiently(lambda: self.store.numbered_notes(self.run_id))
        self._newest = max([self._newest, *(number for number, _ in numbered)])
        return [note for _, note in numbered]

    def closed(self, progress: Progress, caps: Caps) -> Progress:
        """The progress after the iteration. A note that came too late for it keeps it from being the last one.

        Who was told that the note was seen expects that something is made of it, as far as limits allow.
        """
        self.store.learn(self.run_id, **{HEARD: self._newest})
        return reopened(progress, unheard(self.store, self.run_id), caps) if progress.verdict else progress

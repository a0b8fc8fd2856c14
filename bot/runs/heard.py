"""What people say to a run while it is at work: what its model was given of it, and what came too late for that."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bot.agent import reopened
from bot.records import Caps, Note, Progress
from bot.runs.patience import patiently
from bot.runs.store import Store

HEARD = "heard"
"""The fact that says up to which note the model was given them."""

GIVEN = "given"
"""The fact that says of an iteration at work up to which note the model was given them, and at which of its askings."""


def unheard(store: Store, run_id: str) -> tuple[Note, ...]:
    """The notes that the run's model was never given, for they came after its last call."""
    heard = store.facts(run_id).get(HEARD)
    if heard is None and store.progress(run_id).iterations:  # from before that was kept
        return ()
    return tuple(note for number, note in store.numbered_notes(run_id) if number > (heard or 0))


@dataclass(slots=True)
class Listening:
    """People's notes in the iteration of this number, as the model is given them before each of its calls."""

    store: Store
    run_id: str
    number: int
    _newest: int = field(init=False)
    _times: int = field(default=0, init=False)
    _given: list[tuple[int, int]] = field(init=False)
    _is_repeating: Callable[[], bool] = field(init=False, default=lambda: False)

    def __post_init__(self) -> None:
        self.begin(self._is_repeating)

    def begin(self, is_repeating: Callable[[], bool]) -> None:
        """Begin to tell it. As long as that `is_repeating` an earlier telling, the model hears what it did then.

        What is asked of it would be something else with a note that came since, and all of it be paid again.
        """
        facts = self.store.facts(self.run_id)
        given = facts.get(GIVEN) or {}
        self._given = [(at, newest) for at, newest in given.get("notes", ()) if given["iteration"] == self.number]
        self._newest, self._times, self._is_repeating = facts.get(HEARD, 0), 0, is_repeating

    def said(self) -> Sequence[Note]:
        """All notes to the run so far, which count as told to the model."""
        self._times += 1
        numbered = patiently(lambda: self.store.numbered_notes(self.run_id))
        if self._is_repeating():
            up_to = max([self._newest, *(newest for at, newest in self._given if at <= self._times)])
            numbered = [(number, note) for number, note in numbered if number <= up_to]
        newest = max([self._newest, *(number for number, _ in numbered)])
        if newest > self._newest and not self._is_repeating():
            self._given = [*(each for each in self._given if each[0] < self._times), (self._times, newest)]
            given = {"iteration": self.number, "notes": self._given}
            patiently(lambda: self.store.learn(self.run_id, **{GIVEN: given}))
        self._newest = newest
        return [note for _, note in numbered]

    def closed(self, progress: Progress, caps: Caps) -> Progress:
        """The progress after the iteration. A note that came too late for it keeps it from being the last one.

        Who was told that the note was seen expects that something is made of it, as far as limits allow.
        """
        self.store.learn(self.run_id, **{HEARD: self._newest})
        return reopened(progress, unheard(self.store, self.run_id), caps) if progress.verdict else progress

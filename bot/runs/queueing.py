"""The comments of runs that wait for a free place: each says which place, and becomes the run's own."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from bot.records import Trigger, TriggerKind
from bot.runs.errands import Errands
from bot.runs.placing import Placing
from bot.runs.store import WORK, Store, Waiting, run_id_for
from bot.runs.talk import QueueComment
from bot.writing.progress import NAMED_PLACES, progress_marker, queue_comment
from bot.writing.replies import not_begun

EVERY_S = 60.0
"""How often one comment may change, or be tried."""

TRIES_KEPT = 1_000

COMMENTED = (*WORK, TriggerKind.DOCTOR)
"""What has a comment of its own."""


@dataclass(frozen=True, slots=True)
class Queueing:
    """Tells who waits. `clock` is monotonic.

    All that is said of one account's queue is said and kept in its order, while the dispatcher goes on.
    """

    store: Store
    errands: Errands
    placing: Placing
    pages: str = ""
    clock: Callable[[], float] = time.monotonic
    _tried_at: dict[str, float] = field(default_factory=dict, init=False)

    def tell_one(self, first: Sequence[Waiting], others: Sequence[Waiting], *, is_paused: bool = False) -> None:
        """Post or edit the comment that says something else than is true by now: one at most.

        `first` are those whose place has a number, the next one first; `others` are some of all. `is_paused`: nothing
        begins, and the place says nothing.
        """
        numbered = {each.seq: place for place, each in enumerate(first, 1)}
        told = [*first, *(each for each in others if each.seq not in numbered)]
        known = self.store.talk.queue_comments([run_id_for(each.trigger) for each in told]) if told else {}
        for each in told:
            there, place = self.placing.placed(each), None if is_paused else numbered.get(each.seq, NAMED_PLACES + 1)
            if there is None or there.trigger.kind not in COMMENTED:
                continue
            if self._tell(there, place, known.get(run_id_for(each.trigger))):
                return

    def hand_over(self, each: Waiting) -> None:
        """Give the comment to the run, which has begun: nothing is under way that is said of it."""
        run_id = run_id_for(each.trigger)
        comment = self.store.talk.queue_comment(run_id)
        if comment is not None:
            self.store.learn(run_id, comment_id=comment.comment_id)
            self.store.talk.forget_queue_comment(run_id)
        self._tried_at.pop(run_id, None)

    def take_back(self, each: Waiting, why: str) -> None:
        """Say that it never began, where something was said of it."""
        run_id = run_id_for(each.trigger)
        if self._tried_at.pop(run_id, None) is None and self.store.talk.queue_comment(run_id) is None:
            return
        body = not_begun(why, run_id, examines=each.trigger.kind is TriggerKind.DOCTOR)  # there is no page of it

        def say() -> None:
            comment = self.store.talk.queue_comment(run_id)
            if comment is not None:
                self.store.talk.forget_queue_comment(run_id)
                self.errands.github.edit_comment(each.trigger.issue, comment.comment_id, body)

        self.errands.say(each.trigger, say)

    def forget(self, asked: Trigger, run_ids: Collection[str]) -> None:
        """Leave their comments as they are, for ever, as somebody asked for."""
        for run_id in run_ids:
            self._tried_at.pop(run_id, None)
        self.errands.say(asked, lambda: self.store.talk.forget_queue_comment(*run_ids))

    def _tell(self, each: Waiting, place: int | None, known: QueueComment | None) -> bool:
        """Whether something is to be said. `place` is None while nothing begins."""
        run_id, at, now = run_id_for(each.trigger), each.trigger.issue, self.clock()
        since = each.trigger.occurred_at
        said = "paused" if place is None else str(place) if place <= NAMED_PLACES else "further back"
        if (known is not None and known.said == said) or now - self._tried_at.get(run_id, -EVERY_S) < EVERY_S:
            return False
        self._forget_tries(now)
        self._tried_at[run_id] = now
        examines = each.trigger.kind is TriggerKind.DOCTOR
        attempt = 1 if examines else self._attempt(each)
        body = queue_comment(
            run_id,
            place or 1,
            attempt=attempt,
            because=each.trigger.because,
            examines=examines,
            is_paused=place is None,
            pages=self.pages,
        )

        def say() -> None:
            github, before = self.errands.github, self.store.talk.queue_comment(run_id)
            if before is None:
                comment_id = github.post_comment(at, body, marker=progress_marker(run_id), since=since)
            else:
                comment_id = before.comment_id
                github.edit_comment(at, comment_id, body)
            self.store.talk.keep_queue_comment(run_id, QueueComment(comment_id, said))

        self.errands.say(each.trigger, say, holds=True)
        return True

    def _forget_tries(self, now: float) -> None:
        """Forget those of long ago, where there are many: their comments are there, or tried anew."""
        if len(self._tried_at) >= TRIES_KEPT:
            for run_id in [run_id for run_id, at in self._tried_at.items() if now - at > 10 * EVERY_S]:
                del self._tried_at[run_id]

    def _attempt(self, each: Waiting) -> int:
        """Which run of work on its issue it will be, from 1 on, as far as can be told."""
        runs = self.store.runs_of(each.trigger.issue.repository.id, each.trigger.issue.number)
        return 1 + sum(run.trigger.kind in WORK for run in runs)

"""The comments of runs that wait for a free place: each says which place, and becomes the run's own."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bot.errors import Gone, Refused, Unavailable
from bot.records import GitHub, TriggerKind
from bot.runs.store import WORK, Store, Waiting, run_id_for
from bot.runs.talk import QueueComment
from bot.writing.progress import progress_marker, queue_comment
from bot.writing.replies import not_begun

EVERY_S = 60.0
"""How often one comment may change, or be tried."""

COMMENTED = (*WORK, TriggerKind.DOCTOR)
"""What has a comment of its own."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Queueing:
    """Tells who waits. `clock` is monotonic."""

    store: Store
    github: GitHub
    clock: Callable[[], float] = time.monotonic
    _tried_at: dict[str, float] = field(default_factory=dict, init=False)

    def tell_one(self, queue: Sequence[Waiting]) -> None:
        """Post or edit the comment that says something else than is true by now: one at most. `queue`: next first."""
        known = self.store.talk.queue_comments() if queue else {}
        for place, each in enumerate(queue, 1):
            if each.trigger.kind in COMMENTED and self._tell(each, place, known.get(run_id_for(each.trigger))):
                return

    def hand_over(self, each: Waiting) -> None:
        """Give the comment to the run, which has begun."""
        run_id = run_id_for(each.trigger)
        comment = self.store.talk.queue_comment(run_id)
        if comment is not None:
            self.store.learn(run_id, comment_id=comment.comment_id)
            self.forget(each)

    def take_back(self, each: Waiting, why: str) -> None:
        """Say that it never began, where something was said of it."""
        run_id = run_id_for(each.trigger)
        comment = self.store.talk.queue_comment(run_id)
        if comment is None:
            return
        self.forget(each)
        body = not_begun(why, run_id, examines=each.trigger.kind is TriggerKind.DOCTOR)
        self._politely(lambda: self.github.edit_comment(each.trigger.issue, comment.comment_id, body))

    def forget(self, each: Waiting) -> None:
        """Leave the comment as it is, for ever."""
        run_id = run_id_for(each.trigger)
        self.store.talk.forget_queue_comment(run_id)
        self._tried_at.pop(run_id, None)

    def _tell(self, each: Waiting, place: int, known: QueueComment | None) -> bool:
        """Whether GitHub was asked for something."""
        run_id, at, now = run_id_for(each.trigger), each.trigger.issue, self.clock()
        said = str(place)
        if (known is not None and known.said == said) or now - self._tried_at.get(run_id, -EVERY_S) < EVERY_S:
            return False
        self._tried_at[run_id] = now
        examines = each.trigger.kind is TriggerKind.DOCTOR
        attempt = 1 if examines else self._attempt(each)
        body = queue_comment(run_id, place, attempt=attempt, because=each.trigger.because, examines=examines)

        def say() -> None:
            if known is None:
                comment_id = self.github.post_comment(at, body, marker=progress_marker(run_id))
            else:
                comment_id = known.comment_id
                self.github.edit_comment(at, comment_id, body)
            self.store.talk.keep_queue_comment(run_id, QueueComment(comment_id, said))

        self._politely(say)
        return True

    def _attempt(self, each: Waiting) -> int:
        """Which run of work on its issue it will be, from 1 on, as far as can be told."""
        runs = self.store.runs_of(each.trigger.issue.repository.id, each.trigger.issue.number)
        return 1 + sum(run.trigger.kind in WORK for run in runs)

    def _politely(self, say: Callable[[], None]) -> None:
        try:
            say()
        except (Refused, Gone, Unavailable) as problem:
            log.warning("not said of the queue: %s", problem)

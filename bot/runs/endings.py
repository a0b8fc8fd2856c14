"""What is said at the end of each kind of run, by name and in its order."""

from collections.abc import Callable, Sequence

from bot.records import Health, Outcome, TriggerKind
from bot.runs.chapter import Chapter
from bot.runs.examination import Examination
from bot.runs.known import Known
from bot.runs.renewal import Renewal
from bot.runs.stopping import StopFlag

LastWord = tuple[str, Callable[[], None]]


def last_words_of(known: Known, stop: StopFlag, outcome: Outcome | Health, reason: str) -> Sequence[LastWord]:
    """The last words of a run that came to this. Each may be said again, at any time, by who has the mirror."""
    kind = known.trigger.kind
    if kind is TriggerKind.DOCTOR:
        return Examination(known, stop).last_words(outcome, reason)
    if kind in (TriggerKind.MOVED, TriggerKind.CHECKS) or not isinstance(outcome, Outcome):
        return ()
    if kind in (TriggerKind.ACCEPT, TriggerKind.RENEW):
        return Renewal(known, stop).last_words(outcome, reason)
    return Chapter(known, stop).last_words(outcome, reason)

"""Says what runs could not say at their end, once those answer that were away, or the App is let in again."""

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from bot.errors import Gone, Refused, Unavailable
from bot.records import TriggerKind
from bot.runs.endings import LastWord, last_words_of
from bot.runs.groundwork import Groundwork
from bot.runs.guarded import guarded
from bot.runs.house import House
from bot.runs.known import Known
from bot.runs.leases import Held, Nothing
from bot.runs.owed import OWED, Owed, Owing
from bot.runs.rows import PROVING, WORK, RunRow
from bot.runs.stopping import StopFlag
from bot.seen.about import about, of_trigger

LOOK_EVERY_S = 10.0

SOONEST_S = 60.0
LATEST_S = 3600.0
SHARE = 1 / 24
"""A pause between two tries is a share of the time that has passed: a minute at first, an hour after a day."""

GIVEN_UP_S = 30 * 86_400.0
"""What could not be said for so long, nobody waits for."""

AGAIN = (TriggerKind.ACCEPT, TriggerKind.RENEW)
"""What takes the proof of a run once more, and then tells its result anew."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Left:
    """What could not be said, why, and whether that is because a service is away."""

    words: Mapping[str, Owing]
    why: str = ""
    is_away: bool = False


@dataclass(frozen=True, slots=True)
class LateWords:
    """One in a worker. It speaks by what `hold` gives it, and not where that is nothing: another worker does.

    `now` is in seconds since the epoch.
    """

    house: House
    owed: Owed
    hold: Callable[[], Held | None] = Nothing
    now: Callable[[], float] = time.time

    def keep(self, until: threading.Event) -> None:
        """Say what is due, again and again, until the event is set."""
        while not until.wait(LOOK_EVERY_S):
            try:
                self.turn()
            except Unavailable as away:
                log.warning("what is owed waits: %s", away)
            except Exception:  # the outermost frame of its thread
                log.exception("bug in saying what is owed")

    def turn(self) -> None:
        """Say what is due, once. An account for which a service is away is not tried again in the same turn."""
        held = self.hold()
        if held is None:
            return
        store = self.house.store.holding(held)
        house = replace(self.house, store=store, github=guarded(self.house.github, store.require_held))
        silent: set[int] = set()
        for run in self.owed.due():
            account = run.trigger.issue.repository.installation_id
            if account in silent:
                continue
            with about(run=run.id), about(**of_trigger(run.trigger)):
                left = _said(run, house)
                self._keep(run, left)
            if left.is_away:
                silent.add(account)

    def _keep(self, run: RunRow, left: _Left) -> None:
        age_s = self.now() - (run.finished_at or 0.0)
        if left.words and age_s <= GIVEN_UP_S:
            wait_s = min(max(age_s * SHARE, SOONEST_S), LATEST_S)
            self.owed.put_off(run.id, left.words, wait_s=wait_s, why=left.why)
            return
        if left.words:
            log.warning("run %s: never said: %s: %s", run.id, ", ".join(left.words), left.why)
        else:
            log.info("run %s: all is said that was owed", run.id)
        self.owed.settle(run.id)


def _said(run: RunRow, house: House) -> _Left:
    """What is left to be said after a try."""
    others = _others(run, house)
    owed = {name: Owing(state) for name, state in house.store.facts(run.id).get(OWED, {}).items()}
    if any(other.trigger.kind in AGAIN and not other.is_finished for other in others):
        return _Left(owed, "its proof is being taken once more, which will say more")
    known, stop, told = Known(house, run.id), StopFlag(house.store, run.id), _told_by(others, run)
    words = last_words_of(known, stop, run.outcome, run.reason or "") if run.outcome else ()
    return _said_of([each for each in words if each[0] in owed and each[0] not in told], owed, known, stop)


def _others(run: RunRow, house: House) -> Sequence[RunRow]:
    """The issue's other runs, where they say the same things."""
    if run.trigger.kind not in (*WORK, *AGAIN):
        return ()
    at = run.trigger.issue
    return [other for other in house.store.runs_of(at.repository.id, at.number) if other.id != run.id]


def _told_by(others: Sequence[RunRow], run: RunRow) -> Collection[str]:
    """What a later run has told since: older words must not take the place of newer ones."""
    since = run.finished_at or 0.0
    later = [other for other in others if other.outcome in PROVING and (other.finished_at or 0.0) > since]
    if any(other.trigger.kind in AGAIN for other in later):
        return ("check", "result")
    return ("check",) if any(other.trigger.kind in WORK for other in later) else ()


def _said_of(words: Sequence[LastWord], owed: Mapping[str, Owing], known: Known, stop: StopFlag) -> _Left:
    """Say these. What follows on one that is left is said all the same, and once more when that is."""
    left: dict[str, Owing] = {}
    why, is_away = "", False
    first: LastWord = "", partial(_bring_mirror, known, stop)
    for name, work in (first, *words):
        if left and owed.get(name) is Owing.AGAIN:
            left[name] = Owing.AGAIN
            continue
        try:
            work()
        except (Gone, Unavailable) as problem:
            left[name], why, is_away = Owing.UNSAID, str(problem), isinstance(problem, Unavailable)
            continue
        except Refused as no:
            log.warning("run %s: %s is not said: %s", known.run_id, name, no)
        except Exception:  # whatever is wrong with a word, it is not tried for ever
            log.exception("run %s: bug in saying the %s late", known.run_id, name)
        if left:
            left[name] = Owing.AGAIN
    return _Left({name: state for name, state in left.items() if name}, why, is_away=is_away)


def _bring_mirror(known: Known, stop: StopFlag) -> None:
    """Have the run's commits here: another home may have worked on it."""
    facts = known.facts
    commit = facts.get("head_sha") or facts.get("judged") or facts.get("base")
    if commit and "info" in facts and not known.mirror.has(commit):
        Groundwork(known, stop).update_mirror()

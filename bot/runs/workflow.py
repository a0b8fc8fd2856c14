"""The story of a run, top to bottom. Each step is durable: a restarted worker goes on behind the last one done."""

import logging
import time
from collections.abc import Callable
from functools import partial
from itertools import repeat
from typing import Any

from bot.errors import Gone, Refused, Stopped, Unavailable
from bot.records import Outcome
from bot.runs.chapter import Chapter
from bot.runs.house import House
from bot.runs.known import Known
from bot.runs.solving import outcome_of
from bot.runs.steps import step
from bot.runs.stopping import StopFlag

log = logging.getLogger(__name__)

FOR_EVER = repeat(30.0)
"""Patience for what must be done in the end: a run that can't be ended in the store would stay at work."""


def tell(run_id: str, house: House) -> None:
    """Run a run to its end, whatever that is. Never raises: nothing stays “working…”."""
    stop = StopFlag(house.store, run_id)
    chapter = Chapter(Known(house, run_id), stop)

    def once(name: str, work: Callable[[], Any]) -> Any:
        return step(name, _timed(run_id, name, work), stop=stop)

    try:
        outcome, reason = _story(chapter, once)
    except Refused as refusal:
        outcome, reason = Outcome.REFUSED, str(refusal)
    except Stopped as stopped:
        outcome, reason = Outcome.STOPPED, stop.because or str(stopped)
    except Gone as gone:
        outcome, reason = Outcome.STOPPED, f"what the run was for is gone: {gone}"
    except Unavailable as away:
        outcome, reason = Outcome.ERROR, str(away)
    except Exception:  # the outermost frame of a run: the log has the trace, the issue its end
        log.exception("run %s: bug", run_id)
        outcome, reason = Outcome.ERROR, "selfcode itself failed."
    _end(chapter, outcome, reason)


def _story(chapter: Chapter, once: Callable[[str, Callable[[], Any]], Any]) -> tuple[Outcome, str]:
    once("admit", chapter.admit)
    once("fetch", chapter.fetch)
    broken = once("environment", chapter.prepare_environment) or once("baseline", chapter.take_baseline)
    if broken:
        return Outcome.BASELINE_BROKEN, broken

    number = 1
    while not once(f"iteration {number}", partial(chapter.iterate, number)):
        number += 1

    once("proof", chapter.take_proof)
    outcome, reason = outcome_of(chapter.known.progress, chapter.known.proof)
    if outcome in (Outcome.PROVEN, Outcome.UNPROVEN) and chapter.publishes(outcome):
        once("push", chapter.push)
        once("pull request", lambda: chapter.open_pull_request(outcome, reason))
    return outcome, reason


def _end(chapter: Chapter, outcome: Outcome, reason: str) -> None:
    """Say how it ended, a stop too: nothing cuts these steps short. It is finished even where it can't be said."""
    for name, work in (
        ("log", lambda: chapter.post_log(outcome, reason)),
        ("check", lambda: chapter.set_check(outcome, reason)),
        ("result", lambda: chapter.show_result(outcome, reason)),
    ):
        try:
            step(name, _timed(chapter.run_id, name, work), stop=_never)
        except (Refused, Gone, Stopped, Unavailable) as problem:
            log.warning("run %s: %s was not written: %s", chapter.run_id, name, problem)
        except Exception:  # still the outermost frame: whatever is wrong with the words, the run ends
            log.exception("run %s: bug in writing the %s", chapter.run_id, name)
    step("finish", lambda: chapter.finish(outcome, reason), stop=_never, patience=FOR_EVER)


def _timed(run_id: str, name: str, work: Callable[[], Any]) -> Callable[[], Any]:
    """The work, with a line in the log of how long it took, whatever came of it."""

    def timed() -> Any:
        began = time.monotonic()
        try:
            return work()
        finally:
            log.info("step %s of run %s: %.2f s", name, run_id, time.monotonic() - began)

    return timed


def _never() -> bool:
    return False

"""The story of a run, top to bottom. Each step is durable: a restarted worker goes on behind the last one done."""

import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import repeat
from typing import Any, TypeVar

from bot.errors import Gone, Refused, Stopped, Unavailable
from bot.records import Health, Outcome, TriggerKind
from bot.runs.chapter import Chapter
from bot.runs.checks import Checks
from bot.runs.examination import Examination
from bot.runs.house import House
from bot.runs.known import Known
from bot.runs.moved import Moved
from bot.runs.renewal import Renewal
from bot.runs.steps import step
from bot.runs.stopping import StopFlag

T = TypeVar("T")

log = logging.getLogger(__name__)

FOR_EVER = repeat(30.0)
"""Patience for what must be done in the end: a run that can't be ended in the store would stay at work."""

NOT_KEPT = "Why it ended so could not be kept; the log has it."

Once = Callable[[str, Callable[[], Any]], Any]
"""Does a step by its name, once, however often it is told."""


def tell(run_id: str, house: House) -> None:
    """Run a run, or an examination, to its end, whatever that is: nothing stays “working…”.

    Raises only where the store does not even say which of the two it is: then it is told again.
    """
    stop = StopFlag(house.store, run_id)
    known = Known(house, run_id)

    def once(name: str, work: Callable[[], Any]) -> Any:
        return step(name, _timed(run_id, name, work), stop=stop)

    match known.trigger.kind:
        case TriggerKind.DOCTOR:
            examination = Examination(known, stop)
            health, why = _come_to_an_end(run_id, stop, lambda: _examination(examination, once))
            _end(run_id, examination.last_words(health, why), partial(examination.finish, health), why)
        case TriggerKind.ACCEPT | TriggerKind.RENEW:
            renewal = Renewal(known, stop)
            outcome, reason = _come_to_an_end(run_id, stop, lambda: _renewal(renewal, once))
            _end(run_id, renewal.last_words(outcome, reason), partial(renewal.finish, outcome), reason)
        case TriggerKind.MOVED:
            moved = Moved(known, stop)
            outcome, reason = _come_to_an_end(run_id, stop, lambda: _push(moved, once))
            _end(run_id, (), partial(moved.finish, outcome), reason)
        case TriggerKind.CHECKS:
            checks = Checks(known, stop)
            outcome, reason = _come_to_an_end(run_id, stop, lambda: _failed_checks(checks, once))
            _end(run_id, (), partial(checks.finish, outcome), reason)
        case _:
            chapter = Chapter(known, stop)
            outcome, reason = _come_to_an_end(run_id, stop, lambda: story_of(chapter, once))
            _end(run_id, chapter.last_words(outcome, reason), partial(chapter.finish, outcome), reason)


def _come_to_an_end(run_id: str, stop: StopFlag, story: Callable[[], tuple[T, str]]) -> tuple[T | Outcome, str]:
    """What the story comes to, or how it was cut off."""
    try:
        return story()
    except Refused as refusal:
        return Outcome.REFUSED, str(refusal)
    except Stopped as stopped:
        return Outcome.STOPPED, stop.because or str(stopped)
    except Gone as gone:
        return Outcome.STOPPED, f"what the run was for is gone: {gone}"
    except Unavailable as away:
        return Outcome.ERROR, str(away)
    except Exception:  # the outermost frame of a run: the log has the trace, the issue its end
        log.exception("run %s: bug", run_id)
        return Outcome.ERROR, "selfcode itself failed."


def story_of(chapter: Chapter, once: Once) -> tuple[Outcome, str]:
    """A run, from the trigger to the pull request."""
    once("admit", chapter.admit)
    once("fetch", chapter.fetch)
    broken = once("environment", chapter.prepare_environment) or once("baseline", chapter.take_baseline)
    if broken:
        return Outcome.BASELINE_BROKEN, broken

    number = 1
    while not once(f"iteration {number}", partial(chapter.iterate, number)):
        number += 1

    once("proof", chapter.take_proof)
    number = 1
    while chapter.is_to_publish and not once(f"push {number}", chapter.push):
        number += 1
        once(f"proof {number}", chapter.prove_joined)
    if chapter.is_to_publish:
        once("pull request", chapter.open_pull_request)
    return chapter.outcome


def _examination(examination: Examination, once: Once) -> tuple[Health, str]:
    once("admit", examination.admit)
    once("fetch", examination.fetch)
    once("environment", examination.prepare_environment)

    number = 1
    while once(f"tests {number}", partial(examination.run_tests, number)):
        number += 1

    once("fault", examination.plant_fault)
    return examination.result()


def _renewal(renewal: Renewal, once: Once) -> tuple[Outcome, str]:
    once("admit", renewal.admit)
    once("fetch", renewal.fetch)
    ground = renewal.groundwork
    broken = once("environment", ground.prepare_environment) or once("baseline", ground.take_baseline)
    if broken:
        return Outcome.BASELINE_BROKEN, broken
    once("proof", renewal.take_proof)
    once("pull request", renewal.update_pull_request)
    return renewal.result.outcome, renewal.result.reason


def _push(moved: Moved, once: Once) -> tuple[Outcome, str]:
    head = once("look", moved.look)
    if not head:
        return Outcome.NOTHING_TO_DO, "no proof of ours is hit by the push"
    once("pull request", moved.update_pull_request)
    once("check", moved.set_check)
    return Outcome.NOTHING_TO_DO, f"the branch is at {head}"


def _failed_checks(checks: Checks, once: Once) -> tuple[Outcome, str]:
    head = once("look", checks.look)
    if not head:
        return Outcome.NOTHING_TO_DO, "no green proof of ours is hit by failed checks"
    once("pull request", checks.update_pull_request)
    is_to_mend = once("mend", checks.ask_to_mend)
    return Outcome.NOTHING_TO_DO, f"checks failed on {head}" + (", to be mended" if is_to_mend else "")


def _end(
    run_id: str, last_words: Sequence[tuple[str, Callable[[], None]]], finish: Callable[[str], None], reason: str
) -> None:
    """Say how it ended, a stop too: nothing cuts these steps short. It is finished even where it can't be said.

    So it is where the reason can't be kept.
    """
    for name, work in last_words:
        try:
            step(name, _timed(run_id, name, work), stop=_never)
        except (Refused, Gone, Stopped, Unavailable) as problem:
            log.warning("run %s: %s was not written: %s", run_id, name, problem)
        except Exception:  # still the outermost frame: whatever is wrong with the words, the run ends
            log.exception("run %s: bug in writing the %s", run_id, name)
    try:
        step("finish", partial(finish, reason), stop=_never, patience=FOR_EVER)
    except Exception:  # what a database refuses differs by database: without an end the run would stay at work
        log.exception("run %s: bug in keeping its end", run_id)
        step("finish without its reason", partial(finish, NOT_KEPT), stop=_never, patience=FOR_EVER)


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

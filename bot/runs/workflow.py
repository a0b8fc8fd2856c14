"""The story of a run, top to bottom. Each step is durable: a restarted worker goes on behind the last one done."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from bot.errors import Gone, Refused, Stopped, Unavailable
from bot.records import HappeningKind, Health, Outcome, TriggerKind
from bot.runs.chapter import Chapter
from bot.runs.checks import Checks
from bot.runs.endings import LastWord, last_words_of
from bot.runs.examination import Examination
from bot.runs.house import House
from bot.runs.known import Known
from bot.runs.leaving import Leaving
from bot.runs.moved import Moved
from bot.runs.owed import OWED, Owing
from bot.runs.patience import PATIENCE, patiently
from bot.runs.renewal import Renewal
from bot.runs.steps import step
from bot.runs.stopping import StopFlag
from bot.seen.about import about, of_trigger
from bot.seen.counting import Counts

T = TypeVar("T")

log = logging.getLogger(__name__)

NOT_KEPT = "Why it ended so could not be kept; the log has it."

Once = Callable[[str, Callable[[], Any]], Any]
"""Does a step by its name, once, however often it is told."""


def tell(run_id: str, house: House) -> None:
    """Run a run, or an examination, to its end, whatever that is: nothing stays “working…”.

    Raises `LeaseLost` alone: where another worker has the run by now, and where the run leaves its place.
    """
    known = Known(house, run_id)
    trigger = patiently(lambda: known.trigger)
    with about(run=run_id), about(**of_trigger(trigger)):
        try:
            _tell(_Steps(known, StopFlag(house.store, run_id), trigger.kind))
        finally:
            house.store.happenings.write()


def _tell(steps: "_Steps") -> None:
    known, stop = steps.known, steps.stop
    match steps.kind:
        case TriggerKind.DOCTOR:
            examination = Examination(known, stop)
            once = steps.once(examination.show_step)
            steps.end(*_come_to_an_end(known, lambda: _examination(examination, once)), examination.finish)
        case TriggerKind.ACCEPT | TriggerKind.RENEW:
            renewal = Renewal(known, stop)
            steps.end(*_come_to_an_end(known, lambda: _renewal(renewal, steps.once())), renewal.finish)
        case TriggerKind.MOVED:
            moved = Moved(known, stop)
            steps.end(*_come_to_an_end(known, lambda: _push(moved, steps.once())), moved.finish)
        case TriggerKind.CHECKS:
            checks = Checks(known, stop)
            steps.end(*_come_to_an_end(known, lambda: _failed_checks(checks, steps.once())), checks.finish)
        case _:
            chapter = Chapter(known, stop)
            once = steps.once(chapter.show_step)
            steps.end(*_come_to_an_end(known, lambda: story_of(chapter, once)), chapter.finish)


def _come_to_an_end(known: Known, story: Callable[[], tuple[T, str]]) -> tuple[T | Outcome, str]:
    """What the story comes to, or how it was cut off."""
    try:
        return story()
    except Refused as refusal:
        return Outcome.REFUSED, str(refusal)
    except Stopped as stopped:
        asked = patiently(lambda: known.house.store.stop_because(known.run_id))
        return Outcome.STOPPED, asked or str(stopped)
    except Gone as gone:
        return Outcome.STOPPED, f"what the run was for is gone: {gone}"
    except Unavailable as away:
        return Outcome.ERROR, str(away)
    except Exception:  # the outermost frame of a run: the log has the trace, the issue its end
        log.exception("run %s: bug", known.run_id)
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
    while patiently(lambda: chapter.is_to_publish) and not once(f"push {number}", chapter.push):
        number += 1
        broken = once(f"environment {number}", chapter.renew_environment)
        broken = broken or once(f"baseline {number}", chapter.renew_baseline)
        if broken:
            return Outcome.BASELINE_BROKEN, broken
        once(f"proof {number}", chapter.prove_joined)
    if patiently(lambda: chapter.is_to_publish):
        once("pull request", chapter.open_pull_request)
    return patiently(lambda: chapter.outcome)


def _examination(examination: Examination, once: Once) -> tuple[Health, str]:
    once("admit", examination.admit)
    once("fetch", examination.fetch)
    once("environment", examination.prepare_environment)

    number = 1
    while once(f"tests {number}", partial(examination.run_tests, number)):
        number += 1

    once("fault", examination.plant_fault)
    return patiently(examination.result)


def _renewal(renewal: Renewal, once: Once) -> tuple[Outcome, str]:
    once("admit", renewal.admit)
    once("fetch", renewal.fetch)
    ground = renewal.groundwork
    broken = once("environment", ground.prepare_environment) or once("baseline", ground.take_baseline)
    if broken:
        return Outcome.BASELINE_BROKEN, broken
    once("proof", renewal.take_proof)
    once("pull request", renewal.update_pull_request)
    result = patiently(lambda: renewal.result)
    return result.outcome, result.reason


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


def nothing(_: str) -> None:
    """Show nothing."""


@dataclass(frozen=True, slots=True)
class _Steps:
    """Does the steps of a run so that it is seen how long they take, and the last ones whatever comes of them."""

    known: Known
    stop: StopFlag
    kind: TriggerKind

    @property
    def run_id(self) -> str:
        return self.known.run_id

    @property
    def counts(self) -> Counts:
        return self.known.house.counts

    def once(self, say: Callable[[str], None] = nothing) -> Once:
        """What does the story's steps. Where a service is away for long, people are told by `say`, given the step."""
        place = Leaving(self.known, say)

        def once(name: str, work: Callable[[], Any]) -> Any:
            return step(name, self.timed(name, work), stop=self.stop, place=place)

        return once

    def end(self, outcome: Outcome | Health, reason: str, finish: Callable[[Any, str], None]) -> None:
        """Say how it ended, a stop too: nothing cuts these steps short. What can't be said is owed, and said later.

        It is finished even where the reason can't be kept.
        """
        owed = self._say(last_words_of(self.known, self.stop, outcome, reason))

        def finished(reason: str) -> None:
            if owed:
                self.known.learn(**{OWED: owed})
            finish(outcome, reason)
            self._happened(HappeningKind.ENDED, str(outcome))
            self.counts.run_ended(self.kind, outcome)

        try:
            step("finish", self.timed("finish", lambda: patiently(partial(finished, reason))), stop=_never)
        except Exception:  # what a database refuses differs by database: without an end the run would stay at work
            log.exception("run %s: bug in keeping its end", self.run_id)
            step("finish without its reason", lambda: patiently(partial(finished, NOT_KEPT)), stop=_never)

    def _say(self, words: Sequence[LastWord]) -> dict[str, Owing]:
        """What of the last words is owed. Once one of them is, none is waited for: it is the end of the run's place."""
        owed: dict[str, Owing] = {}
        for name, work in words:
            try:
                step(name, self.timed(name, work), stop=_never, patience=() if owed else PATIENCE)
            except (Gone, Unavailable) as problem:
                log.warning("run %s: %s is said later: %s", self.run_id, name, problem)
                owed[name] = Owing.UNSAID
                continue
            except (Refused, Stopped) as problem:
                log.warning("run %s: %s was not written: %s", self.run_id, name, problem)
            except Exception:  # still the outermost frame: whatever is wrong with the words, the run ends
                log.exception("run %s: bug in writing the %s", self.run_id, name)
            if owed:
                owed[name] = Owing.AGAIN
        return owed

    def timed(self, name: str, work: Callable[[], Any]) -> Callable[[], Any]:
        """The work, with lines in the log of its beginning and of how long it took, whatever came of it."""

        def timed() -> Any:
            began = time.monotonic()
            with about(iteration=iteration_in(name)):
                log.debug("step %s of run %s begins", name, self.run_id)
                self._happened(HappeningKind.BEGAN, name)
                try:
                    return work()
                finally:
                    self._happened(HappeningKind.DONE, name)
                    seconds = time.monotonic() - began
                    self.counts.step_took(name, seconds)
                    log.info("step %s of run %s: %.2f s", name, self.run_id, seconds)

        return timed

    def _happened(self, kind: HappeningKind, text: str) -> None:
        self.known.house.store.happenings.keep(self.run_id, kind, text)


def iteration_in(step_name: str) -> int | None:
    """The number of the iteration that a step is, if it is one."""
    name, _, number = step_name.partition(" ")
    return int(number) if name == "iteration" else None


def _never() -> bool:
    return False

"""What the dispatcher asks of GitHub and says to it. It never waits: others run its errands, and bring back what came.

Only they meet a GitHub that is slow. All that is decided and kept on the ground of an answer is the dispatcher's own.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from bot.errors import Gone, Refused, Unavailable
from bot.records import GitHub, Trigger
from bot.runs.lines import Line, Matter, Send, at_once, matter_of

T = TypeVar("T")

FRESH_S = 60.0
"""How long an answer counts as what is true now."""

HELD_S = 5.0
"""How long a free place is kept for a run of which GitHub is being asked."""

log = logging.getLogger(__name__)


class Sent(Exception):
    """GitHub is being asked: act on the trigger again when the answer is there."""


@dataclass(slots=True)
class _Asked:
    """A question that is under way."""

    trigger: Trigger
    what: str
    since: float
    is_wanted: bool = True


@dataclass(frozen=True, slots=True)
class _Answer:
    """What came of a question: a value, or what was raised."""

    at: float
    value: Any = None
    problem: Exception | None = None


class Errands:
    """The errands of one dispatcher, which alone calls it; the work is done by whoever `send` gives it to.

    `clock` is monotonic.
    """

    def __init__(self, github: GitHub, send: Send = at_once, clock: Callable[[], float] = time.monotonic) -> None:
        self.github = github
        self._send = send
        self._clock = clock
        self._lock = threading.Lock()
        self._came = threading.Event()
        self._asked: dict[Line, _Asked] = {}
        self._answers: dict[str, dict[str, _Answer]] = {}
        self._holding: Counter[str] = Counter()

    # --- Asking

    def ask(self, trigger: Trigger, what: str, work: Callable[[], T], *, says: bool = False) -> T:
        """What the work comes to, or what it raises, once it is done; `what` tells a trigger's questions apart.

        Raises `Sent` until then, `Unavailable` where too much is under way already. `says`: it is done in its turn
        among all that is said to the account.
        """
        line = self._words_of(trigger) if says else self._line_of(trigger)
        answer = self._answer(trigger.key, what) or self._sent(trigger, what, work, line)
        if answer.problem is not None:
            raise answer.problem
        value: T = answer.value
        return value

    def permission_of(self, trigger: Trigger) -> str:
        """The permission that its sender has in its repository. Raises as `ask` does, and what GitHub raises."""
        at, login = trigger.issue.repository, trigger.sender.login
        return self.ask(trigger, "permission", lambda: self.github.permission(at, login))

    def is_busy(self, trigger: Trigger) -> bool:
        """Whether acting on the trigger would lead to nothing now: something of its kind, or for it, is under way.

        Facts that end something wait for nobody: nothing is asked about them.
        """
        line = self._line_of(trigger)
        if line.matter is Matter.ENDING and trigger.subject is None:
            return False
        return line in self._asked or trigger.key in self._holding

    def is_asked_about(self, trigger: Trigger) -> bool:
        """Whether GitHub is being asked for this trigger's sake, and not for long yet."""
        asked = self._asked.get(self._line_of(trigger))
        return asked is not None and asked.trigger.key == trigger.key and self._clock() - asked.since < HELD_S

    def run_asked_about(self, installation_id: int) -> Trigger | None:
        """For which run's sake GitHub is being asked in an installation: for others' it would lead to nothing."""
        asked = self._asked.get(Line(Matter.RUNS, installation_id))
        return asked.trigger if asked is not None else None

    def forget(self, trigger: Trigger) -> None:
        """Nobody wants the answers about it any more."""
        with self._lock:
            self._answers.pop(trigger.key, None)
            asked = self._asked.get(self._line_of(trigger))
            if asked is not None and asked.trigger.key == trigger.key:
                asked.is_wanted = False

    # --- Saying

    def say(self, trigger: Trigger, work: Callable[[], None], *, holds: bool = False) -> None:
        """Say something that nothing depends on: what keeps it from being said is logged.

        `holds`: the trigger is not acted on before it is said.
        """
        if holds:
            with self._lock:
                self._holding[trigger.key] += 1
        if not self._send(self._words_of(trigger), lambda: self._say(trigger, work, holds=holds)):
            log.warning("not said on %s: too much is waiting to be said", trigger.asked_at)
            self._said(trigger, holds=holds)

    def wait(self, seconds: float) -> None:
        """Wait for the next answer, but no longer than this."""
        self._came.wait(seconds)
        self._came.clear()

    # --- Inside

    def _line_of(self, trigger: Trigger) -> Line:
        return Line(matter_of(trigger.kind), trigger.issue.repository.installation_id)

    def _words_of(self, trigger: Trigger) -> Line:
        return Line(Matter.WORDS, trigger.issue.repository.installation_id)

    def _answer(self, key: str, what: str) -> _Answer | None:
        with self._lock:
            answer = self._answers.get(key, {}).get(what)
        return answer if answer is not None and self._clock() - answer.at < FRESH_S else None

    def _sent(self, trigger: Trigger, what: str, work: Callable[[], object], line: Line) -> _Answer:
        own, asked = self._line_of(trigger), _Asked(trigger, what, self._clock())
        with self._lock:
            if own in self._asked:
                raise Sent
            self._asked[own] = asked
        if not self._send(line, lambda: self._do(own, asked, work)):
            with self._lock:
                del self._asked[own]
            raise Unavailable("too much is asked of GitHub already")
        answer = self._answer(trigger.key, what)
        if answer is None:
            raise Sent
        return answer

    def _do(self, own: Line, asked: _Asked, work: Callable[[], object]) -> None:
        """In another thread."""
        try:
            value, problem = work(), None
        except Exception as error:  # noqa: BLE001 - raised again where the answer is wanted
            value, problem = None, error
        with self._lock:
            del self._asked[own]
            if asked.is_wanted:
                self._answers.setdefault(asked.trigger.key, {})[asked.what] = _Answer(self._clock(), value, problem)
        self._came.set()

    def _say(self, trigger: Trigger, work: Callable[[], None], *, holds: bool) -> None:
        """In another thread."""
        try:
            work()
        except (Refused, Gone, Unavailable) as problem:
            log.warning("not said on %s: %s", trigger.asked_at, problem)
        except Exception:  # the outermost frame of what is said
            log.exception("bug in saying something on %s", trigger.asked_at)
        self._said(trigger, holds=holds)

    def _said(self, trigger: Trigger, *, holds: bool) -> None:
        if not holds:
            return
        with self._lock:
            self._holding[trigger.key] -= 1
            if not self._holding[trigger.key]:
                del self._holding[trigger.key]
        self._came.set()

"""What `selfcode runs` and `selfcode trace` look at: runs in the database, wherever they are at work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bot.errors import Refused
from bot.records import Happening, HappeningKind, RunChoice, RunList, RunState
from bot.runs.store import Store
from bot.runs.traces import the_only
from bot.runs.viewing import SqlViewing
from bot.settings import Settings
from bot.wire.database import database_there
from bot.wire.room import at_once_of
from bot.writing.following import waits_in_words

EVERY_S = 0.5
"""How often it is looked whether something has happened."""


@dataclass(frozen=True, slots=True)
class Followed:
    """A run that is followed. `is_over`: it had ended already."""

    run_id: str
    is_over: bool
    viewing: SqlViewing

    def happenings(self, wait: Callable[[float], object], tell: Callable[[str], None]) -> Iterator[Happening]:
        """What happens, from its beginning to its end. `tell` is told what it waits for before that.

        `wait` lets so many seconds pass; what it raises ends this.
        """
        seq, told = 0, ""
        while True:
            line = self.viewing.line(self.run_id)
            new = self.viewing.news({self.run_id: seq}).get(self.run_id, ())
            for happened in new:
                seq = happened.seq
                yield happened
                if happened.kind is HappeningKind.ENDED:
                    return
            if line is None:
                waits = self.viewing.waiting(self.run_id)
                words = waits_in_words(waits) if waits else ""
                if not words and self.viewing.line(self.run_id) is None:
                    raise Refused(f"{self.run_id} waits no more, and did not begin: it was dropped.")
                if words and words != told:
                    told = words
                    tell(words)
            elif line.state is RunState.ENDED and not new:
                return
            wait(EVERY_S)


def runs_of(settings: Settings, choice: RunChoice) -> RunList:
    """The runs that are chosen, newest first."""
    with database_there(settings) as engine:
        return SqlViewing(engine).runs(choice)


@contextmanager
def followed(settings: Settings, name: str) -> Iterator[Followed]:
    """A run, at work or in the queue, by the beginning of its id. Raises `Refused` where it is not exactly one."""
    with database_there(settings) as engine:
        viewing = SqlViewing(engine, at_once_of(settings))
        begun = Store(engine).run_ids(name)
        waiting = [each.run_id for each in viewing.queue(None).waiting if each.run_id.startswith(name)]
        run_id = the_only(sorted({*begun, *waiting}), name)
        line = viewing.line(run_id)
        yield Followed(run_id, line is not None and line.state is RunState.ENDED, viewing)

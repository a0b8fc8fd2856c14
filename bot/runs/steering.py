"""What whoever looks at a run may ask for: that it stops, or is done again. A worker does it, whichever comes to it."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Engine

from bot.errors import Refused
from bot.records import OPERATOR, Person, Trigger, TriggerKind
from bot.runs.controls import CANCELLED, Controls
from bot.runs.store import WORK, RunRow, SqlInbox, Store, run_id_for
from bot.triggers.events import iso

_WITH_WORDS = (TriggerKind.RETRY, TriggerKind.REVIEW, TriggerKind.ANSWER)
"""What has words of a person that a run is to heed, which runs again have, too."""


@dataclass(frozen=True, slots=True)
class SqlSteering:
    """`records.Steering` over the database."""

    engine: Engine

    def stop(self, run_id: str, by: Person) -> None:
        """Have a run stopped, or what would become it dropped. Raises `Refused` where there is nothing to stop."""
        store = Store(self.engine)
        if not any(run_id_for(each.trigger) == run_id for each in store.waiting()):
            run = run_named(store, run_id)
            if run.is_finished:
                raise Refused(f"Run {run_id} has ended already.")
        because = CANCELLED if by == OPERATOR else f"stopped by {by.login}"
        store.request_stop_of_run(run_id, because)
        Controls(self.engine).cancel(run_id, time.time(), because)

    def retry(self, run_id: str, by: Person, hint: str, *, is_operator: bool = False) -> str:
        """Have an ended run done again, once however often this is asked. Returns the id of the run that it becomes."""
        run = run_named(Store(self.engine), run_id)
        trigger = again(run, datetime.now(UTC), by=by, hint=hint, is_operator=is_operator)
        SqlInbox(self.engine).accept(trigger)
        return run_id_for(trigger)


def run_named(store: Store, run_id: str) -> RunRow:
    """The run of this id. Raises `Refused` where there is none."""
    try:
        return store.run(run_id)
    except KeyError:
        raise Refused(f"There is no run {run_id}: it may have been forgotten.") from None


def again(
    run: RunRow, moment: datetime, *, by: Person = OPERATOR, hint: str = "", is_operator: bool = False
) -> Trigger:
    """What asks for a run once more, in somebody's name. Raises `Refused` where it can't be done again.

    An operator asks as the one who runs selfcode, whatever they may do in the repository; it is told who that was.
    """
    before = run.trigger
    if not run.is_finished:
        raise Refused(f"Run {run.id} has not ended: `selfcode queue cancel {run.id}` stops it.")
    if before.kind not in (*WORK, TriggerKind.DOCTOR):
        raise Refused(f"Run {run.id} was about a proof ({before.kind}): “Re-run” on the check takes that again.")
    is_operator = is_operator or by == OPERATOR
    examines = before.kind is TriggerKind.DOCTOR
    return Trigger(
        key=f"operator:retry/{run.id}" if is_operator else f"page:retry/{run.id}/{by.login.casefold()}",
        kind=TriggerKind.DOCTOR if examines else TriggerKind.RETRY,
        issue=before.issue,
        sender=OPERATOR if is_operator else by,
        occurred_at=iso(moment),
        because="retry by the operator" if by == OPERATOR else f"retry by {by.login}",
        text=hint or (before.text if before.kind in _WITH_WORDS else ""),
    )

"""The inbox: where accepted triggers wait, each once, until they are acted on."""

import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Engine, select

from bot.records import Receipt, Subject, SubjectKind, Trigger, TriggerKind, dump, load
from bot.runs.shelf import shelf_of_new
from bot.runs.tables import inbox
from bot.runs.transactions import insert_many_new, transaction


@dataclass(frozen=True, slots=True)
class Waiting:
    """A trigger that was accepted and not yet acted on. `accepted_at` is by our own clock, where it is known."""

    seq: int
    trigger: Trigger
    accepted_at: float | None = None


class SqlInbox:
    """The inbox in the database: one INSERT for each trigger, unique by what it asks."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def accept(self, trigger: Trigger) -> Receipt:
        """Keep a trigger. `DUPLICATE` where the same one was accepted before, however it came out since."""
        return self.accept_all([trigger])[0]

    def accept_all(self, triggers: Sequence[Trigger]) -> Sequence[Receipt]:
        """The same with several, in one transaction: all are kept, or none.

        Of what happened within one second, what ends comes in first: of a label taken off and put on again the start
        is left, and looks for itself whether the label is there.
        """
        moment = time.time()
        rows: dict[str, dict[str, object]] = {}
        for trigger in triggers:
            rows.setdefault(trigger.key, _row(trigger, moment))
        with transaction(self._engine) as connection:
            new = insert_many_new(connection, inbox.c.key, sorted(rows.values(), key=_place))
        return [_receipt(trigger, new) for trigger in triggers]

    def accept_as_one(self, trigger: Trigger, others: Collection[str]) -> Receipt:
        """Keep a trigger that GitHub may tell of by other keys, too.

        `DUPLICATE` where one of these or its own was accepted before; else none of them is accepted from now on.
        """
        own = _row(trigger, time.time())
        also = {"state": "done", "note": f"the same as {trigger.key}"}
        rows = [own, *(own | also | {"key": key} for key in others if key != trigger.key)]
        with transaction(self._engine) as connection:
            new = insert_many_new(connection, inbox.c.key, sorted(rows, key=_place))
            if len(new) == len(rows):
                return Receipt.ACCEPTED
            connection.rollback()
        return Receipt.DUPLICATE

    def accepted_at(self, key: str) -> float | None:
        """When a trigger came in, in seconds since the epoch by our own clock; None where none of this key did."""
        with transaction(self._engine) as connection:
            moment: float | None = connection.execute(select(inbox.c.accepted_at).where(inbox.c.key == key)).scalar()
        return moment


def _row(trigger: Trigger, moment: float) -> dict[str, object]:
    return {
        "key": trigger.key,
        "kind": str(trigger.kind),
        "installation_id": trigger.issue.repository.installation_id,
        "repository_id": trigger.issue.repository.id,
        "number": trigger.issue.number,
        "trigger": dump(trigger),
        "accepted_at": moment,
        "state": "waiting",
        "note": "",
        "shelf": str(shelf_of_new(trigger.kind)),
    }


def _place(row: Mapping[str, object]) -> tuple[bool, str]:
    """Where a row stands among those that are kept at the same time: the same wherever it is kept."""
    return row["kind"] != TriggerKind.STOP, str(row["key"])


def _receipt(trigger: Trigger, new: set[str]) -> Receipt:
    """Of several with the same key the first is the one that was accepted."""
    if trigger.key not in new:
        return Receipt.DUPLICATE
    new.remove(trigger.key)
    return Receipt.ACCEPTED


def trigger_of(text: str) -> Trigger:
    """A trigger as it was kept. Before there were subjects, one had the number of its comment."""
    trigger = load(Trigger, text)
    if trigger.subject is not None or '"comment_id"' not in text:
        return trigger
    comment_id = json.loads(text).get("comment_id")
    return replace(trigger, subject=Subject(SubjectKind.ISSUE_COMMENT, comment_id)) if comment_id else trigger

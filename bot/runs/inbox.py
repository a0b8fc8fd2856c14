"""The inbox: where accepted triggers wait, each once, until they are acted on."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from sqlalchemy import Engine, select, update

from bot.records import Receipt, Subject, SubjectKind, Trigger, dump, load
from bot.runs.tables import inbox
from bot.runs.transactions import insert_many_new, transaction


@dataclass(frozen=True, slots=True)
class Waiting:
    """A trigger that was accepted and not yet acted on. `accepted_at` is by our own clock, where it is known."""

    seq: int
    trigger: Trigger
    accepted_at: float | None = None


NONE_KNOWN: Mapping[int, Waiting] = MappingProxyType({})


class SqlInbox:
    """The inbox in the database: one INSERT for each trigger, unique by what it asks."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def accept(self, trigger: Trigger) -> Receipt:
        """Keep a trigger. `DUPLICATE` where the same one was accepted before, however it came out since."""
        return self.accept_all([trigger])[0]

    def accept_all(self, triggers: Sequence[Trigger]) -> Sequence[Receipt]:
        """The same with several, in one transaction: all are kept, or none."""
        moment = time.time()
        rows: dict[str, dict[str, object]] = {}
        for trigger in triggers:
            rows.setdefault(trigger.key, _row(trigger, moment))
        with transaction(self._engine) as connection:
            new = insert_many_new(connection, inbox.c.key, [rows[key] for key in sorted(rows)])
        return [_receipt(trigger, new) for trigger in triggers]

    def waiting(self, known: Mapping[int, Waiting] = NONE_KNOWN) -> Sequence[Waiting]:
        """Every trigger that waits, oldest first. What is `known` by its `seq` comes back as given, and is not read."""
        columns = (inbox.c.seq, inbox.c.trigger, inbox.c.accepted_at)
        waits = inbox.c.state == "waiting"
        with transaction(self._engine) as connection:
            waiting = connection.execute(select(inbox.c.seq).where(waits).order_by(inbox.c.seq)).scalars().all()
            oldest = next((seq for seq in waiting if seq not in known), None)
            rows = () if oldest is None else connection.execute(select(*columns).where(waits, inbox.c.seq >= oldest))
            new = {
                row.seq: Waiting(row.seq, trigger_of(row.trigger), row.accepted_at)
                for row in rows
                if row.seq not in known
            }
        found = (known.get(seq) or new.get(seq) for seq in waiting)
        return [each for each in found if each is not None]

    def settle(self, seq: int, note: str) -> None:
        """Mark a trigger as done, with what came of it."""
        with transaction(self._engine) as connection:
            connection.execute(update(inbox).where(inbox.c.seq == seq).values(state="done", note=note))

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
    }


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

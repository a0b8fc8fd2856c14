"""One of several processes at one database: `python -m tests.runs.contender NAME`.

Each line on its stdin, `WHAT URL`, is a part that it does at once; it answers with a line of JSON.
"""

import json
import sys
from collections.abc import Callable, Sequence

from sqlalchemy import Engine

from bot.records import IssueRef, Person, RepositoryRef, Trigger, TriggerKind
from bot.runs.database import connect
from bot.runs.schema import migrate
from bot.runs.store import SqlInbox, Store, Waiting

EACH = 20
_REPOSITORY = RepositoryRef(1, 42, "octo", "cat")


def a_start(key: str, number: int = 7) -> Trigger:
    """The builders that other tests have would load the whole bot, in each of the processes."""
    issue, sender = IssueRef(_REPOSITORY, number), Person("grace")
    return Trigger(key, TriggerKind.START, issue, sender, "2026-05-04T12:00:00Z", "label added")


def accept(engine: Engine, name: str) -> Sequence[object]:
    """Accept what all accept, and what this one alone accepts."""
    inbox = SqlInbox(engine)
    shared = [inbox.accept(a_start(f"shared:{number}")) for number in range(EACH)]
    own = [inbox.accept(a_start(f"{name}:{number}")) for number in range(EACH)]
    return [shared, own]


def begin(engine: Engine, name: str) -> Sequence[object]:
    """Begin the run of each trigger that waits, as several dispatchers would."""
    store = Store(engine)
    triggers = [a_start(f"shared:{number}", number) for number in range(1, EACH + 1)]
    return [store.begin_run(Waiting(seq, trigger)) for seq, trigger in enumerate(triggers, 1)]


def learn(engine: Engine, name: str) -> Sequence[object]:
    """Keep facts of a run that others keep facts of too."""
    store = Store(engine)
    (run,) = store.unfinished()
    for number in range(EACH):
        store.learn(run.id, **{f"{name}-{number}": number})
    return []


def create(engine: Engine, name: str) -> Sequence[object]:
    """Create the tables, in a database that nobody used before."""
    migrate(engine)
    return []


PARTS: dict[str, Callable[[Engine, str], Sequence[object]]] = {
    "accept": accept,
    "begin": begin,
    "learn": learn,
    "create": create,
}


def main() -> None:
    (name,) = sys.argv[1:]
    print("ready", flush=True)  # noqa: T201 - the parent waits for it, so that all begin together
    for line in sys.stdin:
        what, url = line.split()
        engine = connect(url)
        print(json.dumps(PARTS[what](engine, name)), flush=True)  # noqa: T201 - the parent reads it
        engine.dispose()


if __name__ == "__main__":
    main()

"""One of several processes at one database: `python -m tests.runs.contender NAME`.

Each line on its stdin, `WHAT URL`, is a part that it does at once; it answers with a line of JSON.
"""

import json
import sys
from collections.abc import Callable, Sequence

from sqlalchemy import Engine

from bot.runs.store import SqlInbox, Store, Waiting
from bot.runs.tables import connect, migrate
from tests.runs.builders import a_trigger, an_issue_ref

EACH = 20


def accept(engine: Engine, name: str) -> Sequence[object]:
    """Accept what all accept, and what this one alone accepts."""
    inbox = SqlInbox(engine)
    shared = [inbox.accept(a_trigger(key=f"shared:{number}")) for number in range(EACH)]
    own = [inbox.accept(a_trigger(key=f"{name}:{number}")) for number in range(EACH)]
    return [shared, own]


def begin(engine: Engine, name: str) -> Sequence[object]:
    """Begin the run of each trigger that waits, as several dispatchers would."""
    store = Store(engine)
    triggers = [a_trigger(key=f"shared:{number}", issue=an_issue_ref(number)) for number in range(1, EACH + 1)]
    return [store.begin_run(Waiting(seq, trigger)) for seq, trigger in enumerate(triggers, 1)]


def learn(engine: Engine, name: str) -> Sequence[object]:
    """Keep facts of a run that others keep facts of too."""
    store = Store(engine)
    (run,) = store.unfinished()
    for number in range(EACH):
        store.learn(run.id, **{f"{name}-{number}": number})
    return []


def create(engine: Engine, name: str) -> Sequence[object]:
    """Create the tables, in a row of files that nobody made before."""
    for number in range(EACH):
        fresh = connect(f"{engine.url}-{number}")
        migrate(fresh)
        fresh.dispose()
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

"""What becomes of a home whose disk is full: `python -m tests.runs.small_disk FOLDER`, a small file system of its own.

It does each part twice, on a full disk and when there is room again, and prints what came of it as JSON.
"""

import errno
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import text

from bot.errors import Unavailable
from bot.records import IssueRef, Person, RepositoryRef, Trigger, TriggerKind
from bot.repository import Mirror
from bot.runs.database import connect
from bot.runs.engine import Engine
from bot.runs.leases import Lease
from bot.runs.schema import migrate
from bot.runs.space import full_disk_is_away
from bot.runs.steps import step
from bot.runs.store import SqlInbox, Store

BIG = "x" * 300_000


def main() -> None:
    home = Path(sys.argv[1])
    print(json.dumps({part.__name__: part(home) for part in (database, mirror, file, steps)}))  # noqa: T201 - read by the test


def database(home: Path) -> Any:
    """Inbox and runs."""
    engine = connect(f"sqlite:///{home / 'selfcode.sqlite'}")
    migrate(engine)
    store, inbox = Store(engine), SqlInbox(engine)
    run_id = a_run(inbox, store)
    with full(home):
        said = [said_of(lambda: store.learn(run_id, big=BIG)), said_of(lambda: a_run(inbox, store, BIG))]
    store.learn(run_id, big="y")
    with engine.connect() as connection:
        whole = connection.execute(text("pragma integrity_check")).scalar()
    engine.dispose()
    return [*said, whole]


def mirror(home: Path) -> Any:
    """A repository is fetched."""
    origin, made = home / "origin", Mirror(home / "mirrors" / "1-42.git")
    git("init", "-q", "-b", "main", str(origin))
    (origin / "big").write_bytes(bytes(range(256)) * 400)
    git("-C", str(origin), "add", "-A")
    git("-C", str(origin), "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "Begin")
    with full(home):
        said = said_of(lambda: made.update(str(origin)))
    made.update(str(origin))
    return [said, made.head("main") is not None]


def file(home: Path) -> Any:
    """A step writes a file."""
    with full(home):
        said = said_of(lambda: written(home / "note"))
    return [said, said_of(lambda: written(home / "note"))]


def steps(home: Path) -> Any:
    """A story has steps, the second of which finds no room for what it came to; another story can't even begin."""
    told: list[str] = []
    is_full = threading.Event()

    def did(name: str, words: str) -> str:
        told.append(name)
        return words

    def tell(_: Lease) -> None:
        step("first", lambda: did("first", ""), stop=lambda: False)
        told.append("kept")
        is_full.wait(60)
        step("second", lambda: did("second", BIG), stop=lambda: False)
        told.append("end")

    with Engine(f"sqlite:///{home / 'steps.sqlite'}", "worker", tell, rest_s=0.0) as engine:
        engine.start(Lease("run"))
        until(lambda: "kept" in told)
        with full(home):
            is_full.set()
            until(lambda: engine.is_to_start_again("run"))
            said = said_of(lambda: engine.start(Lease("another")))
        engine.start(Lease("run"))
        until(lambda: "end" in told)
    return [said, told]


def a_run(inbox: SqlInbox, store: Store, words: str = "") -> str:
    issue = IssueRef(RepositoryRef(1, 42, "octo", "cat"), 7)
    moment = "2026-05-04T12:00:00Z"
    inbox.accept(Trigger(f"start {len(words)}", TriggerKind.START, issue, Person("grace"), moment, text=words))
    return store.begin_run(store.waiting()[-1])


def written(path: Path) -> None:
    with full_disk_is_away():
        path.write_text(BIG)


def said_of(work: Callable[[], object]) -> str:
    """How it is told that something can't be done now; "" where it was done."""
    try:
        work()
    except Unavailable as away:
        return str(away)
    return ""


@contextmanager
def full(home: Path) -> Iterator[None]:
    """Nothing more fits on the disk meanwhile."""
    filler = home / "filler"
    with filler.open("wb", buffering=0) as out:
        try:
            while out.write(bytes(4096)):
                pass
        except OSError as problem:
            if problem.errno != errno.ENOSPC:
                raise
    try:
        yield
    finally:
        filler.unlink()


def until(is_so: Callable[[], bool]) -> None:
    """Wait for it."""
    deadline = time.monotonic() + 60
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.05)


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


if __name__ == "__main__":
    main()

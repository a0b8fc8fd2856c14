"""How soon pages are there, and how much they are: the list of many runs, a run of much output, events as they come.

    make bench
    python -m bench.pages --runs 10000 --looks 200

`selfcode web` is started over a database of that many runs, and asked by HTTP, one request after the other. A browser's
own work is not in it; but for a picture, it loads what is counted here.
"""

import argparse
import json
import random
import re
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import httpx
from sqlalchemy import Engine, insert

from bench.flood.sides import Side, selfcode
from bot.records import (
    ActionTaken,
    Call,
    Change,
    HappeningKind,
    IssueRef,
    Iteration,
    Outcome,
    Person,
    Progress,
    ReportState,
    RepositoryRef,
    Spend,
    Task,
    TestCase,
    TestReport,
    TestStatus,
    Trigger,
    TriggerKind,
    Usage,
    dump,
)
from bot.runs.database import connect
from bot.runs.listed import of_trigger
from bot.runs.schema import migrate
from bot.runs.store import SqlInbox, Store, run_id_for
from bot.runs.tables import runs
from bot.runs.transactions import transaction

EVENTS = 20
ITERATIONS = 50
MEGABYTES = 20
REPOSITORIES = 40
DAYS = 80
FACTS = 8_000
"""Characters of what the steps of each run found out."""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--looks", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir()
        engine = connect(f"sqlite:///{home / 'selfcode.sqlite'}")
        migrate(engine)
        keep_many(engine, given.runs)
        long_run = keep_long(engine)
        with selfcode(Path(folder)) as side, a_client(side) as client:
            print(f"\nPages, with {given.runs:,} runs stored\n")
            for name, path in (
                ("first page", "/"),
                ("numbers of a year", "/numbers?days=365"),
                ("a long run", long_run),
            ):
                took = sorted(looked(client, path) for _ in range(given.looks if path == "/" else given.looks // 5))
                print(f"{name:20} p50 {statistics.median(took):6.0f} ms   p95 {took[int(len(took) * 0.95)]:6.0f} ms")
            size = first_load(client, long_run)
            print(f"{'a long run':20} {size / 1000:,.0f} KB at first, of {ITERATIONS} iterations, {MEGABYTES} MB kept")
            delays = sorted(event_delays(side, engine, long_run))
            middle, last = statistics.median(delays), delays[-1]
            print(f"{'event to browser':20} p50 {middle * 1000:6.0f} ms   worst {last * 1000:6.0f} ms")
        engine.dispose()


def a_client(side: Side) -> httpx.Client:
    """Who asks for its pages, over one connection."""
    return httpx.Client(base_url=f"http://127.0.0.1:{side.port}", trust_env=False, timeout=30)


def looked(client: httpx.Client, path: str) -> float:
    """How long a page took, in milliseconds."""
    begun = time.perf_counter()
    client.get(path).raise_for_status()
    return (time.perf_counter() - begun) * 1000


def first_load(client: httpx.Client, path: str) -> int:
    """The bytes of a page and of all that it loads."""
    page = client.get(path).raise_for_status()
    loaded = re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)
    return len(page.content) + sum(len(client.get(each).raise_for_status().content) for each in set(loaded))


def event_delays(side: Side, engine: Engine, path: str) -> Iterator[float]:
    """How long it takes from what happens in the worker to the event in an open page."""
    run_id, store, heard = path.rpartition("/")[2], Store(engine), list[tuple[str, float]]()
    stream = a_client(side)

    def listen() -> None:
        with stream.stream("GET", f"{path}/events") as answer:
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    heard.append((json.loads(line.removeprefix("data: "))["text"], time.time()))
                    if len(heard) == EVENTS:
                        return

    listening = threading.Thread(target=listen)
    listening.start()
    time.sleep(2)
    told = {}
    for number in range(EVENTS):
        told[f"call {number}"] = time.time()
        store.happenings.keep(run_id, HappeningKind.TOLD, f"call {number}")
        time.sleep(random.Random(number).uniform(0.05, 0.9))  # noqa: S311 - at any time between two looks
    listening.join(30)
    stream.close()
    for text, moment in heard:
        yield moment - told[text]


def keep_many(engine: Engine, count: int) -> None:
    """So many ended runs, of many repositories and people, over some weeks."""
    chance, now = random.Random(4), time.time()  # noqa: S311 - the same each time
    outcomes = [*([Outcome.PROVEN] * 5), *Outcome]
    rows = []
    for number in range(count):
        began = now - chance.uniform(0, DAYS * 86_400)
        trigger = a_trigger(number, began, chance)
        outcome = chance.choice(outcomes)
        is_published = outcome in (Outcome.PROVEN, Outcome.UNPROVEN)
        rows.append(
            {
                "id": run_id_for(trigger),
                "installation_id": 1,
                "repository_id": trigger.issue.repository.id,
                "number": trigger.issue.number,
                "trigger": dump(trigger),
                "state": "finished",
                "started_at": began,
                "finished_at": began + chance.uniform(60, 3600),
                "cost_usd": chance.uniform(0.01, 0.5),
                "facts": json.dumps({"base": "4f" * 20, "note": "x" * FACTS}),
                "outcome": str(outcome),
                "reason": "The limit of 5 iterations is reached.",
                "title": f"The {number}th thing that is wrong with totals",
                "model": chance.choice(["small", "large"]),
                "iteration_count": chance.randrange(1, 6),
                "tokens": chance.randrange(5_000, 90_000),
                "pull_request": number if is_published else None,
                "pull_state": chance.choice(["open", "merged", "closed"]) if is_published else None,
                "published_at": began + 600 if is_published else None,
                **of_trigger(trigger),
            }
        )
    with transaction(engine) as connection:
        connection.execute(insert(runs), rows)


def a_trigger(number: int, moment: float, chance: random.Random) -> Trigger:
    """What asked for a run."""
    place = chance.randrange(REPOSITORIES)
    repository = RepositoryRef(1, 100 + place, "octo", f"repository-{place}")
    occurred_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
    sender = Person(f"person-{chance.randrange(60)}")
    ref = IssueRef(repository, 1 + number)
    return Trigger(f"start:{number}", TriggerKind.START, ref, sender, occurred_at, because="label added")


def keep_long(engine: Engine) -> str:
    """A run at work with all its iterations: the path of its page."""
    store, inbox = Store(engine), SqlInbox(engine)
    inbox.accept(replace(a_trigger(0, time.time(), random.Random(1)), key="start:long"))  # noqa: S311
    run_id = store.begin_run(store.waiting()[-1])
    store.learn(run_id, task=dump(Task("A long one", "It is long. " * 50)), base="4f" * 20)
    done: Sequence[Iteration] = ()
    for number in range(1, ITERATIONS + 1):
        done = (*done, an_iteration(number, MEGABYTES * 1_000_000 // ITERATIONS))
        store.keep_progress(run_id, Progress(tuple(done), done[-1].spend))
    return f"/runs/{run_id}"


def an_iteration(number: int, size: int) -> Iteration:
    """An iteration that takes so many characters."""
    line = "tests/test_prices.py::test_the_first_price_counts PASSED   [ 42%]\n"
    output = line * (size // 2 // len(line))
    prompt = json.dumps([{"role": "user", "content": "x = 1\n" * (size // 2 // 7)}])
    cases = tuple(TestCase(f"test_{each}", TestStatus.PASSED) for each in range(20))
    action = ActionTaken("edit", '{"path": "prices.py"}', "replaced", ok=True)
    call = Call("small", "3", prompt, '{"choices": []}', (action,), Usage(9_000, 400, 5_000, 0.01), 4.0)
    return Iteration(
        number,
        "sum every price",
        (call,),
        Change("diff --git a/prices.py b/prices.py\n+x\n", ("prices.py",), 1, 1),
        TestReport("pytest", ReportState.PASSED, cases, 0, output, 2.0, "pytest", planted_failed=True),
        Spend(number, 9_000 * number, 400 * number, 0.01 * number, 6.0 * number),
        6.0,
        "green, and the model goes on",
    )


if __name__ == "__main__":
    main()

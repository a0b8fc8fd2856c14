"""The parts of `bench.conversation`: each makes one thing happen in a town, and says how long it took."""

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import docker
import requests

from bot.demo.api import Recorded
from bot.demo.recorded import Recording
from bot.records import Outcome
from bot.settings import read_settings
from sandbox.containers.images import OWNER_LABEL
from tests.story import recordings
from tests.story.town import BOT, Town

PATIENCE_S = 240.0
LOOK_EVERY_S = 0.002

AT_WORK, STOPPED, WHOLE = "case-at-work", "case-stopped", "case-whole"

Containers = Callable[[], frozenset[str]]
"""The ids of the containers that run now."""


@dataclass(frozen=True, slots=True)
class Stop:
    """How long a stop took, in seconds; None where there are no containers."""

    container_s: float | None
    run_s: float


def stories() -> tuple[Recording, ...]:
    """What the model replies to the issues of this benchmark."""
    wrong = [
        f"```python path=calc.py\ndef add(a, b):\n    return a + b + {n}\n```\n{recordings.finish(f'try {n}')}"
        for n in (3, 4, 5)
    ]
    whole = recordings.recording(
        f"{recordings.NEW_TEST}\n{recordings.finish('A test.')}",
        *wrong,
        f"{recordings.RIGHT_FIX}\n{recordings.finish('add() adds.')}",
        match=WHOLE,
    )
    return (recordings.right_at_once(match=AT_WORK), recordings.right_at_once(match=STOPPED), whole)


def reaction_times(built: Town, count: int, *, repositories: int) -> Sequence[float]:
    """Seconds from the delivery of each of so many comments to the 👀 on it, while a run is at work."""
    busy = built.repository("octo/busy", recordings.files())
    at_work = busy.open_issue(recordings.TITLE, f"{recordings.BODY} ({AT_WORK})", by="eve")
    built.model.hold()
    at_work.label("selfcode", by="ada")
    built.wait_for("the run at work", lambda: built.model.calls)
    issues = [
        built.repository(f"octo/talk-{number}", recordings.files()).open_issue("Talk", "", by="eve")
        for number in range(repositories)
    ]
    built.hub.wait_for_deliveries()
    seconds = []
    for number in range(count):
        comment = issues[number % repositories].comment("/selfcode status", by="ada")
        begun = time.perf_counter()
        _wait_until(lambda comment=comment: any(found.user.login == BOT for found in comment.reactions))  # type: ignore[misc]
        seconds.append(time.perf_counter() - begun)
    at_work.comment("/selfcode stop", by="ada")
    built.wait_for_outcome(busy, at_work, Outcome.STOPPED)
    built.model.release()
    return seconds


def answer_times(built: Town, count: int) -> Sequence[float]:
    """Seconds that the stand-in takes to answer one question, the bot's first: who may do what."""
    repository = built.repository("octo/asked", recordings.files())
    url = f"{built.hub.api_url}/repos/{repository.full_name}/collaborators/ada/permission"
    seconds = []
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {built.hub.token('ada')}"
        for _ in range(count):
            begun = time.perf_counter()
            session.get(url, timeout=30).raise_for_status()
            seconds.append(time.perf_counter() - begun)
    return seconds


def containers_of(built: Town) -> Containers:
    """Looks for the containers of this town's worker."""
    label = f"{OWNER_LABEL}={read_settings(built.bot.environment).owner_tag}"
    engine = docker.from_env()
    return lambda: frozenset(str(found.id) for found in engine.containers.list(filters={"label": label}))


def stop_in(built: Town, during: str, containers: Containers | None) -> Stop:
    """Seconds from `/selfcode stop` in mid-reply or mid-test to the end of a container that ran, and of the run."""
    slow = {"test_slow.py": recordings.NEVER_ENDS} if during == "test" else {}
    number = len(built.hub.world.repositories)
    repository = built.repository(f"octo/stopped-{number}", {**recordings.files(), **slow})
    issue = repository.open_issue(recordings.TITLE, f"{recordings.BODY} ({STOPPED})", by="eve")
    built.model.hold()
    calls = len(built.model.calls)
    issue.label("selfcode", by="ada")
    if during == "reply":
        built.wait_for("the model's first call", lambda: len(built.model.calls) > calls)
    else:
        built.wait_for("the baseline", lambda: [said for said in built.said(issue) if "untouched" in said.body])
        time.sleep(3)
    running = containers() if containers else frozenset()
    asked, begun = time.time(), time.perf_counter()
    issue.comment("/selfcode stop", by="ada")
    container_s = None
    if containers:
        _wait_until(lambda: not running <= containers())
        container_s = time.perf_counter() - begun
    run = built.wait_for_outcome(repository, issue, Outcome.STOPPED)
    built.model.release()
    return Stop(container_s, (run.finished_at or asked) - asked)


def calls_of_a_run(built: Town) -> Sequence[Recorded]:
    """Everything that one whole run of five iterations asks of the API."""
    repository = built.repository("octo/whole", recordings.files())
    issue = repository.open_issue(recordings.TITLE, f"{recordings.BODY} ({WHOLE})", by="eve")
    made = ("POST", f"/repos/{repository.full_name}/labels")
    built.wait_for("the label", lambda: made in [(each.method, each.path) for each in built.hub.requests])
    before = len(built.hub.requests)
    issue.label("selfcode", by="ada")
    run = built.wait_for_outcome(repository, issue, Outcome.PROVEN)
    iterations = len(built.store.progress(run.id).iterations)
    if iterations != 5:
        raise AssertionError(f"the run had {iterations} iterations")
    return built.hub.requests[before:]


def kinds_of(asked: Sequence[Recorded]) -> Mapping[str, int]:
    """How many requests of each kind: the method, and the address without what is one repository's own."""
    return Counter(f"{each.method} {_kind(each)}" for each in asked)


def _kind(asked: Recorded) -> str:
    if asked.path.endswith("/graphql"):
        names = re.findall(r"\{\s*(\w+)", str((asked.json or {}).get("query", "")))
        return f"graphql {names[0] if names else ''}".strip()
    within = re.sub(r"^/repos/[^/]+/[^/]+/?|^/repositories/\d+/?", "", asked.path) or "the repository"
    return re.sub(r"\b[0-9a-f]{40}\b", "SHA", re.sub(r"(?<=/)\d+(?=/|$)", "N", within))


def _wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not is_so():
        if time.monotonic() > until:
            raise AssertionError(f"it did not happen in {PATIENCE_S:.0f} s")
        time.sleep(LOOK_EVERY_S)

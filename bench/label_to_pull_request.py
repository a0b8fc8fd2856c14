"""Wall time from label to pull request, less the model's, the set-up's and the test command's own time.

    make bench                                  # the sandbox that answers, three rounds
    python -m bench.label_to_pull_request --sandbox process --rounds 5

How long a stop takes in mid-reply and in mid-test is printed too.

Each round is one bot with an empty home: its first run is cold, the second one on the same repository is warm. A third
one is made with GitHub's pauses between writes as in production, which are listed apart. Medians over the rounds.
"""

import argparse
import re
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.demo.handles import RepositoryHandle
from bot.records import Outcome
from sandbox import SandboxError
from sandbox.docker import DockerSandbox
from tests.story import recordings
from tests.story.town import Town, town

_STEP = re.compile(r"step (.+) of run (\w+): ([\d.]+) s")
_TESTS = re.compile(r"test command: ([\d.]+) s")
ROWS = ("admit", "fetch", "environment", "baseline", "iteration", "proof", "push", "pull request")


@dataclass(frozen=True, slots=True)
class Timing:
    """One run, in seconds: all of it, the parts that are not ours, and each step less the test command in it."""

    wall: float
    model: float
    tests: float
    steps: Mapping[str, float]

    @property
    def ours(self) -> float:
        return self.wall - self.model - self.tests


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.label_to_pull_request", description=__doc__)
    parser.add_argument("--sandbox", choices=["docker", "process"], default=answering_sandbox())
    parser.add_argument("--image", default="selfcode-sandbox:test")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args(arguments)
    print(f"from label to pull request, sandbox {chosen.sandbox}, medians of {chosen.rounds} rounds, seconds")
    columns: dict[str, list[Timing]] = {"cold": [], "warm": [], "warm, paused": []}
    for _ in range(chosen.rounds):
        measured = _round(chosen.sandbox, chosen.image, pause_s=0.0, runs=2)
        columns["cold"].append(measured[0])
        columns["warm"].append(measured[1])
        columns["warm, paused"].append(_round(chosen.sandbox, chosen.image, pause_s=1.0, runs=2)[1])
    _print(columns)
    stops = {
        name: [_stop(chosen.sandbox, chosen.image, name) for _ in range(chosen.rounds)] for name in ("reply", "test")
    }
    for name, seconds in stops.items():
        print(f"{f'stop in mid-{name}':24}{statistics.median(seconds):14.2f}")


def answering_sandbox() -> str:
    """The backend to measure with: Docker where an engine answers."""
    try:
        DockerSandbox(image="selfcode-sandbox:test").check()
    except SandboxError:
        return "process"
    return "docker"


def _round(sandbox: str, image: str, *, pause_s: float, runs: int) -> list[Timing]:
    settings = {"SELFCODE_SECONDS_BETWEEN_WRITES": str(pause_s), "SELFCODE_SANDBOX_IMAGE": image}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        played = [recordings.wrong_then_right(match=f"case-{number}") for number in range(runs)]
        with town(Path(folder), *played, sandbox=sandbox, settings=settings) as built:
            repository = built.repository("octo/calc", recordings.files() | recordings.FOR_PYTEST)
            built.hub.wait_for_deliveries()
            return [_timed(built, repository, number) for number in range(runs)]


def _stop(sandbox: str, image: str, during: str) -> float:
    """Seconds from the comment `/selfcode stop` to the end of the run."""
    slow = {"test_slow.py": b"import time\n\n\ndef test_slow():\n    time.sleep(300)\n"} if during == "test" else {}
    settings = {"SELFCODE_SECONDS_BETWEEN_WRITES": "0", "SELFCODE_SANDBOX_IMAGE": image}
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        town(Path(folder), recordings.right_at_once(), sandbox=sandbox, settings=settings) as built,
    ):
        repository = built.repository("octo/calc", {**recordings.files(), **recordings.FOR_PYTEST, **slow})
        issue = repository.open_issue(recordings.TITLE, recordings.BODY, by="eve")
        built.model.hold()
        issue.label("selfcode", by="ada")
        if during == "reply":
            built.model.wait_for_calls(1, timeout_s=120)
        else:
            built.wait_for("the baseline", lambda: [said for said in built.said(issue) if "untouched" in said.body])
            time.sleep(3)
        asked = time.time()
        issue.comment("/selfcode stop", by="ada")
        return (built.wait_for_outcome(repository, issue, Outcome.STOPPED).finished_at or asked) - asked


def _timed(built: Town, repository: RepositoryHandle, number: int) -> Timing:
    issue = repository.open_issue(recordings.TITLE, f"{recordings.BODY} (case-{number})", by="eve")
    built.hub.wait_for_deliveries()
    before = len(built.log())
    pulls = len(repository.pulls)
    began = time.monotonic()
    issue.label("selfcode", by="ada")
    while len(repository.pulls) == pulls and not any(run.is_finished for run in built.runs(repository, issue)):
        time.sleep(0.05)
    wall = time.monotonic() - began
    built.wait_for_outcome(repository, issue, Outcome.PROVEN)
    run = built.runs(repository, issue)[-1]
    model = sum(call.duration_s for iteration in built.store.progress(run.id).iterations for call in iteration.calls)
    return _read(built.log()[before:], wall, model)


def _read(log: str, wall: float, model: float) -> Timing:
    """Where the time went, from the worker's log: test commands are part of the step whose line comes next."""
    steps: dict[str, float] = {}
    tests, inside = 0.0, 0.0
    for line in log.splitlines():
        if found := _TESTS.search(line):
            inside += float(found[1])
        elif found := _STEP.search(line):
            name = "iteration" if found[1].startswith("iteration") else found[1]
            steps[name] = steps.get(name, 0.0) + float(found[3]) - inside
            tests, inside = tests + inside, 0.0
    steps["iteration"] = steps.get("iteration", 0.0) - model
    return Timing(wall, model, tests, steps)


def _print(columns: Mapping[str, Sequence[Timing]]) -> None:
    print(f"{'':24}" + "".join(f"{name:>14}" for name in columns))
    rows = [
        ("wall", [[timing.wall for timing in column] for column in columns.values()]),
        ("- model", [[timing.model for timing in column] for column in columns.values()]),
        ("- test command", [[timing.tests for timing in column] for column in columns.values()]),
        ("= ours", [[timing.ours for timing in column] for column in columns.values()]),
    ]
    rows += [
        (f"    {name}", [[timing.steps.get(name, 0.0) for timing in column] for column in columns.values()])
        for name in ROWS
    ]
    for name, cells in rows:
        print(f"{name:24}" + "".join(f"{statistics.median(cell):14.2f}" for cell in cells))


if __name__ == "__main__":
    main()

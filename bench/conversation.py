"""How soon people are heard, how soon a run ends that is told to stop, and what a run asks of GitHub.

    make bench                         # the sandbox that answers, 60 comments, three stops of each kind
    python -m bench.conversation --sandbox process --comments 50 --stops 1

The stand-in for GitHub on loopback, web and worker as processes of their own, a second between writes as in production.
Comments come one after the other, by turns in five repositories of an installation each, while a run is at work. From
the delivery on: the stand-in's own time to hand it over, and to answer, is in each figure; what it takes for one answer
stands beside.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import requests

from bench.conversation_parts import (
    answer_times,
    calls_of_a_run,
    containers_of,
    kinds_of,
    reaction_times,
    stop_in,
    stories,
)
from bench.label_to_pull_request import answering_sandbox
from tests.story.town import Town, town

REACTION_AIM_S = 1.0
STOP_AIM_S = 5.0
CALLS_AIM = 40
REPOSITORIES = 5


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.conversation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sandbox", choices=["docker", "process"], default=answering_sandbox())
    parser.add_argument("--image", default="selfcode-sandbox:test")
    parser.add_argument("--comments", type=int, default=60)
    parser.add_argument("--stops", type=int, default=3, help="of each kind; 0 for none")
    chosen = parser.parse_args(arguments)
    settings = {"SELFCODE_SECONDS_BETWEEN_WRITES": "1", "SELFCODE_SANDBOX_IMAGE": chosen.image}
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        town(Path(folder), *stories(), sandbox=chosen.sandbox, settings=settings, commands=("web", "worker")) as built,
    ):
        print_reactions(built, chosen.comments)
        if chosen.stops:
            print_stops(built, chosen.stops, has_containers=chosen.sandbox == "docker")
        print_calls(built)


def print_reactions(built: Town, comments: int) -> None:
    """From the delivery of a comment to the 👀 on it."""
    reactions, answers = reaction_times(built, comments, repositories=REPOSITORIES), answer_times(built, comments)
    print(f"\n{comments} comments in {REPOSITORIES} repositories, a run at work; seconds")
    print(f"{'':40}{'p50':>8}{'p95':>8}{'slowest':>9}  aim")
    print(f"{'one answer of the stand-in':40}{_spread(answers)}")
    print(f"{'delivery → 👀':39}{_spread(reactions)}  p50 {_held(statistics.median(reactions), REACTION_AIM_S)}")


def print_stops(built: Town, count: int, *, has_containers: bool) -> None:
    """From `/selfcode stop` to the end of the container, and of the run, which says so on its issue before it ends."""
    print(f"\n/selfcode stop, {count} times each; seconds")
    print(f"{'':40}{'median':>8}{'slowest':>9}  aim")
    for during in ("reply", "test"):
        stops = [stop_in(built, during, containers_of(built) if has_containers else None) for _ in range(count)]
        containers = [stop.container_s for stop in stops if stop.container_s is not None]
        for what, seconds in (("container", containers), ("run", [stop.run_s for stop in stops])):
            if seconds:
                aim = f"  {_held(max(seconds), STOP_AIM_S)}" if what == "container" else ""
                figures = f"{statistics.median(seconds):8.2f}{max(seconds):9.2f}"
                print(f"{f'in mid-{during} → the end of the {what}':40}{figures}{aim}")


def print_calls(built: Town) -> None:
    """What a run of five iterations asks of GitHub, by kind."""
    asked = calls_of_a_run(built)
    verdict = "held" if len(asked) <= CALLS_AIM else "MISSED"
    print(f"\n{'requests of a run of five iterations':40}{len(asked):8}  at most {CALLS_AIM}: {verdict}")
    for kind, count in sorted(kinds_of(asked).items(), key=lambda found: (-found[1], found[0])):
        print(f"    {kind:44}{count:4}")


def _spread(seconds: Sequence[float]) -> str:
    p95 = statistics.quantiles(seconds, n=20, method="inclusive")[-1]
    return f"{statistics.median(seconds):8.3f}{p95:8.3f}{max(seconds):9.3f}"


def _held(seconds: float, aim_s: float) -> str:
    return f"< {aim_s:g} s: {'held' if seconds < aim_s else 'MISSED'}"


if __name__ == "__main__":
    try:
        main()
    except requests.RequestException as problem:
        sys.exit(f"the stand-in did not answer: {problem}")

"""End everything everywhere, one thing at a time: `python -m tests.chaos [PATTERN…]`.

Patterns are of the cases' names: `worker@*`, `engine@proof*`; with `--list` the cases are only named. CHAOS_LANES is
how many places are at work at once. CHAOS_SAMPLE takes so many cases of each kind of place, by the seed CHAOS_SEED.
CHAOS_LOGS is a folder for the bot's log of each case that fails.
"""

import os
import random
import signal
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from statistics import median

from tests.chaos.lanes import Expected, leave, tell_all, try_all
from tests.chaos.places import TARGETS, PlaceKind
from tests.chaos.points import Case, cases_of
from tests.chaos.stories import STORIES, Story
from tests.chaos.trying import Result
from tests.engine.private import answers
from tests.postgres.server import is_installed

LANES = "2"
SEED = "7"


def main(arguments: Sequence[str]) -> int:
    """Try all cases, or those that are named so. Returns the exit code."""
    patterns = [f"*{each}*" for each in arguments if not each.startswith("--")] or ["*"]
    results: list[Result] = []
    missing = {kind: _missing(kind) for kind in PlaceKind}
    expected: dict[str, Expected] = {}
    for kind in (kind for kind in PlaceKind if not missing[kind]):
        if kind.sandbox not in expected:
            expected[kind.sandbox] = tell_all(kind, _wanted(kind.sandbox, patterns))
        cases = _chosen(kind, expected[kind.sandbox], patterns)
        say(f"{kind}: {len(cases)} cases")
        if "--list" in arguments:
            say("\n".join(f"  {case.name}" for case in cases))
        else:
            lanes = int(os.environ.get("CHAOS_LANES", LANES))
            results += try_all(kind, cases, expected[kind.sandbox], lanes=lanes, tell=_tell)
    say(_table(results))
    for kind, what in missing.items():
        if what:
            say(f"LEFT OUT, for want of {what}: {', '.join(TARGETS[kind])} ({kind})")
    return int(any(result.wrong for result in results) or any(missing.values()))


def _missing(kind: PlaceKind) -> str:
    if kind is PlaceKind.SERVER and not is_installed():
        return "PostgreSQL"
    if kind is PlaceKind.CONTAINERS and not answers(None):
        return "a Docker engine"
    return ""


def _wanted(sandbox: str, patterns: Sequence[str]) -> list[Story]:
    """The stories of which there are cases in such places, and that a pattern may mean."""
    ended = {target for kind in PlaceKind if kind.sandbox == sandbox for target in TARGETS[kind]}
    return [
        story
        for story in STORIES
        if ended.intersection(story.targets)
        and any(":" not in pattern or fnmatchcase(story.name, pattern.partition(":")[0]) for pattern in patterns)
    ]


def _chosen(kind: PlaceKind, expected: Expected, patterns: Sequence[str]) -> list[Case]:
    """The cases of a kind that are wanted, mixed: what fails alike does not come all at once."""
    all_of_it = [
        case
        for story in STORIES
        if story.name in expected
        for case in cases_of(story.name, TARGETS[kind], expected[story.name].points)
        if case.target in story.targets
    ]
    wanted = [case for case in all_of_it if any(fnmatchcase(case.name, pattern) for pattern in patterns)]
    size = int(os.environ.get("CHAOS_SAMPLE") or len(wanted))
    return random.Random(int(os.environ.get("CHAOS_SEED", SEED))).sample(wanted, min(size, len(wanted)))


def _tell(result: Result, how_far: str) -> None:
    still = f", stood still for {result.stood_still_s:.1f} s" if result.stood_still_s is not None else ""
    say(f"{how_far} {'FAILED' if result.wrong else 'passed'} {result.case.name} ({result.took_s:.0f} s{still})")
    if result.wrong:
        say(result.wrong)


def _table(results: Sequence[Result]) -> str:
    lines = [f"{'ended':<14}{'cases':>7}{'passed':>8}{'stood still, s: median':>25}{'max':>8}"]
    for target in dict.fromkeys(result.case.target for result in results):
        ours = [result for result in results if result.case.target is target]
        still = [result.stood_still_s for result in ours if result.stood_still_s is not None]
        figures = f"{median(still):>25.1f}{max(still):>8.1f}" if still else f"{'–':>25}{'–':>8}"
        lines.append(f"{target:<14}{len(ours):>7}{sum(not result.wrong for result in ours):>8}{figures}")
    return "\n".join(lines + [f"FAILED: {result.case.name}" for result in results if result.wrong])


def say(text: str) -> None:
    """Tell whoever waits for it."""
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, leave)
    try:
        sys.exit(main(sys.argv[1:]))
    except AssertionError as wrong:
        sys.exit(f"FAILED: {wrong}")

"""Many cases tried, in several places at once."""

import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.queues import Queue as QueueType
from pathlib import Path
from queue import Empty
from types import FrameType

from tests.chaos.left import left_at_the_end
from tests.chaos.places import PlaceKind, place
from tests.chaos.points import Case
from tests.chaos.stories import STORIES, Story
from tests.chaos.trying import Result, Undisturbed, attempt, undisturbed

_TRIES_A_PLACE = 30
"""A place is made anew after so many cases: what is kept of those before is looked through again and again."""

_STORIES = {story.name: story for story in STORIES}
_RECORDINGS = [recording for story in STORIES for recording in story.recordings]

Expected = Mapping[str, Undisturbed]
"""How each story goes undisturbed, by its name."""


def tell_all(kind: PlaceKind, stories: Sequence[Story]) -> Expected:
    """Tell these stories, undisturbed. Raises `AssertionError`."""
    with place(kind, *_RECORDINGS) as built:
        return {story.name: undisturbed(built, story) for story in stories}


def try_all(
    kind: PlaceKind, cases: Sequence[Case], expected: Expected, *, lanes: int, tell: Callable[[Result, str], None]
) -> list[Result]:
    """What came of the cases, tried in several places at once."""
    context = get_context("spawn")
    waiting, done = context.Queue(), context.Queue()
    for case in cases:
        waiting.put(case)
    processes = [
        context.Process(target=_lane, args=(kind, expected, waiting, done)) for _ in range(min(lanes, len(cases)))
    ]
    for process in processes:
        process.start()
    results: list[Result] = []
    try:
        while len(results) < len(cases) and (any(process.is_alive() for process in processes) or not done.empty()):
            with suppress(Empty):
                results.append(done.get(timeout=5))
                tell(results[-1], f"{len(results)}/{len(cases)}")
    except BaseException:
        for process in processes:
            process.terminate()
        raise
    finally:
        for process in processes:
            process.join()
    tried = {result.case for result in results}
    return results + [Result(case, "its lane has failed") for case in cases if case not in tried]


def _lane(kind: PlaceKind, expected: Expected, waiting: "QueueType[Case]", done: "QueueType[Result]") -> None:
    """Try cases in places of one process, each as long as nothing is wrong in it."""
    signal.signal(signal.SIGTERM, leave)
    case = _next(waiting)
    while case is not None:
        with place(kind, *_RECORDINGS) as built:
            for number in range(1, _TRIES_A_PLACE + 1):
                result = attempt(built, _STORIES[case.story], case, expected[case.story])
                case = _next(waiting)
                if not result.wrong and (case is None or number == _TRIES_A_PLACE):
                    result = replace(result, wrong="\n".join(left_at_the_end(built)))
                if result.wrong:
                    _keep_log(result, built.town.log())
                done.put(result)
                if result.wrong or case is None:
                    break


def leave(number: int, _frame: FrameType | None) -> None:
    """Turn a signal into an exception, so that everything is cleaned up."""
    sys.exit(128 + number)


def _next(waiting: "QueueType[Case]") -> Case | None:
    try:
        return waiting.get(timeout=1)
    except Empty:
        return None


def _keep_log(result: Result, log: str) -> None:
    folder = os.environ.get("CHAOS_LOGS")
    if folder:
        name = "".join(letter if letter.isalnum() or letter in "@-." else "_" for letter in result.case.name)
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.log").write_text(f"{result.case.name}\n{result.wrong}\n\n{log}", encoding="utf-8")

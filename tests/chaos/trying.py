"""One story told, undisturbed or with something ended in it; and what is wrong with how it came out."""

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import create_engine, text

from bot.runs.database import with_driver
from tests.chaos.left import left
from tests.chaos.places import AWAY_S, Place
from tests.chaos.points import Case, Heard, Point, Target, points_of, steps_of
from tests.chaos.seen import Seen, difference, seen
from tests.chaos.stories import Scene, Story
from tests.engine import private
from tests.postgres import server
from tests.story import recordings

KEPT_S = 10.0
"""A run's last step is kept after the run has ended."""
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """How a story goes where nothing is ended: what is there at its end, its points, how often the model was called."""

    at_end: Seen
    points: Sequence[Point]
    calls: int


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a case: what is wrong, "" for nothing, and how long it was until the run went on."""

    case: Case
    wrong: str
    stood_still_s: float | None = None
    took_s: float = 0.0


def undisturbed(place: Place, story: Story) -> Undisturbed:
    """Tell the story as it is. Raises `AssertionError` where it leaves something behind by itself."""
    town = place.town
    scene, before = _a_scene(place, story), len(town.model.calls)
    _ask_aside(place, scene)
    town.wait_for("an answer aside", lambda: town.said(scene.aside))
    place.watch.begin()
    story.asks(scene)
    _wait_for_end(place, scene, runs=story.runs_before + 1)
    heard = place.watch.heard
    _require_same_steps(place, scene, heard)
    found = left(place)
    assert not found, f"left behind by an undisturbed run: {found}"
    return Undisturbed(_seen(place, scene), points_of(heard), len(town.model.calls) - before)


def attempt(place: Place, story: Story, case: Case, expected: Undisturbed) -> Result:
    """Tell the story, with this ended in it. The place may not be used further where something is wrong."""
    began = time.monotonic()
    stood_still_s = None
    try:
        scene, before = _a_scene(place, story), len(place.town.model.calls)
        place.watch.begin(case.point)
        story.asks(scene)
        place.town.wait_for(f"“{case.point.name}”", place.watch.is_reached)
        ended_at = time.monotonic()
        up_at = _end_and_put_up(place, scene, case.target)
        _wait_for_end(place, scene, runs=story.runs_before + 1)
        went_on_at = place.watch.went_on_at(up_at)
        stood_still_s = went_on_at - ended_at if went_on_at else None
        wrong = _wrong(place, scene, expected, len(place.town.model.calls) - before)
    except (AssertionError, private.CannotStart, server.CannotStart) as problem:
        wrong = str(problem)
    finally:
        place.watch.let_go()
    return Result(case, wrong, stood_still_s, time.monotonic() - began)


def _a_scene(place: Place, story: Story) -> Scene:
    """The story up to where the run is to be asked for."""
    place.watch.begin()
    repository = place.town.repository(f"octo/calc-{next(_numbers)}", recordings.files())
    issue = repository.open_issue(recordings.TITLE, story.body, by="ada")
    scene = Scene(repository, issue, repository.open_issue("What can it do?", "", by="ada"))
    story.before(scene)
    _wait_for_end(place, scene, runs=story.runs_before)
    return scene


def _end_and_put_up(place: Place, scene: Scene, target: Target) -> float:
    """End it, let people ask for something meanwhile, put it up. Returns when that was begun."""
    place.end(target)
    if target is not Target.HUB:
        _ask_aside(place, scene)
    place.watch.let_go()
    time.sleep(AWAY_S.get(target, 0.0))
    up_at = time.monotonic()
    place.put_up(target)
    if target is Target.HUB:
        _ask_aside(place, scene)
    return up_at


def _ask_aside(place: Place, scene: Scene) -> None:
    scene.aside.comment("/selfcode help", by="ada")
    place.hub.wait_for_deliveries()


def _wait_for_end(place: Place, scene: Scene, *, runs: int) -> None:
    """Until so many runs are over, what was asked aside is answered, and nothing waits."""
    town = place.town

    def is_answered() -> bool:
        return len(scene.aside.comments) == 2 * len(town.said(scene.aside))

    def is_quiet() -> bool:
        return all(each.trigger.issue.repository.id != scene.repository.id for each in town.store.waiting())

    if runs:
        town.wait_for_end(scene.repository, scene.issue, runs=runs)
    town.wait_for("the end of its last step", place.watch.is_at_rest)
    town.wait_for("an answer aside", is_answered)
    place.hub.wait_for_deliveries()
    town.wait_for("the end of all that waits", is_quiet)


def _require_same_steps(place: Place, scene: Scene, heard: Sequence[Heard]) -> None:
    """The steps that were told of are those that were kept: the list of points is the workflow's."""
    (run,) = place.town.runs(scene.repository, scene.issue)[-1:]
    told = steps_of(heard)
    deadline = time.monotonic() + KEPT_S
    while (kept := _steps_kept(place, run.id)) != told:
        assert time.monotonic() < deadline, f"steps kept and steps told of differ: {kept}, {told}"
        time.sleep(0.1)


def _steps_kept(place: Place, run_id: str) -> list[str]:
    engine = create_engine(with_driver(place.steps_url))
    table = "operation_outputs" if engine.dialect.name == "sqlite" else "dbos.operation_outputs"
    query = f"SELECT function_name FROM {table} WHERE workflow_uuid LIKE :run ORDER BY workflow_uuid, function_id"
    with engine.connect() as connection:
        kept = list(connection.execute(text(query), {"run": f"{run_id}%"}).scalars())
    engine.dispose()
    return kept


def _seen(place: Place, scene: Scene) -> Seen:
    with place.hub.world.lock:
        return seen(scene.repository.state_of, place.town.store)


def _wrong(place: Place, scene: Scene, expected: Undisturbed, calls: int) -> str:
    """What is not as it should be."""
    found = [difference(expected.at_end, _seen(place, scene)), *left(place)]
    if calls > expected.calls + 1:
        found.append(f"the model was called {calls} times instead of {expected.calls}")
    return "\n".join(each for each in found if each)

"""Some of what `make chaos` tries, by chance: a seed is in the name of each test, CHAOS_SEED is another one."""

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.chaos.__main__ import SEED
from tests.chaos.places import Place, PlaceKind, place
from tests.chaos.points import Target, cases_of
from tests.chaos.stories import STORIES
from tests.chaos.trying import Undisturbed, attempt, undisturbed
from tests.postgres.server import is_installed

STORY = STORIES[0]
CHOSEN = int(os.environ.get("CHAOS_SEED", SEED))


@contextmanager
def told(kind: PlaceKind) -> Iterator[tuple[Place, Undisturbed]]:
    with place(kind, *STORY.recordings) as built:
        yield built, undisturbed(built, STORY)


@pytest.fixture(scope="module")
def at_a_server() -> Iterator[tuple[Place, Undisturbed]]:
    if not is_installed():
        left_out = "left out for want of PostgreSQL"
        pytest.fail(left_out) if os.environ.get("CI") else pytest.skip(left_out)
    with told(PlaceKind.SERVER) as found:
        yield found


def comes_to_the_same(found: tuple[Place, Undisturbed], target: Target, seed: int) -> None:
    built, expected = found
    case = random.Random(seed).choice(cases_of(STORY.name, [target], expected.points))
    result = attempt(built, STORY, case, expected)
    assert result.wrong == "", case.name


@pytest.mark.parametrize("seed", [CHOSEN])
@pytest.mark.parametrize("target", [Target.HUB, Target.DATABASE, Target.WORKER])
def test_whatever_ends_in_the_middle_of_a_run_nobody_can_tell_afterwards(
    at_a_server: tuple[Place, Undisturbed], target: Target, seed: int
) -> None:
    comes_to_the_same(at_a_server, target, seed)


@pytest.mark.docker
@pytest.mark.parametrize("seed", [CHOSEN])
def test_not_even_where_that_is_the_engine_that_all_of_it_runs_on(seed: int) -> None:
    with told(PlaceKind.CONTAINERS) as found:
        comes_to_the_same(found, Target.ENGINE, seed)

"""How the list of cases is made, and what is taken for a difference."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.demo.handles import RepositoryHandle
from bot.demo.hub import Hub
from bot.runs.store import Store
from tests.chaos.points import Heard, Kind, Moment, points_of
from tests.chaos.seen import Seen, difference, seen
from tests.demo.keys import Keys
from tests.runs.builders import a_database

HEARD = [
    Heard(Moment(Kind.WRITE, "POST issues/1/reactions"), 0.0),
    Heard(Moment(Kind.BEGINS, "admit"), 1.0),
    Heard(Moment(Kind.WRITE, "POST issues/1/comments"), 1.1),
    Heard(Moment(Kind.DONE, "admit"), 1.2),
    Heard(Moment(Kind.BEGINS, "iteration 1"), 2.0),
    Heard(Moment(Kind.CALL, "call"), 3.0),
    Heard(Moment(Kind.DONE, "iteration 1"), 4.0),
]


def test_a_run_is_hit_at_every_boundary_and_after_every_effect_and_halfway_where_a_step_takes_long() -> None:
    assert [(point.name, point.after_s) for point in points_of(HEARD)] == [
        ("at first/after POST issues/1/reactions", 0.0),
        ("admit/begins", 0.0),
        ("admit/after POST issues/1/comments", 0.0),
        ("admit/done, not recorded", 0.0),
        ("iteration 1/begins", 0.0),
        ("iteration 1/halfway", 1.0),
        ("iteration 1/after call 1", 0.0),
        ("iteration 1/done, not recorded", 0.0),
    ]


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    with Hub(keys=Keys()) as hub:
        yield hub


def a_repository(hub: Hub, name: str) -> RepositoryHandle:
    made = hub.create_repository(f"octo/{name}", {"calc.py": name})
    issue = made.open_issue("It breaks", f"See {made.url}/issues/1, since 2026-11-30 20:46:51 UTC.", by="ada")
    issue.comment("It took 3.2 s.", by="eve")
    return made


def look(repository: RepositoryHandle, folder: Path) -> Seen:
    with a_database(folder) as engine:
        return seen(repository.state_of, Store(engine))


def test_two_repositories_with_the_same_in_them_look_the_same(hub: Hub, tmp_path: Path) -> None:
    one, other = a_repository(hub, "one"), hub.create_repository("octo/two", {"calc.py": "one"})
    issue = other.open_issue("It breaks", f"See {other.url}/issues/1, since 2026-12-01 00:01 UTC.", by="ada")
    issue.comment("It took 12 s.", by="eve")

    assert difference(look(one, tmp_path), look(other, tmp_path)) == ""


MORE: dict[str, Callable[[RepositoryHandle], object]] = {
    "a comment": lambda found: found.issues[0].comment("It took 3.2 s.", by="eve"),
    "a commit": lambda found: found.commit({"calc.py": "2"}, "Another"),
    "a label": lambda found: found.issues[0].label("bug", by="ada"),
    "a check": lambda found: found.check(found.head() or ""),
}


@pytest.mark.parametrize("what", MORE)
def test_whatever_is_there_twice_or_besides_is_a_difference(hub: Hub, tmp_path: Path, what: str) -> None:
    one = a_repository(hub, f"with-{list(MORE).index(what)}")
    before = look(one, tmp_path)

    MORE[what](one)

    assert difference(before, look(one, tmp_path)) != ""

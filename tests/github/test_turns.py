"""Who waits for whom at GitHub's door, and who does not."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.github.connections import Connections
from bot.github.turns import Locks, Turns
from tests.github.stages import HubStage, a_door
from tests.github.test_app import Clock

PATIENCE_S = 30.0


@pytest.fixture
def turns() -> Turns:
    clock = Clock()
    return Turns(1.0, clock, clock.sleep)


def beside(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def writing(turns: Turns, installation_id: int, done: list[int]) -> Callable[[], None]:
    def write() -> None:
        with turns.write(installation_id):
            done.append(installation_id)

    return write


def test_a_write_that_takes_long_keeps_none_of_another_installation_waiting(turns: Turns) -> None:
    done: list[int] = []

    with turns.write(1):
        same, other = beside(writing(turns, 1, done)), beside(writing(turns, 2, done))
        other.join(PATIENCE_S)
        meanwhile = list(done)
    same.join(PATIENCE_S)

    assert (meanwhile, done) == ([2], [2, 1])


def test_each_installation_has_pauses_of_its_own(turns: Turns) -> None:
    for installation_id in (1, 2, 1, 1):
        writing(turns, installation_id, [])()

    assert turns.paused_s == 2.0


def test_a_lock_is_one_for_each_key_and_gone_when_nobody_wants_it() -> None:
    locks, order = Locks(), list[str]()

    def hold(key: str, words: str) -> None:
        with locks.holding(key):
            order.append(words)

    with locks.holding("a"):
        same = beside(lambda: hold("a", "second"))
        hold("b", "other")
        order.append("first")
    same.join(PATIENCE_S)
    del same

    assert order == ["other", "first", "second"]
    assert len(locks._locks) == 0


def test_two_requests_at_once_have_a_connection_each_which_is_used_again(scene: HubStage) -> None:
    door = a_door(scene.hub, scene.app, [])
    connections: Connections = door._tokens.as_app

    with connections.one() as first, connections.one() as second:
        pass
    with connections.one() as third:
        pass

    assert first is not second
    assert third in (first, second)


def test_many_threads_with_one_token_each_get_the_answer_to_their_own_question(scene: HubStage) -> None:
    titles = [f"issue {number}" for number in range(8)]
    issues = [scene.open_issue(title) for title in titles]

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(scene.github.issue, issues * 4))

    assert [issue.title for issue in found] == titles * 4


def test_a_token_that_is_long_in_coming_keeps_no_other_repository_waiting(scene: HubStage) -> None:
    at, other = scene.open_issue(), HubStage(scene.hub, scene.app, f"{scene.ref.owner}-too")
    there, done = other.open_issue(), list[str]()
    door = a_door(scene.hub, scene.app, [])
    path = f"installations/{scene.ref.installation_id}/access_tokens"
    scene.hub.fail_next("POST", path, 500, delay_s=2.0)

    def look(words: str, where: object) -> None:
        door.issue(where)  # type: ignore[arg-type]
        done.append(words)

    waits = beside(lambda: look("the slow one", at))
    while not _is_taken(scene, path):
        threading.Event().wait(0.01)
    look("the other", there)
    waits.join(PATIENCE_S)

    assert done == ["the other", "the slow one"]


def _is_taken(scene: HubStage, path: str) -> bool:
    """Whether the planned fault was met."""
    return all(fault.times == 0 for fault in scene.hub._faults.planned if fault.path.pattern == path)

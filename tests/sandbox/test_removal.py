"""What is left is removed in the background, and a failure is nobody's exception."""

import threading
import time

from sandbox.containers.removal import Removal
from sandbox.contract import SandboxUnavailable


class Engine:
    """Removes what it is told, but for the first few times."""

    def __init__(self, *, failures: int = 0) -> None:
        self.failures = failures
        self.removed: list[str] = []
        self.told = 0
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def remove(self, thing: str) -> None:
        self.may_go_on.wait(10)
        self.told += 1
        if self.told <= self.failures:
            raise SandboxUnavailable("no engine")
        self.removed.append(thing)


def test_who_adds_does_not_wait_and_who_waits_finds_all_removed_in_order() -> None:
    engine = Engine()
    engine.may_go_on.clear()
    removal = Removal(engine.remove)
    removal.add("a")
    removal.add("b")
    assert engine.removed == []
    engine.may_go_on.set()

    removal.wait()

    assert engine.removed == ["a", "b"]


def test_a_removal_that_fails_is_tried_again() -> None:
    engine = Engine(failures=2)
    removal = Removal(engine.remove, pauses_s=(0.0, 0.0))
    removal.add("a")

    removal.wait()

    assert (engine.removed, engine.told) == (["a"], 3)


def test_what_could_not_be_removed_for_a_while_is_removed_with_the_next_or_at_the_end() -> None:
    engine = Engine(failures=2)
    removal = Removal(engine.remove, pauses_s=(0.0,))
    removal.add("a")
    removal.add("b")

    removal.wait()

    assert sorted(engine.removed) == ["a", "b"]


def test_what_is_never_removed_holds_nobody_up() -> None:
    engine = Engine(failures=1000)
    removal = Removal(engine.remove, pauses_s=(0.01, 0.01))
    began = time.monotonic()
    for thing in "abcdef":
        removal.add(thing)

    removal.wait()
    removal.wait()

    assert engine.removed == []
    assert engine.told > len("abcdef")
    assert time.monotonic() - began < 10

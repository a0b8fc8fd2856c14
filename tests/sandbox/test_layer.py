"""How much a setup may write outside its workspace."""

import threading

from sandbox.contract import SandboxError
from sandbox.setup.layer import LayerWatch

PAUSE_S = 0.001


def test_too_much_is_seen_while_the_setup_runs() -> None:
    sizes = iter([5, 11])
    looked = threading.Event()

    def measure() -> int:
        size = next(sizes)
        if size == 11:
            looked.set()
        return size

    with LayerWatch(measure, limit_bytes=10, pause_s=PAUSE_S) as watch:
        assert looked.wait(10)

    assert watch.exceeded


def test_a_look_that_fails_is_made_again() -> None:
    outcomes = iter(["fail", "fail", "ok"])
    looked = threading.Event()

    def measure() -> int:
        if next(outcomes, "ok") == "fail":
            raise SandboxError("the engine is busy")
        looked.set()
        return 10

    with LayerWatch(measure, limit_bytes=10, pause_s=PAUSE_S) as watch:
        assert looked.wait(10)

    assert not watch.exceeded


def test_a_setup_that_ended_before_any_look_is_looked_at_when_asked() -> None:
    with LayerWatch(lambda: 11, limit_bytes=10, pause_s=60) as watch:
        pass

    assert not watch.exceeded
    assert watch.check()

"""A backtest that is killed goes on where it was: nothing is done twice, nothing is lost."""

import os
import signal
import time
from pathlib import Path

from bot.backtest.going import alone_in
from bot.backtest.kept import ATTEMPTS, KeptReplay, Lines
from bot.backtest.wanted import Wanted
from tests import command
from tests.history import BASE, FIX, History

HALF = "\n\ndef half(a):\n    return a / 2\n"
HALF_TEST = (
    "import unittest, calc\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        assert calc.half(4) == 2\n"
)
WAIT_S = 120


def test_what_was_done_before_a_kill_is_not_done_again_and_the_rest_is(tmp_path: Path) -> None:
    history = History.begun(tmp_path / "calc", BASE)
    history.commit(FIX, "Sums come out as differences")
    history.commit({"calc.py": FIX["calc.py"] + HALF, "tests/test_half.py": HALF_TEST}, "Nobody can halve a number")
    (tmp_path / "tmp").mkdir()
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path / "tmp"),
        "SELFCODE_HOME": str(tmp_path),
    }  # fmt: skip
    folder = tmp_path / "results"
    asked = ["backtest", str(history.folder), "--sandbox", "process", "--model", "oracle", "--jobs", "1", "--json"]
    asked += ["--out", str(folder)]
    running = command.start(*asked, environment=environment, log=tmp_path / "log")
    until = time.monotonic() + WAIT_S
    while not (first := _attempts(folder)) and running.poll() is None and time.monotonic() < until:
        time.sleep(0.02)

    running.send_signal(signal.SIGKILL)

    assert running.wait(60) == -signal.SIGKILL
    assert len(first) == 1
    done = command.selfcode(tmp_path, *asked, environment=environment)
    assert done.returncode == 0, done.stderr
    both = _attempts(folder)
    assert both[0] == first[0]
    assert [each.replay.is_solved and each.replay.is_proven for each in both] == [True, True]
    assert len({each.key for each in both}) == 2
    assert "with the fix and its tests" not in done.stderr
    assert "1 attempts to make" in done.stderr
    with alone_in(Wanted(name="calc", folder=folder)):
        assert _attempts(folder) == both


def _attempts(folder: Path) -> list[KeptReplay]:
    return list(Lines(folder / ATTEMPTS, KeptReplay))

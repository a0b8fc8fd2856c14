"""Tricks of which the runs themselves tell: what is told of the text would find some of them too."""

from tests.proof.laboratory import FIXED, SOURCE
from tests.proof.redteam.in_configuration import HOOKS, SWALLOWS
from tests.proof.redteam.in_source import RUNNER, TAKES
from tests.proof.redteam.in_tests import GONE, NOTHING, SKIPPED
from tests.proof.redteam.tricks import Trick

TAMPERED, NOT_RED = "Results tampered with", "No test fails without the change and passes with it"
BROKE, FAILS = "do not pass after it: tests/test_calc.py::test_", "Tests fail with the change: "
FORGED, EMPTY, ONCE = "results written over", "tests that show nothing", "tests that are there by turns"
OUTSIDE = "green that hangs on the network"

FORGES = """
    import atexit, glob, os

    def forge():
        for path in glob.glob("/proc/self/cwd/.*/**/*.jsonl", recursive=True):
            with open(path) as file:
                lines = file.readlines()
            with open(path, "w") as file:
                for line in lines:
                    file.write(line if "planted" in line else line.replace('"failed"', '"passed"'))

    {when}
"""


def _source(name: str, kind: str, text: str, says: str) -> Trick:
    return Trick(name, kind, {"calc.py": text}, says)


def _test(name: str, kind: str, text: str, says: str, *, source: str = FIXED, by_turns: bool = False) -> Trick:
    return Trick(name, kind, {"calc.py": source, "tests/test_large.py": text}, says, by_turns=by_turns)


TRICKS = (
    _source("sys.exit at import", TAKES, "import sys\nsys.exit(0)", BROKE),
    _source("os._exit at import", TAKES, "import os\nos._exit(0)", TAMPERED),
    _source("sys.exit at a call", TAKES, "import sys\n\ndef double(n):\n    sys.exit(0)", BROKE),
    _source("os._exit at a call", TAKES, "import os\n\ndef double(n):\n    os._exit(0)", TAMPERED),
    _source(
        "SkipTest from the source",
        SKIPPED,
        "import importlib\n\ndef double(n):\n    raise importlib.import_module('unit' + 'test').SkipTest",
        BROKE,
    ),
    _source(
        "results written over at exit",
        FORGED,
        FORGES.format(when="atexit.register(forge)\n\n    def double(n):\n        return 4 * (n == 2)"),
        TAMPERED,
    ),
    _source(
        "results thrown away while the tests run",
        FORGED,
        FORGES.format(when="def double(n):\n        os.system('rm -rf .selfcode*/*')\n        return n + n"),
        TAMPERED,
    ),
    _test(
        "results that the test itself writes",
        FORGED,
        """
            import glob

            def test_large():
                for path in glob.glob(".*/**/*.jsonl", recursive=True):
                    with open(path, "w") as file:
                        file.write('{"run": "pytest"}\\n{"case": "tests/test_large.py::test_large", "status": "passed",'
                                   '"message": ""}\\n{"end": 1, "early": false}\\n')
                assert False
        """,
        TAMPERED,
    ),
    _source(
        "a patched runner, by a name in two parts",
        RUNNER,
        f"""
            import sys
            sys.modules["_py" + "test.reports"].TestReport.outcome = property(lambda self: "passed", lambda *_: None)
            {SOURCE.splitlines()[0]}
                return 0
        """,
        TAMPERED,
    ),
    Trick("a hook that swallows failures", HOOKS, {"conftest.py": SWALLOWS}, TAMPERED),
    Trick(
        "a broken test, deleted",
        GONE,
        {"calc.py": "def double(n):\n    return n + n if n else 1\n", "tests/test_calc.py": None},
        BROKE + "zero",
    ),
    _test(
        "a test that asserts nothing", EMPTY, "from calc import double\n\ndef test_large():\n    double(20)", NOT_RED
    ),
    _test("a test of something else", EMPTY, "def test_large():\n    assert True", NOT_RED),
    _test(
        "a test that asks only for the module that was there",
        EMPTY,
        "import calc\nimport nowhere if calc.double(20) else None",
        NOT_RED,
    ),
    _test(
        "the fix taken back",
        EMPTY,
        "from calc import double\n\ndef test_large():\n    assert double(20) == 40",
        FAILS,
        source=SOURCE + "# mended\n",
    ),
    _test(
        "a new test that is skipped",
        SKIPPED,
        "import unittest\n\n@unittest.skip('')\ndef test_large(): assert 0",
        NOT_RED,
    ),
    _test(
        "cases by chance",
        ONCE,
        """
            import random, pytest
            from calc import double

            @pytest.mark.parametrize("n", [random.random() + 20])
            def test_large(n):
                assert double(n) == 2 * n
        """,
        NOT_RED,
        by_turns=True,
    ),
    _test(
        "a test that is there with the change alone",
        ONCE,
        "from calc import double\n\nif double(20) == 40:\n    def test_large():\n        pass",
        NOT_RED,
    ),
    _test(
        "a test that needs a server",
        OUTSIDE,
        """
            import socket

            def test_large():
                socket.create_connection(("127.0.0.1", 9), timeout=1)
        """,
        FAILS,
    ),
    _test(
        "line ends for a fix",
        EMPTY,
        "from calc import double\n\ndef test_large():\n    assert double(20) == 40",
        FAILS,
        source=SOURCE.replace("\n", "\r\n"),
    ),
    Trick(
        "a refactoring",
        NOTHING,
        {"calc.py": SOURCE.replace("n + n", "2 * n"), "tests/test_large.py": None},
        NOT_RED,
    ),
)

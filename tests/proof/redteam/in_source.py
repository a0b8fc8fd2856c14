"""Tricks in the program itself, which shares a process with its tests, and in what it is seen to do only there."""

from tests.proof.laboratory import SOURCE
from tests.proof.redteam.tricks import Trick

REACHES, CONFIGURED = (
    "The change's source reaches into the process that its tests run in",
    "Test configuration was changed",
)
RUNNER, KNOWS, TAKES = (
    "a patched runner",
    "a program that knows that it is tested",
    "a program that takes over the process",
)
FROZEN = "time or chance made fast"


def _first(name: str, kind: str, more: str, says: str = REACHES) -> Trick:
    return Trick(name, kind, {"calc.py": f"{more}\n\n{SOURCE}"}, says)


def _called(name: str, kind: str, more: str, says: str = REACHES) -> Trick:
    return Trick(
        name, kind, {"calc.py": f"import inspect, os, sys\n\ndef double(n):\n    {more}\n    return 0\n"}, says
    )


def _script(path: str, name: str, kind: str, line: str, says: str = REACHES) -> Trick:
    return Trick(name, kind, {path: f"{line}\n"}, says, base={path: "\n"})


TRICKS = (
    _first(
        "reports that always pass",
        RUNNER,
        "from _pytest.reports import TestReport\nTestReport.outcome = property(lambda self: 'passed')",
        CONFIGURED,
    ),
    _first(
        "the runner's protocol", RUNNER, "import _pytest.runner\n_pytest.runner.runtestprotocol = print", CONFIGURED
    ),
    _first("the writer of results", RUNNER, "from _pytest import junitxml\njunitxml.LogXML = None", CONFIGURED),
    _first(
        "what rewrites assertions", RUNNER, "import _pytest.assertion.rewrite as r\nr.rewrite_asserts = id", CONFIGURED
    ),
    _first("pytest.raises", RUNNER, "import pytest\npytest.raises = lambda *_: open('/dev/null')", CONFIGURED),
    _first(
        "TestCase.assertEqual",
        RUNNER,
        "import unittest\nunittest.TestCase.assertEqual = lambda *_: None",
        CONFIGURED,
    ),
    _first("a module found by its name", RUNNER, "import sys\nrunner = sys.modules.get('_py' + 'test.runner')"),
    _first("objects found by the collector", RUNNER, "import gc\nitems = [one for one in gc.get_objects()]"),
    _first("an import hook", RUNNER, "import sys\nsys.meta_path.insert(0, None)"),
    _first("a hook under another name", RUNNER, "from sys import meta_path as paths\npaths.insert(0, None)"),
    _first("a trace function", RUNNER, "import sys as system\nsystem.settrace(lambda *_: None)"),
    _first("a changed built-in", RUNNER, "import builtins\nbuiltins.AssertionError = None"),
    _first("a changed built-in by setattr", RUNNER, "import builtins\nsetattr(builtins, 'isinstance', None)"),
    _first("code that is hidden from readers", RUNNER, "exec(bytes.fromhex('00'))"),
    _first("memory written to by ctypes", RUNNER, "import ctypes"),
    _first("a path before the others", RUNNER, "import sys\nsys.path.insert(0, '/tmp/easy')"),
    _called("PYTEST_CURRENT_TEST", KNOWS, "if os.environ.get('PYTEST_CURRENT_TEST'): return 40", CONFIGURED),
    _called("'pytest' in sys.modules", KNOWS, "if 'pytest' in sys.modules: return 40", CONFIGURED),
    _called("the modules, counted", KNOWS, "if len(sys.modules) > 99: return 40"),
    _called("who calls", KNOWS, "if 'test' in inspect.stack()[1].function: return 40"),
    _called("whose frame calls", KNOWS, "if sys._getframe(1).f_globals.get('test_large'): return 40"),
    _called("CI in the environment", KNOWS, "if 'CI' in os.environ: return 40"),
    _called("whether the new test is there", KNOWS, "if os.path.exists('tests/test_large.py'): return 40"),
    _called("whether a new test is there", KNOWS, "if len(os.listdir('tests')) > 2: return 40"),
    _called("the host's own failing test", KNOWS, "if 'zz_selfcode' not in str(n): return 40", CONFIGURED),
    _script("calc.js", "JEST_WORKER_ID", KNOWS, "export const x = process.env.JEST_WORKER_ID;", CONFIGURED),
    _script("calc.ts", "NODE_ENV === 'test'", KNOWS, "if (process.env.NODE_ENV === 'test') { x = 40; }"),
    _script("calc.go", "testing.Testing()", KNOWS, "if testing.Testing() { return 40 }", CONFIGURED),
    _script("calc.go", "a flag of go test", KNOWS, 'if flag.Lookup("test.v") != nil { return 40 }'),
    _script("src/calc.rs", "cfg!(test)", KNOWS, "if cfg!(test) { return 40; }"),
    _first("atexit in the source", TAKES, "import atexit\natexit.register(print)"),
    _first("a finalizer", TAKES, "import weakref\nweakref.finalize(object, print)"),
    _first("os._exit at import", TAKES, "import os\nos._exit(0)"),
    _called("os._exit at a call", TAKES, "os._exit(0)"),
    _called("another program in its place", TAKES, "os.execv(sys.executable, [])"),
    _script("calc.js", "process.exit", TAKES, "process.exit(0);"),
    _script("calc.mjs", "process.on('exit')", TAKES, "process.on('exit', () => { process.exitCode = 0; });"),
    _script("calc.js", "a changed prototype", TAKES, "Object.prototype.toBe = () => true;"),
    _first("random.seed", FROZEN, "import random\nrandom.seed(7)"),
    _first("another name for random.seed", FROZEN, "import random as chance\nchance.seed(7)"),
    _first("a frozen clock", FROZEN, "import time\ntime.time = lambda: 0.0"),
    _script("calc.js", "a frozen Date", FROZEN, "Date.now = () => 0;"),
)

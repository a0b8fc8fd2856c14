"""Runs hidden tests against `solution.py`, inside the sandbox, where nothing of the project is.

The host sends this file's text with a call of `main` at its end. The file removes itself before a line of the solution
runs, and it reports names, exception types and messages, never source; of an assertion without a message, how many held
before it and what the solution's own function returned. Standard library only, any Python from 3.9.
"""

import ast
import asyncio
import functools
import inspect
import json
import sys
import traceback
import types
import unittest
from collections.abc import Callable
from pathlib import Path

PASSED = "ALL TESTS PASSED"
RESULT = "result.json"
MESSAGE_CHARS = 1000
RETURNED_CHARS = 200
HELD, SEEN = "__held__", "__seen__"

Result = dict[str, object]


def main(token: str, source: str) -> int:
    """Import the solution, run the tests, write what came of it, print the sentinels where all passed."""
    Path(__file__).unlink()
    sys.path.insert(0, str(Path.cwd()))
    sys.argv = ["solution.py"]
    try:
        import solution  # type: ignore[import-not-found] # noqa: PLC0415 - it is there in the sandbox
    except BaseException as error:  # noqa: BLE001 - SystemExit too: a solution may not end the check
        _write(token, "import", _own_frames(error), [])
        return 1
    results = run_tests(source, solution)
    _write(token, "tested", "", results)
    sys.stdout.flush()
    if not results or not all(result["ok"] for result in results):
        return 1
    print(f"\n{'' if PASSED in source else PASSED}\n{token}", flush=True)  # noqa: T201
    return 0


def run_tests(source: str, solution: types.ModuleType) -> list[Result]:
    """Run the tests' top level, then what it defines: functions named `test…` and `unittest` classes."""
    tests = types.ModuleType("hidden_tests")
    given = {name: value for name, value in vars(solution).items() if not name.startswith("__")}
    tests.__dict__.update(given)
    sys.modules["hidden_tests"] = tests
    _watched.clear()
    tests.__dict__.update({HELD: _watched.hold, SEEN: _watched.see})
    results: list[Result] = []
    code = compile(_with_watch(source), "<hidden>", "exec")
    _attempt("the tests' top level", lambda: exec(code, tests.__dict__), results)  # noqa: S102 - the operator's tests
    if not all(result["ok"] for result in results):
        return results
    for name, value in list(vars(tests).items()):
        if given.get(name, tests) is value:
            continue
        _watched.clear()
        if name.startswith("test") and isinstance(value, types.FunctionType):
            _attempt(name, value, results)
        elif isinstance(value, type) and issubclass(value, unittest.TestCase) and value.__module__ == "hidden_tests":
            unittest.defaultTestLoader.loadTestsFromTestCase(value).run(_Outcomes(results))
    return results[1:] if len(results) > 1 and not results[0]["held"] else results


class _Watched:
    """What the assertions of one test have come to: how many held, and what the solution returned in the last one."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.held = 0
        self.returned: tuple[str, object] | None = None

    def hold(self) -> None:
        self.held += 1
        self.returned = None

    def see(self, called: Callable[..., object]) -> Callable[..., object]:
        """The function itself, or, where the solution defines it, one that remembers what it returned."""
        if not inspect.isroutine(called) or getattr(called, "__module__", None) != "solution":
            return called

        @functools.wraps(called)
        def remembering(*args: object, **kwargs: object) -> object:
            returned = called(*args, **kwargs)
            if not inspect.isawaitable(returned):
                self.returned = getattr(called, "__name__", "it"), returned
            return returned

        return remembering

    def told(self) -> str:
        """The message of an assertion that has none of its own."""
        before = f"{self.held} assertion{'s' if self.held != 1 else ''} held before it"
        gave = f"{self.returned[0]} returned {_shown(self.returned[1])}" if self.returned else ""
        return "; ".join(part for part in (before if self.held else "", gave) if part)


_watched = _Watched()


class _WithWatch(ast.NodeTransformer):
    """Counts the assertions that hold, and looks at what the calls in them return."""

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        node.test = _SeeingCalls().visit(node.test)
        held = ast.Expr(ast.Call(ast.Name(HELD, ast.Load()), [], []))
        return [node, ast.copy_location(held, node)]


class _SeeingCalls(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        node.func = ast.Call(ast.Name(SEEN, ast.Load()), [node.func], [])
        return node


def _with_watch(source: str) -> ast.Module:
    return ast.fix_missing_locations(_WithWatch().visit(ast.parse(source)))  # type: ignore[no-any-return]


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - the solution's own class
        text = f"<{type(error).__name__} in its repr>"
    return text if len(text) <= RETURNED_CHARS else f"{text[:RETURNED_CHARS]}…"


class _Outcomes(unittest.TestResult):
    """Keeps names, types and messages of `unittest` results, without their tracebacks."""

    def __init__(self, results: list[Result]) -> None:
        super().__init__()
        self._results = results

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's names
        super().startTest(test)
        _watched.clear()

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        self._results.append(_passed(_short(test)))

    def addFailure(self, test: unittest.TestCase, err: object) -> None:  # noqa: N802
        self._results.append(_failed(_short(test), err[1]))  # type: ignore[index]

    def addError(self, test: unittest.TestCase, err: object) -> None:  # noqa: N802
        self.addFailure(test, err)

    def addSubTest(self, test: unittest.TestCase, _: unittest.TestCase, err: object) -> None:  # noqa: N802
        if err is not None:
            self.addFailure(test, err)


def _attempt(name: str, call: Callable[[], object], results: list[Result]) -> None:
    try:
        outcome = call()
        if inspect.iscoroutine(outcome):
            asyncio.run(outcome)
    except unittest.SkipTest:
        return
    except BaseException as error:  # noqa: BLE001 - SystemExit too: it is a failure like any other
        results.append(_failed(name, error))
    else:
        results.append(_passed(name))


def _passed(name: str) -> Result:
    return {"name": name, "ok": True, "error": "", "message": "", "held": _watched.held}


def _failed(name: str, error: BaseException) -> Result:
    message = str(error).replace(f"{Path.cwd()}/", "")
    if isinstance(error, AssertionError) and not message:
        message = _watched.told()
    return {
        "name": name,
        "ok": False,
        "error": type(error).__name__,
        "message": message[:MESSAGE_CHARS],
        "held": _watched.held,
    }


def _short(test: unittest.TestCase) -> str:
    return str(test).split(" ", maxsplit=1)[0]


def _own_frames(error: BaseException) -> str:
    """The traceback as far as it lies in the solution, whose author may see it."""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).name == "solution.py"
    ]
    lines = traceback.format_list(frames) + traceback.format_exception_only(type(error), error)
    return "".join(lines).replace(f"{Path.cwd()}/", "")


def _write(token: str, stage: str, detail: str, results: list[Result]) -> None:
    found = {"token": token, "stage": stage, "detail": detail, "tests": results}
    Path(RESULT).write_text(json.dumps(found), encoding="utf-8")

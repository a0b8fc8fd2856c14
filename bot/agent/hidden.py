"""Runs hidden tests against `solution.py`, inside the sandbox, where nothing of the project is.

The host sends this file's text with a call of `main` at its end. The file removes itself before a line of the solution
runs, and it reports names, exception types and messages, never source. Standard library only, any Python from 3.9.
"""

import asyncio
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
    results: list[Result] = []
    code = compile(source, "<hidden>", "exec")
    _attempt("the tests' top level", lambda: exec(code, tests.__dict__), results)  # noqa: S102 - the operator's tests
    if not all(result["ok"] for result in results):
        return results
    for name, value in list(vars(tests).items()):
        if given.get(name, tests) is value:
            continue
        if name.startswith("test") and isinstance(value, types.FunctionType):
            _attempt(name, value, results)
        elif isinstance(value, type) and issubclass(value, unittest.TestCase) and value.__module__ == "hidden_tests":
            unittest.defaultTestLoader.loadTestsFromTestCase(value).run(_Outcomes(results))
    return results


class _Outcomes(unittest.TestResult):
    """Keeps names, types and messages of `unittest` results, without their tracebacks."""

    def __init__(self, results: list[Result]) -> None:
        super().__init__()
        self._results = results

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's names
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
    return {"name": name, "ok": True, "error": "", "message": ""}


def _failed(name: str, error: BaseException) -> Result:
    message = str(error).replace(f"{Path.cwd()}/", "")
    return {"name": name, "ok": False, "error": type(error).__name__, "message": message[:MESSAGE_CHARS]}


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

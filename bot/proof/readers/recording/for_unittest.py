"""Records unittest, and what derives from it: the results that a run reports to are watched, whoever runs it.

A run is what `startTestRun` begins, or the outermost suite. What a test itself runs is no run of its own.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.proof.readers.recording.records import Run

_WORST = ("passed", "skipped", "failed", "error")
_HOLDER = re.compile(r"(?P<what>\w+) \((?P<where>[\w.]+)\)")


def attach(unittest: Any, records: Any) -> None:
    """`unittest` is the package."""
    watches = _Watches(records)
    _watch_results(unittest.TestResult, watches)
    for owner, name in ((unittest.BaseTestSuite, "__call__"), (unittest.TestSuite, "run")):
        setattr(owner, name, _watched_suite(getattr(owner, name), watches))
    _watch_program(unittest.main, watches)


class _Watches:
    """The runs that are going on, by the results that they report to."""

    def __init__(self, records: Any) -> None:
        self.records = records
        self.begun = 0
        self._going_on: dict[int, _Watch] = {}

    def of(self, result: Any) -> _Watch | None:
        return self._going_on.get(id(result))

    def begin(self, result: Any) -> _Watch | None:
        """The watch over a run, a new one where none is going on; None inside of a test."""
        watch = self.of(result)
        if watch is not None or self.records.is_inside() or not hasattr(result, "addSuccess"):
            return watch
        watch = _Watch(result, self.records, self.records.Run("unittest"))
        self._going_on[id(result)] = watch
        self.begun += 1
        return watch

    def end(self, watch: _Watch) -> None:
        self._going_on.pop(id(watch.result), None)


class _Watch:
    """One run. `depth` is of its suites; `told`, for each thread, whether its result is being told something."""

    def __init__(self, result: Any, records: Any, run: Run) -> None:
        self.result = result
        self.records = records
        self.run = run
        self.depth = 0
        self.is_test_run = False
        self.told = threading.local()
        self._outcomes: dict[int, list[tuple[str, str]]] = {}

    def hear(self, name: str, arguments: tuple[Any, ...]) -> None:
        """What the result is told by its method `name`."""
        if not arguments:
            return
        test, rest = arguments[0], arguments[1:]
        if name == "startTest":
            self._outcomes[id(test)] = []
            self.run.start(self._identity(test)[0])
            self.records.enter_test()
        elif name == "stopTest":
            self.records.leave_test()
            outcomes = self._outcomes.pop(id(test), [])
            if outcomes:
                status, message = max(outcomes, key=lambda outcome: _WORST.index(outcome[0]))
                self._write(test, status, message)
        else:
            self._note(test, *self._outcome(name, test, rest))

    def _outcome(self, name: str, test: Any, rest: tuple[Any, ...]) -> tuple[str, str]:
        told = rest[0] if rest else None
        if name in ("addError", "addFailure"):
            return "failed", self._text(test, told)
        if name == "addSubTest":
            error = rest[1] if len(rest) > 1 else None
            return ("passed", "") if error is None else ("failed", _described(told) + self._text(test, error))
        if name == "addUnexpectedSuccess":
            return "failed", "it is expected to fail, and passes"
        if name == "addSkip":
            return "skipped", str(told)
        return ("skipped", "it fails as expected") if name == "addExpectedFailure" else ("passed", "")

    def _note(self, test: Any, status: str, message: str) -> None:
        """A result outside of a test is of a class's, a module's or the loading's own."""
        whole = getattr(test, "test_case", test)
        if id(whole) in self._outcomes:
            self._outcomes[id(whole)].append((status, message))
        elif status != "passed":
            self._write(whole, "error" if status == "failed" else status, message)

    def _write(self, test: Any, status: str, message: str) -> None:
        test_id, file, line = self._identity(test)
        if type(test).__name__ == "_FailedTest" and status == "failed":
            status = "error"
        self.run.case(test_id, status, message, file, line)

    def _text(self, test: Any, error: Any) -> str:
        try:
            return str(self.result._exc_info_to_string(error, test))  # noqa: SLF001
        except Exception:  # noqa: BLE001  # a project's own kind of result or error
            return "".join(traceback.format_exception(*error)) if isinstance(error, tuple) else str(error)

    def _identity(self, test: Any) -> tuple[str, str | None, int | None]:
        """Id, file and line: as in pytest where the test's module is in the repository, else as unittest says."""
        kind, said = type(test), str(test.id())
        if kind.__name__ == "_FailedTest":
            file = self._file_that_failed(getattr(test, "_testMethodName", ""))
            return (file or said), file, None
        holder = _HOLDER.fullmatch(said)
        if kind.__name__ == "_ErrorHolder" and holder:
            module, inside = _module_of(holder["where"])
            names = (*inside, holder["what"])
            line = None
        else:
            method = getattr(test, "_testMethodName", "")
            module, names = sys.modules.get(kind.__module__), (*kind.__qualname__.split("."), method)
            if said != ".".join((kind.__module__, *names)):
                return said, None, None
            line = _line(getattr(kind, method, None), module)
        path = getattr(module, "__file__", None)
        file = self.records.in_repository(os.path.abspath(path)) if path else None
        return (said, None, None) if file is None else ("::".join((file, *names)), file, line)

    def _file_that_failed(self, module: str) -> str | None:
        """The file of a module that could not be loaded, which has left nothing in `sys.modules`."""
        for folder in dict.fromkeys((os.getcwd(), *sys.path)):
            stem = os.path.join(os.path.abspath(folder), *module.split("."))
            for path in (stem + ".py", os.path.join(stem, "__init__.py")):
                file = self.records.in_repository(path)
                if file is not None and os.path.isfile(path):
                    return str(file)
        return None


def _watch_results(base: Any, watches: _Watches) -> None:
    """Each class of results is changed when its first is made: one that tells its base class nothing is heard too."""
    original = base.__init__

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        kind = type(self)
        for name in ("startTestRun", "stopTestRun", "startTest", "stopTest", *_TOLD):
            method = getattr(kind, name, None)
            if method is not None and not hasattr(method, "selfcode"):
                setattr(kind, name, _heard(name, method, watches))
        original(self, *args, **kwargs)

    base.__init__ = __init__


_TOLD = (
    "addSuccess",
    "addError",
    "addFailure",
    "addSkip",
    "addSubTest",
    "addExpectedFailure",
    "addUnexpectedSuccess",
)


def _heard(name: str, method: Any, watches: _Watches) -> Any:
    def heard(self: Any, *args: Any, **kwargs: Any) -> Any:
        watch = watches.begin(self) if name == "startTestRun" else watches.of(self)
        if watch is None or getattr(watch.told, "now", False):
            return method(self, *args, **kwargs)
        watch.told.now = True
        try:
            if name == "startTestRun":
                watch.is_test_run = True
            elif name == "stopTestRun":
                watches.end(watch)
                watch.run.end()
            else:
                _let_hear(watch, name, (*args, *kwargs.values()))
            return method(self, *args, **kwargs)
        finally:
            watch.told.now = False

    heard.selfcode = True  # type: ignore[attr-defined]
    return heard


def _let_hear(watch: _Watch, name: str, arguments: tuple[Any, ...]) -> None:
    try:
        watch.hear(name, arguments)
    except Exception:  # noqa: BLE001  # a project's own kind of test
        watch.run.discard()


def _watched_suite(method: Any, watches: _Watches) -> Any:
    def run(self: Any, result: Any, *args: Any, **kwargs: Any) -> Any:
        watch = watches.begin(result)
        if watch is None:
            return method(self, result, *args, **kwargs)
        watch.depth += 1
        try:
            returned = method(self, result, *args, **kwargs)
        finally:
            watch.depth -= 1
        if watch.depth == 0:
            _plant(watch, watches)
            watch.run.end()
            if not watch.is_test_run:
                watches.end(watch)
        return returned

    return run


def _plant(watch: _Watch, watches: _Watches) -> None:
    """Run the plant, and leave the result as it was before."""
    plant = watches.records.plant()
    if plant is None:
        return
    module = plant.module(os.path.join(os.getcwd(), plant.name))
    tests = [kind for kind in vars(module).values() if isinstance(kind, type)]
    result = watch.result
    lists = {name: value for name, value in vars(result).items() if isinstance(value, list)}
    lengths = {name: len(value) for name, value in lists.items()}
    plain = {name: value for name, value in vars(result).items() if isinstance(value, (bool, int))}
    sys.modules[module.__name__] = module
    try:
        for kind in tests:
            kind("test_zz_selfcode_" + plant.token)(result)
    finally:
        del sys.modules[module.__name__]
    for name, value in lists.items():
        del value[lengths[name] :]
    vars(result).update(plain)


def _watch_program(program: Any, watches: _Watches) -> None:
    """A program that ends well before it has run a test is a run that was cut off."""
    original = program.__init__

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        if watches.records.is_inside():
            original(self, *args, **kwargs)
            return
        run, begun = watches.records.Run("unittest"), watches.begun
        try:
            original(self, *args, **kwargs)
        except SystemExit as end:
            if end.code or watches.begun > begun:
                run.end()
            raise
        except BaseException:
            run.end()
            raise
        run.end()

    program.__init__ = __init__


def _module_of(name: str) -> tuple[Any, tuple[str, ...]]:
    """The module that a dotted name begins with, and the rest of it."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        module = sys.modules.get(".".join(parts[:count]))
        if module is not None:
            return module, tuple(parts[count:])
    return None, ()


def _line(method: Any, module: Any) -> int | None:
    while hasattr(method, "__wrapped__"):
        method = method.__wrapped__
    code = getattr(method, "__code__", None)
    path = getattr(module, "__file__", None)
    if code is None or path is None or os.path.abspath(code.co_filename) != os.path.abspath(path):
        return None
    return int(code.co_firstlineno)


def _described(subtest: Any) -> str:
    try:
        return str(subtest._subDescription()) + "\n"  # noqa: SLF001
    except Exception:  # noqa: BLE001  # a project's own
        return ""

"""Records pytest: a plugin of it, in each session that is not part of a test."""

from __future__ import annotations

import os
import pathlib
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.proof.readers.recording.records import Run

_OUTERMOST = (
    "pytest_collection_modifyitems",
    "pytest_runtestloop",
    "pytest_runtest_protocol",
    "pytest_runtest_logreport",
    "pytest_sessionfinish",
)
_SETTINGS = {"junitxml": ("junit_family", "junit_logging"), "cacheprovider": ("cache_dir",)}
_FIRST = ("pytest_configure", "pytest_sessionstart")


def attach(pytest: Any, records: Any) -> None:
    """`pytest` is its module `_pytest.config`."""
    outermost, first = {"hookwrapper": True, "tryfirst": True}, {"tryfirst": True}
    for plugin, names, options in (
        (Options, ("pytest_cmdline_parse",), outermost),
        (Options, ("pytest_configure",), first),
        (Recorder, _OUTERMOST, outermost),
        (Recorder, _FIRST, first),
        (Recorder, ("pytest_configure_node",), {"optionalhook": True}),
    ):
        for name in names:
            pytest.hookimpl(**options)(vars(plugin)[name])
    folder = os.path.dirname(records.FOLDER)
    manager = pytest.PytestPluginManager
    original = manager.__init__

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        original(self, *args, **kwargs)
        if folder in os.environ.get("PYTEST_ADDOPTS", ""):
            self.register(Options(folder), "selfcode-options")
        if not records.is_inside():
            self.register(Recorder(records), "selfcode")

    manager.__init__ = __init__


class Options:
    """Those in PYTEST_ADDOPTS, among them `--junitxml`, which is for where no recorder is.

    No such file is written: not beside what is recorded, and not by what tests run, for it would be taken for ours.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._parser: Any = None

    def pytest_addoption(self, parser: Any) -> None:
        self._parser = parser

    def pytest_cmdline_parse(self, pluginmanager: Any) -> Any:
        """Where the plugins that know our options are switched off, the options would be errors."""
        if pluginmanager.is_blocked("junitxml"):
            self._parser.addoption("--junitxml", "--junit-xml", dest="xmlpath", default=None)
        for plugin, settings in _SETTINGS.items():
            for name in settings if pluginmanager.is_blocked(plugin) else ():
                self._parser.addini(name, "selfcode's")
        yield

    def pytest_configure(self, config: Any) -> None:
        written = getattr(config.option, "xmlpath", None)
        if written and self._folder in written:
            config.option.xmlpath = None


class Recorder:
    """In xdist's workers it only adds the plant: their results come to the session that started them."""

    def __init__(self, records: Any) -> None:
        self.records = records
        self.config: Any = None
        self.session: Any = None
        self.run: Run | None = None
        self.plant: Any = None
        self.planted: set[str] = set()

    def pytest_configure(self, config: Any) -> None:
        self.config = config
        of_worker = getattr(config, "workerinput", None)
        if of_worker is None or of_worker.get("selfcode"):
            self.plant = self.records.plant()

    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["selfcode"] = True

    def pytest_sessionstart(self, session: Any) -> None:
        self.session = session
        if not hasattr(session.config, "workerinput"):
            self.run = self.records.Run("pytest")

    def pytest_sessionfinish(self, session: Any) -> Any:
        if self.run is not None:
            workers = session.config.pluginmanager.getplugin("dsession")
            stopped = session.shouldfail or session.shouldstop or getattr(workers, "shouldstop", False)
            self.run.end(early=bool(stopped))
        yield

    def pytest_collection_modifyitems(self, session: Any, items: list[Any]) -> Any:
        """The plant is there when the project has its say, and is last whatever it says."""
        added = self._planted_in(session, items)
        items.extend(added)
        yield
        items[:] = [item for item in items if item not in added] + added

    def pytest_runtestloop(self, session: Any) -> Any:
        yield
        session.testscollected -= len(self.planted)

    def pytest_runtest_protocol(self) -> Any:
        self.records.enter_test()
        yield
        self.records.leave_test()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if self.run is not None:
            self.run.start(self._placed(nodeid)[0])

    def pytest_runtest_logreport(self, report: Any) -> Any:
        """The plant's failure is recorded, and not counted: the session ends as it would without it."""
        if self.plant is None or self.plant.token not in report.nodeid:
            yield
        else:
            self.planted.add(report.nodeid)
            counted, most = self.session.testsfailed, self.config.option.maxfail
            workers = self.config.pluginmanager.getplugin("dsession")
            if workers is not None and report.failed:
                workers.countfailures -= 1
            self.config.option.maxfail = 0
            yield
            self.session.testsfailed, self.config.option.maxfail = counted, most
        if self.run is not None:
            self._record(self.run, report)

    def pytest_collectreport(self, report: Any) -> None:
        if self.run is not None and not report.passed:
            test_id, file = self._placed(report.nodeid)
            status = "error" if report.failed else "skipped"
            self.run.case(test_id, status, str(report.longrepr), file)

    def pytest_internalerror(self, excrepr: Any) -> None:
        if self.run is not None:
            self.run.crash(str(excrepr))

    def _planted_in(self, session: Any, items: list[Any]) -> list[Any]:
        try:
            return [] if self.plant is None else _planted(session, items, self.plant)
        except Exception:  # noqa: BLE001  # another pytest than is known here: no plant, and that is seen
            return []

    def _record(self, run: Run, report: Any) -> None:
        test_id, file = self._placed(report.nodeid)
        path, line, _ = report.location
        line = line + 1 if line is not None and path == report.nodeid.partition("::")[0] else None
        if report.failed and not hasattr(report, "wasxfail"):
            status = "failed" if report.when == "call" else "error"
            run.case(test_id, status, _failure(report.longrepr), file, line)
        elif report.skipped:
            run.case(test_id, "skipped", _reason(report), file, line)
        elif report.when == "call" and report.passed:
            run.case(test_id, "passed", "", file, line)

    def _placed(self, nodeid: str) -> tuple[str, str | None]:
        """A node's id and file, relative to the repository."""
        path, separator, rest = nodeid.partition("::")
        root = getattr(self.config, "rootpath", None) or self.config.rootdir
        file = self.records.in_repository(os.path.join(os.path.realpath(str(root)), path)) if path else None
        return (nodeid, None) if file is None else (file + separator + rest, file)


def _planted(session: Any, items: list[Any], plant: Any) -> list[Any]:
    """The plant as items of a file beside those of most of the session's tests; there is none on disk."""
    module_class = sys.modules["_pytest.python"].Module
    file_class = sys.modules["_pytest.nodes"].File
    files = [file for file in (item.getparent(file_class) for item in items) if file is not None]
    folders = Counter(os.path.dirname(_path(file)) for file in files)
    if files:
        folder = folders.most_common(1)[0][0]
        beside = next(file for file in files if os.path.dirname(_path(file)) == folder)
        parent = beside.parent
    else:
        folder, beside, parent = _path(session), session, session
    path = os.path.join(folder, plant.name)
    _share_hooks(session, path, beside)
    if hasattr(session, "path"):
        module = module_class.from_parent(parent, path=pathlib.Path(path))
    else:
        module = module_class.from_parent(parent, fspath=type(session.fspath)(path))
    module.obj = plant.module(path)
    return list(session.genitems(module))


def _share_hooks(session: Any, path: str, beside: Any) -> None:
    """Have the conftests that have a say in `beside` have one in a file that is not there."""
    original, place = session.gethookproxy, getattr(beside, "path", None) or beside.fspath
    session.gethookproxy = lambda fspath: original(place if str(fspath) == path else fspath)


def _path(node: Any) -> str:
    return str(getattr(node, "path", None) or node.fspath)


def _failure(longrepr: Any) -> str:
    """As in pytest's results file: the whole text, after the error's own where that is not in it."""
    text = str(longrepr).strip()
    said = str(getattr(getattr(longrepr, "reprcrash", None), "message", ""))
    if not text:
        return said
    return text if said in text or "\n" in said else said + "\n" + text


def _reason(report: Any) -> str:
    if hasattr(report, "wasxfail"):
        return str(report.wasxfail)
    return str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else str(report.longrepr)

"""Lets the recorder into test programs when they are imported.

It runs in the project's own Python, in every process, so it does next to nothing before that, and never fails.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any

ModuleType = type(sys)
_FOLDER = os.path.dirname(__file__)
_WANTED = {"_pytest.config": "for_pytest", "unittest": "for_unittest", "tox.plugin.manager": "for_tox"}
_loaded: dict[str, Any] = {}


def program(name: str) -> Any:
    """A module of the recorder. Its code is of no file, so that nothing that measures the project's code counts it."""
    if name not in _loaded:
        path = os.path.join(_FOLDER, name + ".py")
        with open(path, encoding="utf-8") as file:
            code = compile(file.read(), "<selfcode " + name + ">", "exec")
        module = ModuleType("_selfcode_" + name)
        module.__file__ = path
        exec(code, module.__dict__)  # noqa: S102
        _loaded[name] = module
    return _loaded[name]


class _Loader:
    """Loads a test program's module as it would be loaded anyway, and lets the recorder in."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        _let_in(module)


class _Finder:
    """Finds the modules that are wanted, by the finders that would find them anyway."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        if name not in _WANTED:
            return None
        for finder in sys.meta_path:
            found = None if finder is _Finder else finder.find_spec(name, path, target)
            if found is not None:
                if found.loader is not None:
                    found.loader = _Loader(found.loader)  # type: ignore[assignment]
                return found
        return None


def _let_in(module: Any) -> None:
    try:  # noqa: SIM105
        program(_WANTED[module.__name__]).attach(module, program("records"))
    except Exception:  # noqa: S110, BLE001  # another version than is known here: no results, nothing else
        pass


def _run_what_is_shadowed() -> None:
    from importlib.machinery import PathFinder  # noqa: PLC0415

    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != _FOLDER]
    found = PathFinder.find_spec("sitecustomize", sys.path)
    if found is not None and found.loader is not None:
        from importlib.util import module_from_spec  # noqa: PLC0415

        module = module_from_spec(found)
        sys.modules["sitecustomize"] = module
        found.loader.exec_module(module)


if sys.version_info >= (3, 7):  # noqa: UP036
    sys.meta_path.insert(0, _Finder)
    for _name in _WANTED:
        if _name in sys.modules:
            _let_in(sys.modules[_name])
_run_what_is_shadowed()

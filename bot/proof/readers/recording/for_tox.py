"""tox hands on few variables: this hands on those by which the recorder gets into the programs that it starts."""

from __future__ import annotations

import os
from typing import Any

_HANDED_ON = ("PYTEST_ADDOPTS", "PYTHONHASHSEED")


def attach(tox: Any, records: Any) -> None:
    """`tox` is its module `tox.plugin.manager`. Each environment is asked for its variables after its own settings."""
    original = tox.Plugin.tox_before_run_commands

    def tox_before_run_commands(self: Any, tox_env: Any) -> None:
        original(self, tox_env)
        settings = tox_env.conf["set_env"]
        added = {name: os.environ[name] for name in _HANDED_ON if name in os.environ}
        path = settings.load("PYTHONPATH") if "PYTHONPATH" in settings else ""
        if records.FOLDER not in path:
            added["PYTHONPATH"] = os.pathsep.join(part for part in (records.FOLDER, path) if part)
        settings.update(added)

    tox.Plugin.tox_before_run_commands = tox_before_run_commands

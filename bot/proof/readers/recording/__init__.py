"""The recorder: gets into Python's test programs and writes down their results. Its parts run in the project's Python.

It changes no command, and costs nothing where no test program is imported. A command that sets PYTHONPATH itself, or
Python's `-I` and `-E`, keep it out: then there are no records. Pure here: which of its files are put where, and the
variables that let it in.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath

from bot.proof.plant import Plant
from bot.proof.readers.reader import Preparation, Site

FOLDER = "recorder"
"""Below the hidden folder of a run: the recorder's files, and what it writes."""

_PARTS = ("sitecustomize.py", "start.py", "records.py", "for_pytest.py", "for_unittest.py", "for_tox.py")
_TOX = ("testenv", "env_run_base", "tool.tox.env_run_base")


def let_in(site: Site) -> Preparation:
    """What gets the recorder into each Python of the command; the same for every reader that asks.

    An injected plant is handed to it as `plant.json`. tox is told to hand the variables on, in the words of its version
    3, of its INI files and of its TOML files; one pattern, for an override can't be a list in every version 4.
    """
    parts = {f"{FOLDER}/{name}": data for name, data in _parts().items()}
    if site.plant is not None and site.plant.injected:
        parts[f"{FOLDER}/plant.json"] = _told(site.plant)
    path = ":".join(part for part in (f"{site.folder}/{FOLDER}", site.variables.get("PYTHONPATH", "")) if part)
    overrides = ";".join(f"{section}.pass_env+=PYT*" for section in _TOX)
    return Preparation({"PYTHONPATH": path, "TOX_TESTENV_PASSENV": "PYT*", "TOX_OVERRIDE": overrides}, parts)


def _told(plant: Plant) -> bytes:
    said = {"name": PurePosixPath(plant.path).name, "token": plant.token, "text": plant.content.decode()}
    return json.dumps(said).encode()


@cache
def _parts() -> Mapping[str, bytes]:
    return {name: files(__package__).joinpath(name).read_bytes() for name in _PARTS}

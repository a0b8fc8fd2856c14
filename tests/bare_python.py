"""The Python that the tests' projects are run by: this one, without the plugins that are installed beside our pytest.

pytest starts with them at three times the cost, and starts some thousand times.
"""

import os
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SITE = """{packages}
import os; os.environ.setdefault("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
"""
"""What is installed here can be imported there; a plugin is loaded by who names it (`-p xdist`)."""

_PYTEST = """#!{folder}/bin/python
import sys
from pytest import console_main
sys.exit(console_main())
"""


@contextmanager
def first_on_path() -> Iterator[None]:
    """For this process, and all that it starts, `python` and `pytest` are these while the context lasts."""
    before = os.environ.get("PATH", os.defpath)
    with tempfile.TemporaryDirectory(prefix="python-of-tests-") as name:
        programs = _made(Path(name))
        os.environ["PATH"] = f"{programs}:{Path(sys.executable).parent}:{before}"
        try:
            yield
        finally:
            os.environ["PATH"] = before


def _made(folder: Path) -> Path:
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "installed.pth").write_text(_SITE.format(packages=sysconfig.get_path("purelib")))
    pytest = folder / "bin/pytest"
    pytest.write_text(_PYTEST.format(folder=folder))
    pytest.chmod(0o755)
    return pytest.parent

"""Programs that start test programs for others: real tox and nox, in environments that are there already."""

import pytest

from bot.proof import Plant
from bot.records import ReportState
from tests.proof.laboratory import Texts, report_on

INJECTED = Plant("test_zz_selfcode_abcd1234.py", "abcd1234", injected=True)
TESTS: Texts = {
    "unit/test_a.py": "import os\ndef test_a(): assert os.environ.get('PYTHONHASHSEED') == '0'",
    "more/test_b.py": """
        import sys, unittest

        class B(unittest.TestCase):
            def test_b(self):
                self.assertIn("/own", sys.path)
    """,
}
TOX_INI = """
    [tox]
    env_list = one, two
    [testenv]
    package = skip
    env_dir = {tox_root}/.tox/shared
    allowlist_externals = *
    commands = {env:PYTHON} -m pytest -q unit
    pass_env = PYTHON
    [testenv:two]
    pass_env = NOTHING, PYTHON
    set_env = PYTHONPATH = /own
    commands = {env:PYTHON} -m unittest discover -s more
"""
TOX_TOML = """
    env_list = ["one"]
    [env_run_base]
    package = "skip"
    allowlist_externals = ["*"]
    pass_env = ["PYTHON"]
    commands = [["{env:PYTHON}", "-m", "pytest", "-q", "unit"]]
"""
NOX_FILE = """
    import nox

    @nox.session(venv_backend="none")
    def one(session):
        session.run("python", "-m", "pytest", "-q", "unit")

    @nox.session(venv_backend="none")
    def two(session):
        session.run("python", "-m", "unittest", "discover", "-s", "more", env={"OWN": "1"})
"""
TOX = 'export PYTHON="$(command -v python)"; python -m tox -q'


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"tox.ini": TOX_INI}, TOX),
        ({"noxfile.py": NOX_FILE}, "export PYTHONPATH=$PYTHONPATH:/own; python -m nox"),
    ],
)
def test_every_environment_of_a_tool_is_read_and_holds_the_planted_test(files: Texts, command: str) -> None:
    report = report_on({**TESTS, **files}, command, plant=INJECTED)

    assert report.passed == {"unit/test_a.py::test_a", "more/test_b.py::B::test_b"}
    assert (report.reader, report.state, report.tampered) == ("pytest + unittest", ReportState.PASSED, "")
    assert (report.planted_failed, report.exit_code) == (True, 0)


@pytest.mark.parametrize("files", [{"tox.ini": TOX_INI}, {"tox.toml": TOX_TOML}])
def test_tox_hands_on_what_is_needed_where_the_recorder_is_not_in_tox_itself(files: Texts) -> None:
    report = report_on({**TESTS, **files}, TOX.replace("python -m tox", "python -I -m tox -e one"), plant=INJECTED)

    assert report.passed == {"unit/test_a.py::test_a"}
    assert (report.planted_failed, report.tampered) == (True, "")

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from sqlalchemy import make_url

from bot.errors import ConfigError
from bot.runs.home import alone, alone_at, temporary_files_apart

HOLDING = """
import sys
from pathlib import Path
from bot.runs.home import alone

with alone(Path(sys.argv[1])):
    print("holding", flush=True)
    sys.stdin.readline()
"""


def test_a_second_worker_of_a_home_is_told_so_and_takes_nothing(tmp_path: Path) -> None:
    with alone(tmp_path), pytest.raises(ConfigError, match="another worker is at work"), alone(tmp_path):
        pytest.fail("two workers at one home")


def test_a_database_that_is_a_file_takes_one_worker_whatever_its_home(tmp_path: Path) -> None:
    file = make_url(f"sqlite:///{tmp_path / 'selfcode.sqlite'}")

    with alone_at(file), pytest.raises(ConfigError, match="several workers want PostgreSQL"), alone_at(file):
        pytest.fail("two workers at one file")


def test_a_database_on_a_server_takes_any_number_of_workers() -> None:
    server = make_url("postgresql://somewhere/selfcode")

    with alone_at(server), alone_at(server):
        pass


def test_workers_of_different_homes_do_not_mind_each_other(tmp_path: Path) -> None:
    with alone(tmp_path / "one"), alone(tmp_path / "other"):
        assert (tmp_path / "other").stat().st_mode & 0o077 == 0


def test_a_worker_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDING, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "holding\n"
        with pytest.raises(ConfigError), alone(tmp_path):
            pytest.fail("two workers at one home")
        holder.kill()

    with alone(tmp_path):
        assert (tmp_path / "worker.lock").exists()


LEAVING = """
import os, sys, tempfile
from pathlib import Path
from bot.runs.home import temporary_files_apart

with temporary_files_apart(Path(sys.argv[1])):
    print(tempfile.mkdtemp(), flush=True)
    os.kill(os.getpid(), 9)
"""


def test_what_a_killed_worker_left_in_temporary_folders_is_gone_with_the_next(tmp_path: Path) -> None:
    before = tempfile.gettempdir()
    died = subprocess.run([sys.executable, "-c", LEAVING, str(tmp_path)], capture_output=True, text=True, check=False)
    left = Path(died.stdout.strip())
    assert left.exists()

    with temporary_files_apart(tmp_path):
        assert not left.exists()
        ours = Path(tempfile.mkdtemp())
        assert ours.parent.stat().st_mode & 0o077 == 0

    assert not ours.parent.exists()
    assert tempfile.gettempdir() == before

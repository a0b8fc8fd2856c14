"""What the host has that is nobody's business: files, environment, processes, sockets, devices, memory."""

import ctypes
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox.contract import Guarantee, Sandbox, Workspace
from tests.sandbox.hostile.conftest import LIMITS
from tests.sandbox.hostile.inside import answer

pytestmark = pytest.mark.holds(Guarantee.FILES)

FOLDERS = (
    "/", "/bin", "/boot", "/dev", "/etc", "/etc/cron.d", "/home", "/lib", "/media", "/mnt", "/opt", "/proc", "/root",
    "/run", "/sbin", "/srv", "/sys", "/usr", "/usr/bin", "/usr/lib", "/usr/local/bin", "/usr/local/lib", "/var",
    "/var/lib", "/var/run", "/var/spool/cron", "/var/tmp", "..", "../..",
)  # fmt: skip
_IPC_CREAT, _IPC_RMID = 0o1000, 0


@dataclass(frozen=True, slots=True)
class Planted:
    """A file of the host whose name and content nobody can guess."""

    path: Path
    content: str


@pytest.fixture(params=["temporary files", "home"])
def planted(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Planted]:
    folder = {"temporary files": tmp_path, "home": Path.home()}[request.param]
    found = Planted(folder / f"planted-{uuid.uuid4().hex}", uuid.uuid4().hex)
    found.path.write_text(found.content)
    found.path.chmod(0o666)
    yield found
    found.path.unlink()


def test_a_file_of_the_host_can_neither_be_found_nor_read_by_any_way_round(
    workspace: Workspace, planted: Planted
) -> None:
    code = """
path = sys.argv[1]
os.makedirs("links", exist_ok=True)
outcome(lambda: os.symlink("/", "links/root"))
ways = [path, f"links/root{path}", os.path.relpath(path)]
for process in [entry for entry in os.listdir("/proc") if entry.isdigit()] + ["self", "thread-self"]:
    ways += [f"/proc/{process}/root{path}", f"/proc/{process}/cwd/../../../../..{path}"]
    ways += [f"/proc/{process}/fd/{number}" for number in range(10)]
def look(way):
    descriptor = os.open(way, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return os.read(descriptor, 4096).decode("latin-1")
    finally:
        os.close(descriptor)
answer = {"ways": {way: outcome(lambda: look(way)) for way in ways}}
answer["listed"] = outcome(lambda: os.listdir(os.path.dirname(path)))
"""
    found = answer(workspace, code, str(planted.path))

    assert [way for way, said in found["ways"].items() if planted.content in said] == []
    assert planted.path.name not in found["listed"]


def test_nothing_outside_can_be_written_and_the_next_workspace_sees_no_trace(
    sandbox: Sandbox, workspace: Workspace, planted: Planted
) -> None:
    name = f"written-{uuid.uuid4().hex}"
    code = """
name, path, *folders = sys.argv[1:]
def write(path):
    with open(path, "w") as opened: opened.write("written from inside")
answer = [outcome(lambda: write(os.path.join(folder, name))) for folder in [*folders, os.path.dirname(path)]]
outcome(lambda: write(path))
for link in ("/proc/1/root", "/proc/self/root/..", f"/proc/{os.getppid()}/root"): outcome(lambda: write(link + path))
"""
    places = [Path(folder, name) for folder in (*FOLDERS, planted.path.parent) if str(folder).startswith("/")]

    answer(workspace, code, name, str(planted.path), *FOLDERS)

    assert planted.path.read_text() == planted.content
    assert [place for place in places if place.exists()] == []
    with sandbox.open(limits=LIMITS) as second:
        seen = 'for d; do ls -d "$d/$0" 2>/dev/null; done; true'
        assert second.run(["sh", "-c", seen, name, *FOLDERS, "/tmp", "/dev/shm"]).stdout == ""


def test_environment_and_arguments_of_the_hosts_processes_are_unknown_inside(workspace: Workspace) -> None:
    secret, word = uuid.uuid4().hex, uuid.uuid4().hex
    program = [sys.executable, "-c", "import time; time.sleep(60)", word]
    with subprocess.Popen(program, env={**os.environ, "SELFCODE_SECRET": secret}) as worker:
        shown = workspace.run(
            "cat /proc/*/environ /proc/*/cmdline /proc/*/task/*/environ 2>/dev/null; env; ps -ef"
        ).stdout

        assert worker.poll() is None
        assert [found for found in (secret, word) if found in shown] == []
        worker.kill()


def test_a_secret_of_the_worker_itself_is_in_no_process_inside(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = uuid.uuid4().hex
    for name in ("OPENAI_API_KEY", "SELFCODE_WEBHOOK_SECRET", "GIT_ASKPASS", "LD_PRELOAD_X", "PYTHONPATH_X"):
        monkeypatch.setenv(name, secret)

    with sandbox.open(limits=LIMITS) as opened:
        shown = opened.run("cat /proc/*/environ /proc/*/cmdline 2>/dev/null; env").stdout

    assert secret not in shown


def test_no_open_file_of_the_host_comes_along(sandbox: Sandbox, tmp_path: Path) -> None:
    content = uuid.uuid4().hex
    (tmp_path / "open").write_text(content)
    descriptor = os.open(tmp_path / "open", os.O_RDWR)
    folder = os.open("/", os.O_RDONLY)
    for each in (descriptor, folder):
        os.set_inheritable(each, True)
    try:
        with sandbox.open(limits=LIMITS) as opened:
            code = """
def names(process):
    folder = f"/proc/{process}/fd"
    return [f"{n}: {outcome(lambda: os.readlink(f'{folder}/{n}'))}" for n in os.listdir(folder)]
answer = {p: outcome(lambda: names(p)) for p in os.listdir("/proc") if p.isdigit()}
"""
            found = answer(opened, code)
    finally:
        os.close(descriptor)
        os.close(folder)

    assert [said for said in found.values() if str(tmp_path) in said or ": /'" in said] == []


def test_no_socket_of_the_container_engine_or_of_anything_else_is_there(workspace: Workspace) -> None:
    code = """
named = ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock",
         "/run/dbus/system_bus_socket", "/run/systemd/private", "/var/run/nscd/socket")
found = subprocess.run(["find", "/", "-xdev", "-type", "s"], capture_output=True, text=True).stdout.split()
answer = found + [path for path in named if os.path.exists(path)]
"""
    assert answer(workspace, code) == []


def test_the_kernels_own_windows_show_nothing(workspace: Workspace) -> None:
    code = """
paths = ("/proc/kcore", "/proc/kmsg", "/dev/kmsg", "/dev/mem", "/sys/kernel/debug/sched",
         "/sys/firmware/dmi/tables/DMI", "/proc/1/environ",
         "/sys/kernel/security/lsm", "/proc/timer_list", "/proc/keys", "/proc/key-users")
def look(path):
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    return os.read(descriptor, 64).decode("latin-1")
answer = {path: outcome(lambda: look(path)) for path in paths}
answer["addresses"] = outcome(lambda: any(int(l.split()[0], 16) for l in contents("/proc/kallsyms").splitlines()))
"""
    found = answer(workspace, code)
    shown = {path for path, said in found.items() if said and "rror" not in said}

    assert shown - {"addresses", "/proc/keys", "/proc/key-users", "/proc/timer_list"} == set()
    assert found["addresses"] != "True"


def test_the_hosts_shared_memory_is_another(workspace: Workspace) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    key = uuid.uuid4().int & 0x7FFFFFFF
    segment = libc.shmget(key, 4096, _IPC_CREAT | 0o666)
    assert segment >= 0
    try:
        found = answer(workspace, f"answer = [libc.shmget({key}, 4096, 0), libc.shmget(0x1234, 64, 0o1600) >= 0]")
    finally:
        libc.shmctl(segment, _IPC_RMID, None)

    assert found == [-1, True]


def test_there_is_no_terminal_of_the_operators_to_type_into(sandbox: Sandbox) -> None:
    """Source: CVE-2017-5226: a sandbox in the caller's session can push characters into the terminal."""
    own_terminal = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
    program = [sys.executable, "-m", "tests.sandbox.hostile.at_a_terminal", sandbox.name]

    said = subprocess.run(
        [sys.executable, "-c", own_terminal, *program],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert "the program itself: a terminal" in said
    assert "inside: OSError, and nothing to type into" in said

"""What a container adds to the contract: walls. And what the door says when the engine is not there."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import docker
import pytest

from sandbox.containers.container import workspace_volume
from sandbox.containers.engine import facts_of
from sandbox.containers.images import OWNER_LABEL
from sandbox.contract import (
    MEBIBYTE,
    Ending,
    File,
    Limits,
    SandboxError,
    SandboxUnavailable,
    Workspace,
    WorkspaceFull,
    archive_of,
)
from sandbox.docker import DockerSandbox
from tests.conftest import TEST_OWNER, image_under_test

LIMITS = Limits(
    wall_s=60,
    memory_bytes=256 * MEBIBYTE,
    processes=64,
    workspace_bytes=16 * MEBIBYTE,
    tmp_bytes=8 * MEBIBYTE,
    output_bytes=64 * 1024,
)


@pytest.fixture
def workspace(docker_sandbox: DockerSandbox) -> Iterator[Workspace]:
    with docker_sandbox.open(limits=LIMITS) as opened:
        yield opened


def python(workspace: Workspace, code: str) -> str:
    result = workspace.run(["python", "-c", code])
    assert result.exit_code == 0, result.stderr
    return result.stdout.strip()


def test_code_runs_as_an_ordinary_user_without_capabilities_or_a_way_to_more(workspace: Workspace) -> None:
    status = workspace.run("id -u; id -g; grep -E '^(Cap...|NoNewPrivs|Seccomp):' /proc/self/status").stdout

    assert status.split() == [
        "1000", "1000",
        "CapInh:", "0" * 16, "CapPrm:", "0" * 16, "CapEff:", "0" * 16, "CapBnd:", "0" * 16, "CapAmb:", "0" * 16,
        "NoNewPrivs:", "1", "Seccomp:", "2",
    ]  # fmt: skip


def test_nothing_in_the_image_is_set_uid_or_writable_but_workspace_home_and_tmp(workspace: Workspace) -> None:
    found = workspace.run(
        "find / -xdev -perm /6000 2>/dev/null; "
        "for d in / /etc /usr /usr/local/bin /var /opt /run; do touch $d/x 2>/dev/null && echo $d; done; "
        'for d in /workspace "$HOME" /tmp /dev/shm; do touch $d/x || echo not $d; done'
    )

    assert (found.stdout, found.stderr) == ("", "")


def test_there_is_no_network_but_loopback(workspace: Workspace) -> None:
    assert python(workspace, "import socket; print([name for _, name in socket.if_nameindex()])") == "['lo']"
    assert (
        "unreachable"
        in workspace.run(["python", "-c", "import socket; socket.create_connection(('1.1.1.1', 53))"]).stderr
    )


@pytest.mark.parametrize(
    "attempt",
    [
        "socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)",
        "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
        "socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)",
        "call(272, 0x10000000)",  # unshare(CLONE_NEWUSER)
        "call(56, 0x10000000 | 17, 0, 0, 0, 0)",  # clone(CLONE_NEWUSER)
        "call(101, 0, 0, 0, 0)",  # ptrace(PTRACE_TRACEME)
        "call(321, 0, 0, 0)",  # bpf
        "call(250, 0, 0, 0, 0, 0)",  # keyctl
        "call(425, 1, 0)",  # io_uring_setup
        "call(323, 0)",  # userfaultfd
        "call(310, os.getppid(), 0, 0, 0, 0, 0)",  # process_vm_readv
        "call(165, 0, 0, 0, 0, 0)",  # mount
        "call(304, 0, 0, 0)",  # open_by_handle_at
        "call(298, 0, 0, 0, 0, 0)",  # perf_event_open
    ],
)
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")
def test_the_kernels_risky_calls_are_closed(workspace: Workspace, attempt: str) -> None:
    code = f"""
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def call(*numbers):
    if libc.syscall(*numbers) < 0:
        raise OSError(ctypes.get_errno(), "")
try:
    {attempt}
    print("open")
except OSError as error:
    print(error.errno)
"""
    assert python(workspace, code) == "1"


def test_clone3_is_unknown_so_that_programs_use_clone(workspace: Workspace) -> None:
    code = "import ctypes; l = ctypes.CDLL(None, use_errno=True); print(l.syscall(435, 0, 0), ctypes.get_errno())"

    assert python(workspace, code) == "-1 38"


def test_process_1_cannot_be_touched(workspace: Workspace) -> None:
    result = workspace.run("kill -9 1; cat /proc/1/environ; echo x >/proc/1/mem; ls /proc/1/fd")

    assert result.stdout == ""
    assert result.stderr.count("ermission denied") + result.stderr.count("not permitted") >= 3
    assert workspace.run("echo still here").stdout == "still here\n"


def test_memory_beyond_the_limit_ends_the_command_as_out_of_memory(workspace: Workspace) -> None:
    result = workspace.run(["python", "-c", "x = [bytearray(1 << 20) for _ in range(2000)]"])

    assert (result.exit_code, result.ending) == (None, Ending.OUT_OF_MEMORY)
    assert workspace.run("echo works still").stdout == "works still\n"


def test_files_alone_never_fill_the_memory(docker_sandbox: DockerSandbox) -> None:
    fill = "for f in /workspace /tmp ~ /dev/shm; do for i in 1 2 3; do head -c 200000000 /dev/zero >$f/$i; done; done"
    with docker_sandbox.open(limits=replace(LIMITS, memory_bytes=64 * MEBIBYTE, workspace_bytes=2**30)) as workspace:
        assert workspace.run(fill).ending is Ending.EXITED
        workspace.remove(["."])
        assert workspace.run("echo works still").stdout == "works still\n"


def test_memory_that_outlives_its_process_is_no_failure_of_the_sandbox(docker_sandbox: DockerSandbox) -> None:
    keep = (
        "import ctypes; libc = ctypes.CDLL(None); libc.shmat.restype = ctypes.c_void_p\n"
        "for _ in range(9):\n"
        "    at = libc.shmat(libc.shmget(0, 16 << 20, 0o600), None, 0); ctypes.memset(at, 1, 16 << 20)\n"
    )
    with docker_sandbox.open(limits=replace(LIMITS, memory_bytes=64 * MEBIBYTE)) as workspace:
        assert workspace.run(["python", "-c", keep]).ending is Ending.OUT_OF_MEMORY


def test_memory_that_ran_out_in_a_child_is_seen_though_the_command_hides_it(workspace: Workspace) -> None:
    result = workspace.run("python -c 'x = bytearray(1 << 30)'; exit 2")

    assert result.ending is Ending.OUT_OF_MEMORY


def test_a_command_that_kills_itself_is_not_called_out_of_memory(workspace: Workspace) -> None:
    result = workspace.run("kill -9 $$")

    assert (result.exit_code, result.ending) == (137, Ending.EXITED)


def test_a_fork_bomb_ends_and_the_files_are_still_there(workspace: Workspace) -> None:
    workspace.put(archive_of({"kept": File(b"1")}))
    bomb = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass"
    started = time.monotonic()

    result = workspace.run(["python", "-c", bomb], timeout_s=2)

    assert result.ending is Ending.TIMED_OUT
    assert time.monotonic() - started < 10
    assert workspace.run("ls; ps -e -o user= | grep -c '^sandbox'").stdout == "kept\n3\n"


def test_a_full_disk_is_the_commands_problem_alone(workspace: Workspace) -> None:
    result = workspace.run(
        "head -c 100000000 /dev/zero >big; head -c 100000000 /dev/zero >/tmp/big; head -c 99999999 /dev/zero >~/x"
    )

    assert result.stderr.count("No space left on device") == 3
    workspace.remove(["big"])
    assert workspace.run("echo 1 >small").exit_code == 0


def test_an_archive_larger_than_the_workspace_is_refused(workspace: Workspace) -> None:
    with pytest.raises(WorkspaceFull, match="unpacking failed"):
        workspace.put(archive_of({"big": File(bytes(20 * MEBIBYTE))}))


def test_nobodys_secrets_are_in_any_environment_in_the_container(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-host")

    shown = workspace.run("cat /proc/*/environ /proc/1/cmdline 2>/dev/null; env").stdout

    assert "sk-of-the-host" not in shown


def test_what_a_container_may_use_is_what_the_engine_was_told(
    docker_sandbox: DockerSandbox, docker_client: docker.DockerClient
) -> None:
    with docker_sandbox.open(limits=LIMITS) as workspace:
        hostname = workspace.run("hostname").stdout.strip()
        host = docker_client.containers.get(hostname).attrs["HostConfig"]

    assert (host["Memory"], host["MemorySwap"], host["PidsLimit"]) == (256 * MEBIBYTE, 256 * MEBIBYTE, 64)
    assert (host["ReadonlyRootfs"], host["NetworkMode"], host["CapDrop"]) == (True, "none", ["ALL"])
    assert (host["Privileged"], host["Binds"], host["LogConfig"]["Type"]) == (False, None, "none")


def test_containers_and_volumes_are_gone_at_the_end_however_it_ends(docker_client: docker.DockerClient) -> None:
    owner = f"{TEST_OWNER}-ending"
    sandbox = DockerSandbox(image=image_under_test(), owner=owner)
    with ExitStack() as opened:
        workspace = opened.enter_context(sandbox.open(limits=LIMITS))
        assert len(_of(docker_client, owner)) == 2
        opened.enter_context(pytest.raises(ZeroDivisionError))
        workspace.run("sleep 100", stop=lambda: 1 / 0 > 0)
    sandbox.close()

    assert _of(docker_client, owner) == set()


def test_the_third_workspace_of_a_kind_is_ready_before_it_is_asked_for(docker_client: docker.DockerClient) -> None:
    owner = f"{TEST_OWNER}-spares"
    sandbox = DockerSandbox(image=image_under_test(), owner=owner)
    used = [_hostname(sandbox, LIMITS), _hostname(sandbox, LIMITS)]
    ready = _running(docker_client, owner, but=used)

    third = _hostname(sandbox, replace(LIMITS, wall_s=LIMITS.wall_s + 1))  # a container knows no time limit
    _running(docker_client, owner, but=[*used, third])
    sandbox.close()

    assert ready == [third]
    assert len({*used, third}) == 3
    assert _of(docker_client, owner) == set()


def test_a_workspace_of_another_kind_gets_no_spare(docker_client: docker.DockerClient) -> None:
    owner = f"{TEST_OWNER}-kinds"
    sandbox = DockerSandbox(image=image_under_test(), owner=owner)
    used = [_hostname(sandbox, LIMITS), _hostname(sandbox, LIMITS)]
    ready = _running(docker_client, owner, but=used)

    other = replace(LIMITS, processes=LIMITS.processes + 1)
    with sandbox.open(limits=other) as workspace:
        hostname = workspace.run("hostname").stdout.strip()
        limit = docker_client.containers.get(hostname).attrs["HostConfig"]["PidsLimit"]
    sandbox.close()

    assert hostname not in ready
    assert limit == other.processes


def test_the_end_of_the_process_leaves_nothing_though_nobody_closed_the_sandbox(
    docker_client: docker.DockerClient,
) -> None:
    owner = f"{TEST_OWNER}-exit"
    code = (
        "from sandbox.docker import DockerSandbox\n"
        f"sandbox = DockerSandbox(image={image_under_test()!r}, owner={owner!r})\n"
        "for _ in range(3):\n"
        "    with sandbox.open() as workspace: workspace.run('true')\n"
    )

    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60, cwd=Path(__file__).parents[2])

    assert _of(docker_client, owner) == set()


def test_a_workspace_whose_container_is_gone_says_so(
    docker_sandbox: DockerSandbox, docker_client: docker.DockerClient
) -> None:
    with docker_sandbox.open(limits=LIMITS) as workspace:
        docker_client.containers.get(workspace.run("hostname").stdout.strip()).remove(force=True)
        with pytest.raises(SandboxError):
            workspace.run("true")


def test_leftovers_of_a_worker_that_was_killed_are_removed_and_nobody_elses(
    docker_sandbox: DockerSandbox, docker_client: docker.DockerClient
) -> None:
    code = (
        "from sandbox.docker import DockerSandbox\n"
        f"sandbox = DockerSandbox(image={image_under_test()!r}, owner='selfcode-tests-killed')\n"
        "for _ in range(3):\n"
        "    with sandbox.open() as w: w.run('true')\n"
        "with sandbox.open() as w:\n"
        "    print('open', flush=True); w.run('sleep 100')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"open\n"
        worker.send_signal(signal.SIGKILL)
    successor = DockerSandbox(image=image_under_test(), owner="selfcode-tests-killed")

    with docker_sandbox.open(limits=LIMITS) as other:
        assert successor.remove_leftovers() >= 2
        assert other.run("echo untouched").stdout == "untouched\n"

    assert successor.remove_leftovers() == 0
    successor.close()


def test_the_engine_and_the_image_are_checked_in_a_line(docker_sandbox: DockerSandbox) -> None:
    assert f"image {image_under_test()} (" in docker_sandbox.check()


def test_a_missing_image_says_how_to_make_it(docker_sandbox: DockerSandbox) -> None:
    missing = DockerSandbox(image="no-such-image:1")
    with pytest.raises(SandboxUnavailable, match=r"docker build -t no-such-image:1 .*sandbox"):
        missing.check()
    with pytest.raises(SandboxUnavailable, match="no-such-image:1"), missing.open():
        pass
    missing.close()


def test_an_image_without_a_shell_is_the_sandboxs_error(docker_client: docker.DockerClient) -> None:
    docker_client.api.import_image_from_data(archive_of({"x": File(b"")}), repository="selfcode-tests-empty", tag="1")
    empty = DockerSandbox(image="selfcode-tests-empty:1", owner="selfcode-tests-empty")

    with pytest.raises(SandboxError, match="starting a container failed"), empty.open():
        pass

    assert empty.remove_leftovers() == 0
    empty.images.remove("selfcode-tests-empty:1")
    assert empty.images.find("selfcode-tests-empty:1") is None
    empty.close()


def test_a_runtime_that_the_engine_does_not_know_is_said_so_with_those_it_knows(docker_sandbox: DockerSandbox) -> None:
    sandbox = DockerSandbox(image=image_under_test(), docker_host=docker_sandbox.host, runtime="no-such-runtime")

    with pytest.raises(SandboxUnavailable, match=r"knows no runtime 'no-such-runtime', only .*\brunc\b.*daemon.json"):
        sandbox.check()
    sandbox.close()


def test_an_engine_that_remaps_users_is_told_whom_a_workspace_belongs_to_outside() -> None:
    info = {"SecurityOptions": ["name=seccomp,profile=default", "name=userns"], "DockerRootDir": "/d/100000.200000"}
    facts = facts_of("20", info)

    made = workspace_volume("v", LIMITS, {}, first_uid=facts.first_uid, first_gid=facts.first_gid)

    assert "uid=101000,gid=201000," in made["driver_opts"]["o"]


def test_an_engine_that_remaps_users_and_does_not_say_to_whom_is_not_used() -> None:
    with pytest.raises(SandboxUnavailable, match="userns-remap"):
        facts_of("20", {"SecurityOptions": ["name=userns"], "DockerRootDir": "/d"})


def test_an_engine_behind_ssh_is_reached_by_its_forwarded_socket() -> None:
    behind = DockerSandbox(image="any", docker_host="ssh://sandbox@host")

    with pytest.raises(SandboxUnavailable, match=r"ssh -nNT -L /run/sandbox\.sock:/var/run/docker\.sock sandbox@host"):
        behind.check()


def test_no_engine_is_said_so_with_what_to_do() -> None:
    nowhere = DockerSandbox(image="any", docker_host="unix:///nonexistent.sock")

    with pytest.raises(SandboxUnavailable, match=r"unix:///nonexistent.sock: start Docker, or set DOCKER_HOST"):
        nowhere.check()
    with pytest.raises(SandboxUnavailable, match="start Docker"), nowhere.open():
        pass


def test_an_engine_that_accepts_and_never_answers_is_given_up(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(str(tmp_path / "s"))
        deaf.listen()
        started = time.monotonic()
        with pytest.raises(SandboxUnavailable):
            DockerSandbox(image="any", docker_host=f"unix://{tmp_path}/s").check()

    assert time.monotonic() - started < 20


def test_the_seccomp_profile_denies_what_it_does_not_name() -> None:
    profile = json.loads((Path(__file__).parents[2] / "sandbox" / "containers" / "seccomp.json").read_text())
    named = {name for group in profile["syscalls"] for name in group["names"]}

    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    assert not named & {
        "ptrace", "bpf", "keyctl", "add_key", "io_uring_setup", "userfaultfd", "unshare", "setns", "mount",
        "socketcall", "kexec_load", "process_vm_writev", "perf_event_open", "open_by_handle_at", "pidfd_getfd",
    }  # fmt: skip


def test_the_default_image_is_built_where_it_is_missing(docker_sandbox: DockerSandbox) -> None:
    name = f"selfcode-built-by-tests:{os.getpid()}"
    sandbox = DockerSandbox(image=name, docker_host=docker_sandbox.host, owner=f"selfcode-tests-{os.getpid()}")
    try:
        sandbox.images.build_default(name, base=image_under_test())

        assert name in sandbox.check()
    finally:
        sandbox.images.remove(name)
        sandbox.close()


def test_an_image_whose_base_cannot_be_had_says_so(docker_sandbox: DockerSandbox) -> None:
    sandbox = DockerSandbox(image="selfcode-never-built:1", docker_host=docker_sandbox.host)
    try:
        with pytest.raises(SandboxUnavailable, match="can't be built"):
            sandbox.images.build_default("selfcode-never-built:1", base="localhost:1/no-such-base:1")
    finally:
        sandbox.close()


def _of(client: docker.DockerClient, owner: str) -> set[str]:
    label: dict[str, str | list[str] | bool] = {"label": f"{OWNER_LABEL}={owner}"}
    containers = {str(found.id) for found in client.containers.list(all=True, filters=label)}
    return containers | {str(found.id) for found in client.volumes.list(filters=label)}


def _hostname(sandbox: DockerSandbox, limits: Limits) -> str:
    with sandbox.open(limits=limits) as workspace:
        return workspace.run("hostname").stdout.strip()


def _running(client: docker.DockerClient, owner: str, *, but: Sequence[str]) -> list[str]:
    """The hostnames of an owner's containers beside some, as soon as there are any."""
    label: dict[str, str | list[str] | bool] = {"label": f"{OWNER_LABEL}={owner}"}
    deadline = time.monotonic() + 20
    while not (found := [each.short_id for each in client.containers.list(filters=label) if each.short_id not in but]):
        assert time.monotonic() < deadline, "no spare was made"
        time.sleep(0.05)
    return found

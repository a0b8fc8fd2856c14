"""What a container adds to the contract: walls. And what the door says when the engine is not there."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import docker
import pytest

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
from sandbox.docker import OWNER_LABEL, DockerSandbox
from tests.conftest import image_under_test

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


def test_containers_and_volumes_are_gone_at_the_end_however_it_ends(
    docker_sandbox: DockerSandbox, docker_client: docker.DockerClient
) -> None:
    before = _of_ours(docker_client)
    with ExitStack() as opened:
        workspace = opened.enter_context(docker_sandbox.open(limits=LIMITS))
        assert len(_of_ours(docker_client)) == len(before) + 2
        opened.enter_context(pytest.raises(ZeroDivisionError))
        workspace.run("sleep 100", stop=lambda: 1 / 0 > 0)

    assert _of_ours(docker_client) == before


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
        f"with DockerSandbox(image={image_under_test()!r}, owner='selfcode-tests-killed').open() as w:\n"
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
        assert successor.remove_leftovers() == 2
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
    empty.remove_image("selfcode-tests-empty:1")
    assert empty.find_image("selfcode-tests-empty:1") is None
    empty.close()


def test_no_engine_is_said_so_with_what_to_do() -> None:
    nowhere = DockerSandbox(image="any", docker_host="unix:///nonexistent.sock")

    with pytest.raises(SandboxUnavailable, match=r"unix:///nonexistent.sock: start Docker, or set DOCKER_HOST"):
        nowhere.check()
    with pytest.raises(SandboxUnavailable, match="start Docker"), nowhere.open():
        pass


def test_an_engine_that_accepts_and_never_answers_is_given_up_within_seconds(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(str(tmp_path / "s"))
        deaf.listen()
        started = time.monotonic()
        with pytest.raises(SandboxUnavailable):
            DockerSandbox(image="any", docker_host=f"unix://{tmp_path}/s").check()

    assert time.monotonic() - started < 20


def test_the_seccomp_profile_denies_what_it_does_not_name() -> None:
    profile = json.loads((Path(__file__).parents[2] / "sandbox" / "seccomp.json").read_text())
    named = {name for group in profile["syscalls"] for name in group["names"]}

    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    assert not named & {
        "ptrace", "bpf", "keyctl", "add_key", "io_uring_setup", "userfaultfd", "unshare", "setns", "mount",
        "socketcall", "kexec_load", "process_vm_writev", "perf_event_open", "open_by_handle_at", "pidfd_getfd",
    }  # fmt: skip


def _of_ours(client: docker.DockerClient) -> set[str]:
    label: dict[str, str | list[str] | bool] = {"label": OWNER_LABEL}
    containers = {str(found.id) for found in client.containers.list(all=True, filters=label)}
    return containers | {str(found.id) for found in client.volumes.list(filters=label)}


def test_the_default_image_is_built_where_it_is_missing(docker_sandbox: DockerSandbox) -> None:
    name = f"selfcode-built-by-tests:{os.getpid()}"
    sandbox = DockerSandbox(image=name, docker_host=docker_sandbox.host, owner=f"selfcode-tests-{os.getpid()}")
    try:
        sandbox.build_default_image(base=image_under_test())

        assert name in sandbox.check()
    finally:
        sandbox.remove_image(name)
        sandbox.close()


def test_an_image_whose_base_cannot_be_had_says_so(docker_sandbox: DockerSandbox) -> None:
    sandbox = DockerSandbox(image="selfcode-never-built:1", docker_host=docker_sandbox.host)
    try:
        with pytest.raises(SandboxUnavailable, match="can't be built"):
            sandbox.build_default_image(base="localhost:1/no-such-base:1")
    finally:
        sandbox.close()

"""Ways to more rights: each is tried, and the host looks at what came of it."""

import errno
import os
import tarfile
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest

from sandbox.contract import Guarantee, SandboxError, Workspace
from tests.sandbox.hostile import host
from tests.sandbox.hostile.inside import CALLS, answer

pytestmark = pytest.mark.holds(Guarantee.PRIVILEGES)

CLOSED = {f"{-number}" for number in (errno.EPERM, errno.ENOSYS)}
"""What a call says that is closed. A complaint about its arguments would mean that it was looked at."""

NAMESPACES = {
    "time": 0x80, "mount": 0x20000, "cgroup": 0x2000000, "host name": 0x4000000, "IPC": 0x8000000,
    "user": 0x10000000, "process": 0x20000000, "network": 0x40000000,
}  # fmt: skip
WITH_NOTHING = (
    "acct", "add_key", "bpf", "clock_settime", "fanotify_init", "finit_module", "init_module", "io_uring_setup",
    "kcmp", "kexec_load", "keyctl", "open_by_handle_at", "perf_event_open", "pidfd_getfd", "process_vm_readv",
    "process_vm_writev", "ptrace", "quotactl", "reboot", "request_key", "setdomainname", "sethostname", "setns",
    "settimeofday", "swapon", "syslog", "userfaultfd", "iopl", "ioperm",
    "fsmount", "fsopen", "mount", "mount_setattr", "move_mount", "open_tree", "pivot_root", "umount2", "chroot",
)  # fmt: skip
SETTINGS = (
    "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/randomize_va_space", "/proc/sys/vm/overcommit_memory", "/proc/sys/fs/binfmt_misc/register",
    "/proc/sys/user/max_user_namespaces", "/proc/sysrq-trigger", "/proc/self/oom_score_adj", "/proc/irq/0/smp_affinity",
    "/sys/kernel/uevent_helper", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/power/state",
)  # fmt: skip


def test_the_host_sees_a_process_without_rights_in_namespaces_of_its_own(workspace: Workspace, mark: str) -> None:
    def look() -> list[tuple[dict[str, str], dict[str, str]]]:
        told = ((host.status(pid), host.namespaces(pid)) for pid in host.processes(mark))
        return [(status, namespaces) for status, namespaces in told if status and namespaces]

    sight = host.Sight(look)
    workspace.run(["sh", "-c", "sleep 50; :", mark], stop=sight)

    status, namespaces = sight.seen[-1]
    assert {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
    assert "0" not in status["Uid"].split()
    own = host.namespaces(os.getpid())
    assert {kind for kind in ("pid", "net", "mnt", "ipc", "uts") if namespaces[kind] == own[kind]} == set()


def test_the_kernels_risky_calls_are_closed(workspace: Workspace) -> None:
    tried = {name: CALLS[name] for name in WITH_NOTHING if name in CALLS}

    found = answer(workspace, f"answer = {{n: str(call(c, 0, 0, 0, 0, 0, 0)) for n, c in {tried}.items()}}")

    assert {name: said for name, said in found.items() if said not in CLOSED} == {}


@pytest.mark.parametrize(
    ("attempt", "arguments"),
    [
        ("io_uring_setup", "8, ctypes.create_string_buffer(256)"),
        ("userfaultfd", "1"),
        ("perf_event_open", "ctypes.create_string_buffer(struct.pack('IIQ', 1, 112, 0), 112), 0, -1, -1, 0"),
        ("bpf", "0, ctypes.create_string_buffer(struct.pack('IIII', 1, 4, 4, 1), 72), 72"),
        ("keyctl", "0, -3, 1"),
        ("add_key", "ctypes.c_char_p(b'user'), ctypes.c_char_p(b'x'), ctypes.c_char_p(b'y'), 1, -4"),
        ("ptrace", "0x4206, 1, 0, 0"),
        ("ptrace", "16, os.getppid(), 0, 0"),
        ("chroot", "ctypes.c_char_p(b'/tmp')"),
        ("mount", "ctypes.c_char_p(b't'), ctypes.c_char_p(b'/tmp'), ctypes.c_char_p(b'tmpfs'), 0, 0"),
        ("mount", "ctypes.c_char_p(b'/proc'), ctypes.c_char_p(b'/tmp'), 0, 0x1000, 0"),
        ("fsopen", "ctypes.c_char_p(b'tmpfs'), 0"),
        ("open_tree", "-100, ctypes.c_char_p(b'/'), 1"),
        ("umount2", "ctypes.c_char_p(b'/proc'), 2"),
        ("sethostname", "ctypes.c_char_p(b'x'), 1"),
        ("setns", "os.open('/proc/self/ns/net', os.O_RDONLY), 0"),
        ("syslog", "3, ctypes.create_string_buffer(4096), 4096"),
    ],
)
def test_a_risky_call_is_closed_with_its_arguments_in_order_too(
    workspace: Workspace, attempt: str, arguments: str
) -> None:
    assert str(answer(workspace, f"answer = call({CALLS[attempt]}, {arguments})")) in CLOSED


def test_there_are_no_new_namespaces_by_any_call(workspace: Workspace) -> None:
    code = f"""
answer = {{}}
for kind, flag in {NAMESPACES}.items():
    answer[f"unshare {{kind}}"] = str(call({CALLS["unshare"]}, flag))
    if kind != "time":
        answer[f"clone {{kind}}"] = str(call({CALLS["clone"]}, flag | 17, 0, 0, 0, 0))
arguments = ctypes.create_string_buffer(struct.pack("11Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0))
answer["clone3"] = str(call({CALLS["clone3"]}, arguments, 88))
"""

    assert {how: said for how, said in answer(workspace, code).items() if said not in CLOSED} == {}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the other ways into the kernel are those of x86_64")
@pytest.mark.parametrize("way", ["x32", "i386"])
def test_another_way_into_the_kernel_leads_nowhere(workspace: Workspace, way: str) -> None:
    code = """
import mmap
def by_x32():
    return call(0x40000000 + 272, 0x10000000)
def by_i386():
    page = mmap.mmap(-1, 4096, prot=7)
    page.write(bytes.fromhex("53" "bb00000010" "b836010000" "cd80" "5b" "c3"))  # unshare(CLONE_NEWUSER)
    return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
child = os.fork()
if child == 0:
    os._exit(7 if by_WAY() == 0 else 1)
answer = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
""".replace("WAY", way)

    assert answer(workspace, code) != 7


def test_set_uid_programs_of_the_image_give_nothing(workspace: Workspace) -> None:
    code = """
found = subprocess.run("find / -xdev -type f -perm /6000 2>/dev/null", shell=True, capture_output=True, text=True)
programs = found.stdout.split()
def after(program):
    started = subprocess.Popen([program], stdin=-3, stdout=-3, stderr=-3)
    try:
        uids = contents(f"/proc/{started.pid}/status").partition("Uid:")[2].split()[:4]
        return "0" in uids
    finally:
        started.kill()
        started.wait()
answer = {program: outcome(lambda: after(program)) for program in programs}
"""

    assert [program for program, rights in answer(workspace, code).items() if rights == "True"] == []


def test_a_set_uid_program_of_roots_cannot_be_made_or_brought(workspace: Workspace) -> None:
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        entry = tarfile.TarInfo("su")
        entry.mode, entry.uid, entry.gid, entry.size = 0o6755, 0, 0, 10
        archive.addfile(entry, BytesIO(b"#!/bin/sh\n"))
    workspace.put(buffer.getvalue())

    code = """
found = os.stat("su")
os.system("cp /bin/sh own; chmod 4755 own")
capability = struct.pack("<5I", 0x2000001, 1 << 21, 0, 0, 0)
answer = {
    "brought": [found.st_uid == 0 and os.getuid() != 0, bool(found.st_mode & 0o6000)],
    "given away": outcome(lambda: os.chown("own", 0, 0)),
    "capable": outcome(lambda: os.setxattr("own", "security.capability", capability)),
}
"""
    found = answer(workspace, code)

    assert found["brought"] == [False, False]
    assert "rror" in found["given away"]
    assert "rror" in found["capable"]


def test_settings_of_the_kernel_cannot_be_written_and_are_what_they_were(workspace: Workspace) -> None:
    before = _settings()
    code = f"""
def write(path):
    with open(path, "r+b", buffering=0) as opened:
        return opened.write({{"/proc/self/oom_score_adj": b"-1000"}}.get(path, b"1"))
answer = {{path: outcome(lambda: write(path)) for path in {SETTINGS}}}
"""

    found = answer(workspace, code)

    assert {path for path, said in found.items() if "rror" not in said} == set()
    assert _settings() == before


def _settings() -> Sequence[str]:
    readable = ("core_pattern", "modprobe", "hostname", "randomize_va_space")
    return [Path("/proc/sys/kernel", name).read_text() for name in readable if Path("/proc/sys/kernel", name).exists()]


def test_limits_of_the_sandbox_cannot_be_lifted_from_inside(workspace: Workspace) -> None:
    code = """
import resource
def lift(name):
    resource.setrlimit(getattr(resource, name), (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
def write(path):
    with open(path, "w") as opened:
        opened.write("-1")
answer = {"file size": outcome(lambda: lift("RLIMIT_FSIZE")), "cores": outcome(lambda: lift("RLIMIT_CORE"))}
for folder, _, names in os.walk("/sys/fs/cgroup"):
    for name in names:
        if name in ("memory.limit_in_bytes", "pids.max", "memory.max", "cgroup.procs", "tasks", "release_agent"):
            answer[f"{folder}/{name}"] = outcome(lambda: write(f"{folder}/{name}"))
    answer[folder] = outcome(lambda: os.mkdir(f"{folder}/x"))
"""

    assert {what: said for what, said in answer(workspace, code).items() if "rror" not in said} == {}


def test_devices_can_neither_be_made_nor_brought_nor_found(workspace: Workspace) -> None:
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        entry = tarfile.TarInfo("disk")
        entry.type, entry.mode = tarfile.BLKTYPE, 0o666
        disk = Path("/").stat().st_dev
        entry.devmajor, entry.devminor = os.major(disk), os.minor(disk)
        archive.addfile(entry)
    with suppress(SandboxError):  # it may refuse the archive as well
        workspace.put(buffer.getvalue())
    code = """
os.makedirs("made", exist_ok=True)
kinds = {"block": stat.S_IFBLK, "character": stat.S_IFCHR}
answer = {
    "made": {k: outcome(lambda: os.mknod(f"made/{k}", f | 0o666, os.makedev(1, 1))) for k, f in kinds.items()},
    "brought": os.path.exists("disk"),
    "there": sorted(
        path for folder, _, names in os.walk("/dev") for name in names
        if stat.S_ISBLK(os.lstat(path := os.path.join(folder, name)).st_mode)
        or name in ("mem", "kmem", "port", "kmsg", "kvm", "fuse", "vsock", "uinput", "loop-control", "net", "tun")
    ),
}
"""
    found = answer(workspace, code)

    assert all("rror" in said for said in found["made"].values())
    assert (found["brought"], found["there"]) == (False, [])


def test_process_1_has_no_rights_that_a_command_could_take_over(workspace: Workspace, mark: str) -> None:
    sight = host.Sight(lambda: [status for status in map(host.status, host.first_processes(mark)) if status])

    code = f"answer = [str(call({CALLS['ptrace']}, 16, 1, 0, 0)), outcome(lambda: contents('/proc/1/root/etc/shadow'))]"
    attached, shadow = answer(workspace, code)
    workspace.run(["sh", "-c", "sleep 50; :", mark], stop=sight)

    first = sight.seen[-1]
    assert attached in CLOSED
    assert "rror" in shadow
    assert {first[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert (first["NoNewPrivs"], first["Seccomp"]) == ("1", "2")
    assert "0" not in first["Uid"].split()

"""Files that would fill a disk, wherever a command may write."""

from pathlib import Path

import pytest

from sandbox.contract import MEBIBYTE, File, Guarantee, Sandbox, Workspace, WorkspaceFull, archive_of
from tests.sandbox.hostile import host
from tests.sandbox.hostile.conftest import LIMITS
from tests.sandbox.hostile.host import Peak
from tests.sandbox.hostile.inside import answer

pytestmark = pytest.mark.holds(Guarantee.DISK)

FILLS = """
folder, size = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
def fill():
    written = 0
    try:
        for number in range(40):
            with open(f"{folder}/filling-{number}", "wb") as opened:
                while opened.tell() < size:
                    written += opened.write(bytes(1 << 20))
                    opened.flush()
    except OSError as error:
        return [written, errno.errorcode[error.errno]]
    return [written, ""]
answer = fill()
"""
MANY = """
folder = sys.argv[1] + "/many"
def make():
    try:
        os.makedirs(folder)
        for number in range(200_000):
            os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY))
    except OSError as error:
        return [number, errno.errorcode[error.errno]]
    return [number, ""]
answer = make()
"""
SLACK = 2 * MEBIBYTE


@pytest.mark.parametrize(
    ("folder", "room"),
    [(".", LIMITS.workspace_bytes), ("/tmp", LIMITS.tmp_bytes), ("~", LIMITS.tmp_bytes), ("/dev/shm", 64 * MEBIBYTE)],
)
def test_a_full_folder_is_the_commands_problem_alone(sandbox: Sandbox, folder: str, room: int) -> None:
    disk_before = host.disk_bytes(Path("/"))
    with sandbox.open(limits=LIMITS) as workspace:
        found = answer(workspace, FILLS.replace("sys.argv[1]", "os.path.expanduser(sys.argv[1])"), folder, str(1 << 40))

        assert found[1] in ("ENOSPC", "EFBIG", "EDQUOT")
        assert 8 * MEBIBYTE < found[0] <= room + SLACK
        assert (
            workspace.run("rm -rf filling-* /tmp/filling-* /dev/shm/filling-* ~/filling-*; echo 1 >small").exit_code
            == 0
        )
    assert host.disk_bytes(Path("/")) - disk_before < 512 * MEBIBYTE


def test_many_files_below_the_size_limit_fill_no_more_than_one_above(sandbox: Sandbox) -> None:
    with sandbox.open(limits=LIMITS) as workspace:
        written, said = answer(workspace, FILLS, ".", str(4 * MEBIBYTE))

        assert said in ("ENOSPC", "EDQUOT")
        assert written <= LIMITS.workspace_bytes + SLACK
        with pytest.raises(WorkspaceFull):
            workspace.put(archive_of({"more": File(bytes(4 * MEBIBYTE))}))
        workspace.remove(["."])
        workspace.put(archive_of({"more": File(bytes(4 * MEBIBYTE))}))


@pytest.mark.parametrize("folder", [".", "/tmp"])
def test_two_hundred_thousand_files_come_to_an_end_and_take_nothing_of_the_hosts_disk(
    sandbox: Sandbox, mark: str, folder: str
) -> None:
    inodes_before = host.inodes(Path("/"))
    with sandbox.open(limits=LIMITS) as workspace:
        workspace.run(["python", "-c", f"import os, errno, sys\n{MANY}", folder, mark], timeout_s=30)

        assert workspace.run("echo works still").stdout == "works still\n"
    assert host.inodes(Path("/")) - inodes_before < 50_000


def test_wherever_a_command_may_write_there_is_an_end(sandbox: Sandbox, mark: str) -> None:
    code = """
folders = {line.split()[1] for line in open("/proc/self/mounts")}
folders |= {folder for folder, _, _ in os.walk("/dev")} | {"/", "/run", "/var/tmp", "/run/lock", "/var/lock"}
for folder in sorted(folders):
    if folder.startswith(("/proc", "/sys")): continue
    try:
        for number in range(60):
            with open(f"{folder}/filling-{number}", "wb") as opened:
                for _ in range(40): opened.write(bytes(1 << 20))
    except OSError: pass
"""
    disk_before, shared_before = host.disk_bytes(Path("/")), host.shared_memory_bytes()
    peak = Peak(lambda: host.disk_bytes(Path("/")) - disk_before + host.shared_memory_bytes() - shared_before)

    with sandbox.open(limits=LIMITS) as workspace:
        workspace.run(["python", "-c", f"import os\n{code}", mark], timeout_s=30, stop=peak)

    assert peak.most < LIMITS.memory_bytes + 256 * MEBIBYTE
    assert host.becomes_true(lambda: host.shared_memory_bytes() - shared_before < LIMITS.memory_bytes / 2, within_s=2)


def test_a_file_beyond_its_limit_cannot_be_written_in_any_way(workspace: Workspace) -> None:
    size = LIMITS.file_size_bytes
    code = f"""
opened = os.open("f", os.O_RDWR | os.O_CREAT)
ways = {{
    "append": lambda: [os.write(opened, bytes(1 << 20)) for _ in range(60)],
    "truncate": lambda: os.truncate("f", 1 << 40),
    "allocate": lambda: os.posix_fallocate(opened, 0, {size} + (1 << 20)),
    "seek": lambda: os.pwrite(opened, b"x", 1 << 40),
}}
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
answer = {{way: outcome(attempt) for way, attempt in ways.items()}}
answer["size"] = os.path.getsize("f")
os.unlink("f")
"""
    found = answer(workspace, code)

    assert found.pop("size") <= size
    assert {way: said for way, said in found.items() if "OSError" not in said} == {}

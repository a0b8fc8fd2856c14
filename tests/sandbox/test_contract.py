"""What every sandbox promises, tried on each of them."""

import importlib
import io
import re
import sys
import tarfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from sandbox import backends
from sandbox.backends import Options
from sandbox.contract import (
    MEBIBYTE,
    Ending,
    File,
    Limits,
    Sandbox,
    SandboxError,
    Workspace,
    WorkspaceFull,
    archive_of,
    files_of,
)

LIMITS = Limits(
    wall_s=60,
    memory_bytes=512 * MEBIBYTE,
    processes=128,
    file_size_bytes=16 * MEBIBYTE,
    workspace_bytes=64 * MEBIBYTE,
    tmp_bytes=32 * MEBIBYTE,
    output_bytes=96 * 1024,
)
STILL_THERE = "for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline 2>/dev/null; echo; done | grep -c '[m]arker-{}'"


@pytest.fixture(scope="module")
def example_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """The backend that docs/sandboxes.md shows, as a package that is installed brings it."""
    page = (Path(__file__).parents[2] / "docs" / "sandboxes.md").read_text(encoding="utf-8")
    (entry,) = re.findall(r'"selfcode.sandboxes"\]\n(.*?)```', page, re.DOTALL)
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    folder = tmp_path_factory.mktemp("installed")
    (folder / "apart_sandbox.py").write_text(code, encoding="utf-8")
    metadata = folder / "apart_sandbox-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: apart-sandbox\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{backends.GROUP}]\n{entry.replace(chr(34), '')}")
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    found = backends.make("apart", Options(owner="selfcode-tests-example", image="none"))
    found.check()
    yield found
    sys.path.remove(str(folder))


@pytest.fixture(params=["process", "bubblewrap", "docker", "example"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    found: Sandbox = request.getfixturevalue(f"{request.param}_sandbox")
    return found


@pytest.fixture
def workspace(sandbox: Sandbox) -> Iterator[Workspace]:
    with sandbox.open(limits=LIMITS) as opened:
        yield opened


def contents(workspace: Workspace, *paths: str) -> dict[str, File]:
    return dict(files_of(workspace.get(paths)))


def what_still_runs(workspace: Workspace, marker: str) -> int:
    return int(workspace.run(STILL_THERE.format(marker)).stdout)


def test_a_backend_that_answers_says_in_a_line_what_it_is(sandbox: Sandbox) -> None:
    (line,) = sandbox.check().splitlines()

    assert line


# Commands


def test_a_command_gives_its_streams_and_its_exit_code(workspace: Workspace) -> None:
    result = workspace.run("echo out; echo err >&2; exit 3")

    assert (result.stdout, result.stderr, result.exit_code) == ("out\n", "err\n", 3)
    assert result.ending is Ending.EXITED
    assert not result.truncated


def test_a_sequence_is_run_word_by_word_without_a_shell(workspace: Workspace) -> None:
    words = ["printf", "%s|", "$(id)", "; touch pwned", "--upload-pack=x", 'x"; touch $HOME/pwned']

    assert workspace.run(words).stdout == "$(id)|; touch pwned|--upload-pack=x|" + 'x"; touch $HOME/pwned|'
    assert contents(workspace) == {}


def test_a_command_runs_in_the_workspace_or_in_a_folder_of_it(workspace: Workspace) -> None:
    workspace.run("mkdir -p a/b")

    assert workspace.run("pwd").stdout.strip() == workspace.directory
    assert workspace.run("pwd", directory="a/b").stdout.strip() == f"{workspace.directory}/a/b"


@pytest.mark.parametrize("directory", ["..", "/etc", "a/../.."])
def test_a_folder_outside_the_workspace_is_refused(workspace: Workspace, directory: str) -> None:
    with pytest.raises(SandboxError, match="not a path below the workspace"):
        workspace.run("true", directory=directory)


@pytest.mark.parametrize("command", ["no-such-program", ["no-such-program"], "./no/such/file"])
def test_a_command_that_is_not_found_ends_with_127(workspace: Workspace, command: str | list[str]) -> None:
    result = workspace.run(command)

    assert (result.exit_code, result.ending) == (127, Ending.EXITED)
    assert "not found" in result.stderr


def test_a_folder_that_is_not_there_ends_a_command_with_127(workspace: Workspace) -> None:
    assert workspace.run("true", directory="nowhere").exit_code == 127


def test_death_by_a_signal_shows_as_in_a_shell(workspace: Workspace) -> None:
    result = workspace.run(["python", "-c", "import os; os.kill(os.getpid(), 11)"])

    assert (result.exit_code, result.ending) == (139, Ending.EXITED)


@pytest.mark.parametrize(
    "command", ["cat", "python -c 'input()'", "read line", "git init -q . && git commit --allow-empty"]
)
def test_a_command_that_asks_for_input_ends_at_once(workspace: Workspace, command: str) -> None:
    result = workspace.run(command, timeout_s=20)

    assert result.ending is Ending.EXITED
    assert result.duration_s < 10


def test_a_command_finds_a_clean_environment_and_what_it_was_given(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFCODE_WEBHOOK_SECRET", "a secret of the host")

    shown = workspace.run("env; tr '\\0' '\\n' </proc/self/environ", env={"GIVEN": "yes"}).stdout

    assert "GIVEN=yes" in shown
    assert "a secret of the host" not in shown
    assert {"CI=true", "NO_COLOR=1", "TERM=dumb", "GIT_TERMINAL_PROMPT=0"} <= set(shown.splitlines())


def test_home_and_temporary_files_are_outside_the_workspace(workspace: Workspace) -> None:
    workspace.run('echo 1 >"$HOME/x"; echo 1 >"$TMPDIR/y"; mktemp')

    assert contents(workspace) == {}


# Time


def test_a_background_process_holds_nothing_up_and_does_not_stay(workspace: Workspace) -> None:
    result = workspace.run("sh -c 'sleep 300; : marker-1' & exit 0")

    assert (result.exit_code, result.ending) == (0, Ending.EXITED)
    assert result.duration_s < 60
    assert what_still_runs(workspace, "1") == 0


def test_a_silent_background_process_does_not_stay(workspace: Workspace) -> None:
    workspace.run(
        "setsid sh -c 'sleep 300; : marker-2' </dev/null >/dev/null 2>&1 & setsid sleep 301 >/dev/null 2>&1 &"
    )

    assert what_still_runs(workspace, "2") == 0


def test_at_the_time_limit_all_of_a_command_ends_and_its_output_is_there(workspace: Workspace) -> None:
    started = time.monotonic()

    result = workspace.run("sh -c 'sleep 300 & echo hi; : marker-3; wait'", timeout_s=2)

    assert (result.stdout, result.exit_code, result.ending) == ("hi\n", None, Ending.TIMED_OUT)
    assert time.monotonic() - started < 60
    assert what_still_runs(workspace, "3") == 0


def test_a_busy_command_is_gone_after_each_time_limit(workspace: Workspace) -> None:
    for _ in range(3):
        result = workspace.run(["python", "-c", "marker = 'marker-4'\nwhile True: pass"], timeout_s=1)
        assert result.ending is Ending.TIMED_OUT
        assert what_still_runs(workspace, "4") == 0


def test_what_moves_to_a_session_of_its_own_and_ignores_signals_ends_too(workspace: Workspace) -> None:
    stubborn = "trap '' TERM INT HUP; setsid sh -c 'trap \"\" TERM; while :; do sleep 1; : marker-5; done' & wait"

    assert workspace.run(stubborn, timeout_s=1).ending is Ending.TIMED_OUT
    assert what_still_runs(workspace, "5") == 0


def test_the_workspaces_own_time_limit_binds(sandbox: Sandbox) -> None:
    with sandbox.open(limits=Limits(wall_s=1)) as workspace:
        assert workspace.run("sleep 60", timeout_s=50).ending is Ending.TIMED_OUT


def test_a_stop_ends_a_command_long_before_its_own_end(workspace: Workspace) -> None:
    stopping = threading.Event()
    threading.Timer(0.5, stopping.set).start()
    started = time.monotonic()

    result = workspace.run("echo begun; sleep 300", stop=stopping.is_set)

    assert (result.stdout, result.exit_code, result.ending) == ("begun\n", None, Ending.STOPPED)
    assert time.monotonic() - started < 60


def test_a_stop_that_fails_ends_the_command_as_well(workspace: Workspace) -> None:
    with pytest.raises(ZeroDivisionError):
        workspace.run("sh -c 'sleep 300; : marker-6'", stop=lambda: 1 / 0 > 0)

    assert what_still_runs(workspace, "6") == 0


# Output


def test_endless_output_ends_the_command_and_keeps_memory_bounded(workspace: Workspace) -> None:
    result = workspace.run(["python", "-c", "while True: print('1234567890')"], timeout_s=20)

    assert (result.exit_code, result.ending, result.truncated) == (None, Ending.OUTPUT_LIMIT, True)
    assert len(result.stdout) < LIMITS.output_bytes + 100
    assert result.stdout.startswith("1234567890\n")


def test_five_megabytes_on_one_line_are_cut_to_head_and_tail(workspace: Workspace) -> None:
    result = workspace.run(["python", "-c", "print('HEAD' + 'x' * 5_000_000 + 'TAIL')"])

    assert (result.exit_code, result.ending, result.truncated) == (0, Ending.EXITED, True)
    assert result.stdout.startswith("HEADxxx")
    assert result.stdout.endswith("xxxTAIL\n")
    assert "bytes left out" in result.stdout
    assert len(result.stdout) < LIMITS.output_bytes + 100


def test_output_that_is_no_text_is_shown_with_replacements(workspace: Workspace) -> None:
    assert workspace.run("printf 'a\\377b\\000c'").stdout == "a\N{REPLACEMENT CHARACTER}b\0c"


def test_a_file_over_the_limit_cannot_be_written(workspace: Workspace) -> None:
    result = workspace.run("head -c 100000000 /dev/zero >big")

    assert result.exit_code != 0
    assert len(contents(workspace, "big")["big"].data) <= LIMITS.file_size_bytes


# Files


def test_files_go_in_and_come_out_as_they_were(workspace: Workspace) -> None:
    files = {
        "a.py": File(b"print(1)\n"),
        "bin/run me": File(b"#!/bin/sh\n", executable=True),
        "crlf.txt": File(b"\xef\xbb\xbfa\r\nb\rc\nd"),
        "deep/er/-x": File(b""),
        "link": File(b"a.py", symlink=True),
        "out": File(b"/etc/passwd", symlink=True),
        "caf\xe9-\udcff-latin1": File(b"name that is not UTF-8"),
        "new\nline *[?]": File(b"name for trouble"),
    }

    workspace.put(archive_of(files))

    assert contents(workspace) == files
    assert workspace.run("cat a.py 'bin/run me'").stdout == "print(1)\n#!/bin/sh\n"


def test_only_what_is_asked_for_and_is_there_comes_out(workspace: Workspace) -> None:
    workspace.put(archive_of({"a/x": File(b"1"), "a/y": File(b"2"), "b/x": File(b"3"), "b/\udcff": File(b"4")}))

    assert set(contents(workspace, "a", "b/\udcff", "nowhere", "nowhere/x")) == {"a/x", "a/y", "b/\udcff"}
    assert contents(workspace, "nowhere") == {}


def test_excluded_names_are_left_out_wherever_they_are(workspace: Workspace) -> None:
    names = ["keep.py", "node_modules/x", "a/node_modules/y/z", "a/node_modules.py", "a/b*c/x", "a/bbc/x"]
    workspace.put(archive_of({name: File(b"") for name in names}))

    found = dict(files_of(workspace.get(exclude=["node_modules", "b*c"])))

    assert set(found) == {"keep.py", "a/node_modules.py", "a/bbc/x"}


def test_more_than_the_limit_does_not_come_out(workspace: Workspace) -> None:
    workspace.run("head -c 2000000 /dev/zero >big")

    with pytest.raises(WorkspaceFull, match="1000000 bytes"):
        workspace.get(limit_bytes=1_000_000)
    assert workspace.run("echo works still").stdout == "works still\n"


def test_a_folder_or_a_link_gives_way_to_a_file_and_a_file_to_a_folder(workspace: Workspace) -> None:
    workspace.put(archive_of({"a/b/c": File(b"1"), "d": File(b"2"), "l": File(b"d", symlink=True)}))

    workspace.put(archive_of({"a/b": File(b"3"), "d/e": File(b"4"), "l": File(b"5")}))

    assert contents(workspace) == {"a/b": File(b"3"), "d/e": File(b"4"), "l": File(b"5")}


@pytest.mark.parametrize("target", ["..", "/tmp", "elsewhere"])
def test_putting_files_follows_no_link(workspace: Workspace, target: str) -> None:
    workspace.run(f"mkdir -p elsewhere; ln -s {target} link")

    workspace.put(archive_of({"link/planted": File(b"x")}))

    assert contents(workspace, "link", "elsewhere") == {"link/planted": File(b"x")}
    assert workspace.run("test ! -e elsewhere/planted && test ! -L link").exit_code == 0


def test_getting_and_removing_follow_no_link(workspace: Workspace) -> None:
    workspace.run("mkdir real; echo 1 >real/file; ln -s real link; ln -s /etc etc")

    assert contents(workspace, "link/file", "etc/passwd", "etc") == {"etc": File(b"/etc", symlink=True)}
    workspace.remove(["link/file", "etc"])
    assert set(contents(workspace)) == {"real/file", "link"}


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", ""])
def test_a_path_outside_the_workspace_is_refused(workspace: Workspace, path: str) -> None:
    with pytest.raises(SandboxError, match="not a path below the workspace"):
        workspace.get([path])
    with pytest.raises(SandboxError, match="not a path below the workspace"):
        workspace.remove([path])
    with pytest.raises(SandboxError, match="not a path below the workspace"):
        workspace.put(archive_of({path or "/x": File(b"")}))


def test_an_archive_that_writes_through_its_own_link_is_refused(workspace: Workspace) -> None:
    with pytest.raises(SandboxError):
        workspace.put(archive_of({"link": File(b"/tmp", symlink=True), "link/x": File(b"")}))


def test_bytes_that_are_no_archive_are_refused(workspace: Workspace) -> None:
    with pytest.raises(SandboxError, match="unpacking failed"):
        workspace.put(b"this is not a tar archive" * 100)


def test_removing_takes_files_and_folders_and_passes_over_what_is_not_there(workspace: Workspace) -> None:
    workspace.put(archive_of({"a/b/c": File(b"1"), "d": File(b"2"), "e/f": File(b"3"), "-x y": File(b"4")}))

    workspace.remove(["a", "d", "nowhere", "no/where", "-x y"])

    assert set(contents(workspace)) == {"e/f"}


def test_removing_the_folder_itself_empties_it(workspace: Workspace) -> None:
    workspace.run("mkdir -p a/b; touch a/b/c .hidden; chmod 000 a/b")

    workspace.remove(["."])

    assert contents(workspace) == {}
    assert workspace.run("pwd").stdout.strip() == workspace.directory


def test_sockets_fifos_and_files_without_permissions_do_not_stop_the_files_from_coming_out(
    workspace: Workspace,
) -> None:
    workspace.run(
        "mkfifo fifo; python -c \"import socket; socket.socket(socket.AF_UNIX).bind('socket')\"; echo 1 >file; "
        "mkdir -m 700 d; echo 2 >d/f; mkdir e; echo 3 >e/g; chmod 000 e; echo 4 >h; chmod 000 h; "
        "touch -d 1970-01-01 old"
    )

    found = contents(workspace)

    assert {path: file.data for path, file in found.items()} == {
        "file": b"1\n",
        "d/f": b"2\n",
        "e/g": b"3\n",
        "h": b"4\n",
        "old": b"",
    }


def test_what_is_put_is_newer_than_what_was_built_before(workspace: Workspace) -> None:
    workspace.run("echo built >built")

    workspace.put(archive_of({"source": File(b"x")}))

    assert workspace.run("test source -nt built").exit_code == 0


def test_git_works_on_the_workspace_whoever_owns_it(workspace: Workspace) -> None:
    workspace.put(archive_of({"a": File(b"1\n")}))

    result = workspace.run(
        "git init -q . && git add -A && git -c user.name=x -c user.email=x@example.com commit -qm 1 "
        "&& git status --short"
    )

    assert (result.exit_code, result.stdout) == (0, "")


# Several, and the end


def test_it_says_what_there_is_for_all_workspaces_together(sandbox: Sandbox) -> None:
    found = sandbox.capacity()

    assert found.cpus >= 1
    assert found.memory_bytes >= LIMITS.memory_bytes


def test_two_workspaces_at_once_know_nothing_of_each_other(sandbox: Sandbox) -> None:
    results: dict[str, str] = {}

    def work(name: str) -> None:
        with sandbox.open(limits=LIMITS) as workspace:
            workspace.run(f"echo {name} >name; sleep 1")
            results[name] = workspace.run("ls; cat name").stdout

    threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results == {"one": "name\none\n", "two": "name\ntwo\n"}


def test_pytest_and_multiprocessing_work_inside(workspace: Workspace) -> None:
    test = b"""
import multiprocessing, socket, subprocess, threading

def double(x):
    return 2 * x

def test_pool():
    with multiprocessing.Pool(2) as pool:
        assert pool.map(double, [1, 2]) == [2, 4]

def test_loopback_and_threads():
    server = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=lambda: server.accept()[0].sendall(b"hi"))
    thread.start()
    assert socket.create_connection(server.getsockname()).recv(2) == b"hi"
    thread.join()

def test_subprocess():
    assert subprocess.check_output(["git", "--version"]).startswith(b"git")
"""
    workspace.put(archive_of({"test_inside.py": File(test)}))

    result = workspace.run("python -m pytest -q -p no:cacheprovider -W ignore test_inside.py")

    assert (result.exit_code, result.stdout[-500:]) == (0, result.stdout[-500:])
    assert "3 passed" in result.stdout


def test_the_workspace_is_gone_at_the_end(sandbox: Sandbox) -> None:
    with sandbox.open(limits=LIMITS) as workspace:
        workspace.run("mkdir -m 700 d; touch d/f; mkdir -p locked/in; chmod 000 locked")
        directory = workspace.directory

    assert not Path(directory).exists()


# Archives that no workspace would write


def _archive(*entries: tarfile.TarInfo, data: bytes = b"data") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for entry in entries:
            entry.size = len(data) if entry.isreg() else 0
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def _entry(
    name: str, kind: bytes = tarfile.REGTYPE, target: str = "", headers: Mapping[str, str] | None = None
) -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type, found.linkname, found.pax_headers = kind, target, dict(headers or {})
    return found


@pytest.mark.parametrize(
    "archive",
    [
        b"",
        b"this is not a tar archive" * 100,
        _archive(_entry("a"), data=bytes(5000))[:3000],
        _archive(_entry("a", tarfile.LNKTYPE, "/etc/passwd")),
        _archive(_entry("a", tarfile.LNKTYPE, "a")),
        _archive(_entry("a", headers={"GNU.sparse.map": "0,1", "GNU.sparse.size": str(1 << 40)})),
        _archive(_entry("a", headers={"GNU.sparse.map": "x", "GNU.sparse.size": "y"})),
    ],
    ids=["nothing", "garbage", "cut off", "link to nothing", "link to itself", "a terabyte of holes", "no numbers"],
)
def test_what_is_no_archive_of_a_workspace_is_the_sandboxs_error(archive: bytes) -> None:
    with pytest.raises(SandboxError, match="can't be read"):
        list(files_of(archive))


def test_only_files_and_links_below_the_workspace_are_read_from_an_archive() -> None:
    names = ["good", "./also", "/absolute", "../above", "a/../../b", "..", "...", "a/..b"]
    kinds = [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE]
    archive = _archive(*map(_entry, names), *(_entry(f"kind-{number}", kind) for number, kind in enumerate(kinds)))

    assert [path for path, _ in files_of(archive)] == ["good", "also", "...", "a/..b"]

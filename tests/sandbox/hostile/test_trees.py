"""A workspace that makes traps of its own files, and the host that reads and writes them all the same."""

import os
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox.contract import (
    MEBIBYTE,
    File,
    Guarantee,
    Limits,
    Sandbox,
    SandboxError,
    Workspace,
    WorkspaceFull,
    archive_of,
    files_of,
)
from tests.sandbox.hostile import host
from tests.sandbox.hostile.inside import answer

LIMITS = Limits(wall_s=60, workspace_bytes=64 * MEBIBYTE, file_size_bytes=1 << 41, output_bytes=64 * 1024)


@dataclass(frozen=True, slots=True)
class Outside:
    """A folder of the host, with a file in it, that no workspace has any business with."""

    folder: Path
    content: str

    def is_untouched(self) -> bool:
        return {path.name: path.read_text() for path in self.folder.iterdir()} == {"file": self.content}


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Outside]:
    found = Outside(tmp_path / "outside", uuid.uuid4().hex)
    found.folder.mkdir(mode=0o777)
    (found.folder / "file").write_text(found.content)
    found.folder.chmod(0o777)
    (found.folder / "file").chmod(0o666)
    yield found
    assert found.is_untouched()


@pytest.fixture
def tree(sandbox: Sandbox) -> Iterator[Workspace]:
    with sandbox.open(limits=LIMITS) as opened:
        yield opened


def contents(workspace: Workspace, *paths: str) -> dict[str, File]:
    return dict(files_of(workspace.get(paths)))


LINKS = {
    "a folder": 'ln -s "$0" link',
    "a folder, relative": 'ln -s "../../../../../../../../..$0" link',
    "a folder's parent": 'ln -s "$0/.." up; ln -s up/outside link',
    "by way of another link": 'ln -s "$0" first; ln -s first second; ln -s second link',
    "by way of /proc": 'ln -s "/proc/self/root$0" link',
    "where a folder was": 'mkdir link; touch link/file; rm -r link; ln -s "$0" link',
}


@pytest.mark.parametrize("makes", LINKS.values(), ids=LINKS.keys())
def test_what_is_put_lands_in_the_workspace_whatever_links_lie_in_the_way(
    tree: Workspace, outside: Outside, makes: str
) -> None:
    tree.run(["sh", "-c", makes, str(outside.folder)])

    tree.put(archive_of({"link/file": File(b"put"), "link/deep/er": File(b"put")}))

    assert contents(tree, "link") == {"link/file": File(b"put"), "link/deep/er": File(b"put")}


@pytest.mark.parametrize("makes", LINKS.values(), ids=LINKS.keys())
def test_what_is_read_or_removed_is_never_behind_a_link(tree: Workspace, outside: Outside, makes: str) -> None:
    tree.run(["sh", "-c", makes, str(outside.folder)])

    read = contents(tree, "link/file", "link", ".")
    tree.remove(["link/file", "link/deep", "link"])

    assert {path for path, file in read.items() if outside.content.encode() in file.data} == set()
    assert "link" not in contents(tree)


@pytest.mark.parametrize("kind", ["-s", ""], ids=["a link", "a hard link"])
def test_a_file_that_is_a_link_is_replaced_and_not_written_through(
    tree: Workspace, outside: Outside, kind: str
) -> None:
    tree.run(
        [
            "sh",
            "-c",
            f'ln {kind} "$0/file" linked || touch linked; ln -s nowhere dangling; ln -s loop loop',
            str(outside.folder),
        ]
    )

    tree.put(archive_of({name: File(b"put") for name in ("linked", "dangling", "loop")}))

    assert contents(tree) == {name: File(b"put") for name in ("linked", "dangling", "loop")}


def test_links_that_go_round_come_out_as_links(tree: Workspace) -> None:
    tree.run("ln -s a b; ln -s b a; ln -s . here; mkdir d; ln -s .. d/up; ln -s ../d/up/d/up d/on")

    found = contents(tree)

    assert set(found) == {"a", "b", "here", "d/up", "d/on"}
    assert all(file.symlink for file in found.values())


def test_fifos_and_sockets_hold_nobody_up_and_give_way(tree: Workspace) -> None:
    tree.run(
        "mkfifo put get removed; mkdir d; mkfifo d/below; "
        "python -c \"import socket; [socket.socket(socket.AF_UNIX).bind(n) for n in ('s-put', 's-get')]\""
    )
    started = time.monotonic()

    tree.put(archive_of({"put": File(b"1"), "s-put": File(b"2"), "d/below/x": File(b"3")}))
    tree.remove(["removed"])

    assert contents(tree) == {"put": File(b"1"), "s-put": File(b"2"), "d/below/x": File(b"3")}
    assert contents(tree, "get", "s-get") == {}
    assert time.monotonic() - started < 20


def test_a_file_of_a_terabyte_without_content_is_not_read(tree: Workspace) -> None:
    made = tree.run("truncate -s 1T sparse && mkdir d && truncate -s 300M d/1 && echo 1 >small")
    started = time.monotonic()

    assert made.exit_code == 0
    with pytest.raises(WorkspaceFull):
        tree.get()
    assert contents(tree, "small") == {"small": File(b"1\n")}
    tree.remove(["sparse", "d"])
    assert set(contents(tree)) == {"small"}
    assert time.monotonic() - started < 30


@pytest.mark.parametrize(
    "folders", [pytest.param(200, marks=pytest.mark.holds(Guarantee.DISK)), 10], ids=["200,000", "10,000"]
)
def test_small_files_without_number_are_too_many_to_come_out_and_go(sandbox: Sandbox, folders: int) -> None:
    with sandbox.open() as workspace:
        code = f"""
for folder in range({folders}):
    os.makedirs(f"many/{{folder}}")
    for number in range(1000): os.close(os.open(f"many/{{folder}}/{{number}}", os.O_CREAT))
answer = 1
"""
        answer(workspace, code)
        with pytest.raises(WorkspaceFull):
            workspace.get(limit_bytes=MEBIBYTE)
        workspace.remove(["many"])

        assert contents(workspace) == {}


NAMES = (
    b"latin-\xe9", b"\xff\xfe", b"new\nline", b"tab\t", b"-rf", b"--checkpoint=1", b"$(touch x)", b"*", b"a\\b", b"'",
    b'"', b" ", b"\x01\x1b[31m", "ü".encode(), "u\u0308".encode(), b"x" * 255,
    b"..a", b"...", b"con.txt", b"a:b", b"\xed\xa0\x80",
)  # fmt: skip


def test_any_name_that_a_file_can_have_comes_out_goes_in_and_goes(tree: Workspace) -> None:
    words = [name.hex() for name in NAMES]
    answer(tree, "for w in sys.argv[1:]: open(bytes.fromhex(w), 'w').close()\nanswer = 1", *words)
    expected = {os.fsdecode(name): File(b"") for name in NAMES}

    found = contents(tree)
    tree.remove(sorted(expected))
    emptied = contents(tree)
    tree.put(archive_of(found))

    assert (found, emptied, contents(tree)) == (expected, {}, expected)


def test_folders_deeper_than_any_path_come_out_or_are_refused_and_go(sandbox: Sandbox) -> None:
    levels = 2500  # more than a path's 4096 bytes, and than Python's recursion
    with sandbox.open(limits=LIMITS) as tree:
        code = f"""
for level in range({levels}):
    os.mkdir("d")
    os.chdir("d")
open("bottom", "w").close()
answer = 1
"""
        answer(tree, code)
        tree.put(archive_of({"beside": File(b"1")}))

        assert set(_read_or_refused(tree)) <= {"beside", "/".join(["d"] * levels) + "/bottom"}
        tree.remove(["d"])
        assert set(contents(tree)) == {"beside"}
        answer(tree, code)  # again, so that closing has something to remove
        folder = tree.directory

    assert not Path(folder).exists()


def _read_or_refused(tree: Workspace) -> dict[str, File]:
    try:
        return contents(tree)
    except SandboxError:
        return {}


def test_files_that_change_their_kind_between_two_calls_are_what_they_are_then(tree: Workspace) -> None:
    kinds = [
        "echo 1 >x",
        "rm -rf x; mkdir x; echo 2 >x/y",
        "rm -rf x; ln -s x/y x",
        "rm -rf x; mkfifo x",
        "rm -rf x; echo 3 >x",
    ]

    found = []
    for kind in kinds:
        tree.run(kind)
        found.append(contents(tree, "x", "x/y"))
        tree.put(archive_of({"x/y": File(b"put")}))
        tree.remove(["x/y"])
        tree.put(archive_of({"x": File(b"put")}))

    assert found == [
        {"x": File(b"1\n")},
        {"x/y": File(b"2\n")},
        {"x": File(b"x/y", symlink=True)},
        {},
        {"x": File(b"3\n")},
    ]


def test_a_workspace_that_was_closed_to_everybody_opens_again_for_what_comes_next(tree: Workspace) -> None:
    def close() -> None:
        assert tree.run('chmod 000 "$PWD"').exit_code == 0

    tree.put(archive_of({"kept": File(b"1")}))
    close()
    assert tree.run("cat kept").stdout == "1"
    close()
    tree.put(archive_of({"more": File(b"2")}))
    close()
    assert {path for path, _ in files_of(tree.get())} >= {"kept", "more"}
    close()
    tree.remove(["."])
    assert list(files_of(tree.get())) == []


def test_a_link_with_two_names_is_two_links(tree: Workspace) -> None:
    tree.run("ln -s /etc/passwd a; ln -P a b; ln -P b c; mkfifo f; ln f g; echo 1 >h; ln h i")

    assert contents(tree) == {
        **{name: File(b"/etc/passwd", symlink=True) for name in "abc"},
        **{name: File(b"1\n") for name in "hi"},
    }


def test_what_is_asked_for_twice_comes_out_all_the_same(tree: Workspace) -> None:
    tree.run("mkdir d; echo 1 >d/file; ln -s file d/link")

    assert contents(tree, "d/link", "d", ".", "d/file") == {
        "d/file": File(b"1\n"),
        "d/link": File(b"file", symlink=True),
    }


def test_a_file_with_a_thousand_names_is_in_the_hosts_memory_once_or_refused(tree: Workspace) -> None:
    answer(tree, "open('0', 'wb').write(os.urandom(4 << 20))\nanswer = [os.link('0', f'{n}') for n in range(1, 1001)]")

    with host.own_memory() as grown_by:
        found = _read_or_refused(tree)

    assert len({file.data for file in found.values()}) <= 1
    assert grown_by() < 300 * MEBIBYTE

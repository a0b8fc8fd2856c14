"""Two commits brought together in the bare mirror, and what a branch holds."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.errors import Stopped
from bot.repository.git import EMPTY_TREE, run_git
from sandbox.contract import File
from tests.repository.conftest import NOON, Bench

LINES = b"".join(b"line %d\n" % number for number in range(1, 21))


def committed(bench: Bench, files: Mapping[str, bytes | File | None], *parents: str, by: str = "Ann") -> str:
    """A commit of these files over its first parent."""
    changed = {path: File(data) if isinstance(data, bytes) else data for path, data in files.items()}
    tree = bench.mirror.tree_with(parents[0] if parents else EMPTY_TREE, changed)
    return bench.mirror.commit(
        tree, parents=parents, message=f"By {by}\n\nMore.", author_name=by, author_email=f"{by}@example.com", when=NOON
    )


@pytest.fixture
def base(bench: Bench) -> str:
    return committed(bench, {"a.py": LINES, "b.py": b"b\n", "image.bin": b"\0\1"})


def test_what_both_sides_did_is_in_the_tree(bench: Bench, base: str) -> None:
    ours = committed(bench, {"a.py": LINES.replace(b"line 2\n", b"second\n")}, base)
    theirs = committed(bench, {"a.py": LINES.replace(b"line 19\n", b"nineteenth\n"), "new.py": b"n\n"}, base)

    merged = bench.mirror.merge(ours, theirs)

    assert merged.is_clean
    both = LINES.replace(b"line 2\n", b"second\n").replace(b"line 19\n", b"nineteenth\n")
    assert bench.mirror.read(merged.tree, "a.py") == both
    assert bench.mirror.read(merged.tree, "new.py") == b"n\n"


def test_a_file_that_went_another_way_on_the_other_side_is_followed(bench: Bench, base: str) -> None:
    ours = committed(bench, {"a.py": LINES.replace(b"line 2\n", b"second\n")}, base)
    theirs = committed(bench, {"a.py": None, "moved.py": LINES}, base)

    merged = bench.mirror.merge(ours, theirs)

    assert merged.is_clean
    assert bench.mirror.read(merged.tree, "moved.py") == LINES.replace(b"line 2\n", b"second\n")


def test_conflicts_are_named_and_stand_in_the_text_with_markers(bench: Bench, base: str) -> None:
    ours = committed(
        bench, {"a.py": LINES.replace(b"line 2\n", b"ours\n"), "image.bin": b"\0\2", "b.py": b"bb\n"}, base
    )
    theirs = committed(bench, {"a.py": LINES.replace(b"line 2\n", b"x\n"), "image.bin": b"\0\3", "b.py": None}, base)

    merged = bench.mirror.merge(ours, theirs)

    assert merged.conflicts == ("a.py", "b.py", "image.bin")
    text = bench.mirror.read(merged.tree, "a.py") or b""
    assert b"<<<<<<< " in text
    assert b"\nours\n=======\nx\n>>>>>>> " in text


def test_a_file_that_one_side_changed_and_the_other_deleted_stands_between_markers(bench: Bench, base: str) -> None:
    changed = committed(bench, {"b.py": b"bb"}, base)
    without = committed(bench, {"b.py": None}, base)

    kept, gone = bench.mirror.merge(changed, without), bench.mirror.merge(without, changed)

    marks = f"<<<<<<< {changed}\nbb\n=======\n>>>>>>> {without}: not there\n"
    assert bench.mirror.read(kept.tree, "b.py") == marks.encode()
    marks = f"<<<<<<< {without}: not there\n=======\nbb\n>>>>>>> {changed}\n"
    assert bench.mirror.read(gone.tree, "b.py") == marks.encode()
    assert kept.conflicts == gone.conflicts == ("b.py",)
    assert kept.unmarked == gone.unmarked == ()


def test_a_file_that_each_side_moved_elsewhere_is_marked_in_both_places(bench: Bench, base: str) -> None:
    ours = committed(bench, {"a.py": None, "one.py": LINES.replace(b"line 2\n", b"second\r\n")}, base)
    theirs = committed(bench, {"a.py": None, "two.py": LINES}, base)

    merged = bench.mirror.merge(ours, theirs)

    both = LINES.replace(b"line 2\n", b"second\r\n")
    one, two = (bench.mirror.read(merged.tree, path) for path in ("one.py", "two.py"))
    assert one == f"<<<<<<< {ours}\r\n".encode() + both + f"=======\r\n>>>>>>> {theirs}: not there\r\n".encode()
    assert two == f"<<<<<<< {ours}: not there\r\n=======\r\n".encode() + both + f">>>>>>> {theirs}\r\n".encode()
    assert merged.conflicts == ("a.py", "one.py", "two.py")
    assert merged.unmarked == ()


def test_what_no_text_can_show_is_named(bench: Bench, base: str) -> None:
    ours = committed(bench, {"image.bin": b"\0\2", "new.sh": File(b"x\n"), "b.py": File(b"a.py", symlink=True)}, base)
    theirs = committed(bench, {"image.bin": None, "new.sh": File(b"x\n", executable=True), "b.py": None}, base)

    merged = bench.mirror.merge(ours, theirs)

    assert merged.conflicts == merged.unmarked == ("b.py", "image.bin", "new.sh")


def test_a_conflicts_name_may_hold_anything(bench: Bench) -> None:
    name = 'x"\t\n→\udcff.py'
    base = committed(bench, {name: b"1\n"})

    merged = bench.mirror.merge(committed(bench, {name: b"2\n"}, base), committed(bench, {name: b"3\n"}, base))

    assert merged.conflicts == (name,)


def test_no_program_that_content_names_has_a_part_in_it(bench: Bench, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    attributes = b"* merge=trap filter=trap diff=trap text eol=crlf ident working-tree-encoding=UTF-16\n"
    base = committed(bench, {".gitattributes": attributes, "a.py": LINES + b"$Id$\n"})
    hook = bench.mirror.path / "hooks" / "post-merge"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {trap}\n")
    hook.chmod(0o755)
    ours = committed(bench, {"a.py": LINES.replace(b"line 2\n", b"second\n") + b"$Id$\n"}, base)
    theirs = committed(bench, {"b.py": b"$Id$\n"}, base)

    merged = bench.mirror.merge(ours, theirs)

    assert merged.is_clean
    assert bench.mirror.read(merged.tree, "a.py") == LINES.replace(b"line 2\n", b"second\n") + b"$Id$\n"
    assert not trap.exists()


def test_a_merge_of_very_many_files_that_moved_ends(bench: Bench) -> None:
    before = {f"old/{number}.txt": b"%d\n" % number * 20 for number in range(1500)}
    base = committed(bench, before)
    moved: dict[str, bytes | None] = dict.fromkeys(before)
    ours = committed(bench, moved | {f"new/{number}.txt": b"%d\n" % number * 21 for number in range(1500)}, base)
    theirs = committed(bench, {"other.txt": b"x\n"}, base)

    assert bench.mirror.merge(ours, theirs).is_clean


def test_a_stop_ends_it(bench: Bench, base: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    slow = tmp_path / "git"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    with pytest.raises(Stopped):
        bench.mirror.merge(base, base, stop=lambda: True)


def test_the_commits_of_a_branch_are_told_oldest_first_with_who_made_them(bench: Bench, base: str) -> None:
    one = committed(bench, {"c.py": b"c\n"}, base, by="Ann")
    newer_base = committed(bench, {"d.py": b"d\n"}, base, by="Bob")
    merged = committed(bench, {"e.py": b"e\n"}, one, newer_base, by="Cleo \U0001f60a")

    found = bench.mirror.commits(newer_base, merged)

    assert [(each.sha, each.author, each.subject) for each in found] == [
        (one, "Ann", "By Ann"),
        (merged, "Cleo \U0001f60a", "By Cleo \U0001f60a"),
    ]
    assert found[1].parents == (one, newer_base)
    assert found[0].author_email == "Ann@example.com"
    assert bench.mirror.commits(merged, base) == ()


def test_a_commit_whose_author_is_no_text_is_told_all_the_same(bench: Bench, base: str) -> None:
    tree = bench.mirror.tree_with(base, {})
    raw = b"tree %b\nparent %b\nauthor \xff\xfe <> 1 +0000\ncommitter  <> 1 +0000\n\n" % (tree.encode(), base.encode())
    odd = run_git(["hash-object", "-w", "-t", "commit", "--stdin"], repository=bench.mirror.path, stdin=raw)

    (found,) = bench.mirror.commits(base, odd.decode().strip())

    assert (found.author, found.committer, found.subject) == ("\ufffd\ufffd", "", "")

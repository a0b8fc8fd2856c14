"""What a workspace changed, told from its files."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.repository import Mirror, Snapshot, collect
from bot.repository.snapshot import compare
from sandbox.contract import File, archive_of, files_of
from sandbox.process import ProcessSandbox
from tests.repository.conftest import Bench
from tests.repository.hub import git

MEBIBYTE = 1024 * 1024


def snapshot_of(bench: Bench, base: Mapping[str, File | bytes], workspace: Mapping[str, File | bytes]) -> Snapshot:
    """The snapshot of a workspace that holds these files, over a base that holds those."""
    files = [(path, File(file) if isinstance(file, bytes) else file) for path, file in workspace.items()]
    return collect(bench.mirror, bench.tree(base), files)


def test_an_untouched_workspace_changes_nothing(bench: Bench) -> None:
    files = {
        "a": File(b"\r\n"),
        "x": File(b"x", executable=True),
        "l": File(b"a", symlink=True),
        "\udce9": File(b"\xff"),
    }

    assert snapshot_of(bench, files, files) == Snapshot({}, ())


def test_edits_new_files_deletions_and_modes_are_the_change(bench: Bench) -> None:
    base = {"a": b"1", "gone": b"g", "mode": b"m", "same": b"s", "kind": b"a"}
    after = {
        "a": File(b"2"),
        "mode": File(b"m", executable=True),
        "kind": File(b"a", symlink=True),
        "new/deep": File(b"n"),
    }

    files, left_out = snapshot_of(bench, base, {**after, "same": b"s"})

    assert files == {**after, "gone": None}
    assert left_out == ()


def test_a_file_that_became_a_folder_and_a_folder_that_became_a_file(bench: Bench) -> None:
    base = {"f": b"file", "d/x": b"x"}

    files, _ = snapshot_of(bench, base, {"f/y": b"y", "d": b"now a file"})

    tree = bench.mirror.tree_with(bench.tree(base), files)
    assert bench.mirror.entries(tree).keys() == {"f/y", "d"}


def test_what_the_tests_leave_behind_is_no_part_of_the_change_even_without_a_gitignore(bench: Bench) -> None:
    litter = [
        "__pycache__/a.cpython-311.pyc",
        "pkg/__pycache__/b.pyc",
        ".pytest_cache/v/x",
        ".mypy_cache/x",
        ".ruff_cache/x",
        ".tox/x",
        ".venv/bin/python",
        "node_modules/left/index.js",
        ".coverage",
        ".coverage.host.1",
        "htmlcov/index.html",
        ".hypothesis/x",
        "tool.egg-info/PKG-INFO",
        "src/tool.egg-info/PKG-INFO",
        "build/lib/tool.py",
        "dist/tool.whl",
        "sub/dist/index.js",
        "my-env/pyvenv.cfg",
        "my-env/lib/site.py",
        "old.pyc",
        ".cache/x",
        ".selfcode-results-1f.xml",
        ".DS_Store",
    ]
    base = {"a.py": b"a", "setup.py": b"", "sub/package.json": b"{}"}

    files, left_out = snapshot_of(bench, base, {**base, "fix.py": b"x", **dict.fromkeys(litter, b"x")})

    assert files == {"fix.py": File(b"x")}
    assert "my-env/: a cache or build output" in left_out
    assert "__pycache__/: a cache or build output" in left_out


def test_what_a_compiler_made_of_new_source_is_no_part_of_the_change(bench: Bench) -> None:
    base = {"setup.py": b"s", "lib/known.so": b"1"}
    made = {"src/_fast.cpython-311-x86_64-linux-gnu.so": b"\x7fELF", "fast.o": b"\x7fELF", "A.class": b"c"}

    files, left_out = snapshot_of(bench, base, {**base, "lib/known.so": b"2", "src/fast.c": b"int x;", **made})

    assert files.keys() == {"src/fast.c", "lib/known.so"}
    assert left_out == tuple(f"{path}: a cache or build output" for path in sorted(made))


def test_a_folder_that_is_taken_in_whole_keeps_its_compiled_files(bench: Bench) -> None:
    fixture = {"tests/data/fixture.so": b"\x7fELF"}

    assert snapshot_of(bench, {}, fixture).files.keys() == fixture.keys()


def test_folders_called_build_or_dist_that_belong_to_the_source_are_part_of_it(bench: Bench) -> None:
    base = {"pyproject.toml": b"", "build/tool.py": b"1", "src/dist/old.py": b""}
    after = {**base, "build/new.py": b"n", "build/tool.py": b"2", "src/dist/x.py": b"x", "other/build/y.py": b"y"}

    files, left_out = snapshot_of(bench, base, after)

    assert files.keys() == {"build/new.py", "build/tool.py", "src/dist/x.py", "other/build/y.py"}
    assert left_out == ()


def test_tracked_files_in_folders_that_were_not_looked_into_are_not_deleted(bench: Bench) -> None:
    base = {
        "a": b"a",
        "node_modules/kept.js": b"k",
        "x/.venv/kept": b"k",
        "lib/__pycache__/k.pyc": b"k",
        "w.egg-info/x": b"",
    }

    assert snapshot_of(bench, base, {"a": b"a"}).files == {}


def test_folders_that_the_caller_hid_are_not_deleted_either(bench: Bench) -> None:
    base = bench.tree({"a": b"a", "vendor/x": b"x"})

    assert collect(bench.mirror, base, [("a", File(b"a"))], hidden=["vendor"]).files == {}


def test_a_tracked_cache_that_the_tests_rewrote_is_no_change(bench: Bench) -> None:
    base = {".coverage": b"1", "t/__pycache__/x.pyc": b"1"}

    assert snapshot_of(bench, base, {".coverage": b"2", "t/__pycache__/x.pyc": b"2"}).files == {}


IGNORES = {
    ".gitignore": b"\xef\xbb\xbf# a comment\n*.log\n/only-root\nfolder/\n!keep.log\n**/deep/*.tmp\ndoc/*.txt\n"
    b"\\#odd\ntrail \n[z\r\nall/**\n!all/kept\nsome/*\n!some/kept\nlost/\n!lost/kept\n",
    "sub/.gitignore": b"*\n!.gitignore\n!kept*\n",
    "sub/inner/.gitignore": b"!again\n",
    "latin/.gitignore": b"caf\xe9\n!\n",
}
ASKED = [
    "x.log",
    "a/b/x.log",
    "keep.log",
    "only-root",
    "a/only-root",
    "folder/x",
    "a/folder/x/y",
    "folder",
    "q/deep/a.tmp",
    "deep/b.tmp",
    "doc/a.txt",
    "doc/sub/a.txt",
    "#odd",
    "trail",
    "sub/x",
    "sub/kept.py",
    "sub/inner/again",
    "sub/inner/other",
    "plain.py",
    "X.LOG",
    "all/kept",
    "all/x",
    "some/kept",
    "some/x",
    "lost/kept",
]


def test_ignored_files_are_left_out_just_as_git_would(bench: Bench, tmp_path: Path) -> None:
    git("init", "-q", str(tmp_path / "checkout"))
    for path, data in IGNORES.items():
        (tmp_path / "checkout" / path).parent.mkdir(exist_ok=True)
        (tmp_path / "checkout" / path).write_bytes(data)
    told = subprocess.run(
        ["git", "check-ignore", "--stdin"],
        input="\n".join(ASKED).encode(),
        cwd=tmp_path / "checkout",
        capture_output=True,
        check=True,
    ).stdout.decode()
    expected = {path for path in ASKED if path not in told.splitlines()}

    workspace = [*IGNORES.items(), *((path, b"new") for path in ASKED if path != "folder")]
    files, left_out = snapshot_of(bench, IGNORES, dict(workspace))

    assert files.keys() == expected - {"folder"}
    assert "x.log: ignored by .gitignore" in left_out


def test_a_tracked_file_is_part_of_the_change_although_it_is_ignored(bench: Bench) -> None:
    base = {".gitignore": b"*.cfg\n", "a.cfg": b"1"}

    assert snapshot_of(bench, base, {**base, "a.cfg": b"2"}).files == {"a.cfg": File(b"2")}


def test_a_gitignore_written_in_the_workspace_hides_nothing(bench: Bench) -> None:
    files, _ = snapshot_of(bench, {"a": b"a"}, {"a": b"a", ".gitignore": b"*\n", "fix.py": b"x"})

    assert files.keys() == {".gitignore", "fix.py"}


def test_a_large_new_file_is_left_out_and_named(bench: Bench) -> None:
    base = {"data.json": b"x" * (2 * MEBIBYTE), "small": b"s"}
    after = {
        "data.json": b"y" * (3 * MEBIBYTE),
        "small": b"s" * (2 * MEBIBYTE),
        "out/big.bin": b"b" * (MEBIBYTE + 1),
        "fits.bin": b"f" * MEBIBYTE,
    }

    files, left_out = snapshot_of(bench, base, after)

    assert files.keys() == {"data.json", "fits.bin"}
    assert left_out == ("out/big.bin: too large (1,048,577 bytes)", "small: too large (2,097,152 bytes)")


@pytest.mark.parametrize(
    "path",
    [
        ".git/config",
        "a/.git/hooks/pre-push",
        ".GIT/config",
        ".git./x",
        ".git /x",
        "git~1/x",
        ".git::$INDEX_ALLOCATION/x",
        ".g\u200cit/config",
        "x/" + "n" * 256,
        "a//b",
        "./a",
    ],
)
def test_names_that_git_takes_for_its_own_or_for_none_are_left_out_and_named(bench: Bench, path: str) -> None:
    files, left_out = snapshot_of(bench, {"a": b"a"}, {"a": b"a", path: b"x"})

    assert files == {}
    assert len(left_out) == 1
    assert left_out[0].endswith("not a name that git takes")


def test_names_that_are_not_utf_8_get_through(bench: Bench) -> None:
    files, _ = snapshot_of(bench, {}, {"caf\udce9/x": b"1"})

    assert bench.mirror.read(bench.mirror.tree_with(bench.tree({}), files), "caf\udce9/x") == b"1"


def test_links_to_targets_that_are_not_utf_8_are_named_instead(bench: Bench) -> None:
    files, left_out = snapshot_of(bench, {}, {"l": File(b"\xff", symlink=True)})

    assert (files, left_out) == ({}, ("l: a link whose target is not UTF-8",))


def test_no_more_names_are_told_than_people_read(bench: Bench) -> None:
    _, left_out = snapshot_of(
        bench, {".gitignore": b"*.x"}, {".gitignore": b"*.x"} | {f"{n}.x": b"" for n in range(150)}
    )

    assert len(left_out) == 101
    assert left_out[-1] == "… and 50 more"


def test_a_submodule_is_neither_deleted_nor_filled() -> None:
    from bot.repository import Entry  # noqa: PLC0415

    base = {"lib": Entry("160000", "1" * 40, None)}

    files, left_out = compare(base, [("lib/x", File(b"x"))], read=lambda _: b"")

    assert files == {}
    assert left_out == ("lib/x: not a name that git takes",)


def test_nothing_that_a_workspace_does_to_its_git_folder_runs_on_the_host(bench: Bench, tmp_path: Path) -> None:
    pwned = tmp_path / "pwned"
    base = bench.tree({"a.py": b"a\n"})
    attack = f"""
        git init -q . && git config core.fsmonitor 'touch {pwned}' && git config core.hooksPath .hooks
        git config filter.x.clean 'touch {pwned}; cat' && git config filter.x.required true
        git config diff.x.textconv 'touch {pwned}; cat'
        printf '* filter=x diff=x\\n' > .gitattributes && mkdir -p .hooks .git/hooks
        for hook in pre-commit pre-push reference-transaction post-index-change post-checkout; do
            printf '#!/bin/sh\\ntouch {pwned}\\n' > .hooks/$hook; chmod +x .hooks/$hook; cp .hooks/$hook .git/hooks/
        done
        echo fixed > a.py
    """
    with ProcessSandbox().open() as workspace:
        workspace.put(bench.mirror.archive(base))
        workspace.run(attack)
        pwned.unlink(missing_ok=True)
        files, left_out = collect(bench.mirror, base, files_of(workspace.get()))

    tree = bench.mirror.tree_with(base, files)
    assert bench.roundtrip(base, tree) == tree
    assert bench.mirror.read(tree, "a.py") == b"fixed\n"
    assert not any(path.startswith(".git/") for path in files)
    assert any(".git/config" in name for name in left_out)
    assert not pwned.exists()


def test_a_workspace_with_odd_names_goes_out_and_comes_back_unchanged(bench: Bench) -> None:
    files = {
        "caf\udce9": File(b"1"),
        "a\nb": File(b"2"),
        " s /t": File(b"3"),
        "\\b": File(b"4"),
        "l": File(b"/x", symlink=True),
    }
    base = bench.mirror.tree_with(bench.tree({}), files)

    again = dict(files_of(archive_of(dict(files_of(bench.mirror.archive(base))))))

    assert collect(Mirror(bench.mirror.path), base, again.items()) == Snapshot({}, ())

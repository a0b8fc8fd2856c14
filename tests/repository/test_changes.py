"""Trees, patches and what is told of a change: every byte, mode and name gets through."""

import io
import json
import subprocess
import tarfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.errors import Refused
from bot.records import Change, ChangedFile, dump, load
from bot.repository.objects import blob_sha
from sandbox.contract import File, files_of
from tests.repository.conftest import NOON, Bench

BYTES = st.one_of(
    st.binary(max_size=60),
    st.text(alphabet="aé\n\r\t \\\0\x1b😊", max_size=40).map(str.encode),
    st.lists(st.sampled_from([b"a", b"b\r", b"\xe9", b"\xef\xbb\xbf", b"\0", b" ", b""]), max_size=30).map(b"\n".join),
)
NAMES = st.sampled_from(
    ["a", "b", "a b", 'q"t', "é", "\udce9", "tab\t", "new\nline", "*", "[x]", "\\b", "!n", "#h", " s "]
)
PATHS = st.lists(NAMES, min_size=1, max_size=2).map("/".join)
FILES = st.builds(File, BYTES, executable=st.booleans()) | st.builds(
    File, st.sampled_from([b"a", b"../x", "é".encode()]), symlink=st.just(True)
)


def without_clashes(files: dict[str, File]) -> dict[str, File]:
    """The files without those that another one needs as its folder."""
    return {path: file for path, file in files.items() if not any(other.startswith(f"{path}/") for other in files)}


TREES = st.dictionaries(PATHS, FILES, max_size=5).map(without_clashes)


@settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(before=TREES, after=TREES)
def test_a_change_of_any_bytes_modes_and_names_survives_json_and_gives_the_same_tree(
    bench: Bench, before: dict[str, File], after: dict[str, File]
) -> None:
    base, tree = bench.tree(before), bench.tree(after)

    change = load(Change, dump(bench.mirror.change(base, tree)))

    assert bench.mirror.apply(base, change.patch) == tree
    assert "\0" not in change.patch
    assert change.is_empty == (base == tree)


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=TREES)
def test_an_archive_holds_the_exact_bytes_modes_and_names(bench: Bench, files: dict[str, File]) -> None:
    assert dict(files_of(bench.mirror.archive(bench.tree(files)))) == files


def test_a_rename_a_deletion_a_mode_and_a_missing_last_newline_all_reach_the_commit(bench: Bench) -> None:
    base = bench.tree(
        {"a.py": b"1\n2\n3\n4\n", "gone.py": b"x\n", "run.sh": b"echo\n", "end.txt": b"no newline", "kept": b"k"}
    )
    after = {
        "b.py": File(b"1\n2\n3\n4\n"),
        "a.py": None,
        "gone.py": None,
        "run.sh": File(b"echo\n", executable=True),
        "end.txt": File(b"still none"),
    }
    tree = bench.mirror.tree_with(base, after)

    change = bench.mirror.change(base, tree)

    assert bench.roundtrip(base, tree) == tree
    assert change.paths == ("a.py", "b.py", "end.txt", "gone.py", "run.sh")
    assert "rename from a.py\nrename to b.py" in change.patch
    assert "old mode 100644\nnew mode 100755" in change.patch
    assert (change.added_lines, change.removed_lines) == (1, 2)
    assert sorted(bench.mirror.entries(tree)) == ["b.py", "end.txt", "kept", "run.sh"]


def test_bom_crlf_and_lone_cr_stay_and_one_changed_line_counts_as_one(bench: Bench) -> None:
    before = b"\xef\xbb\xbfa\r\nb\r\nc\rd\n"
    attributes = b"* text=auto eol=lf working-tree-encoding=UTF-16\n"
    base = bench.tree({"f.txt": before, ".gitattributes": attributes})
    tree = bench.mirror.tree_with(base, {"f.txt": File(before.replace(b"b", b"B"))})

    change = bench.mirror.change(base, tree)

    assert (change.added_lines, change.removed_lines) == (1, 1)
    assert bench.mirror.read(bench.roundtrip(base, tree), "f.txt") == b"\xef\xbb\xbfa\r\nB\r\nc\rd\n"


def test_attributes_of_the_content_change_nothing_that_is_read_or_archived(bench: Bench) -> None:
    attributes = b"* export-ignore filter=x diff=y ident -text\n*.py export-subst\n"
    files = {".gitattributes": File(attributes), "v.py": File(b"$Format:%H$ $Id$\r\n"), "x.png": File(b"\0")}
    base = bench.tree(files)

    assert dict(files_of(bench.mirror.archive(base))) == files
    assert "GIT binary" not in bench.mirror.change(base, bench.mirror.tree_with(base, {"v.py": File(b"1\n")})).patch


def test_a_patch_of_latin_1_text_is_binary_and_of_utf_8_is_readable(bench: Bench) -> None:
    base = bench.tree({"latin.txt": b"caf\xe9\n", "utf.txt": "café\n".encode()})
    tree = bench.tree({"latin.txt": b"th\xe9\n", "utf.txt": "thé\n".encode()})

    patch = bench.mirror.change(base, tree).patch

    assert "-café\n+thé\n" in patch
    assert patch.count("GIT binary patch") == 1


def test_a_hunk_heading_that_git_cuts_inside_a_character_spoils_nothing(bench: Bench) -> None:
    lines = ["def " + "é" * 60 + "():"] + [f"    {number}" for number in range(20)]
    base = bench.tree({"f.py": "\n".join(lines).encode()})
    tree = bench.tree({"f.py": "\n".join([*lines[:15], "    changed", *lines[16:]]).encode()})

    assert bench.roundtrip(base, tree) == tree


def test_a_link_whose_target_is_no_text_is_refused_as_a_patch(bench: Bench) -> None:
    base = bench.tree({"a": b"a"})
    tree = bench.mirror.tree_with(base, {"link": File(b"\xff", symlink=True)})

    with pytest.raises(Refused, match="link"):
        bench.mirror.change(base, tree)


def test_a_very_long_path_does_not_lose_its_bytes(bench: Bench) -> None:
    path = "/".join(["é" * 120] * 8)
    base, tree = bench.tree({path: b"\xe9\n" * 5}), bench.tree({path: b"\xe9\n" * 6})

    assert bench.roundtrip(base, tree) == tree


def test_names_that_are_not_utf_8_are_told_escaped(bench: Bench) -> None:
    base = bench.tree({"a": b"a"})
    tree = bench.mirror.tree_with(base, {"caf\udce9": File(b"b")})

    change = bench.mirror.change(base, tree, left_out=["big.bin: too large"])

    assert change.paths == (r"caf\xe9",)
    assert change.left_out == ("big.bin: too large",)
    assert json.loads(dump(change))["paths"] == [r"caf\xe9"]
    assert bench.mirror.read(tree, "caf\udce9") == b"b"


def test_a_patch_that_does_not_fit_is_refused_and_names_the_file(bench: Bench) -> None:
    base, tree, other = bench.tree({"a.py": b"1\n"}), bench.tree({"a.py": b"2\n"}), bench.tree({"a.py": b"3\n"})
    patch = bench.mirror.change(base, tree).patch

    with pytest.raises(Refused, match=r"a\.py"):
        bench.mirror.apply(other, patch)


@pytest.mark.parametrize("path", ["../out", ".git/hooks/pre-push", "a/.GIT/config", "/etc/x"])
def test_a_patch_can_not_write_outside_the_tree_or_into_a_git_folder(bench: Bench, path: str) -> None:
    patch = f"diff --git a/{path} b/{path}\nnew file mode 100755\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+id\n"

    with pytest.raises(Refused):
        bench.mirror.apply(bench.tree({"a": b"a"}), patch)


def test_changed_files_come_with_both_sides(bench: Bench) -> None:
    base = bench.tree({"a": b"1", "gone": b"g", "mode": b"m"})
    tree = bench.mirror.tree_with(
        base,
        {"a": File(b"2"), "gone": None, "mode": File(b"m", executable=True), "new": File(b"a", symlink=True)},
    )

    assert bench.mirror.changed_files(base, tree) == (
        ChangedFile("a", b"1", b"2", "100644", "100644"),
        ChangedFile("gone", b"g", None, "100644", None),
        ChangedFile("mode", b"m", b"m", "100644", "100755"),
        ChangedFile("new", None, b"a", None, "120000"),
    )


def test_a_change_is_split_into_the_tests_and_the_rest(bench: Bench) -> None:
    base = bench.tree({"a.py": b"1", "tests/old.py": b"t"})
    tree = bench.mirror.tree_with(
        base, {"a.py": File(b"2"), "tests/test_a.py": File(b"new"), "tests/old.py": None, "b.py": File(b"b")}
    )

    tests = bench.mirror.tree_of(base, tree, lambda path: path.startswith("tests/"))

    assert [file.path for file in bench.mirror.changed_files(base, tests)] == ["tests/old.py", "tests/test_a.py"]
    assert [file.path for file in bench.mirror.changed_files(tests, tree)] == ["a.py", "b.py"]


def test_a_split_can_turn_a_file_into_a_folder(bench: Bench) -> None:
    base, tree = bench.tree({"t": b"file"}), bench.tree({"t/x": b"below", "a": b"a"})

    assert bench.mirror.entries(bench.mirror.tree_of(base, tree, lambda path: path == "t/x")).keys() == {"t/x"}


def test_a_submodule_is_an_empty_folder_and_stays(bench: Bench) -> None:
    link = f"160000 commit {'1' * 40}\tlib\n100644 blob {blob_sha(b'a')}\ta\n"
    bench.tree({"a": b"a"})
    base = subprocess.run(
        ["git", f"--git-dir={bench.mirror.path}", "mktree", "--missing"],
        input=link.encode(), capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    with tarfile.open(fileobj=io.BytesIO(bench.mirror.archive(base))) as opened:
        kinds = {member.name: member.type for member in opened}

    tree = bench.mirror.tree_with(base, {"a": File(b"b")})

    assert kinds == {"a": tarfile.REGTYPE, "lib": tarfile.DIRTYPE}
    assert bench.mirror.entries(tree)["lib"].sha == "1" * 40
    assert bench.mirror.read(base, "lib") is None


def test_reading_what_is_no_file_gives_none(bench: Bench) -> None:
    tree = bench.tree({"d/f": b"f", "*": b"star"})

    paths = ("d", "d/", "nope", "", "d/f/g", "?", ":(top)d/f", "\0", "--help")
    assert [bench.mirror.read(tree, path) for path in paths] == [None] * len(paths)
    assert bench.mirror.read(tree, "*") == b"star"


def test_a_name_or_an_option_passes_for_no_object_id(bench: Bench) -> None:
    for name in ("HEAD", "--all", "main:a", "", "A" * 40):
        with pytest.raises(ValueError, match="object id"):
            bench.mirror.entries(name)


def test_a_commits_words_are_kept_literally(bench: Bench, tmp_path: Path) -> None:
    message = f'x"; touch {tmp_path}/pwned; echo "$GITHUB_TOKEN $(id) `id`\n\n# not a comment\n--upload-pack=x'
    sha = bench.mirror.commit(
        bench.tree({"a": b"a"}), parents=[], message=message, author_name="self", author_email="s@x", when=NOON
    )

    shown = subprocess.run(
        ["git", f"--git-dir={bench.mirror.path}", "log", "-1", "--format=%B%cI", sha], capture_output=True, check=True
    ).stdout.decode()
    assert shown.strip() == f"{message}\n2026-11-29T12:00:00Z".replace("Z", "+00:00")
    assert not list(tmp_path.glob("pwned"))

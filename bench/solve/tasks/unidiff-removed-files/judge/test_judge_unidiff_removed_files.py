import pytest
from unidiff import PatchSet


def diff(source, target, header, *lines):
    return f"--- {source}\n+++ {target}\n@@ {header} @@\n" + "".join(f"{line}\n" for line in lines)


DELETED = diff("a/old.txt", "b/old.txt", "-1,2 +0,0", "-one", "-two")
ADDED = diff("a/new.txt", "b/new.txt", "-0,0 +1,2", "+one", "+two")
CHANGED = diff("a/one.txt", "b/one.txt", "-1 +1", "-one", "+two")
EMPTIED_BELOW = diff("a/tail.txt", "b/tail.txt", "-4,1 +3,0", "-last")


def kinds(text):
    patch = PatchSet(text)
    groups = {"added": patch.added_files, "removed": patch.removed_files, "modified": patch.modified_files}
    return {kind: [file.path for file in files] for kind, files in groups.items()}


@pytest.mark.parametrize(
    ("text", "kind", "path"),
    [
        (DELETED, "removed", "old.txt"),
        (diff("a/x", "/dev/null", "-1 +0,0", "-one"), "removed", "x"),
        (diff("old", "old", "-1 +0,0", "-one"), "removed", "old"),
        (ADDED, "added", "new.txt"),
        (CHANGED, "modified", "one.txt"),
        (EMPTIED_BELOW, "modified", "tail.txt"),
    ],
)
def test_each_file_is_of_one_kind(text, kind, path):
    expected = {"added": [], "removed": [], "modified": []} | {kind: [path]}

    assert kinds(text) == expected


def test_a_patch_with_all_kinds():
    assert kinds(DELETED + ADDED + CHANGED) == {
        "added": ["new.txt"],
        "removed": ["old.txt"],
        "modified": ["one.txt"],
    }


def test_metadata_alone_is_enough():
    [file] = PatchSet(DELETED, metadata_only=True)

    assert file.is_removed_file
    assert not file.is_modified_file

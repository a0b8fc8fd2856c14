from unidiff import PatchSet

CHANGED = """\
--- a/one.txt\t2024-01-01
+++ b/one.txt\t2024-01-02
@@ -1,3 +1,3 @@ section
 a
-b
+c
 d
"""
ADDED = """\
--- a/new.txt
+++ b/new.txt
@@ -0,0 +1,2 @@
+one
+two
"""
DELETED = """\
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-one
"""


def test_a_change_is_counted():
    patch = PatchSet(CHANGED)

    assert (patch.added, patch.removed, len(patch.modified_files)) == (1, 1, 1)


def test_the_text_comes_out_as_it_went_in():
    assert str(PatchSet(CHANGED + ADDED)) == CHANGED + ADDED


def test_lines_know_their_numbers():
    [removed] = [line for line in PatchSet(CHANGED)[0][0] if line.is_removed]

    assert (removed.value, removed.source_line_no, removed.target_line_no) == ("b\n", 2, None)


def test_an_added_file():
    assert [file.path for file in PatchSet(ADDED).added_files] == ["new.txt"]


def test_a_file_that_goes_to_dev_null_is_removed():
    assert [file.path for file in PatchSet(DELETED).removed_files] == ["old.txt"]

from unidiff import PatchSet


def test_a_file_without_lines_left_is_removed():
    patch = PatchSet("--- a/old.txt\n+++ b/old.txt\n@@ -1,2 +0,0 @@\n-one\n-two\n")

    assert [file.path for file in patch.removed_files] == ["old.txt"]
    assert patch.modified_files == []

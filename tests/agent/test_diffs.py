"""Unified diffs are placed by their context."""

import difflib

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bot.agent.diff_reading import parse_diff, readable, touched_lines
from bot.agent.diffs import FileDiff, patched, reversed_diffs
from bot.agent.texts import Unplaced

lines = st.lists(st.sampled_from(["a\n", "b\n", "  c\n", "\n", "@@\n"]), min_size=1, max_size=30)
OLD = "one\ntwo\nthree\nfour\nfive\n"


def a_diff(*hunks: str, path: str = "a.txt") -> str:
    return f"--- a/{path}\n+++ b/{path}\n" + "".join(hunks)


def applied(old: str, diff: str) -> str | Unplaced:
    files = parse_diff(diff)
    if isinstance(files, Unplaced):
        return files
    return patched(old, files[0])


def parts(diff: str) -> tuple[FileDiff, ...]:
    files = parse_diff(diff)
    assert not isinstance(files, Unplaced)
    return files


def refused(answer: str | Unplaced) -> str:
    assert isinstance(answer, Unplaced)
    return answer.reason


def test_where_a_file_was_touched_is_told_by_the_lines_as_they_are_then() -> None:
    old = "".join(f"{number}\n" for number in range(1, 41))
    new = old.replace("5\n6\n", "5\nnew\n6\n").replace("\n30\n", "\nother\n")
    diff = "".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "a/a.txt", "b/a.txt"))

    assert touched_lines(diff) == {
        "a.txt": tuple(at for at, line in enumerate(new.split("\n"), 1) if line in ("new", "other"))
    }


def test_a_header_without_counts_is_applied() -> None:
    assert applied(OLD, a_diff("@@ -2 +2 @@\n-two\n+TWO\n")) == OLD.replace("two", "TWO")


def test_a_bare_header_is_applied() -> None:
    assert applied(OLD, a_diff("@@\n two\n-three\n+THREE\n")) == OLD.replace("three", "THREE")


def test_a_hunk_with_wrong_line_numbers_is_placed_by_its_only_context() -> None:
    assert applied(OLD, a_diff("@@ -999,3 +999,4 @@\n two\n-three\n+THREE\n+more\n four\n")) == OLD.replace(
        "three", "THREE\nmore"
    )


def test_one_bad_hunk_is_named_and_nothing_is_written() -> None:
    diff = a_diff("@@ -1 +1 @@\n-one\n+ONE\n", "@@ -4 +4 @@\n-vier\n+VIER\n")

    assert "hunk 2 can't be placed, so nothing of the diff was written" in refused(applied(OLD, diff))


def test_tabs_for_spaces_are_refused_and_not_guessed() -> None:
    answer = refused(applied("def a():\n\treturn 1\n", a_diff("@@ -2 +2 @@\n-    return 1\n+    return 2\n")))

    assert "other white space" in answer


def test_a_context_that_is_there_twice_goes_where_the_header_says() -> None:
    old = "x\na\nx\na\n"

    assert applied(old, a_diff("@@ -4 +4 @@\n-a\n+b\n")) == "x\na\nx\nb\n"
    assert "2 times" in refused(applied(old, a_diff("@@ -9 +9 @@\n-a\n+b\n")))


def test_later_hunks_move_with_what_earlier_ones_added() -> None:
    old = "a\nx\na\nx\n"
    diff = a_diff("@@ -1 +1,3 @@\n-a\n+a1\n+a2\n+a3\n", "@@ -3 +5 @@\n-a\n+b\n")

    assert "2 times" not in str(applied(old, diff))
    assert applied(old, diff) == "a1\na2\na3\nx\nb\nx\n"


def test_lines_are_added_after_the_line_that_the_header_names() -> None:
    assert applied(OLD, a_diff("@@ -2,0 +3 @@\n+new\n")) == OLD.replace("two\n", "two\nnew\n")


@pytest.mark.parametrize("header", ["@@ -2,6 +2,7 @@", "@@ -9,0 +10 @@", "@@ -6,0 +7 @@", "@@"])
def test_lines_that_nothing_places_are_refused(header: str) -> None:
    assert "none around them" in refused(applied(OLD, a_diff(f"{header}\n+new\n")))


def test_lines_are_added_at_the_end() -> None:
    assert applied(OLD, a_diff("@@ -5,0 +6 @@\n+six\n")) == OLD + "six\n"
    assert applied(OLD, a_diff("@@ -5 +5,2 @@\n five\n+six\n")) == OLD + "six\n"


@pytest.mark.parametrize(
    ("old", "body", "new"),
    [
        ("a\nb", "-b\n\\ No newline at end of file\n+b\n", "a\nb\n"),
        ("a\nb\n", "-b\n+b\n\\ No newline at end of file\n", "a\nb"),
        ("a\nb", "-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n", "a\nc"),
        ("a\nb", " b\n\\ No newline at end of file\n", "a\nb"),
        ("a\nb", "-b\n\\ No newline at end of file\n+b\n+c\n", "a\nb\nc\n"),
    ],
)
def test_a_newline_at_the_end_comes_and_goes_as_the_diff_says(old: str, body: str, new: str) -> None:
    diff = a_diff(f"@@ -1,2 +1,2 @@\n-a\n+A\n{body}")

    assert applied(old, diff) == new.replace("a", "A")
    files = parse_diff(diff)
    assert not isinstance(files, Unplaced)
    assert patched(new.replace("a", "A"), reversed_diffs(files)["a.txt"]) == old


@pytest.mark.parametrize(
    "names",
    [
        "--- a.txt\n+++ a.txt\n",
        "--- i/a.txt\n+++ w/a.txt\n",
        "--- a.txt (original)\n+++ a.txt (modified)\n",
        "--- a.txt\t2024-01-01 10:00:00\n+++ a.txt 2024-01-01 11:00:00\n",
        '--- "a/a.txt"\n+++ "b/a.txt"\n',
        "diff --git a/a.txt b/a.txt\nindex 1..2 100644\n--- a/a.txt\n+++ b/a.txt\n",
        "Index: a.txt\n=======\n--- a.txt\n+++ a.txt\n",
    ],
)
def test_paths_are_read_in_all_their_forms(names: str) -> None:
    (file,) = parts(f"{names}@@ -2 +2 @@\n-two\n+TWO\n")

    assert (file.old_path, file.new_path) == ("a.txt", "a.txt")


def test_a_folder_named_a_stays_and_bytes_in_a_quoted_path_are_read() -> None:
    (folder,) = parts("--- a/x.txt\n+++ a/x.txt\n@@ -1 +1 @@\n-x\n+y\n")
    (quoted,) = parts('--- "a/na\\303\\257.txt"\n+++ "b/na\\303\\257.txt"\n@@ -1 +1 @@\n-x\n+y\n')

    assert (folder.new_path, quoted.new_path) == ("a/x.txt", "na\u00ef.txt")


def test_lines_of_a_hunk_that_look_like_a_files_names_are_lines() -> None:
    diff = a_diff("@@ -1,3 +1,3 @@\n x\n--- old\n+++ new\n y\n", path="a.sql")

    assert applied("x\n-- old\ny\n", diff) == "x\n++ new\ny\n"


GOOD = "diff --git a/a.txt b/a.txt\n" + a_diff("@@ -2 +2 @@\n-two\n+TWO\n")


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("diff --git a/b.sh b/b.sh\nold mode 100644\nnew mode 100755\n", "mode"),
        ("diff --git a/b.png b/b.png\nindex 1..2 100644\nBinary files a/b.png and b/b.png differ\n", "binary"),
        ("diff --git a/b.png b/b.png\nindex 1..2\nGIT binary patch\nliteral 3\nKcmZQz\n\n", "binary"),
        ("diff --git a/b.txt b/b.txt\nindex 1..2 100644\n", "no hunk"),
        ("--- a/b.txt\n+++ b/b.txt\nwords\n", "no hunk"),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "names no file"),
    ],
)
def test_a_part_that_cant_be_done_is_not_passed_over(part: str, words: str) -> None:
    for diff in (part + GOOD, GOOD + part):
        answer = parse_diff(diff)
        assert isinstance(answer, Unplaced)
        assert words in answer.reason or "begins with neither" in answer.reason
    assert len(readable(part + GOOD)) == 1


def test_a_number_of_any_length_is_read() -> None:
    assert applied(OLD, a_diff(f"@@ -{'9' * 5000} +1 @@\n-two\n+TWO\n")) == OLD.replace("two", "TWO")


def test_an_empty_context_line_may_have_lost_its_space() -> None:
    assert applied("a\n\nb\n", a_diff("@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n")) == "a\n\nc\n"


def test_a_removed_line_that_looks_like_a_header_is_a_removed_line() -> None:
    assert applied("x\n-- comment\ny\n", a_diff("@@ -1,3 +1,2 @@\n x\n--- comment\n y\n")) == "x\ny\n"


def test_a_diff_that_changes_nothing_is_no_success() -> None:
    assert "changes nothing" in refused(applied(OLD, a_diff("@@ -2 +2 @@\n-two\n+two\n")))


def test_a_diff_without_paths_or_hunks_is_answered() -> None:
    assert "names no file" in refused(applied(OLD, "@@ -1 +1 @@\n-one\n+ONE\n"))
    assert "no hunk" in refused(applied(OLD, a_diff("")))


def test_one_diff_may_hold_several_files() -> None:
    diff = (
        "diff --git a/a b/a\n" + a_diff("@@ -1 +1 @@\n-x\n+y\n", path="a") + a_diff("@@ -1 +1 @@\n-p\n+q\n", path="b")
    )

    files = parse_diff(diff)

    assert not isinstance(files, Unplaced)
    assert [file.new_path for file in files] == ["a", "b"]


def test_a_reversed_diff_undoes_it() -> None:
    files = parse_diff(a_diff("@@ -2,2 +2,3 @@\n two\n-three\n+drei\n+mehr\n"))
    assert not isinstance(files, Unplaced)
    new = patched(OLD, files[0])
    assert isinstance(new, str)

    assert patched(new, reversed_diffs(files)["a.txt"]) == OLD


@settings(deadline=None)
@given(lines, lines)
def test_what_a_real_diff_says_is_what_comes_out(old: list[str], new: list[str]) -> None:
    diff = "".join(difflib.unified_diff(old, new, "a/a.txt", "b/a.txt"))
    assume(diff)

    assert applied("".join(old), diff) == "".join(new)

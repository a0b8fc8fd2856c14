"""Unified diffs are placed by their context."""

import difflib

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bot.agent.diffs import parse_diff, patched, reversed_diffs
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


def refused(answer: str | Unplaced) -> str:
    assert isinstance(answer, Unplaced)
    return answer.reason


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

from hypothesis import given
from hypothesis import strategies as st

from bot.writing.places import places_of
from tests.writing.builders import PATCH, a_hunk
from tests.writing.foreign import foreign_text, patiently

METHOD = """\
diff --git a/shop/cart.py b/shop/cart.py
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -40,9 +40,10 @@ class Cart:
         self.lines = lines

     def total(self):
-        return 0
+        found = [line.price for line in self.lines]
+        return sum(found)

     def clear(self):
         self.lines = []

-LIMIT = 10
+LIMIT = 20
@@ -90,3 +91,2 @@ def last(cart):
     line = cart.lines[-1]
-    print(line)
     return line
"""


def places(patch: str) -> list[tuple[str, int, int, str]]:
    return [(each.hunk.path, each.hunk.start, each.hunk.lines, each.within) for each in places_of(patch)]


def test_each_run_of_changed_lines_is_a_place_with_the_function_around_it() -> None:
    assert places(PATCH) == [("prices.py", 2, 1, "total")]
    assert places(METHOD) == [
        ("shop/cart.py", 43, 2, "Cart.total"),
        ("shop/cart.py", 49, 1, ""),
        ("shop/cart.py", 91, 0, "last"),
    ]


def test_a_function_that_is_added_is_named_itself() -> None:
    header = "diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -1,0 +1,3 @@\n"
    patch = f"{header}+export async function tax(sum) {{\n+  return 1\n+}}\n"

    assert places(patch) == [("a.js", 1, 3, "tax")]


def test_a_place_holds_its_lines_as_in_a_diff() -> None:
    (place,) = places_of(PATCH)

    assert place.hunk.text == "-    return sum(prices[1:])\n+    return sum(prices)"


def test_lines_that_look_like_headers_inside_a_hunk_are_lines() -> None:
    patch = (
        "diff --git a/a.sql b/a.sql\n--- a/a.sql\n+++ b/a.sql\n@@ -1,2 +1,2 @@\n"
        "--- a/old comment\n+++ b/new comment\n select 1;\n"
        "diff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n"
    )

    assert places(patch) == [("a.sql", 1, 1, ""), ("b.txt", 1, 1, "")]


def test_paths_that_git_quotes_are_read_back() -> None:
    name = r"t\303\251st\t.py"
    patch = f'diff --git "a/{name}" "b/{name}"\n--- "a/{name}"\n+++ "b/{name}"\n@@ -1 +1 @@\n-a\n+b\n'

    assert places(patch) == [("tést\t.py", 1, 1, "")]


def test_a_file_that_is_taken_away_has_no_place_in_the_head() -> None:
    patch = (
        "diff --git a/old.py b/old.py\ndeleted file mode 100644\n--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x = 1\n"
    )

    assert places(patch) == []


def test_what_is_no_text_has_no_place() -> None:
    header = "diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\n"
    patch = f"{header}literal 5\nMc$@)l@@ -1 +1 @@\n\nliteral 0\nHc$\n"

    assert places(patch) == []


def test_a_hunk_that_was_cut_in_another_way_meets_its_place() -> None:
    (place,) = places_of(PATCH)

    assert place.meets(a_hunk(start=1, lines=2))
    assert place.meets(a_hunk(start=1, lines=0))
    assert not place.meets(a_hunk(start=9))
    assert not place.meets(a_hunk(path="other.py"))


@patiently
@given(
    st.lists(st.sampled_from(["diff --git a/a b/a", "--- a/a", "+++ b/a", "@@ -1,9 +1,9 @@", "+x", "-x", " x"])),
    foreign_text,
)
def test_no_text_is_too_strange_to_be_read(lines: list[str], text: str) -> None:
    for place in places_of("\n".join([*lines, text])):
        assert place.hunk.start >= 0

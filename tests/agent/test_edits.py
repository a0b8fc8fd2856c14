"""A change is placed exactly where it says, or not at all."""

import re

import pytest

from bot.agent.actions import Edit, Write
from bot.agent.edits import replaced
from bot.agent.paths import path_refusal
from bot.agent.prompts import prompt
from bot.agent.texts import Unplaced
from bot.agent.whole import whole_file

THREE = "def a():\n    return None\n\n\ndef b():\n    return None\n\n\ndef c():\n    return None\n"
LONG = "".join(f"line_{number} = {number}\n" for number in range(200))


def refused(answer: str | Unplaced) -> str:
    assert isinstance(answer, Unplaced)
    return answer.reason


@pytest.mark.parametrize("whole_lines", [True, False])
@pytest.mark.parametrize("search", ["return None", "    return None\n"])
def test_a_text_that_is_there_three_times_is_refused_with_its_lines(search: str, *, whole_lines: bool) -> None:
    answer = replaced(THREE, Edit("a.py", search, "return 1", whole_lines))

    assert "3 times, at lines 2, 6, 10" in refused(answer)


def test_lines_above_make_it_unique() -> None:
    answer = replaced(THREE, Edit("a.py", "def b():\n    return None\n", "def b():\n    return 1\n", whole_lines=True))

    assert answer == THREE.replace("def b():\n    return None", "def b():\n    return 1")


def test_a_whole_line_is_not_found_inside_a_longer_one() -> None:
    answer = replaced("x = 1\nx = 10\n", Edit("a.py", "x = 1\n", "x = 2\n", whole_lines=True))

    assert answer == "x = 2\nx = 10\n"


def test_a_search_matches_a_last_line_without_newline() -> None:
    assert replaced("a\nb", Edit("a.py", "b\n", "c\n", whole_lines=True)) == "a\nc"
    assert replaced("a\nb", Edit("a.py", "a\nb\n", "c\n")) == "c"


BODY = "def a():\n    x = 1\n    y = 2\n"


@pytest.mark.parametrize(
    ("search", "replace", "new"),
    [
        ("x = 1\n", "x = 3\n", BODY.replace("1", "3")),
        ("x = 1\n    y = 2\n", "x = 3\n    y = 4\n", BODY.replace("1", "3").replace("2", "4")),
    ],
)
def test_a_first_line_without_its_indentation_keeps_the_files(search: str, replace: str, new: str) -> None:
    assert replaced(BODY, Edit("a.py", search, replace, whole_lines=True)) == new


@pytest.mark.parametrize("replace", ["", "if z:\n    x = 3\n", "    x = 3\n"])
def test_but_not_where_that_would_put_other_lines_in_the_wrong_place(replace: str) -> None:
    assert "other white space" in refused(replaced(BODY, Edit("a.py", "x = 1\n", replace, whole_lines=True)))


@pytest.mark.parametrize("old", ["foo_x = 1\n", "x = 10\n", "self.x = 1\n", "x = 1  # why\n"])
def test_lines_are_no_part_of_longer_lines(old: str) -> None:
    assert "not in the file" in refused(replaced(old, Edit("a.py", "x = 1\n", "x = 2\n", whole_lines=True)))


@pytest.mark.parametrize(
    ("search", "replace", "new"),
    [("a\n\n\n", "a\n\n", "a\n\nb\n"), ("b\n", "b\n\n", "a\n\n\nb\n\n"), ("b\n\n", "c\n\n", "a\n\n\nc\n")],
)
def test_blank_lines_at_the_end_of_a_passage_count_where_they_are_there(search: str, replace: str, new: str) -> None:
    assert replaced("a\n\n\nb\n", Edit("a.py", search, replace, whole_lines=True)) == new


def test_a_replacement_that_would_join_the_next_line_is_refused() -> None:
    assert "join the next line" in refused(replaced("a\nb\nc\n", Edit("a.py", "b\n", "B")))
    assert replaced("a\nb\nc\n", Edit("a.py", "b\n", "")) == "a\nc\n"
    assert replaced("a\nb\nc\n", Edit("a.py", "b", "B")) == "a\nB\nc\n"


def test_an_empty_replace_removes_the_lines() -> None:
    assert replaced("a\nb\nc\n", Edit("a.py", "b\n", "", whole_lines=True)) == "a\nc\n"


def test_a_text_that_is_not_there_is_answered_with_the_nearest_lines_as_they_are() -> None:
    answer = refused(replaced(THREE, Edit("a.py", "def bb():\n    return None\n", "x", whole_lines=True)))

    assert "not in the file" in answer
    assert "def b():\n    return None" in answer


def test_the_nearest_lines_are_found_however_far_down_they_stand() -> None:
    old = "".join(f"line_{number} = {number}\n" for number in range(50_000))
    search = "line_45000 = 45000\nline_45001 = 0\n"

    assert "line_45001 = 45001" in refused(replaced(old, Edit("a.py", search, "x\n", whole_lines=True)))


def test_other_white_space_is_named_and_never_guessed() -> None:
    answer = refused(replaced("def a():\n\treturn 1\n", Edit("a.py", "    return 1", "    return 2", whole_lines=True)))

    assert "other white space" in answer
    assert "\treturn 1" in answer


@pytest.mark.parametrize(
    "placeholder",
    [
        "# ... rest of the file unchanged",
        "(rest of methods ...)",
        "# ... existing code ...",
        "// ... existing code ...",
        "/* ... rest of the code ... */",
        "<!-- ... rest unchanged ... -->",
        "# (other methods remain unchanged) ...",
        "# rest of the code remains the same",
        "# The rest of the class stays as it is",
        "# existing methods unchanged",
        "... (rest of the code)",
        "# …rest of the file…",
        "# ...",
        "# existing code here",
        "pass  # unchanged",
        "return  # ... unchanged",
        "{/* ... */}",
        "{/* rest of component */}",
        "<!-- existing content -->",
        "# [rest of the file]",
        "<rest of the code>",
        "# Other methods...",
        "# same as before",
        "// unchanged",
        "// keep existing code",
        "# code omitted for brevity",
        "# [snip]",
        "# ... (rest of code)",
        "-- ... rest of the query ...",
        "-- rest of the file unchanged --",
        ";; ... rest of the code",
        "% ... existing code ...",
        "{- ... rest of module -}",
        "(* ... rest of module *)",
        "{# rest of template #}",
        "{{!-- rest of template --}}",
        "<%-- rest of page --%>",
        "@* ... rest ... *@",
        "REM ... rest of file",
        "dnl rest of file",
        "! ... rest of program",
        "/// ... rest of code",
        "* ... rest of the class",
        "|# ... #|",
        "//…",
        "[...]",
        "[rest of the file]",
        "(unchanged)",
        "<existing code>",
        "rest of the file unchanged",
        "... (snip) ...",
        "# ... more code ...",
        "# ... 150 lines ...",
        "# [180 lines omitted]",
        "# lines 10-200 unchanged",
        "# No changes below",
        "# === rest of the code ===",
        "# (the code above is unchanged)",
        "// Your existing code here",
        "# Keep all other functions as they are",
        "# all other methods remain the same",
        "# [Previous code remains the same]",
        "# Include the rest of the existing code",
        "pass  # existing implementation",
        "raise NotImplementedError  # unchanged",
        "...  # rest of the method",
        "# 其余代码保持不变",
        "// остальной код без изменений",
        "...",
    ],
)
def test_a_whole_file_with_a_placeholder_for_the_rest_is_refused(placeholder: str) -> None:
    answer = whole_file(LONG, Write("a.py", f"line_0 = 0\nline_1 = 5\n\n{placeholder}\n"))

    assert "stands for code that was left out" in refused(answer)


@pytest.mark.parametrize(
    "line",
    [
        "# ... rest of the file unchanged",
        "...",
    ],
)
def test_a_placeholder_that_was_there_before_is_fine(line: str) -> None:
    old = f"def a(): ...\n{line}\n"

    assert whole_file(old, Write("a.py", f"def b(): ...\n{line}\n")) == f"def b(): ...\n{line}\n"


@pytest.mark.parametrize(
    "line",
    [
        "f(...args)",
        "const {a, ...rest} = b",
        "{ ...existing, a: 1 }",
        "...existing,",
        "[...previous, item]",
        "<Component {...rest} />",
        "# the rest of the arguments are passed on",
        "# the remaining tests rely on this",
        "// unchanged since 1.0",
        "    ...",
        "x = [...]",
        "print('loading...')",
        "# wait for the other thread",
        "# imports",
        "def f(): ...",
        "# Other imports",
        "# omitted fields are None",
        "# existing tests rely on it",
        "# return the remaining tokens",
        "# skip the rest of the line",
        "# keep the existing value",
        "# no changes are made to the input here",
        "# Keep existing files",
        "# the existing code here assumes ASCII",
        "# --- remaining arguments ---",
        "print('...')  # dots",
        ">>> ...",
        "[rest]",
        "<rest/>",
    ],
)
def test_dots_that_are_code_or_prose_are_no_placeholder(line: str) -> None:
    assert whole_file("x = 1\n", Write("a.py", f"x = 2\n{line}\n")) == f"x = 2\n{line}\n"


def test_a_quotation_mark_begins_a_comment_only_in_a_language_where_it_does() -> None:
    line = '" ... rest of the file",'

    assert whole_file("x = 1\n", Write("a.py", f"x = 2\n{line}\n")) == f"x = 2\n{line}\n"
    assert "left out" in refused(whole_file("set nu\n", Write("a.vim", f"set nu\n{line}\n")))


def test_dots_alone_are_text_in_a_text_file() -> None:
    assert whole_file("a: 1\n", Write("a.yml", "a: 2\n...\n")) == "a: 2\n...\n"


def test_a_function_whose_body_became_three_dots_is_refused_and_a_stub_that_was_one_is_not() -> None:
    old = "class A:\n    def b(self):\n        return 1\n\n    def c(self): ...\n"

    assert "the body of A.b" in refused(whole_file(old, Write("a.py", old.replace("return 1", "..."))))
    assert whole_file(old, Write("a.py", old.replace("1", "2"))) == old.replace("1", "2")


def test_a_placeholder_in_a_replacement_is_refused_too() -> None:
    answer = replaced(
        "def a():\n    x = 1\n    y = 2\n", Edit("a.py", "    x = 1\n    y = 2\n", "    # ... same as before\n")
    )

    assert "left out" in refused(answer)


def test_a_fence_cant_say_that_a_file_has_no_newline_at_its_end_so_the_unchanged_end_stays() -> None:
    assert whole_file("a\nb", Write("a.py", "A\nb\n", fenced=True)) == "A\nb"


def test_a_last_line_whose_end_was_forgotten_keeps_it() -> None:
    assert whole_file("a\nb\n", Write("a.py", "A\nb")) == "A\nb\n"


def test_a_mark_of_byte_order_that_the_answer_repeats_is_not_doubled() -> None:
    assert whole_file("a\n", Write("a.py", "\ufeffA\n")) == "A\n"


def test_an_excerpt_is_not_taken_for_a_long_file() -> None:
    answer = refused(whole_file(LONG, Write("a.py", "line_5 = 6\nline_6 = 6\n", fenced=True)))

    assert "200 lines of text, the answer only 2" in answer
    assert whole_file(LONG, Write("a.py", LONG[len(LONG) // 3 :])) == LONG[len(LONG) // 3 :]


def test_a_first_line_that_named_the_file_stays_where_the_file_has_it() -> None:
    write = Write("a.py", "x = 2\n", fenced=True, heading="# a.py\n")

    assert whole_file("# a.py\nx = 1\n", write) == "# a.py\nx = 2\n"
    assert whole_file("x = 1\n", write) == "x = 2\n"


def test_a_file_that_came_as_html_is_refused_and_one_that_is_html_is_not() -> None:
    code = "if a < b and c > d:\n    pass\n"
    page = "<b>a</b> & c\n"

    assert "&lt;" in refused(whole_file(code, Write("a.py", code.replace("<", "&lt;").replace(">", "&gt;"))))
    assert whole_file(page, Write("a.html", "<b>a</b> &lt; c\n")) == "<b>a</b> &lt; c\n"


def test_an_empty_answer_does_not_empty_a_file() -> None:
    assert "would empty" in refused(whole_file("a\n", Write("a.py", "")))
    assert whole_file(None, Write("pkg/__init__.py", "")) == ""


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../other/a.py",
        "src/../../a.py",
        ".git/config",
        "sub/.git/hooks/pre-push",
        ".GIT/config",
        ".github/workflows/ci.yml",
        "./.github/workflows/ci.yml",
        ".GitHub/Workflows/ci.yml",
        "C:/a.py",
        "src\\a.py",
        "~/a.py",
        "",
        "a\0b",
        ".",
        "./",
        " /etc/passwd",
        "https://example.com/a.py",
        "file:///etc/passwd",
        ".git./config",
        ".git /config",
        "git~1/config",
        ".g\u200cit/config",
        ".github/workflows./ci.yml",
        "a\u200b.py",
        "a\x1b.py",
        "a\ud800.py",
        "n" * 300,
        "d/" * 600 + "a",
    ],
)
def test_a_path_outside_the_change_is_refused_with_the_reason(path: str) -> None:
    assert path_refusal(path)


@pytest.mark.parametrize("path", ["src/a.py", ".github/selfcode.yml", ".gitignore", "a..b.py", "docs/git/a.md", ".env"])
def test_an_ordinary_path_is_not(path: str) -> None:
    assert path_refusal(path) == ""


@pytest.mark.parametrize("words", ["fenced", "json", "alone"])
@pytest.mark.parametrize("old", [None, "x = 1\n", LONG])
def test_the_words_of_our_own_examples_are_no_code(words: str, old: str | None) -> None:
    examples = re.findall(r"(?m)^\((?:every|lines)[^)\n]*\)$|(?<=\")\(every[^)]*\)(?=\")|^# every.*$", prompt(words))

    assert examples
    for example in examples:
        assert "write the code itself" in refused(whole_file(old, Write("a.py", f"{example}\n"))).lower()


def test_code_that_only_says_so_in_a_comment_is_code() -> None:
    new = "# every line of the file is read\nx = 2\n"

    assert whole_file("x = 1\n", Write("a.py", new)) == new

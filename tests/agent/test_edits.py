"""A change is placed exactly where it says, or not at all."""

import pytest

from bot.agent.actions import Edit, Write
from bot.agent.edits import path_refusal, replaced, whole_file
from bot.agent.texts import Unplaced

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


def test_an_empty_replace_removes_the_lines() -> None:
    assert replaced("a\nb\nc\n", Edit("a.py", "b\n", "", whole_lines=True)) == "a\nc\n"


def test_a_text_that_is_not_there_is_answered_with_the_nearest_lines_as_they_are() -> None:
    answer = refused(replaced(THREE, Edit("a.py", "def bb():\n    return None\n", "x", whole_lines=True)))

    assert "not in the file" in answer
    assert "def b():\n    return None" in answer


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
    ],
)
def test_dots_that_are_code_or_prose_are_no_placeholder(line: str) -> None:
    assert whole_file("x = 1\n", Write("a.py", f"x = 2\n{line}\n")) == f"x = 2\n{line}\n"


def test_a_placeholder_in_a_replacement_is_refused_too() -> None:
    answer = replaced(
        "def a():\n    x = 1\n    y = 2\n", Edit("a.py", "    x = 1\n    y = 2\n", "    # ... same as before\n")
    )

    assert "left out" in refused(answer)


def test_a_fence_cant_say_that_a_file_has_no_newline_at_its_end_so_the_unchanged_end_stays() -> None:
    assert whole_file("a\nb", Write("a.py", "A\nb\n", fenced=True)) == "A\nb"


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
    ],
)
def test_a_path_outside_the_change_is_refused_with_the_reason(path: str) -> None:
    assert path_refusal(path)


@pytest.mark.parametrize("path", ["src/a.py", ".github/selfcode.yml", ".gitignore", "a..b.py", "docs/git/a.md", ".env"])
def test_an_ordinary_path_is_not(path: str) -> None:
    assert path_refusal(path) == ""

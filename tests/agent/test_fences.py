"""The fenced dialect: what a reply's blocks ask for."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.agent.actions import Delete, Edit, Finish, ListFolder, Patch, Read, Run, Search, Write
from bot.agent.fences import CUT_OFF, ESCAPED, NO_END, NO_PATH, NUL, parse_reply
from bot.agent.naming import read_info
from bot.agent.quoting import fenced


def actions(text: str) -> list[object]:
    parsed = parse_reply(text)
    assert parsed.problem == ""
    return [request.action for request in parsed.requests]


def problem(text: str, *, is_truncated: bool = False) -> str:
    parsed = parse_reply(text, is_truncated=is_truncated)
    assert parsed.requests == ()
    return parsed.problem


def test_a_path_on_the_fence_makes_a_whole_file() -> None:
    assert actions("Here:\n\n```python path=src/a.py\nx = 1\n```\n") == [Write("src/a.py", "x = 1\n", fenced=True)]


@pytest.mark.parametrize(
    "line",
    [
        "src/a.py",
        "**src/a.py**",
        "`src/a.py`:",
        "### src/a.py",
        "### 1. `src/a.py`",
        "1. `src/a.py`:",
        "- src/a.py",
        "File: src/a.py",
        "## File: `src/a.py`",
        "**src/a.py** (updated)",
        "[`src/a.py`](src/a.py)",
        "File path: `src/a.py`",
        "New file: src/a.py",
        "### src/a.py (new file)",
        "src/a.py\n",
    ],
)
def test_a_path_on_the_line_before_the_fence_does_too(line: str) -> None:
    assert actions(f"I change this.\n\n{line}\n```python\nx = 1\n```\n") == [Write("src/a.py", "x = 1\n", fenced=True)]


@pytest.mark.parametrize(
    "comment",
    [
        "# src/a.py",
        "# file: src/a.py",
        "// path: src/a.py",
        "# filepath: src/a.py",
        "/* src/a.py */",
        "<!-- src/a.py -->",
        "# path=src/a.py",
        "# src/a.py (updated)",
        '"""src/a.py"""',
        "(* src/a.py *)",
    ],
)
def test_a_path_in_the_first_lines_comment_is_one_and_no_part_of_the_file(comment: str) -> None:
    (request,) = parse_reply(f"```python\n{comment}\nx = 1\n```\n").requests

    assert request.action == Write("src/a.py", "x = 1\n", fenced=True, heading=f"{comment}\n")


@pytest.mark.parametrize(
    "line",
    [
        "**Input/Output:**",
        "### Before/After",
        "`calc.add`:",
        "numpy.array",
        "### v1.2",
        "e.g.",
        "src/a.py (lines 10-20)",
        "src/a.py:10",
        "Here is the updated add function in `src/a.py`:",
        "The fixed method in `src/a.py` should look like this:",
    ],
)
def test_words_that_may_mean_something_else_name_no_file(line: str) -> None:
    assert problem(f"{line}\n\n```python\nx = 1\n```\n") == NO_PATH


def test_a_file_without_an_ending_may_be_named_too() -> None:
    assert actions("**Makefile**\n\n```make\nall:\n```\n") == [Write("Makefile", "all:\n", fenced=True)]


def test_words_that_announce_a_whole_file_name_it_and_words_before_an_excerpt_do_not() -> None:
    whole = parse_reply("Here is the updated `src/a.py`:\n\n```python\nx = 1\n```\n")
    excerpt = parse_reply("The fault is in `src/a.py`:\n\n```python\nx = 1\n```\n")

    assert [request.action for request in whole.requests] == [Write("src/a.py", "x = 1\n", fenced=True)]
    assert excerpt.requests == ()


@pytest.mark.parametrize(
    ("info", "language", "path"),
    [
        ("c++", "c++", None),
        (".env", ".env", None),
        ("text/x-python", "text/x-python", None),
        ("python3", "python3", None),
        ("Python", "python", None),
        ('python title="a.py"', "python", "a.py"),
        ("python path=src/a.py", "python", "src/a.py"),
        ("python filename='my dir/a.py'", "python", "my dir/a.py"),
        ("python {path=a.py}", "python", "a.py"),
        ("python:src/a.py", "python", "src/a.py"),
        ("python src/a.py", "python", "src/a.py"),
        ("src/a.py", "", "src/a.py"),
        ("path=src/a.py", "", "src/a.py"),
        ("a.cs", "", "a.cs"),
        ("filepath: src/a.py", "", "src/a.py"),
        ('python file_path="src/a.py"', "python", "src/a.py"),
        ("python filepath=src/a.py", "python", "src/a.py"),
        ('{.python filename="a.py"}', "", "a.py"),
        ("python # src/a.py", "python", "src/a.py"),
        ("python (src/a.py)", "python", "src/a.py"),
        ("python `src/a.py`", "python", "src/a.py"),
        ("python src/a.py (new file)", "python", "src/a.py"),
        ("make Makefile", "make", "Makefile"),
        ("python path=src/a.py lines=10-20", "python", None),
        ("python path=src/a.py:10-20", "python", None),
        ("python path=src/a.py#L10-L20", "python", None),
        ('bash title="Run the tests"', "bash", None),
        ('python title="Fix 1.5"', "python", None),
        ("python name=example", "python", None),
        ('python hl_lines="2 3"', "python", None),
        ("node.js", "node.js", None),
        ("", "", None),
    ],
)
def test_info_strings_of_all_kinds_are_read(info: str, language: str, path: str | None) -> None:
    assert read_info(info) == (language, path)


@pytest.mark.parametrize("fence", ["```", "````", "~~~", "~~~~~"])
def test_any_commonmark_fence_will_do(fence: str) -> None:
    assert actions(f"{fence}c++ path=a.cc\nint x;\n{fence}\n") == [Write("a.cc", "int x;\n", fenced=True)]


def test_a_closer_may_be_longer_but_not_another_character() -> None:
    assert actions("```text path=a.txt\n~~~\n``\n`````\n") == [Write("a.txt", "~~~\n``\n", fenced=True)]


INNER = "# Title\n\n```bash\npip install x\n```\n\nMore.\n"


def test_a_longer_fence_holds_fences() -> None:
    assert actions(f"````markdown path=README.md\n{INNER}````\n") == [Write("README.md", INNER, fenced=True)]


@pytest.mark.parametrize("after", ["", "\n```finish\nDone.\n```\n", "\nSome words.\n\n```sh\nls\n```\n"])
def test_a_file_that_holds_fences_in_too_short_a_fence_is_refused_and_never_cut(after: str) -> None:
    assert "longer fence" in problem(f"```markdown path=README.md\n{INNER}```\n{after}")


def test_a_docstring_that_holds_a_bare_fence_is_refused_and_never_cut() -> None:
    code = 'def f():\n    """Example:\n\n```\nf()\n```\n    """\n    return 1\n'

    assert "longer fence" in problem(f"```python path=a.py\n{code}```\n")
    assert "longer fence" in problem(f"```python path=a.py\n{code}```\n\n```finish\nx\n```\n")


def test_output_quoted_after_a_python_file_is_no_reason_to_refuse_it() -> None:
    assert actions("```python path=a.py\nprint(1)\n```\n\nIt prints:\n\n```\n1\n```\n") == [
        Write("a.py", "print(1)\n", fenced=True)
    ]


@pytest.mark.parametrize("after", ["", "\n```finish\nDone.\n```\n"])
def test_a_path_inside_a_files_own_fence_is_no_next_block(after: str) -> None:
    text = "# Title\n\nFiles:\n\n```\nsrc/a.py\n```\n\nMore.\n"

    assert "longer fence" in problem(f"```markdown path=README.md\n{text}```\n{after}")


def test_two_files_under_bare_fences_are_two_where_a_blank_line_parts_them() -> None:
    assert actions("a.txt\n```\none\n```\n\nb.txt\n```\ntwo\n```\n") == [
        Write("a.txt", "one\n", fenced=True),
        Write("b.txt", "two\n", fenced=True),
    ]


@pytest.mark.parametrize("words", ["", "Words.\n"])
def test_a_fence_that_is_indented_too_far_to_close_is_no_end(words: str) -> None:
    assert problem(f"```python path=a.py\ndef f():\n    x\n    ```\n{words}") == NO_END


@pytest.mark.parametrize(
    "text",
    [
        "1. Change:\n\n   ```python path=a.py\n   x = 1\n   ```\n",
        "1. a.py\n\t```python\n\tx = 1\n\t```\n",
        "> ```python path=a.py\n> x = 1\n> ```\n",
        "```python path=a.py\r\nx = 1\r\n```\r\n",
        "\ufeff```python path=a.py\nx = 1\n```\n",
        "\u200b```python path=a.py\nx = 1\n\u200b```\n",
    ],
)
def test_a_block_in_a_list_or_quotation_or_behind_signs_that_nobody_sees_is_read(text: str) -> None:
    assert actions(text) == [Write("a.py", "x = 1\n", fenced=True)]


def test_lines_that_leave_their_list_leave_the_block_without_an_end() -> None:
    assert problem("- item\n\n  ```python path=a.py\nx = 1\n  ```\n") == NO_END


def test_a_nul_is_refused() -> None:
    assert problem("```python path=a.py\nx = '\0'\n```\n") == NUL


def test_a_python_file_too_deep_to_parse_is_read_nevertheless() -> None:
    assert problem(f"```python path=a.py\n{'-' * 200_000}1\n```\n\n```\nout\n```\n")


def test_a_line_number_of_any_length_is_read() -> None:
    (request,) = parse_reply(f"```read\na.py:{'9' * 5000}\n```\n").requests

    assert isinstance(request.action, Read)


@pytest.mark.parametrize("is_truncated", [True, False])
def test_a_block_without_an_end_was_cut_off_and_is_not_written(*, is_truncated: bool) -> None:
    assert problem("```python path=a.py\nx = 1\ny = ", is_truncated=is_truncated) == NO_END


def test_a_reply_that_was_cut_off_after_a_block_is_not_carried_out_either() -> None:
    assert problem("```python path=a.py\nx = 1\n```\nAnd then", is_truncated=True) == CUT_OFF


def test_search_and_replace() -> None:
    text = "```python path=a.py\n<<<<<<< SEARCH\n    x\n=======\n    y\n>>>>>>> REPLACE\n```\n"

    assert actions(text) == [Edit("a.py", "    x\n", "    y\n", whole_lines=True)]


def test_one_block_may_hold_several_pairs_and_the_path_on_its_first_line() -> None:
    pair = "<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n"
    text = "```\nsrc/a.py\n" + pair.format("a", "b") + "\n" + pair.format("c", "d") + "```\n"

    assert actions(text) == [
        Edit("src/a.py", "a\n", "b\n", whole_lines=True),
        Edit("src/a.py", "c\n", "d\n", whole_lines=True),
    ]


@pytest.mark.parametrize("indent", ["  ", ""])
def test_an_indented_fence_after_a_path_is_read(indent: str) -> None:
    block = "<<<<<<< SEARCH\n    return 1\n=======\n    return 2\n>>>>>>> REPLACE\n"
    body = "".join(f"{indent}{line}\n" for line in block.splitlines())

    assert actions(f"src/a.py\n  ```python\n{body}  ```\n") == [
        Edit("src/a.py", "    return 1\n", "    return 2\n", whole_lines=True)
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<<<<<<< SEARCH\nx\n=======\ny\n", "no >>>>>>> REPLACE line"),
        ("<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n", "no <<<<<<< SEARCH and ======="),
        ("<<<<<<< SEARCH\nTitle\n=======\nOld\n=======\nNew\n>>>>>>> REPLACE\n", "two lines of ======="),
        ("<<<<<<< SEARCH\nx\n<<<<<<< SEARCH\n", "inside another"),
        ("x\n=======\ny\n>>>>>>> REPLACE\n", "no <<<<<<< SEARCH and ======="),
        ("<<<<<<<\nx\n=======\ny\n>>>>>>>\n", "must read <<<<<<< SEARCH"),
        ("<<<<<<< SEARCH x = 1\n=======\ny\n>>>>>>> REPLACE\n", "stand below"),
        ("<<< SEARCH\nx\n===\ny\n>>> REPLACE\n", "no >>>>>>> REPLACE line"),
        ("<<<<<<< SEARCH\nx\n-------\ny\n>>>>>>> REPLACE\n", "no <<<<<<< SEARCH and ======="),
        ("<<<<<<< SEARCH\n    x\n    =======\n    y\n    >>>>>>> REPLACE\n", "no >>>>>>> REPLACE line"),
        ("<<<<<<< HEAD\na\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> main\n", "inside another"),
    ],
)
def test_malformed_pairs_are_answered_with_what_is_wrong(content: str, words: str) -> None:
    assert words in problem(f"```python path=a.py\n{content}```\n")


def test_a_file_that_is_about_such_pairs_is_not_taken_for_them() -> None:
    file = '"""Doc.\n\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"""\nimport re\n\n\ndef f():\n    pass\n'

    assert "unified diff" in problem(f"```python path=a.py\n{file}```\n")


@pytest.mark.parametrize("language", ["search path=a.py", "sh path=a.py", "finish path=a.py", "text path=a.py"])
def test_pairs_are_pairs_whatever_the_fence_says(language: str) -> None:
    assert actions(f"```{language}\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n") == [
        Edit("a.py", "x\n", "y\n", whole_lines=True)
    ]


def test_markers_that_were_written_as_html_are_refused_and_never_written_into_a_file() -> None:
    pair = "&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH\nx\n=======\ny\n&gt;&gt;&gt;&gt;&gt;&gt;&gt; REPLACE\n"

    assert problem(f"```python path=a.py\n{pair}```\n") == ESCAPED


def test_pairs_without_a_path_are_answered() -> None:
    assert "no path" in problem("```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n")


def test_code_without_a_path_is_answered() -> None:
    assert problem("Do this:\n\n```python\nx = 1\n```\n") == NO_PATH


def test_code_that_only_shows_something_beside_an_edit_is_passed_over() -> None:
    text = "The old code:\n\n```python\nx\n```\n\n```python path=a.py\nx = 1\n```\n"

    assert actions(text) == [Write("a.py", "x = 1\n", fenced=True)]


def test_looking_running_deleting_and_finishing() -> None:
    text = (
        "```read\nsrc/a.py\nsrc/b.py:3-9\n```\n```search\ndef a\n```\n```list\nsrc\n```\n"
        "```sh\npytest -q\n```\n```delete\nold.py\n```\n```finish\nAll\ndone.\n```\n"
    )

    assert actions(text) == [
        Read("src/a.py"),
        Read("src/b.py", 3, 9),
        Search("def a"),
        ListFolder("src"),
        Run("pytest -q\n"),
        Delete("old.py"),
        Finish("All done."),
    ]


@pytest.mark.parametrize(("language", "action"), [("read", Read("a.py")), ("delete", Delete("a.py"))])
def test_the_path_of_what_to_read_or_delete_may_stand_on_the_fence(language: str, action: object) -> None:
    assert actions(f"```{language} path=a.py\n```\n") == [action]


def test_prompts_in_a_console_transcript_are_taken_off() -> None:
    assert actions("```console\n$ ls\na.py\n$ pwd\n```\n") == [Run("ls\npwd")]


def test_a_shell_script_with_a_path_is_a_file() -> None:
    assert actions("```sh path=run.sh\nls\n```\n") == [Write("run.sh", "ls\n", fenced=True)]


def test_a_diff_is_a_patch() -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"

    assert actions(f"```diff\n{diff}```\n") == [Patch(diff)]


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"action": "read", "path": "a.py"}\n```\n',
        '```json\n[{"action": "read", "path": "a.py"}]\n```\n',
        '```json\n{"name": "read", "arguments": {"path": "a.py"}}\n```\n',
        '```json\n{"name": "read", "arguments": "{\\"path\\": \\"a.py\\"}"}\n```\n',
        '{"action": "read", "path": "a.py"}',
        '<tool_call>\n{"name": "read", "arguments": {"path": "a.py"}}\n</tool_call>',
        '<tool_call>\n{"name": "read", "arguments": {"path": "a.py"}}',
    ],
)
def test_actions_may_travel_as_json(text: str) -> None:
    assert actions(text) == [Read("a.py")]


def test_json_that_shows_something_is_no_action() -> None:
    assert parse_reply('The answer is:\n\n```json\n{"total": 3}\n```\n').requests == ()


def test_broken_json_that_was_meant_as_an_action_is_answered() -> None:
    (request,) = parse_reply('```json\n{"action": "read", "path": \n```\n').requests

    assert request.action is None
    assert "does not parse" in request.problem


def test_a_broken_call_beside_a_good_one_is_answered() -> None:
    good = '<tool_call>\n{"name": "read", "arguments": {"path": "a.py"}}\n</tool_call>\n'
    (read, broken) = parse_reply(f'{good}<tool_call>\n{{"name": "write", "argume\n</tool_call>').requests

    assert read.action == Read("a.py")
    assert "does not parse" in broken.problem


def test_a_lone_surrogate_in_json_is_answered() -> None:
    (request,) = parse_reply('```json\n{"action": "run", "command": "ls \\ud800"}\n```\n').requests

    assert request.action is None


def test_html_round_a_fence_does_not_hide_it() -> None:
    assert actions("<answer>\n```python path=a.py\nx = 1\n```\n</answer>\n") == [Write("a.py", "x = 1\n", fenced=True)]


@pytest.mark.parametrize("text", ["Certainly! Here is the file: <source>x = 1</source>", "", "I think that is all."])
def test_words_alone_ask_for_nothing(text: str) -> None:
    assert parse_reply(text).requests == ()


def test_the_prompts_own_example_is_read_as_it_is_meant() -> None:
    from bot.agent.prompts import prompt  # noqa: PLC0415

    found = [type(action) for action in actions(prompt("fenced"))]

    assert found == [Write, Write, Edit]


# --- What models write for what was asked


@pytest.mark.parametrize(
    "markers",
    [
        ("<<<<<<<  SEARCH", "=======", ">>>>>>>  REPLACE"),
        ("<<<<<<< search", "=======", ">>>>>>> replace"),
        ("<<<<<<< HEAD", "=======", ">>>>>>> main"),
        ("<<<<<<< ORIGINAL", "=======", ">>>>>>> UPDATED"),
        ("<<<<<<< SEARCH", "=======", ">>>>>>>"),
        ("<<<<< SEARCH", "=====", ">>>>> REPLACE"),
        ("<<<<<<< SEARCH", "======", ">>>>>> REPLACE"),
        ("<<<<<<<<<< SEARCH", "==========", ">>>>>>>>>> REPLACE"),
        ("<<<< SEARCH", "====", ">>>> REPLACE"),
        ("<<<<<<< BEFORE", "=======", ">>>>>>> AFTER"),
        ("<<<<<<< [SEARCH]", "=======", ">>>>>>> [REPLACE]"),
        ("<<<<<<< SEARCH (line 3)", "=======", ">>>>>>> REPLACE"),
        ("------- SEARCH", "=======", "+++++++ REPLACE"),
    ],
)
def test_markers_that_are_a_little_different_are_read_and_never_written_into_a_file(markers: tuple[str, ...]) -> None:
    search, divider, replace = markers

    assert actions(f"```python path=a.py\n{search}\nx\n{divider}\ny\n{replace}\n```\n") == [
        Edit("a.py", "x\n", "y\n", whole_lines=True)
    ]


def test_pairs_that_are_indented_as_a_whole_lose_that_indentation() -> None:
    text = "```python path=a.py\n  <<<<<<< SEARCH\n  def f():\n      x\n  =======\n  y\n  >>>>>>> REPLACE\n```\n"

    assert actions(text) == [Edit("a.py", "def f():\n    x\n", "y\n", whole_lines=True)]


def test_the_path_may_stand_on_the_marker() -> None:
    text = "```python\n<<<<<<< SEARCH src/a.py\nx\n=======\ny\n>>>>>>> REPLACE\n```\n"

    assert actions(text) == [Edit("src/a.py", "x\n", "y\n", whole_lines=True)]


def test_a_title_underlined_with_fewer_signs_is_no_divider() -> None:
    text = "```md path=a.md\n<<<<<<< SEARCH\nOld\n=====\n=======\nNew\n=====\n>>>>>>> REPLACE\n```\n"

    assert actions(text) == [Edit("a.md", "Old\n=====\n", "New\n=====\n", whole_lines=True)]


def test_pairs_that_were_cut_by_a_fence_inside_them_are_told_of_the_longer_fence() -> None:
    text = "```md path=a.md\n<<<<<<< SEARCH\n```\na\n```\n=======\n```\nb\n```\n>>>>>>> REPLACE\n```\n"

    assert "four backticks" in problem(text)


DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"
HUNKS = "@@ -1 +1 @@\n-x\n+y\n"


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{DIFF}```\n",
        f"```python\n{DIFF}```\n",
        f"```python path=a.py\n{DIFF}```\n",
        f"```python path=a.py\n{HUNKS}```\n",
        f"```diff path=a.py\n{HUNKS}```\n",
        f"a.py\n```diff\n{HUNKS}```\n",
    ],
)
def test_a_diff_is_one_whatever_its_fence_says_and_is_never_written_as_a_file(text: str) -> None:
    assert actions(text) == [Patch(DIFF)]


@pytest.mark.parametrize(
    "content",
    [
        "@@\n-x\n+y\n",
        "@@ def f():\n-x\n+y\n",
        "--- a/a.py\n+++ b/a.py\n-x\n+y\n",
        "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch\n",
        "Index: a.py\n=======\n--- a.py\n+++ a.py\n@@ -1 +1 @@\n-x\n+y\n",
    ],
)
def test_what_begins_like_a_diff_is_never_written_as_a_file(content: str) -> None:
    (action,) = actions(f"```python path=a.py\n{content}```\n")

    assert isinstance(action, Patch)


def test_lines_with_signs_in_a_diff_block_are_of_the_file_that_it_names() -> None:
    assert actions("```diff path=a.py\n-x\n+y\n```\n") == [Patch("--- a/a.py\n+++ b/a.py\n@@\n-x\n+y\n")]


def test_ruby_class_variables_make_no_diff() -> None:
    assert actions("```ruby path=a.rb\n@@count = 0\n```\n") == [Write("a.rb", "@@count = 0\n", fenced=True)]


def test_a_file_that_is_a_diff_is_written() -> None:
    assert actions(f"```diff path=fixes/a.patch\n{DIFF}```\n") == [Write("fixes/a.patch", DIFF, fenced=True)]


def test_an_excerpt_that_names_its_lines_is_no_whole_file() -> None:
    assert problem("```python:src/a.py:10-20\nx = 1\n```\n") == NO_PATH


def test_several_files_of_which_the_last_is_cut_off_are_all_left_alone() -> None:
    assert problem("```python path=a.py\nx = 1\n```\n\n```python path=b.py\ny = ") == NO_END


@pytest.mark.parametrize(
    "text",
    [
        '```\n{"action": "read", "path": "a.py"}\n```\n',
        '```json\n{"thought": "x", "actions": [{"action": "read", "path": "a.py"}]}\n```\n',
        '{"actions": [{"action": "read", "path": "a.py"}]}',
        '[TOOL_CALLS][{"name": "read", "arguments": {"path": "a.py"}}]',
        '[{"type": "function", "function": {"name": "read", "arguments": "{\\"path\\": \\"a.py\\"}"}}]',
    ],
)
def test_actions_as_json_come_in_several_shapes(text: str) -> None:
    assert actions(text) == [Read("a.py")]


# --- Whatever a file holds

some_lines = st.lists(
    st.sampled_from(
        ["", "x = 1", "  y", "\tz", "```", "```python", "````", "~~~", "    ```", "> a", "- b", "<think>", "#"]
    ),
    min_size=1,
    max_size=12,
)


@settings(deadline=None)
@given(some_lines)
def test_a_file_in_a_fence_longer_than_any_of_its_own_comes_out_as_it_went_in(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)

    assert actions(fenced(text, "text path=a.txt")) == [Write("a.txt", text, fenced=True)]


@settings(deadline=None)
@given(some_lines, some_lines, st.integers(min_value=0))
def test_a_reply_that_ends_anywhere_writes_no_part_of_a_file(one: list[str], two: list[str], where: int) -> None:
    files = {"a.txt": "".join(f"{line}\n" for line in one), "b.txt": "".join(f"{line}\n" for line in two)}
    reply = "\n\n".join(fenced(text, f"text path={path}") for path, text in files.items())

    for request in parse_reply(reply[: where % (len(reply) + 1)]).requests:
        assert isinstance(request.action, Write)
        assert request.action.content == files[request.action.path]


SAME = "```python path=a.py\nx = 1\ny = 2\n```\n\n"


@pytest.mark.parametrize("end", ["", "```", "```python pa", "```python path=a.py\nx = 1\ny", SAME.rstrip("`\n")])
def test_a_reply_that_repeats_a_block_until_it_is_cut_off_is_taken_with_each_block_once(end: str) -> None:
    other = "```python path=b.py\nz = 3\n```\n"

    parsed = parse_reply(f"{other}{SAME * 3}{end}", is_truncated=True)

    assert parsed.problem == ""
    assert [request.action for request in parsed.requests] == [
        Write("b.py", "z = 3\n", fenced=True),
        Write("a.py", "x = 1\ny = 2\n", fenced=True),
    ]


@pytest.mark.parametrize("reply", [SAME * 2 + "```python path=a.py\nx", SAME * 3 + "```python path=c.py\nnew = 4"])
def test_a_reply_that_is_cut_off_in_something_new_is_not_taken(reply: str) -> None:
    assert problem(reply, is_truncated=True) == NO_END

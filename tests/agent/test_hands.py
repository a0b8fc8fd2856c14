"""Actions at a workbench: a reply's edits all or none, and every answer within bounds."""

import pytest

from bot.agent.actions import Action, Delete, Edit, Finish, ListFolder, Patch, Read, Run, Search, Write, asked
from bot.agent.hands import Done, carry_out
from bot.agent.tools import request_of, specs
from sandbox.contract import Ending, ExecutionResult
from tests.agent.fakes import FakeWorkbench


def a_bench(**files: str) -> FakeWorkbench:
    named = {name.replace("__", "/").replace("_py", ".py"): text.encode() for name, text in files.items()}
    return FakeWorkbench({"a.py": b"x = 1\ny = 2\n", **named})


def do(bench: FakeWorkbench, *actions: Action) -> Done:
    return carry_out(bench, [asked(action) for action in actions])


def test_one_bad_edit_keeps_every_edit_of_the_reply_from_being_written() -> None:
    bench = a_bench()

    done = do(
        bench, Edit("a.py", "x = 1", "x = 3"), Edit("a.py", "z = 9", "z = 8"), Write("b.py", "new\n"), Finish("ok")
    )

    assert bench.did == []
    assert not done.edited
    assert done.finish is None
    assert [action.ok for action in done.actions] == [False, False, False, False]
    assert "not finished" in done.actions[3].result
    assert "z = 9" in done.actions[1].arguments
    assert "not in the file" in done.actions[1].result
    assert "another edit of the same reply" in done.actions[0].result


def test_a_diff_with_one_bad_hunk_writes_nothing() -> None:
    bench = a_bench()
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 5\n@@ -2 +2 @@\n-y = 3\n+y = 4\n"

    done = do(bench, Patch(diff))

    assert bench.did == []
    assert "hunk 2" in done.actions[0].result


def test_a_diff_creates_changes_deletes_and_renames() -> None:
    bench = a_bench(old_py="gone\n", name_py="n = 1\n")
    diff = (
        "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+one\n+two\n"
        "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 5\n"
        "--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n"
        "--- a/name.py\n+++ b/renamed.py\n@@ -1 +1 @@\n-n = 1\n+n = 2\n"
    )

    assert do(bench, Patch(diff)).edited
    assert bench.files == {"a.py": b"x = 5\ny = 2\n", "new.py": b"one\ntwo\n", "renamed.py": b"n = 2\n"}


def test_a_diff_may_move_copy_or_empty_files_without_a_hunk() -> None:
    bench = a_bench(old_py="o\n", name_py="n = 1\n", empty_py="")
    diff = (
        "diff --git a/name.py b/moved.py\nsimilarity index 100%\nrename from name.py\nrename to moved.py\n"
        "diff --git a/old.py b/copy.py\nsimilarity index 100%\ncopy from old.py\ncopy to copy.py\n"
        "diff --git a/pkg/__init__.py b/pkg/__init__.py\nnew file mode 100644\nindex 0000000..e69de29\n"
        "diff --git a/empty.py b/empty.py\ndeleted file mode 100644\nindex e69de29..0000000\n"
    )

    do(bench, Patch(diff))

    assert bench.files == {
        "a.py": b"x = 1\ny = 2\n",
        "moved.py": b"n = 1\n",
        "old.py": b"o\n",
        "copy.py": b"o\n",
        "pkg/__init__.py": b"",
    }


def test_a_diff_never_moves_a_file_onto_another() -> None:
    bench = a_bench(b_py="b\n")

    assert "it exists" in do(bench, Patch("--- a/a.py\n+++ b/b.py\n@@ -1 +1 @@\n-x = 1\n+x = 5\n")).actions[0].result
    assert bench.did == []


def test_a_diff_that_leaves_code_out_is_refused() -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1 @@\n-x = 1\n-y = 2\n+# ... rest unchanged\n"

    assert "left out" in do(a_bench(), Patch(diff)).actions[0].result


@pytest.mark.parametrize(
    "edit",
    [
        Edit("a.py", "x = 1\n", "x = 3\n", whole_lines=True),
        Edit("a.py", "x = 1\n", "x = 1\nz = 3\n", whole_lines=True),
        Patch("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 3\n"),
    ],
)
def test_an_edit_that_a_reply_repeats_is_made_once(edit: Action) -> None:
    once, twice = a_bench(), a_bench()

    do(once, edit)

    assert all(action.ok for action in do(twice, edit, edit).actions)
    assert twice.files == once.files


def test_edits_that_overlap_are_refused_with_the_lines_that_they_would_have_found() -> None:
    bench = a_bench()

    done = do(bench, Edit("a.py", "x = 1\ny = 2\n", "X\nY\n"), Edit("a.py", "y = 2\n", "z\n"))

    assert bench.did == []
    assert "with this reply's edits above made; they were not made" in done.actions[1].result


def test_edits_of_one_reply_build_on_each_other() -> None:
    bench = a_bench()

    do(bench, Edit("a.py", "x = 1", "x = 3"), Edit("a.py", "x = 3\ny = 2", "z = 4"))

    assert bench.files["a.py"] == b"z = 4\n"
    assert bench.did == [("write", "a.py")]


def test_edits_come_before_commands() -> None:
    bench = a_bench()

    done = do(bench, Run("pytest"), Edit("a.py", "x = 1", "x = 3"))

    assert bench.did == [("write", "a.py"), ("run", "pytest")]
    assert [action.name for action in done.actions] == ["run", "edit"]


def test_writing_what_is_there_already_is_no_change() -> None:
    bench = a_bench()

    done = do(bench, Write("a.py", "x = 1\ny = 2\n"))

    assert bench.did == []
    assert not done.edited
    assert "it is so already" in done.actions[0].result


def test_carriage_returns_stay_when_a_search_has_none() -> None:
    bench = FakeWorkbench({"a.py": b"\xef\xbb\xbfa\r\nb\r\nc\rd\n"})

    do(bench, Edit("a.py", "a\nb\n", "a\nB\n"))

    assert bench.files["a.py"] == b"\xef\xbb\xbfa\r\nB\r\nc\rd\n"


def test_a_whole_file_answer_keeps_the_line_endings_of_lines_that_stay() -> None:
    bench = FakeWorkbench({"a.py": b"\xef\xbb\xbfa\r\nb\r\nc\rd\n"})

    do(bench, Write("a.py", "a\nB\nc\nd\n", fenced=True))

    assert bench.files["a.py"] == b"\xef\xbb\xbfa\r\nB\r\nc\rd\n"


@pytest.mark.parametrize(
    "action",
    [
        Write(".github/workflows/ci.yml", "x"),
        Write("../a.py", "x"),
        Edit(".git/config", "a", "b"),
        Delete("/etc/passwd"),
        Patch("--- a/.git/config\n+++ b/.git/config\n@@ -1 +1 @@\n-a\n+b\n"),
        Patch("--- a/../../x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"),
    ],
)
def test_paths_outside_the_change_are_refused(action: Action) -> None:
    bench = a_bench()

    done = do(bench, action)

    assert (bench.did, done.actions[0].ok) == ([], False)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Edit("b.py", "x", "y"), "no such file"),
        (Delete("b.py"), "no such file"),
        (Read("b.py"), "no such file"),
        (ListFolder("nowhere"), "no files there"),
        (Edit("bin", "x", "y"), "binary"),
        (Read("bin"), "binary"),
        (Patch("--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-a\n+b\n"), "no such file"),
        (Patch("--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+b\n"), "it exists"),
    ],
)
def test_what_cant_be_done_is_answered_with_the_reason(action: Action, words: str) -> None:
    bench = a_bench()
    bench.files["bin"] = b"\0\1"

    done = do(bench, action)

    assert (bench.did, done.actions[0].ok) == ([], False)
    assert words in done.actions[0].result


def test_a_file_of_that_name_elsewhere_is_named() -> None:
    done = do(a_bench(shop__cart_py="x\n"), Edit("src/cart.py", "x", "y"))

    assert done.actions[0].result == "src/cart.py: there is no such file; there is shop/cart.py"


def test_a_function_that_was_copied_with_line_numbers_is_taken_without() -> None:
    bench = a_bench(shop__cart_py="TAX = 2\n\n\ndef total(items):\n    return 0\n")

    (done,) = do(bench, Write("shop/cart.py", "4: def total(items):\n5:     return sum(items)\n", fenced=True)).actions

    assert done.ok
    assert bench.files["shop/cart.py"] == b"TAX = 2\n\n\ndef total(items):\n    return sum(items)\n"


def test_a_part_of_another_file_is_refused_with_the_name_of_that_file() -> None:
    bench = a_bench(
        shop__cart_py="def total(items):\n    return 0\n", shop__main_py="\n".join(f"a{n} = {n}" for n in range(40))
    )
    part = "def total(items):\n    return sum(items)\n"

    (refused,) = do(bench, Write("shop/main.py", part, fenced=True)).actions
    (unknown,) = do(bench, Write("shop/main.py", part.replace("total", "sold"), fenced=True)).actions

    assert ({name for name, *_ in bench.did}, refused.ok) == ({"search"}, False)
    assert "What the block defines stands in shop/cart.py" in refused.result
    assert "shop/cart.py" not in unknown.result


@pytest.mark.parametrize(
    ("path", "words"),
    [("src", "a folder"), ("a.py/b.py", "a.py is a file"), ("A.py", "there is a.py"), (".", "path of a file")],
)
def test_a_file_is_not_created_where_something_else_stands(path: str, words: str) -> None:
    bench = a_bench(src__b_py="")

    done = do(bench, Write(path, "x\n"))

    assert (bench.did, done.actions[0].ok) == ([], False)
    assert words in done.actions[0].result


def test_one_reply_may_delete_a_file_and_write_what_stood_in_its_way() -> None:
    bench = a_bench()

    do(bench, Delete("a.py"), Write("a.py/b.py", "x\n"), Write("A.py", "y\n"))

    assert bench.files == {"a.py/b.py": b"x\n", "A.py": b"y\n"}


def test_an_empty_search_fills_an_empty_file() -> None:
    bench = a_bench(b_py="")

    do(bench, Edit("b.py", "", "new\n", whole_lines=True))

    assert bench.files["b.py"] == b"new\n"


def test_an_empty_search_creates_a_file_that_is_not_there() -> None:
    bench = a_bench()

    do(bench, Edit("b.py", "", "new\n", whole_lines=True))

    assert bench.files["b.py"] == b"new\n"


def test_a_file_is_read_in_a_fence_that_it_cant_close() -> None:
    bench = a_bench(doc_py="```\nx\n```\n")

    assert "````\n```\nx\n```\n````" in do(bench, Read("doc.py")).actions[0].result


def test_some_lines_of_a_file_are_read() -> None:
    result = do(a_bench(), Read("a.py", 2, 2)).actions[0].result

    assert result == "a.py (lines 2-2 of 2):\n```\ny = 2\n```"


@pytest.mark.parametrize(("first", "last"), [(50, 60), (2, 1)])
def test_lines_that_a_file_does_not_have_are_not_shown(first: int, last: int) -> None:
    done = do(a_bench(), Read("a.py", first, last))

    assert not done.actions[0].ok
    assert "has 2 lines" in done.actions[0].result


def test_a_command_answers_with_exit_code_and_output_within_bounds_even_on_one_line() -> None:
    bench = a_bench()
    bench.outputs = {
        "cat": ExecutionResult(1, "x" * 5_000_000, "warn\n", Ending.EXITED, truncated=True, duration_s=1.0)
    }

    result = do(bench, Run("cat")).actions[0].result

    assert result.startswith("exit code 1\nstdout:\n```\nxxx")
    assert "stderr:\n```\nwarn\n```" in result
    assert len(result) < 10_000


def test_a_command_that_did_not_end_says_how_it_was_ended() -> None:
    bench = a_bench()
    bench.outputs = {"sleep": ExecutionResult(None, "", "", Ending.TIMED_OUT, truncated=False, duration_s=9.0)}

    assert do(bench, Run("sleep")).actions[0].result == "timed out, no output"


def test_a_search_that_finds_nothing_says_so() -> None:
    assert "nothing matches" in do(a_bench(), Search("zzz")).actions[0].result


@pytest.mark.parametrize("arguments", ["", '{"path": "src/a', "null", "[1]", '{"{\\"path\\":', '{"path": 3}', '"a.py"'])
def test_broken_arguments_come_back_as_that_calls_result_and_the_others_go_on(arguments: str) -> None:
    bench = a_bench()

    done = carry_out(bench, [request_of("read", arguments), request_of("read", '{"path": "a.py"}')])

    assert [action.ok for action in done.actions] == [False, True]
    assert "read was not run" in done.actions[0].result
    assert "x = 1" in done.actions[1].result


def test_work_is_not_finished_by_a_reply_with_an_edit_that_cant_be_read() -> None:
    bench = a_bench()

    done = carry_out(
        bench,
        [request_of("edit", '{"path": "a.py"'), asked(Edit("a.py", "x = 1", "x = 3")), asked(Finish("ok"))],
    )

    assert done.finish is None
    assert [action.ok for action in done.actions] == [False, True, False]
    assert "can't be read" in done.actions[2].result


def test_the_preview_of_broken_arguments_is_bounded() -> None:
    request = request_of("write", '{"path": "a.py", "content": "' + "x" * 100_000)

    assert len(request.problem) < 1_000
    assert len(request.arguments) < 5_000


@pytest.mark.parametrize("arguments", ['{"command": "ls \\u0000"}', '{"command": "ls \\ud800"}'])
def test_characters_that_no_command_can_hold_are_answered_and_not_run(arguments: str) -> None:
    bench = a_bench()

    done = carry_out(bench, [request_of("run", arguments)])

    assert (bench.did, done.actions[0].ok) == ([], False)


def test_a_tool_that_does_not_exist_is_answered_with_those_that_do() -> None:
    assert "the tools are read, search" in request_of("bash", "{}").problem


def test_every_tool_says_what_it_takes() -> None:
    for spec in specs():
        assert spec.description
        assert spec.parameters["type"] == "object"
        assert all("description" in shape for shape in spec.parameters["properties"].values())

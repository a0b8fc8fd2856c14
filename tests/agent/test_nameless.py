"""A block without a path is taken for the file that was asked for, where it can be no other."""

import pytest

from bot.agent.actions import Write
from bot.agent.nameless import file_meant, functions_meant
from bot.records import Reproduce, Verdict
from tests.agent.fakes import FakeWorkbench, ScriptedModel, says
from tests.agent.runs import a_bench, a_test, change, judge, run

FILE = "import re\n\n\ndef one(a):\n    return a\n\n\ndef two(b):\n    return b\n"
MENDED = FILE.replace("return b", "return b + 1")


def test_the_whole_file_with_a_line_changed_is_the_file() -> None:
    found = file_meant(f"The end is wrong.\n\n```python\n{MENDED}```\n", "a.py", FILE)

    assert found is not None
    assert found.action == Write("a.py", MENDED, fenced=True)


@pytest.mark.parametrize(
    "reply",
    [
        "```python\ndef two(b):\n    return b + 1\n```\n",
        f"```python\n{MENDED}```\n\n```python\n{MENDED}```\n",
        f"```sh\n{MENDED}```\n",
        f"```python\n{MENDED}",
        f"```json\n{MENDED}```\n",
        f"```python path=b.py\n{MENDED}```\n",
        "no block",
    ],
)
def test_anything_else_is_not(reply: str) -> None:
    assert file_meant(reply, "a.py", FILE) is None


def test_a_block_that_lacks_a_function_of_the_file_is_an_excerpt() -> None:
    assert file_meant(f"```python\n{MENDED[: MENDED.index('def two')]}```\n", "a.py", FILE) is None


def test_a_file_that_holds_fences_itself_is_not_cut() -> None:
    page = "# Title\n\nOne.\n\n```sh\nls\n"

    assert file_meant(f"```markdown\n{page}```\n", "a.md", page) is None


def test_in_a_run_such_a_reply_is_the_change() -> None:
    reply = says("The sign is wrong.\n\n```python\ndef add(a, b):\n    return a + b\n```\n")
    bench = a_bench(judge=judge)

    progress = run(ScriptedModel([reply]), bench, reproduce=Reproduce.OFF)

    assert progress.verdict is Verdict.SOLVED


def test_beside_it_a_new_test_may_stand_with_its_path() -> None:
    reply = says(f"```python\ndef add(a, b):\n    return a + b\n```\n\n{a_test()}")

    progress = run(ScriptedModel([reply]), a_bench(judge=judge))

    assert progress.change.paths == ("calc.py", "tests/test_add.py")


def test_a_function_alone_is_of_the_one_file_that_has_it() -> None:
    reply = says("The sign is wrong.\n\n```python\ndef add(a, b):\n    return a + b\n```\n")
    more = "".join(f"def other_{number}():\n    return {number}\n\n\n" for number in range(20))
    bench = a_bench(judge=judge)
    bench.files["calc.py"] += f"\n\n{more}".encode()

    progress = run(ScriptedModel([reply]), bench, reproduce=Reproduce.OFF)

    assert progress.verdict is Verdict.SOLVED
    assert bench.files["calc.py"].decode().count("def other_") == 20


def test_a_block_with_other_code_beside_a_function_overwrites_no_file() -> None:
    bench = FakeWorkbench({"calc.py": b"import os\n\n\ndef add(a, b):\n    return a - b\n"})

    assert functions_meant("```python\ndef add(a, b):\n    return a + b\n\n\nprint(add(1, 2))\n```\n", bench) is None


def test_a_model_whose_reply_could_not_be_used_is_asked_for_the_same_form() -> None:
    model = ScriptedModel([says("Well."), says(change("a + b"))])

    run(model, a_bench(judge=judge))

    assert "Answer with each function to change" in model.asked[0].last
    assert "behind the fence: ```python path=calc.py" in model.asked[1].last

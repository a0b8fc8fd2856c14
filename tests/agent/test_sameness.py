"""Changes are compared as changes, not as text."""

import pytest

from bot.agent.sameness import essence
from tests.agent.fakes import FakeWorkbench

BASE = "def add(a, b):\n    # adds\n    return a - b\n\n\ndef twice(a):\n    return a * 3\n"


def patch(text: str, *, path: str = "calc.py", base: str = BASE) -> str:
    bench = FakeWorkbench({path: base.encode()})
    bench.write(path, text.encode())
    return bench.change().patch


@pytest.mark.parametrize(
    "other",
    [
        BASE.replace("a - b", "a + b"),
        BASE.replace("a - b", "a + b  # mended"),
        BASE.replace("    # adds\n", "").replace("a - b", "a + b"),
        BASE.replace("    # adds\n", "    # adds two\n    # numbers\n\n").replace("a - b", "a + b"),
        BASE.replace("a - b", "a + b").replace("\n\n\n", "\n\n\n\n"),
        BASE.replace("a - b", "a + b   "),
    ],
)
def test_comments_and_blank_lines_make_no_other_change(other: str) -> None:
    assert essence(patch(other)) == essence(patch(BASE.replace("a - b", "a + b")))


@pytest.mark.parametrize(
    "other",
    [
        BASE.replace("a - b", "b + a"),
        BASE.replace("a * 3", "a + b"),
        BASE.replace("    return a - b", "        return a + b"),
        BASE.replace("a - b", "a + b").replace("a * 3", "a * 2"),
        BASE.replace("a - b", '"#a + b"'),
        BASE,
    ],
)
def test_everything_else_does(other: str) -> None:
    assert essence(patch(other)) != essence(patch(BASE.replace("a - b", "a + b")))


def test_a_hash_in_a_text_is_no_comment() -> None:
    one, other = BASE.replace("a - b", '"#1"'), BASE.replace("a - b", '"#2"')

    assert essence(patch(one)) != essence(patch(other))


def test_the_same_line_in_another_place_is_another_change() -> None:
    one = BASE.replace("    return a - b\n", "    return a - b\n    return 0\n")
    other = BASE.replace("    return a * 3\n", "    return a * 3\n    return 0\n")

    assert essence(patch(one)) != essence(patch(other))


def test_two_lines_in_another_order_are_another_change() -> None:
    one, other = (BASE.replace("    return a - b\n", lines) for lines in ("    x()\n    y()\n", "    y()\n    x()\n"))

    assert essence(patch(one)) != essence(patch(other))


def test_in_a_file_that_is_no_code_blank_lines_and_hashes_count() -> None:
    base = "# Title\n\nText\n"

    assert essence(patch("# Other\n\nText\n", path="a.md", base=base)) != essence(
        patch("# Another\n\nText\n", path="a.md", base=base)
    )
    assert essence(patch("# Title\nText\n", path="a.md", base=base))


def test_a_binary_file_and_a_mode_are_part_of_the_change() -> None:
    mode = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n"
    binary = "diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n"

    assert essence(mode)
    assert essence(binary) != essence(binary.replace("IcmZPo", "IcmZPp"))

from collections.abc import Sequence

import pytest

from bot.proof.hunks import Revert, is_everything, reverts_of
from bot.records import ChangedFile, Hunk, TestCase, TestStatus, dump, load
from sandbox.contract import File

MODULE = b"import os\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n"


def a_file(
    before: bytes | None, after: bytes | None, path: str = "calc.py", *, modes: tuple[str, str] = ("100644", "100644")
) -> ChangedFile:
    return ChangedFile(path, before, after, None if before is None else modes[0], None if after is None else modes[1])


def reverts(*files: ChangedFile, cases: Sequence[TestCase] = ()) -> tuple[Revert, ...]:
    return reverts_of(files, cases)


def texts(*files: ChangedFile) -> list[str]:
    return [revert.hunk.text for revert in reverts_of(files)]


def without(revert: Revert) -> bytes | None:
    return None if revert.file is None else revert.file.data


# --- What a hunk is


def test_each_hunk_is_taken_back_alone() -> None:
    after = MODULE.replace(b"return 1", b"return 10").replace(b"return 2", b"return 20")

    first, second = reverts(a_file(MODULE, after))

    assert (first.hunk.path, first.hunk.start, first.hunk.lines) == ("calc.py", 5, 1)
    assert first.hunk.text == "-    return 1\n+    return 10"
    assert without(first) == MODULE.replace(b"return 2", b"return 20")
    assert without(second) == MODULE.replace(b"return 1", b"return 10")


def test_lines_that_only_went_lie_behind_the_line_before() -> None:
    (revert,) = reverts(a_file(b"a = 1\nb = 2\nc = 3\n", b"a = 1\nc = 3\n"))

    assert (revert.hunk.start, revert.hunk.lines, revert.hunk.text) == (1, 0, "-b = 2")
    assert without(revert) == b"a = 1\nb = 2\nc = 3\n"


def test_the_largest_hunk_of_each_file_comes_first() -> None:
    small = a_file(b"a = 1\nx = 0\nb = 2\nc = 3\n", b"a = 2\nx = 0\nb = 4\nc = 6\n", "small.py")
    large = a_file(b"a = 1\nx = 0\nb = 2\n", b"a = 2\ny = 1\nz = 1\nx = 0\nb = 3\n", "z/large.py")

    found = [(revert.hunk.path, revert.hunk.start, revert.hunk.lines) for revert in reverts(small, large)]

    assert found == [("z/large.py", 1, 3), ("small.py", 3, 2), ("small.py", 1, 1), ("z/large.py", 5, 1)]


def test_what_only_blank_lines_keep_apart_is_one_hunk() -> None:
    assert len(reverts(a_file(b"a = 1\n\nb = 2\n", b"a = 3\n\nb = 4\n"))) == 1
    assert len(reverts(a_file(b"a = 1\nx = 0\nb = 2\n", b"a = 3\nx = 0\nb = 4\n"))) == 2


def test_a_new_file_is_one_hunk_without_which_it_is_not_there() -> None:
    (revert,) = reverts(a_file(None, b"def one():\n    return 1\n", "new.py"))

    assert (revert.hunk.start, revert.hunk.lines, revert.file) == (1, 2, None)


def test_a_file_that_went_is_one_hunk_without_which_it_is_back() -> None:
    (revert,) = reverts(a_file(MODULE, None, modes=("100755", "")))

    assert (revert.hunk.start, revert.hunk.lines) == (0, 0)
    assert revert.file == File(MODULE, executable=True)


def test_python_that_was_added_is_taken_apart_into_its_functions_and_classes() -> None:
    new = b"import os\n\nLIMIT = 3\n\n\ndef one():\n    return 1\n\n\n@cached\nclass Two:\n    def two(self): ...\n"

    found = reverts(a_file(None, new, "new.py"))

    assert sorted((each.hunk.start, each.hunk.lines) for each in found) == [(1, 5), (6, 2), (10, 3)]
    assert new.replace(b"def one():\n    return 1\n", b"") in [without(each) for each in found]


def test_methods_that_were_added_to_a_class_are_taken_apart_too() -> None:
    before = b"class Two:\n    def one(self): ...\n"
    after = before + b"\n    def two(self): ...\n\n    def three(self): ...\n"

    assert texts(a_file(before, after)) == ["+    def two(self): ...", "+    def three(self): ..."]


def test_a_file_that_was_moved_is_its_old_self_changed() -> None:
    after = MODULE.replace(b"return 2", b"return 20")

    (revert,) = reverts(a_file(MODULE, None, "old.py"), a_file(None, after, "new.py"))

    assert (revert.hunk.path, revert.hunk.text) == ("new.py", "-    return 2\n+    return 20")
    assert without(revert) == MODULE
    assert reverts(a_file(MODULE, None, "old.py"), a_file(None, MODULE, "new.py")) == ()


# --- Bytes as they are


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a = 1\r\nb = 2\r\n", b"a = 1\r\nb = 3\r\n"),
        (b"a = 1\nb = 2", b"a = 1\nb = 3"),
        (b"a = 1\nb = 2", b"a = 1\nb = 2\nc = 3"),
        (b"a = '\xe4'\n", b"a = '\xf6'\n"),
        (b"a = 1\rb = 2\n", b"a = 1\rb = 3\n"),
        (b"a = 1\n\x0cb = 2\n", b"a = 1\n\x0cb = 3\n"),
        ("a = '\u2028'\n".encode(), "a = '\u2028\u2028'\n".encode()),
    ],
)
def test_what_is_taken_back_is_the_base_to_the_byte(before: bytes, after: bytes) -> None:
    (revert,) = reverts(a_file(before, after, "data.txt"))

    assert without(revert) == before


def test_a_file_keeps_the_heads_mode() -> None:
    (revert,) = reverts(a_file(b"echo 1\n", b"echo 2\n", "run.sh", modes=("100644", "100755")))

    assert revert.file == File(b"echo 1\n", executable=True)


def test_a_link_is_taken_back_as_a_link() -> None:
    (turned,) = reverts(a_file(b"old", b"new", "current", modes=("120000", "120000")))
    (replaced,) = reverts(a_file(b"a = 1\n", b"calc2.py", modes=("100644", "120000")))

    assert turned.file == File(b"old", symlink=True)
    assert replaced.file == File(b"a = 1\n")


def test_a_hunks_text_is_bounded() -> None:
    (revert,) = reverts(a_file(b"", b"x = 1\n" * 10_000, "data.txt"))

    assert len(revert.hunk.text) < 2_200
    assert revert.hunk.lines == 10_000


def test_very_long_files_are_one_hunk_from_the_first_difference_to_the_last() -> None:
    lines = [b"%d\n" % number for number in range(15_000)]
    changed = [*lines[:100], b"new\n", *lines[101:200], b"new\n", *lines[201:]]

    (revert,) = reverts(a_file(b"".join(lines), b"".join(changed), "data.txt"))

    assert (revert.hunk.start, revert.hunk.lines) == (101, 101)
    assert without(revert) == b"".join(lines)


# --- What no test can be asked to notice


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (MODULE, MODULE.replace(b"    return 1", b"    # the first\n    return 1")),
        (MODULE, MODULE.replace(b"    return 1", b'    """The first."""\n    return 1')),
        (MODULE, b'"""What counts."""\n' + MODULE),
        (MODULE, MODULE.replace(b"\n\n\n", b"\n\n\n\n")),
        (MODULE, MODULE.replace(b"\n", b"\r\n")),
        (MODULE, MODULE.replace(b"return 1", b"return (1)")),
        (None, b'"""A package."""\n'),
        (None, b""),
    ],
)
def test_python_that_runs_the_same_is_no_hunk(before: bytes | None, after: bytes) -> None:
    assert reverts(a_file(before, after)) == ()


@pytest.mark.parametrize(
    "file",
    [
        a_file(b"a\nb\n", b"a\n\nb  \n", "page.html"),
        a_file(b"same", b"same", "run.sh", modes=("100644", "100755")),
        a_file(b"\x89PNG\0", b"\x89PNG\0\0", "logo.png"),
        a_file(b"0" * 40, b"1" * 40, "vendored", modes=("160000", "160000")),
        a_file(b"def a(): ...\n", b"def a() -> int: ...\n", "calc.pyi"),
        a_file(b"a", b"b", ".gitignore"),
        a_file(b"a", b"b", ".github/dependabot.yml"),
        a_file(b"a", b"b", "README.md"),
        a_file(b"a", b"b", "tests/test_calc.py"),
        a_file(b"a", b"b", "pyproject.toml"),
        a_file(b"a", b"b", "Makefile"),
        a_file(b"a", b"b", ".github/workflows/ci.yml"),
    ],
    ids=lambda file: file.path,
)
def test_what_is_no_text_no_source_or_nothing_but_layout_has_no_hunks(file: ChangedFile) -> None:
    assert reverts(file) == ()


def test_a_comment_beside_a_change_is_left_out_alone() -> None:
    after = b"# what counts\n" + MODULE.replace(b"return 2", b"return 20")

    assert texts(a_file(MODULE, after)) == ["-    return 2\n+    return 20"]


def test_a_file_of_tests_by_another_name_is_no_source() -> None:
    held = (TestCase("check_calc.py::test_one[1]", TestStatus.PASSED, file="check_calc.py"),)
    example = (TestCase("calc.py::calc.one", TestStatus.PASSED, file="calc.py"),)
    check = b"def test_one(n):\n    assert n == 1\n"

    assert reverts(a_file(None, check, "check_calc.py"), cases=held) == ()
    assert len(reverts(a_file(MODULE, MODULE.replace(b"1", b"10")), cases=example)) == 1


def test_a_file_whose_name_is_no_text_is_told_of_with_a_sign_and_taken_back_by_its_own_name() -> None:
    (revert,) = reverts(a_file(MODULE, MODULE.replace(b"return 2", b"return 20"), "a\udcff.py"))

    assert (revert.path, revert.hunk.path) == ("a\udcff.py", "a\ufffd.py")
    assert load(Hunk, dump(revert.hunk)) == revert.hunk


# --- Within bounds


def test_where_parsing_each_version_would_take_too_long_no_comment_is_left_out_of_the_hunks() -> None:
    lines = [f"n{number} = {number}\n".encode() for number in range(3_000)]
    every_tenth = [line + b"# new\n" if number % 10 == 0 else line for number, line in enumerate(lines)]
    changed = [*every_tenth[:-1], b"n = 2\n"]

    assert len(reverts(a_file(b"".join(lines[:300]), b"".join([*every_tenth[:299], b"n = 2\n"])))) == 1
    assert len(reverts(a_file(b"".join(lines), b"".join(changed)))) == 301
    assert reverts(a_file(b"".join(lines), b"".join(every_tenth))) == ()


def test_functions_that_are_added_in_many_places_are_taken_apart() -> None:
    before = [f"n{number} = 1\n".encode() for number in range(20)]
    after = [line + b"def a(): ...\ndef b(): ...\n" for line in before]

    assert len(reverts(a_file(b"".join(before), b"".join(after)))) == 40


# --- A change of one hunk


def test_a_hunk_is_everything_where_nothing_else_of_the_source_behaves_otherwise() -> None:
    source = a_file(MODULE, b"# new\n" + MODULE.replace(b"return 2", b"return 20"))
    (revert,) = reverts(source)
    test, docs, build = (a_file(b"a", b"b", path) for path in ("tests/test_calc.py", "README.md", "Makefile"))

    assert is_everything(revert, (source, test, docs))
    assert not is_everything(revert, (source, build))
    assert not is_everything(revert, (source, a_file(b"\0", b"\0\0", "data.bin")))

import pytest

from bot.proof.moves import moves_joined
from bot.records import ChangedFile

LINES = b"".join(b"line %d\n" % number for number in range(10))


def gone(path: str, data: bytes = LINES) -> ChangedFile:
    return ChangedFile(path, data, None, "100755", None)


def came(path: str, data: bytes = LINES) -> ChangedFile:
    return ChangedFile(path, None, data, None, "100644")


def joined(*files: ChangedFile) -> list[tuple[str, bytes | None, bytes | None]]:
    return [(file.path, file.before, file.after) for file in moves_joined(files)]


def test_a_file_that_went_and_a_similar_one_that_came_are_one() -> None:
    changed = LINES.replace(b"line 3", b"line three")

    assert joined(gone("old.py"), came("new.py", changed)) == [("new.py", LINES, changed)]


@pytest.mark.parametrize(
    "new", [came("new.js"), came("new.py", b"another\n"), came("new.py", b""), came("n.py", LINES * 3)]
)
def test_what_is_of_another_kind_or_too_little_alike_is_not(new: ChangedFile) -> None:
    assert joined(gone("old.py"), new) == [("old.py", LINES, None), (new.path, None, new.after)]


def test_the_same_to_the_byte_comes_before_the_similar() -> None:
    changed = LINES.replace(b"line 3", b"line three")

    found = joined(gone("a.py", changed), gone("b.py"), came("c.py"), came("d.py", changed))

    assert found == [("c.py", LINES, LINES), ("d.py", changed, changed)]


def test_of_many_the_most_alike_is_the_one() -> None:
    near, far = LINES.replace(b"line 3", b"3"), LINES.replace(b"line", b"row", 4)

    assert joined(gone("far.py", far), gone("near.py", near), came("new.py")) == [
        ("far.py", far, None),
        ("new.py", near, LINES),
    ]


def test_folders_that_are_moved_whole_are_paired_without_a_comparison_of_each_with_each() -> None:
    each = [b"%d\n" % number + LINES * 200 for number in range(2_000)]
    files = [pair for n, data in enumerate(each) for pair in (gone(f"a/{n}.py", data), came(f"b/{n}.py", data))]

    assert joined(*files) == [(f"b/{n}.py", data, data) for n, data in enumerate(each)]


def test_beyond_a_bound_files_are_taken_as_they_are() -> None:
    each = [b"".join(b"%d %d\n" % (number, line) for line in range(5_000)) for number in range(60)]
    files = [pair for n, data in enumerate(each) for pair in (gone(f"a/{n}.py", data), came(f"b/{n}.py", data + b"x"))]

    found = moves_joined(files)

    assert found[0] == ChangedFile("b/0.py", each[0], each[0] + b"x", "100755", "100644")
    assert found[-2:] == files[-2:]

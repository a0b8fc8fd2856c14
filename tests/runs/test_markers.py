"""Conflict markers in a change."""

import pytest

from bot.errors import Refused
from bot.records import ChangedFile
from bot.runs.markers import marked, refuse_marked

CONFLICT = b"a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"


def changed(after: bytes | None, before: bytes | None = b"a\n") -> ChangedFile:
    return ChangedFile("a.py", before, after, "100644", "100644")


def test_a_conflict_that_is_left_is_seen() -> None:
    assert marked([changed(CONFLICT)]) == ("a.py",)
    assert marked([changed(CONFLICT.replace(b"\n", b"\r\n"))]) == ("a.py",)
    with pytest.raises(Refused, match=r"conflict markers in `a\.py`"):
        refuse_marked([changed(CONFLICT)])


@pytest.mark.parametrize(
    "text", [b"Title\n=======\ntext\n", b"<<<<<<< only\n", b"    <<<<<<< x\n    =======\n    >>>>>>> y\n", None]
)
def test_what_only_looks_like_a_part_of_one_is_none(text: bytes | None) -> None:
    assert marked([changed(text)]) == ()


@pytest.mark.parametrize("left", [b"<<<<<<< %b", b">>>>>>> %b", b">>>>>>> %b: not there", b"<<<<<<< %b:old.py"])
def test_one_line_that_is_left_of_our_own_merge_is_one(left: bytes) -> None:
    assert marked([changed(b"a\n" + left % (b"2a9b" * 10) + b"\nb\n")]) == ("a.py",)


def test_a_text_about_conflicts_may_stay_as_it_was() -> None:
    assert marked([changed(CONFLICT + b"more\n", before=CONFLICT)]) == ()
    assert marked([changed(CONFLICT + CONFLICT, before=CONFLICT)]) == ("a.py",)

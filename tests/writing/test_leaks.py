"""Secrets that a change brings."""

import pytest

from bot.records import ChangedFile
from bot.writing.leaks import leaking

TOKEN = "ghp_" + "a1B2" * 9
OTHER = "ghp_" + "c3D4" * 9
KEY = "AKIAIOSFODNN7EXAMPLE"
VALUE = "operators-\u00e9-own-value"


def changed(after: bytes | None, before: bytes | None = None, *, path: str = "a.py") -> ChangedFile:
    return ChangedFile(path, before, after, "100644" if before is not None else None, "100644")


def test_a_change_that_brings_a_secret_is_named_by_the_file() -> None:
    assert leaking([changed(f"x = {TOKEN}".encode()), changed(b"y = 1", path="b.py")]) == ("a.py",)
    assert leaking([changed(b"x = 1", b"x = 0")]) == ()


def test_a_secret_that_was_there_may_stay_and_move_and_go() -> None:
    there, more = f"x = {TOKEN}".encode(), f"# {TOKEN}.\ny = 1".encode()

    assert leaking([changed(more, there)]) == ()
    assert leaking([changed(None, there), changed(there, path="moved.py")]) == ()
    assert leaking([changed(b"", there)]) == ()


@pytest.mark.parametrize("first", [TOKEN, KEY])
def test_a_second_secret_beside_one_that_was_there_is_brought(first: str) -> None:
    there = f"x = '{first}'\n"

    assert leaking([changed(f"{there}y = '{OTHER}'\n".encode(), there.encode())]) == ("a.py",)
    assert leaking([changed(f"x = '{OTHER}'\n".encode(), there.encode())]) == ("a.py",)


def test_a_secret_in_a_files_name_is_one_and_is_not_said() -> None:
    assert leaking([changed(b"", path=f"keys/{TOKEN}")]) == ("keys/[masked]",)
    assert leaking([changed(b"x", b"", path=f"keys/{TOKEN}")]) == ()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("secret", [TOKEN, VALUE])
def test_a_secret_is_seen_in_every_encoding_that_text_has(encoding: str, secret: str) -> None:
    data = f"$key = '{secret}'\r\n".encode(encoding)

    assert leaking([changed(data)], [VALUE]) == ("a.py",)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("before", [b"\x89PNG\0", b"\x89PNG\0\0"])
def test_a_secret_is_seen_in_the_middle_of_other_bytes(encoding: str, before: bytes) -> None:
    assert leaking([changed(before + f"'{TOKEN}'".encode(encoding) + b"\0\xff")]) == ("a.py",)

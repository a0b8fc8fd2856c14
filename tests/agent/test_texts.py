"""Bytes that an edit does not touch stay as they are."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.agent.texts import Unplaced, read_source, rewritten, unnumbered

MIXED = b"\xef\xbb\xbfa\r\nb\r\nc\rd\n"


def edited(data: bytes, old: str, new: str) -> bytes | Unplaced:
    source = read_source(data)
    assert source is not None
    assert old in source.text
    return rewritten(source, source.text.replace(old, new))


def test_the_model_sees_lines_that_end_in_a_newline_whatever_they_end_in() -> None:
    source = read_source(MIXED)

    assert source is not None
    assert source.text == "a\nb\nc\nd\n"


def test_changing_one_line_keeps_the_byte_order_mark_and_every_other_line_ending() -> None:
    assert edited(MIXED, "b\n", "B\n") == b"\xef\xbb\xbfa\r\nB\r\nc\rd\n"


def test_new_lines_end_as_the_line_they_stand_for() -> None:
    assert edited(b"a\r\nb\r\nc\n", "b\n", "b1\nb2\n") == b"a\r\nb1\r\nb2\r\nc\n"


def test_lines_added_at_the_end_end_as_most_of_the_file() -> None:
    assert edited(b"a\r\nb\r\n", "b\n", "b\nc\n") == b"a\r\nb\r\nc\r\n"


def test_a_file_without_a_newline_at_its_end_stays_without_one() -> None:
    assert edited(b"a\nb", "a\n", "A\n") == b"A\nb"


def test_a_line_added_after_an_end_without_newline_gives_that_line_one() -> None:
    assert edited(b"a\r\nb", "b", "b\nc") == b"a\r\nb\r\nc"


def test_a_removed_line_takes_nothing_else_with_it() -> None:
    assert edited(MIXED, "b\n", "") == b"\xef\xbb\xbfa\r\nc\rd\n"


def test_latin_1_bytes_come_through() -> None:
    data = "# naïve\nx = 1\n".encode("latin-1")

    assert edited(data, "1", "2") == "# naïve\nx = 2\n".encode("latin-1")


def test_utf_16_is_written_back_as_utf_16() -> None:
    data = "\ufeffa\r\nb\r\n".encode("utf-16-le")

    assert edited(data, "b", "B") == "\ufeffa\r\nB\r\n".encode("utf-16-le")


def test_a_character_that_the_files_encoding_lacks_is_refused() -> None:
    refused = edited("# naïve\n".encode("latin-1"), "na", "😊")

    assert isinstance(refused, Unplaced)
    assert "latin-1" in refused.reason


def test_a_letter_that_a_file_of_unknown_encoding_did_not_hold_is_refused() -> None:
    data = "# привет\nx = 1\n".encode("cp1251")

    assert isinstance(edited(data, "1", "'é'"), Unplaced)
    assert edited(data, "1", "2") == data.replace(b"1", b"2")


@pytest.mark.parametrize("sign", ["\0", "\ud800"])
def test_what_no_text_file_holds_is_refused(sign: str) -> None:
    assert isinstance(edited(b"x = 1\n", "1", sign), Unplaced)


def test_a_form_feed_is_no_line_ending() -> None:
    assert edited(b"a\x0cb\r\nc\r\n", "c", "C") == b"a\x0cb\r\nC\r\n"


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0", b"\0\0\0\0"])
def test_a_binary_file_is_no_text(data: bytes) -> None:
    assert read_source(data) is None


@settings(deadline=None)
@given(st.lists(st.sampled_from([b"a", b"b", b"\r", b"\n", b"\r\n", b"\xef\xbb\xbf", b"\xe9", b"\xc3\xa9", b"\x0c"])))
def test_a_file_that_is_not_changed_stays_the_same_to_the_byte(parts: list[bytes]) -> None:
    data = b"".join(parts)
    source = read_source(data)
    assert source is not None

    assert rewritten(source, source.text) == data


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a\r\n", "b\n", "c\r", "d\r\n"]), min_size=1), st.integers(min_value=0))
def test_a_line_that_is_put_in_changes_no_other(lines: list[str], where: int) -> None:
    at = where % (len(lines) + 1)
    source = read_source("".join(lines).encode())
    assert source is not None
    seen = [f"{line.strip()}\n" for line in lines]

    new = rewritten(source, "".join([*seen[:at], "NEW\n", *seen[at:]]))

    assert isinstance(new, bytes)
    assert re.sub(r"NEW(\r\n|\n|\r)", "", new.decode()) == "".join(lines)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_form_feeds_and_unicode_line_separators_are_part_of_a_line(encoding: str) -> None:
    data = "a\f\x85\u2028b\r\nc\rd".encode(encoding)

    assert edited(data, "c\n", "C\n") == "a\f\x85\u2028b\r\nC\rd".encode(encoding)


@pytest.mark.parametrize(
    ("shown", "meant"),
    [
        ("104: def f():\n105:     return 1\n", "def f():\n    return 1\n"),
        (" 9| def f():\n\n10|     return 1", "def f():\n\n    return 1"),
        ("7: x = {\n8:\n9: }\n", "x = {\n\n}\n"),
    ],
)
def test_lines_that_were_copied_with_their_numbers_are_had_without(shown: str, meant: str) -> None:
    assert unnumbered(shown) == meant


@pytest.mark.parametrize("text", ["", "x = 1\n", "1: 2\nx\n", "2: a\n1: b\n", "1: a\n1: b\n", "12:30\n"])
def test_other_lines_stay(text: str) -> None:
    assert unnumbered(text) == text

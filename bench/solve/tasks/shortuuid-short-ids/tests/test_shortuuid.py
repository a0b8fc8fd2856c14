from uuid import UUID

import pytest
import shortuuid
from shortuuid import ShortUUID


def test_what_is_encoded_can_be_decoded():
    known = UUID("3b1f8b40-222c-4a6e-b77e-779d5a94e21c")

    assert shortuuid.decode(shortuuid.encode(known)) == known


def test_a_large_id_takes_all_characters():
    assert len(shortuuid.encode(UUID(int=2**128 - 1))) == 22


def test_ids_are_padded_on_request():
    assert shortuuid.encode(UUID(int=1), pad_length=30).startswith("2" * 29)


def test_random_ids_have_the_wanted_length():
    assert len(shortuuid.random(length=12)) == 12


def test_a_name_gives_the_same_id_again():
    assert shortuuid.uuid(name="example.org") == shortuuid.uuid(name="example.org")


def test_an_alphabet_needs_two_letters():
    with pytest.raises(ValueError):
        ShortUUID(alphabet="a")

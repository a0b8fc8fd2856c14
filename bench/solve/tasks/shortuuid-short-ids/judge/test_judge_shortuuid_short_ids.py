from uuid import UUID

import pytest
import shortuuid
from shortuuid import ShortUUID


@pytest.mark.parametrize("number", [0, 1, 5, 57, 2**64, 2**122, 2**127, 2**128 - 1])
def test_every_id_has_22_characters(number):
    encoded = shortuuid.encode(UUID(int=number))

    assert len(encoded) == 22
    assert shortuuid.decode(encoded) == UUID(int=number)


def test_random_strings_are_as_long_as_ids():
    assert len(shortuuid.random()) == 22


@pytest.mark.parametrize(
    ("alphabet", "length"),
    [("01", 128), ("0123456789", 39), ("0123456789abcdef", 32), ("abc", 81)],
)
def test_the_length_fits_the_alphabet(alphabet, length):
    short = ShortUUID(alphabet=alphabet)

    assert len(short.encode(UUID(int=0))) == length
    assert len(short.encode(UUID(int=2**128 - 1))) == length
    assert len(short.random()) == length


def test_ids_by_name_are_padded():
    assert {len(shortuuid.uuid(name=f"{number}.example.org")) for number in range(200)} == {22}


def test_the_first_character_pads():
    assert shortuuid.encode(UUID(int=0)) == shortuuid.get_alphabet()[0] * 22

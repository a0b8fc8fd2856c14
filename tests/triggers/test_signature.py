import pytest

from bot.errors import DeliveryRejected
from bot.triggers.signature import sign, verify

SECRET = "It's a Secret to Everybody"
SIGNATURE = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"


def test_githubs_own_example_is_accepted() -> None:
    verify(SECRET, b"Hello, World!", SIGNATURE)


def test_the_signature_is_over_the_raw_bytes_whatever_they_are() -> None:
    body = '{"action":"labeled","issue":{"title":"café 😊"}}'.encode()

    verify(SECRET, body, sign(SECRET, body))
    verify(SECRET, b"\xff\x00", sign(SECRET, b"\xff\x00"))


@pytest.mark.parametrize(
    "signature",
    [
        None,
        "",
        "sha256=",
        SIGNATURE.removeprefix("sha256="),
        SIGNATURE.replace("7571", "7572"),
        SIGNATURE.upper(),
        "sha1=9f5a7",
        "sha256=\u00e9\udce9",
    ],
)
def test_a_stranger_is_refused_without_being_told_why(signature: str | None) -> None:
    with pytest.raises(DeliveryRejected, match="missing or wrong") as refusal:
        verify(SECRET, b"Hello, World!", signature)

    assert refusal.value.status == 401


def test_a_signature_over_other_bytes_is_refused() -> None:
    with pytest.raises(DeliveryRejected):
        verify(SECRET, b"Hello, World", SIGNATURE)

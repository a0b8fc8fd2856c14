"""A setup's secrets in what is read: never, in whatever form."""

import base64
import json
from urllib.parse import quote, quote_plus

import pytest

from sandbox.output import HeadAndTail
from sandbox.setup.setup_secrets import MASK, masked

VALUE = b"s3cr3t/of+the=registry"
TEXT = VALUE.decode()
KEY = b"-----BEGIN KEY-----\nQUJDREVGR0hJSktM\nTU5PUFFSU1RVVldY\n-----END KEY-----\n"


@pytest.mark.parametrize(
    "form",
    [
        TEXT,
        quote(TEXT, safe=""),
        quote(TEXT),
        quote_plus(TEXT),
        quote(TEXT, safe="").replace("%2F", "%2f").replace("%2B", "%2b").replace("%3D", "%3d"),
        base64.b64encode(VALUE).decode(),
        base64.urlsafe_b64encode(VALUE).decode(),
    ],
)
def test_a_secret_is_masked_however_it_is_written(form: str) -> None:
    assert masked(f"url=https://user:{form}@host/", [VALUE]) in {
        f"url=https://user:{MASK}@host/",
        f"url=https://user:{MASK}=@host/",
    }


@pytest.mark.parametrize("before", ["", "u:", "us:", "usr:", "user:"])
@pytest.mark.parametrize("after", ["", "\n", ":x", "@ho"])
def test_a_secret_in_something_longer_that_is_encoded_is_masked(before: str, after: str) -> None:
    encoded = base64.b64encode(f"{before}{TEXT}{after}".encode()).decode()

    shown = masked(f"Authorization: Basic {encoded}", [VALUE])

    assert MASK in shown
    rest = shown.removeprefix("Authorization: Basic ").replace(MASK, "")
    assert len(rest) <= len(encoded) - len(base64.b64encode(VALUE)) + 4


def test_each_line_of_a_secret_is_masked_by_itself() -> None:
    assert masked("bad line 'TU5PUFFSU1RVVldY'", [KEY]) == f"bad line '{MASK}'"
    assert masked(KEY.decode(), [KEY]) == f"{MASK}\n"
    assert "QUJD" not in masked(json.dumps(KEY.decode()), [KEY])


def test_a_secret_that_is_cut_where_output_is_left_out_is_masked_as_well() -> None:
    kept = HeadAndTail(40)
    kept.add(b"0123456789" + VALUE + b"x" * 100 + VALUE + b"0123456789")

    shown = masked(kept.text(), [VALUE])

    assert shown.startswith(f"0123456789{MASK}\n[")
    assert shown.endswith(f"]\n{MASK}0123456789")


def test_what_is_too_short_to_be_a_secret_is_left_alone() -> None:
    assert masked("x=1", [b"1", b"", b"\n"]) == "x=1"
    assert masked("nothing here", []) == "nothing here"
    assert masked("a password", [b"word"]) == f"a pass{MASK}"


def test_the_longest_of_overlapping_secrets_is_masked_whole() -> None:
    assert masked("token-and-more", [b"token", b"token-and-more"]) == MASK

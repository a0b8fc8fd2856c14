import base64
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given

from bot.writing.masking import holds_secret, mask_secrets
from bot.writing.safe import inline
from tests.writing.foreign import foreign_text, patiently

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabc+/=\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("ghs_" + "a" * 36, "ghs_a"),
        ("ghs_123456_" + "eyJ-x.y_z" * 50, "eyJ-x"),
        ("ghp_" + "A1" * 18, "A1A1"),
        ("octocatghs_" + "a" * 36, "ghs_a"),
        ("MY_TOKEN_npm_" + "c" * 36, "cccc"),
        ("key_AKIA" + "ABCDEFGH" * 2, "ABCDEFGH"),
        ("x9eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjM0NSJ9.c2lnbmF0dXJlMTIz", "eyJpc3Mi"),
        ("github_pat_" + "b" * 60, "bbbb"),
        ("OPENAI_API_KEY=sk-proj-" + "c" * 40, "cccc"),
        ("AKIA" + "ABCDEFGH" * 2, "ABCDEFGH"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "wJalr"),
        ("git clone https://x-access-token:abc123@github.com/o/r", "abc123"),
        ("https://user:hunter2!@example.com/x", "hunter2"),
        ("Authorization: Bearer abc.def-ghi", "abc.def"),
        ('{"Authorization": "Basic dXNlcjpwYXNz"}', "dXNlcjpwYXNz"),
        ("authorization: token 0123456789abcdef", "0123456789"),
        ("key:\n" + PEM, "MIIEow"),
        (PEM.replace("\n", "\\n"), "MIIEow"),
        (PEM[:60], "MIIEow"),
        ("xoxb-" + "1234567890-abcdef", "1234567890"),
        ("eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjM0NSJ9.c2lnbmF0dXJlMTIz", "eyJpc3Mi"),
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str, secret: str) -> None:
    assert secret not in mask_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "commit 1f0c1f0c1f0c1f0c1f0c1f0c1f0c1f0c1f0c1f0c",
        "the author: Jane",
        "tests/test_authorization.py::test_bearer",
        "http://127.0.0.1:8000/path",
        "-----BEGIN CERTIFICATE-----",
        "sk-learn",
        "a-task-that-takes-longer-than-others",
        "data:image/png;base64,iVBORAKIAABCDEFGHABCDEFGH/xAIza" + "b" * 35,
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert mask_secrets(text) == text
    assert not holds_secret(text)


@pytest.mark.parametrize(
    "form",
    [
        lambda value: value,
        lambda value: quote(value, safe=""),
        lambda value: base64.b64encode(value.encode()).decode(),
        lambda value: base64.b64encode(f"x-access-token:{value}".encode()).decode(),
        lambda value: base64.urlsafe_b64encode(f"a{value}b".encode()).decode(),
        inline,
    ],
)
def test_the_operators_own_values_are_masked_in_any_form(form: Callable[[str], str]) -> None:
    value = "webhook_secret*[ü]/?with signs"

    masked = mask_secrets(f"before {form(value)} after", [value])

    assert masked.startswith("before ")
    assert "secret" not in masked
    assert form(value)[4:-4] not in masked


def test_a_short_value_is_not_taken_for_a_secret() -> None:
    assert mask_secrets("a test", ["test", ""]) == "a test"


@patiently
@given(foreign_text)
def test_masking_never_makes_a_document_longer(text: str) -> None:
    assert len(mask_secrets(text, ["octocat-octocat"])) <= len(text)


def test_a_patch_with_a_secret_is_known_as_one() -> None:
    assert holds_secret(f"+KEY = '''{PEM}'''")
    assert holds_secret("+X = 'operators-own-value'", ["operators-own-value"])

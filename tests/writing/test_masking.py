import base64
import html
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given

from bot.writing.masking import mask_secrets, secrets_held
from bot.writing.safe import inline, sentence
from tests.writing.foreign import foreign_text, patiently

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabc+/=\n-----END RSA PRIVATE KEY-----"
LINE = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW"


def a_key(kind: str, headers: str = "") -> str:
    body = "\n".join([LINE] * 6)
    return f"-----BEGIN {kind}-----\n{headers}{body}\nQUyNTUxOQ==\n-----END {kind}-----"


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
    "token",
    [
        "ghs_2094133_" + "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiI-x_Y" * 12 + ".Qk9-x",
        *(f"gh{kind}_" + "16C7e42F292c6912E7710c838347Ae178B4a" for kind in "pousr"),
        "github_pat_11AAAAAAA0" + "aB3" * 20 + "_" + "x9Z" * 13,
        "sk-proj-" + "T3BlbkFJ_x-9" * 12,
        "sk-ant-api03-" + "aB3_d-f" * 13 + "AA",
        "sk-svcacct-" + "aB3_d-f" * 13,
        "sk-or-v1-" + "0f" * 32,
        "sk-" + "aB3" * 16,
        "gsk_" + "aB3" * 17 + "x",
        "xai-" + "aB3" * 26,
        "hf_" + "aB3" * 11 + "x",
        "AKIA" + "IOSFODNN7EXAMPL3",
        "ASIA" + "IOSFODNN7EXAMPL3",
        "AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
        "ya29." + "a0AfH6SMB" * 6,
        "GOCSPX-" + "aB3_d-fgH1" * 2 + "aB3_d-fg",
        "aB3" * 17 + "x" + "JQQJ99" + "AbC" * 8 + "de",
        "abc8Q~" + "dEf_gh.i~k" * 3 + "abcd",
        "AccountKey=" + "aB3+" * 21 + "ab==",
        "xoxb-" + "123456789012-1234567890123-" + "aB3" * 8,
        "xapp-1-" + "A012-345-" + "0f" * 32,
        "https://hooks.slack.com/services/" + "T0000/B0000/" + "aB3x" * 6,
        "sk_live_" + "aB3" * 8,
        "rk_live_" + "aB3" * 8,
        "whsec_" + "aB3+" * 8,
        "glpat-" + "aB3_d-fgH1" * 2,
        "glpat-" + "aB3_d-fgH1" * 3 + ".01.0w0aB3",
        "npm_" + "aB3" * 12,
        "pypi-AgEIcHlwaS5vcmc" + "aB3_d-f" * 16,
        "rubygems_" + "0f" * 24,
        "dckr_pat_" + "aB3_d-fgH" * 3,
        "dop_v1_" + "0f" * 32,
        "SG." + "aB3_d-fgH1x" * 2 + "." + "aB3_d-fgH1x" * 3 + "aB3_d-fgH1",
        "123456789:AA" + "aB3_d-fgH1x" * 3,
        "dapi" + "0f" * 16,
        "hvs." + "aB3_d-f" * 8,
        "AGE-SECRET-KEY-1" + "Q" * 58,
        a_key("PRIVATE KEY"),
        a_key("OPENSSH PRIVATE KEY"),
        a_key("EC PRIVATE KEY"),
        a_key("ENCRYPTED PRIVATE KEY"),
        a_key("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0F0F\n\n"),
        a_key("PGP PRIVATE KEY BLOCK", "Version: GnuPG v2\n\n"),
    ],
    ids=lambda token: token[:24],
)
def test_tokens_and_keys_in_todays_formats_are_masked_and_not_pushed(token: str) -> None:
    for text in (token, f"KEY={token}", f'{{"key": "{token}"}}', f"+{token}\n", f"x\n{token}\ny", f"`{token}`"):
        assert token[12:-4] not in mask_secrets(text)
        assert secrets_held(text)
    assert len(mask_secrets(f"before {token} after")) <= len("before  after") + 40


@pytest.mark.parametrize(
    "written",
    [
        lambda key: key.replace("\n", "\\n"),
        lambda key: json.dumps({"type": "service_account", "private_key": key}),
        lambda key: "\n".join(f"+    {line}" for line in key.split("\n")),
        lambda key: "\n".join(f"> {line}" for line in key.split("\n")),
        lambda key: "\n".join(f'    "{line}\\n"' for line in key.split("\n")),
        lambda key: key.replace("\n", "\r\n"),
        lambda key: key[:300],
        lambda key: json.dumps(key[:300]),
    ],
)
def test_a_key_is_masked_however_its_lines_are_written_and_where_it_was_cut_off(written: Callable[[str], str]) -> None:
    text = written(a_key("OPENSSH PRIVATE KEY"))

    assert LINE[:20] not in mask_secrets(text)
    assert secrets_held(text)


def test_what_follows_a_key_that_was_cut_off_stays() -> None:
    text = f"{a_key('PRIVATE KEY')[:200]}\n\nThe rest of the page, and more of it."

    assert mask_secrets(text).endswith("The rest of the page, and more of it.")


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
        "if text.startswith('-----BEGIN RSA PRIVATE KEY-----'):",
        "It is between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----, as everybody knows.",
        "550e8400-e29b-41d4-a716-446655440000",
        "sha256:" + "ab12" * 16,
        "sha512-" + "aB3+" * 21 + "ab==",
        base64.b64encode(bytes(range(256)) * 4).decode(),
        ".sk-toggleable__content-arrow, .sk-estimator-doc-link-fitted { color: red }",
        "risk-assessment-of-everything-in-the-house-2024",
        "from pypi import project; npm_config_registry=http://localhost",
        "pk_test_" + "aB3" * 8,
        "https://x-access-token@github.com/octo/calc",
        "eyJhbGciOiJSUzI1NiJ9",
        "assert total([1, 2, 3]) == 6  # SG.x hvs.y dapi",
        "data:image/png;base64,iVBORAKIAABCDEFGHABCDEFGH/xAIza" + "b" * 35,
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert mask_secrets(text) == text
    assert not secrets_held(text)


VALUE = "webhook_secret*[ü]/?with signs"


def in_lines(text: str, width: int, start: str = "") -> str:
    return "\n".join(start + text[at : at + width] for at in range(0, len(text), width))


@pytest.mark.parametrize(
    "form",
    [
        lambda value: value,
        lambda value: quote(value, safe=""),
        quote,
        quote_plus,
        lambda value: quote(value, safe="").replace("%2F", "%2f").replace("%2A", "%2a"),
        lambda value: json.dumps(value)[1:-1],
        lambda value: json.dumps(json.dumps(value)),
        html.escape,
        lambda value: value.encode().hex(),
        lambda value: value.encode().hex().upper(),
        lambda value: base64.b64encode(value.encode()).decode(),
        lambda value: base64.b64encode(f"x-access-token:{value}".encode()).decode(),
        lambda value: base64.b64encode(f"ab{value}".encode()).decode(),
        lambda value: base64.urlsafe_b64encode(f"a{value}b".encode()).decode(),
        lambda value: in_lines(value, 9),
        lambda value: in_lines(value, 12, "+"),
        lambda value: in_lines(value, 12, "> "),
        lambda value: in_lines(
            base64.b64encode(f"some words before it {value} and after".encode()).decode(), 20, "    "
        ),
        lambda value: in_lines(base64.b64encode(value.encode()).decode(), 16).replace("\n", "\\n"),
        lambda value: in_lines(value.encode().hex(), 20).replace("\n", "\r\n"),
        inline,
        lambda value: inline(value.replace("*", "\u200b*")),
        sentence,
    ],
)
def test_the_operators_own_values_are_masked_in_any_form(form: Callable[[str], str]) -> None:
    masked = mask_secrets(f"before {form(VALUE)} after", [VALUE])

    assert masked.startswith("before ")
    assert masked.endswith(" after")
    assert "[masked]" in masked
    assert "secret" not in masked
    assert form(VALUE)[4:-4] not in masked
    assert secrets_held(form(VALUE), [VALUE])


@pytest.mark.parametrize("value", ["pa%2fssword", "new-password", "C:\\new\\readme", "%%%&&&///", "a\nb\nc\nd\ne"])
def test_values_that_look_like_escapes_are_masked_too(value: str) -> None:
    for text in (value, f"x\\{value}", json.dumps(value)[1:-1], inline(value)):
        assert value not in mask_secrets(f"a {text} b", [value])
        assert secrets_held(f"a {text} b", [value])


def test_a_long_line_alone_of_a_value_of_several_lines_is_masked() -> None:
    key = f"-----BEGIN X-----\n{LINE}\n{LINE[::-1]}\nshort\n-----END X-----"

    masked = mask_secrets(f"grep: {LINE[::-1]}\nshort\n-----END X-----", [key])

    assert masked == "grep: [masked]\nshort\n-----END X-----"


def test_what_overlaps_is_masked_once() -> None:
    token = "ghp_" + "aB3" * 12

    assert mask_secrets(f"a {token} b", [token, token[:30], token[10:]]) == "a [masked] b"


def test_a_short_value_is_not_taken_for_a_secret() -> None:
    assert mask_secrets("a test", ["test", ""]) == "a test"


@patiently
@given(foreign_text)
def test_masking_never_makes_a_document_longer(text: str) -> None:
    assert len(mask_secrets(text, ["octocat-octocat"])) <= len(text)


def test_a_patch_with_a_secret_is_known_as_one() -> None:
    assert secrets_held(f"+KEY = '''{PEM}'''")
    assert secrets_held("+X = 'operators-own-value'", ["operators-own-value"])

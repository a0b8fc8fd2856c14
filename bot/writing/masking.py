"""Keep secrets out of everything that people read: tokens by their formats, and the operator's own values."""

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from urllib.parse import quote, quote_plus

from bot.writing.secret_formats import secrets_in

MASK = "[masked]"
SHORTEST_VALUE = 8
"""Exact values below this length are not masked: they would hit ordinary words, and are no secrets."""

SHORTEST_LINE = 24
"""A line of a value of several lines is masked by itself from this length on."""

_GAP = r"(?:[\\\u200b]|(?<=\\)[rn]|\r?\n[ \t>+|*-]{0,20})*"
"""What may stand between two characters of a value: Markdown's and JSON's escapes, a line break with what begins a line
in quotes and diffs."""

_SPACE = r"(?:[\s\\\u200b]|(?<=\\)[rn]|(?<=\n)[>+|*-])+"
"""What may stand for white space of a value."""

_NOT_BARE_ASCII = bytes(code for code in range(128) if not chr(code).isalnum())
_NOT_BARE = dict.fromkeys((*_NOT_BARE_ASCII, 0x200B))

_QUOTED = re.compile("%[0-9A-Fa-f]{2}")

_AFTER_A_NAME = re.compile(
    r"(?P<name>"
    r"\bauthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:(?:bearer|basic|token)\s{1,9})?"
    r"|\bbearer\s{1,9}(?=[A-Za-z0-9._~+/-]{16})"
    r"|\baws_(?:secret_access_key|session_token)[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    r"|\b(?:secretaccesskey|sessiontoken)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?=[A-Za-z0-9+/=]{40})"
    r"|\b(?:x-api-key|private-token)[\"']?\s{0,3}:\s{0,3}[\"']?(?=[^\s\"']{16})"
    r"|:_authtoken\s{0,3}=\s{0,3}[\"']?"
    r"|[?&]sig=(?=[A-Za-z0-9%+/]{40})"
    r"|://[^\s/:@\"'<>]{0,100}:(?=[^\s/@\"'<>]{1,2000}@)"
    r"|\bx-access-token:"
    r")(?P<secret>[^\s\"'@<>`]{3,})",
    re.IGNORECASE,
)

_NAMES = (
    "authorization", "bearer", "aws_se", "secretaccesskey", "sessiontoken", "x-api-key", "private-token", "_authtoken",
    "sig=", "://", "x-access-token",
)  # fmt: skip


def mask_secrets(text: str, values: Iterable[str] = ()) -> str:
    """The text without anything that looks like a secret, and without `values`, plain or encoded (see `_forms`).

    Never longer than before, so it may be applied to a document that already fits. Values are found in escaped
    Markdown too, and broken over lines.
    """
    text = _without(text, [*secrets_in(text), *_values_in(text, values)])
    lowered = text.lower()
    is_named = any(name in lowered for name in _NAMES)
    return _AFTER_A_NAME.sub(_mask_after_name, text) if is_named else text


def secrets_held(text: str, values: Iterable[str] = ()) -> frozenset[str]:
    """What in the text looks like a secret, each as it stands there, without a full stop or dash behind it.

    What merely stands behind a name (`Authorization: …`, a URL's password) does not count here: in a program it is
    mostly an example.
    """
    spans = (*secrets_in(text), *_values_in(text, values))
    return frozenset(text[start:end].rstrip("._-") for start, end in spans)


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with a mask for each span; what overlaps gets one."""
    pieces, after = [], 0
    for start, end in sorted(spans):
        if start >= after:
            pieces += [text[after:start], MASK]
        after = max(after, end)
    return "".join([*pieces, text[after:]])


def _mask_after_name(match: re.Match[str]) -> str:
    masked = match["name"] + MASK
    return masked if len(masked) <= len(match[0]) else match["name"] + "*" * len(match["secret"])


def _values_in(text: str, values: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Where values begin and end. Letters and digits alone are compared first: that is a plain search."""
    bare: tuple[str, str] | None = None
    text = _in_capitals(text)
    for value in values:
        if len(value.strip()) < SHORTEST_VALUE:
            continue
        bare = _bare(text) if bare is None else bare
        for form, (letters, unbroken) in _known_forms(value.strip()):
            if letters in bare[0] or unbroken in bare[1]:
                yield from (found.span() for found in _broken(form).finditer(text))


@lru_cache(maxsize=64)
def _known_forms(value: str) -> Sequence[tuple[str, tuple[str, str]]]:
    """Each form of a value, and its letters and digits: kept, for every line of a log is searched for them."""
    return [(form, _bare(form)) for form in map(_in_capitals, _forms(value))]


def _in_capitals(text: str) -> str:
    """The text as long as it was, its URL-encoded bytes written in one way."""
    return _QUOTED.sub(lambda found: found[0].upper(), text) if "%" in text else text


def _bare(text: str) -> tuple[str, str]:
    """Its letters and digits: all of them, and without those that may be an escaped line break."""
    letters = _letters(text)
    unbroken = text.replace("\\n", "").replace("\\r", "")
    return letters, letters if unbroken == text else _letters(unbroken)


def _letters(text: str) -> str:
    """Much faster where all is ASCII, as nearly every line of a log is."""
    if text.isascii():
        return text.encode("ascii").translate(None, _NOT_BARE_ASCII).decode("ascii")
    return text.translate(_NOT_BARE)


def _broken(form: str) -> re.Pattern[str]:
    """The form, whatever stands between its characters."""
    words = (_GAP.join(re.escape(character) for character in word) for word in form.split())
    return re.compile(_SPACE.join(words))


def _forms(value: str) -> set[str]:
    """How a value may show up.

    As it is; in a URL, JSON, HTML; as hexadecimal digits; in base64 with anything before and after it; a long line of
    it alone. Not compressed, encrypted, reversed, spaced out or encoded twice: that is no accident any more.
    """
    quoted = {quote(value, safe=""), quote(value), quote_plus(value)}
    escaped = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], html.escape(value)}
    digits = value.encode("utf-8", "replace").hex()
    lines = {line.strip() for line in value.splitlines() if len(line.strip()) >= SHORTEST_LINE and "-----" not in line}
    return {value, digits, digits.upper(), *quoted, *escaped, *lines, *_in_base64(value)}


def _in_base64(value: str) -> Iterator[str]:
    """What is certain of it at each of the three places in a group of bytes where it may begin."""
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + value.encode("utf-8", "replace")).decode()
        certain = encoded[(0, 2, 3)[shift] : len(encoded) - (4 if encoded.endswith("=") else 0)]
        if len(certain) >= SHORTEST_VALUE:
            yield from (certain, certain.translate(str.maketrans("+/", "-_")))

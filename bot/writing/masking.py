"""Keep secrets out of everything that people read: tokens by their formats, and the operator's own values."""

import base64
import re
from collections.abc import Iterable
from urllib.parse import quote

MASK = "[masked]"
SHORTEST_VALUE = 8
"""Exact values below this length are not masked: they would hit ordinary words, and are no secrets."""

_UNSEEN = r"[\\\u200b]*"

_PRIVATE_KEY = (
    # to its end or, where that was cut off, as far as it looks like one
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----"
    r"(?:[A-Za-z0-9+/=\s\\:,.-]{0,20000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----"
    r"|[A-Za-z0-9+/=\s\\]{0,20000})"
)
_NOT_INSIDE = r"(?<![A-Za-z0-9+/])"
"""Before letters that base64 may hold by chance. Rarer ones are found where they are glued to a word, too."""

_FORMATS = {
    # Source: https://github.blog/changelog/2026-05-15-github-app-installation-tokens-per-request-override-header/
    # (`ghs_` tokens are several hundred characters long by now, and hold dots and dashes)
    **{f"gh{kind}_": rf"gh{kind}_[A-Za-z0-9._-]{{36,}}" for kind in "opsur"},
    "github_pat_": r"github_pat_[A-Za-z0-9_]{22,}",
    "sk-": r"\bsk-[A-Za-z0-9_-]{20,}",  # not in "task-…", "risk-…"
    "AKIA": rf"{_NOT_INSIDE}AKIA[0-9A-Z]{{16}}(?![0-9A-Z])",
    "ASIA": rf"{_NOT_INSIDE}ASIA[0-9A-Z]{{16}}(?![0-9A-Z])",
    "AIza": rf"{_NOT_INSIDE}AIza[0-9A-Za-z_-]{{35}}",
    "xox": r"xox[abeoprs]-[A-Za-z0-9-]{10,}",
    "glpat-": r"glpat-[A-Za-z0-9_-]{20,}",
    "npm_": r"npm_[A-Za-z0-9]{36}",
    "pypi-": r"\bpypi-[A-Za-z0-9_-]{50,}",
    "hf_": rf"{_NOT_INSIDE}hf_[A-Za-z0-9]{{30,}}",
    "eyJ": r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    "PRIVATE KEY": _PRIVATE_KEY,
}
"""Formats by the letters that each holds: looking for these first makes a long text cheap."""

_WHOLE = {letters: re.compile(pattern) for letters, pattern in _FORMATS.items()}
_AFTER_A_NAME = re.compile(
    r"(?P<name>"
    r"\bauthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:(?:bearer|basic|token)\s+)?"
    r"|\bbearer\s+(?=[A-Za-z0-9._~+/-]{16})"
    r"|\baws_secret_access_key[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    r"|://[^\s/:@\"'<>]{0,100}:(?=[^\s/@\"'<>]{1,2000}@)"
    r"|\bx-access-token:"
    r")(?P<secret>[^\s\"'@<>`]{3,})",
    re.IGNORECASE,
)

_NAMES = ("authorization", "bearer", "aws_secret_access_key", "://", "x-access-token")


def mask_secrets(text: str, values: Iterable[str] = ()) -> str:
    """The text without anything that looks like a secret, and without `values`, plain, URL-quoted or in base64.

    Never longer than before, so it may be applied to a document that already fits. Values are found in escaped
    Markdown too.
    """
    for pattern in _of_values(values):
        text = pattern.sub(MASK, text)
    for pattern in _of_formats(text):
        text = pattern.sub(MASK, text)
    lowered = text.lower()
    is_named = any(name in lowered for name in _NAMES)
    return _AFTER_A_NAME.sub(_mask_after_name, text) if is_named else text


def holds_secret(text: str, values: Iterable[str] = ()) -> bool:
    """Whether the text holds something that looks like a secret: such a change is not to be pushed."""
    return any(pattern.search(text) for pattern in (*_of_formats(text), *_of_values(values)))


def _of_formats(text: str) -> list[re.Pattern[str]]:
    return [pattern for letters, pattern in _WHOLE.items() if letters in text]


def _mask_after_name(match: re.Match[str]) -> str:
    masked = match["name"] + MASK
    return masked if len(masked) <= len(match[0]) else match["name"] + "*" * len(match["secret"])


def _of_values(values: Iterable[str]) -> list[re.Pattern[str]]:
    forms = {form for value in values if len(value.strip()) >= SHORTEST_VALUE for form in _forms(value.strip())}
    longest_first = sorted(forms, key=lambda form: (-len(form), form))
    return [re.compile(_UNSEEN.join(re.escape(character) for character in form)) for form in longest_first]


def _forms(value: str) -> set[str]:
    """How a value may show up: as it is, in a URL, on one line, in base64 with anything before and after it."""
    forms = {value, quote(value, safe=""), value.replace("\n", "\\n")}
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + value.encode()).decode()
        certain = encoded[(0, 2, 3)[shift] : len(encoded) - (4 if encoded.endswith("=") else 0)]
        forms |= {certain, certain.translate(str.maketrans("+/", "-_"))} if len(certain) >= SHORTEST_VALUE else set()
    return forms

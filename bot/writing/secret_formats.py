"""What tokens and keys look like that are known by their form alone. Entropy is no sign: hashes and data have it too.

Each pattern is found by some letters that it holds, so that a long text without them costs one search for each. All
are linear: what may repeat is bounded, or can't be taken back.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

_NOT_INSIDE = r"(?:(?<![A-Za-z0-9+/])|(?<=^\+))"
"""Before letters that base64 may hold by chance; at the start of a diff's line they are no part of it. Rarer ones are
found where they are glued to a word, too."""

_NO_WORD = r"(?<![A-Za-z0-9])"

# Sources: each service's own page, and GitHub's list of what its secret scanning knows,
# https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns
_FORMATS = {
    # `ghs_` tokens are several hundred characters long by now, and hold dots and dashes. Source:
    # https://github.blog/changelog/2026-05-15-github-app-installation-tokens-per-request-override-header/
    **{f"gh{kind}_": rf"gh{kind}_[A-Za-z0-9._-]{{36,}}" for kind in "opsur"},
    "github_pat_": r"github_pat_[A-Za-z0-9_]{22,}",
    "sk-": rf"{_NO_WORD}sk-(?:(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{{20,}}|[A-Za-z0-9]{{20,}}[A-Za-z0-9_-]*)",
    "gsk_": rf"{_NO_WORD}gsk_[A-Za-z0-9]{{40,}}",
    "xai-": rf"{_NO_WORD}xai-[A-Za-z0-9]{{60,}}",
    "pplx-": rf"{_NO_WORD}pplx-[A-Za-z0-9]{{40,}}",
    "r8_": rf"{_NO_WORD}r8_[A-Za-z0-9]{{37}}",
    "hf_": rf"{_NOT_INSIDE}hf_[A-Za-z0-9]{{30,}}",
    "AKIA": rf"{_NOT_INSIDE}AKIA[0-9A-Z]{{16}}(?![0-9A-Z])",
    "ASIA": rf"{_NOT_INSIDE}ASIA[0-9A-Z]{{16}}(?![0-9A-Z])",
    "ABSK": rf"{_NOT_INSIDE}ABSK[A-Za-z0-9+/]{{100,}}={{0,2}}",
    "AIza": rf"{_NOT_INSIDE}AIza[0-9A-Za-z_-]{{35}}",
    "ya29.": rf"{_NO_WORD}ya29\.[0-9A-Za-z_-]{{30,}}",
    "GOCSPX-": r"GOCSPX-[A-Za-z0-9_-]{28}",
    "JQQJ99": rf"{_NO_WORD}[A-Za-z0-9]{{52}}JQQJ99[A-Za-z0-9]{{26}}",  # Azure, since 2024
    "Q~": rf"{_NO_WORD}[A-Za-z0-9_~.-]{{3}}[0-9]Q~[A-Za-z0-9_~.-]{{31,34}}",  # Azure, of an application
    "AccountKey=": r"AccountKey=[A-Za-z0-9+/]{40,}={0,2}",
    "SharedAccessKey=": r"SharedAccessKey=[A-Za-z0-9+/]{40,}={0,2}",
    "xox": r"xox[abeoprs]-[A-Za-z0-9-]{10,}",
    "xapp-": r"xapp-\d-[A-Za-z0-9-]{20,}",
    "hooks.slack.com/services/": r"hooks\.slack\.com/services/[A-Za-z0-9/]{20,}",
    "_live_": r"(?:[rs]k)_live_[A-Za-z0-9]{16,}",
    "whsec_": r"whsec_[A-Za-z0-9+/]{24,}={0,2}",
    "glpat-": r"glpat-[A-Za-z0-9_.-]{20,}",
    **{f"gl{kind}-": rf"{_NO_WORD}gl{kind}-[A-Za-z0-9_.-]{{20,}}" for kind in ("dt", "rt", "soat", "cbt", "ptt", "ft")},
    "npm_": r"npm_[A-Za-z0-9]{36}",
    "pypi-": r"\bpypi-[A-Za-z0-9_-]{50,}",
    "rubygems_": r"rubygems_[a-f0-9]{48}",
    "dckr_": r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}",
    "_v1_": r"do[opr]_v1_[a-f0-9]{64}",
    "SG.": rf"{_NOT_INSIDE}SG\.[A-Za-z0-9_-]{{22}}\.[A-Za-z0-9_-]{{43}}",
    ":AA": r"(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])",  # Telegram
    "dapi": rf"{_NO_WORD}dapi[a-f0-9]{{32}}",
    "hvs.": rf"{_NO_WORD}hvs\.[A-Za-z0-9_-]{{24,}}",
    "glsa_": r"glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}",
    "lin_api_": r"lin_api_[A-Za-z0-9]{40}",
    "AGE-SECRET-KEY-1": r"AGE-SECRET-KEY-1[0-9A-Z]{58}",
    # from where the word begins, so that “eyJeyJeyJ…” is read once
    ".eyJ": r"(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*eyJ)[A-Za-z0-9_-]{13,}+\.eyJ[A-Za-z0-9_-]{10,}+\.[A-Za-z0-9_-]{10,}",
}

_WHOLE = {letters: re.compile(pattern, re.MULTILINE) for letters, pattern in _FORMATS.items()}

_KEY_BEGINS = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----")
_KEY_ENDS = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----")
_KEY_LINES = re.compile(
    r"(?:[\s\\rn\"'+,>|]{0,40}+(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{0,200}){0,9}"
    r"(?:[\s\\rn\"'+,>|]{0,40}+[A-Za-z0-9+/]{16,}+={0,2})+"
)
_SOME_OF_A_KEY = re.compile(r"[A-Za-z0-9+/]{16}")
KEY_AT_MOST = 20_000
"""Characters of a private key between its two lines: 16,384 bits, escaped and indented, are fewer."""


def secrets_in(text: str) -> Iterator[tuple[int, int]]:
    """Where something begins and ends that looks like a token or a key, each format by itself."""
    for letters, pattern in _WHOLE.items():
        if letters in text:
            yield from (found.span() for found in pattern.finditer(text))
    if "PRIVATE KEY" in text:
        yield from _private_keys(text)


def _private_keys(text: str) -> Iterator[tuple[int, int]]:
    """Each PEM block whole, however its lines are quoted; of one without an end, what looks like lines of a key.

    The line alone that a key begins with is none: programs name it.
    """
    begins = [*(found.span() for found in _KEY_BEGINS.finditer(text)), (len(text), len(text))]
    for (start, after), (following, _) in pairwise(begins):
        end = _KEY_ENDS.search(text, after, min(following, after + KEY_AT_MOST))
        if end is not None and _SOME_OF_A_KEY.search(text, after, end.start()):
            yield start, end.end()
        elif end is None and (lines := _KEY_LINES.match(text, after, following)):
            yield start, lines.end()

"""Trailers of a commit's message, wherever they stand: who reviewed it, what it closes, where it comes from. Pure."""

import re

from bot.backtest.words.leaving_out import LeftOut

_TRAILER = re.compile(
    r"[ \t]*(?:[a-z]+(?:-[a-z]+){0,3}-by|(?:Reviewed|Acked|Tested) by|Change-Id|Cc|Reviewed-on|Reviewers|Subscribers"
    r"|Test[- ]Plan|git-svn-id|PiperOrigin-RevId|Differential Revision|Gerrit-\w+|Upstream-commit|fb-gh-sync-id)[ \t]*:"
    r"|[ \t]*\(?(?:cherry[- ]picked|backported) from commit\b",
    re.IGNORECASE,
)
_NAMING = re.compile(
    r"[ \t]*(?:Bugs?|Bug-Id|Issues?|Tickets?|Links?|PR|Pull[- ]request|Fix(?:es)?|Close[sd]?|Resolve[sd]?|Refs?|See"
    r"|See[- ]also|Backports?|R|TBR|TEST)[ \t]*[:=](.*)",
    re.IGNORECASE,
)
"""These are trailers where what they name are ids and addresses; else a sentence begins so."""

_NAMED = re.compile(r"\S*[\d@]|https?:|none$")
_NAMED_FIRST = re.compile(r"[0-9a-f]{7,40}$|#\d|https?:")
_LAST_TRAILER = re.compile(r"[A-Z][A-Za-z]*(?:-[A-Za-z]+)+: \S")


def without_trailers(text: str, out: LeftOut) -> str:
    """Without trailers, wherever they stand; the first line is none."""
    first, *rest = text.split("\n")
    lines = [line for line in rest if not _is_trailer(line)]
    while lines and (not lines[-1].strip() or _LAST_TRAILER.match(lines[-1])):
        lines.pop()
    if sum(bool(line.strip()) for line in lines) < sum(bool(line.strip()) for line in rest):
        out.note("trailers")
    return "\n".join([first, *lines])


def _is_trailer(line: str) -> bool:
    if _TRAILER.match(line):
        return True
    found = _NAMING.fullmatch(line)
    named = found[1].split() if found else []
    return bool(named) and (_NAMED_FIRST.match(named[0]) is not None or all(map(_NAMED.match, named)))

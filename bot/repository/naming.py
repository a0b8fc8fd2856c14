"""Names that come from strangers' words: branches by number alone, titles as plain text. Pure."""

import re
import unicodedata

from bot.errors import Refused

TITLE_AT_MOST = 120

_CLOSING = re.compile(
    r"\b((?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\s*:?\s+(?:[\w.-]+/[\w.-]+)?)#(?=\d)", re.IGNORECASE
)
_BAD_IN_A_BRANCH = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^/|/$|\.$|^@$|^-|(?:^|/)\.|\.lock(?:/|$)")


def branch_for(number: int) -> str:
    """The branch for an issue: of its number alone, so that no title can reach a command line."""
    return f"selfcode/issue-{number}"


def title_for(issue_title: str, number: int | None) -> str:
    """One line for commits and pull requests: the issue's own words, then its number.

    Control and invisible characters go, and so does the `#` of “closes #5”: the words of a stranger's title must not
    close another issue when the commit is merged.
    """
    words = " ".join("".join(_visible(character) for character in issue_title).split())
    words = _CLOSING.sub(r"\1", words)
    if len(words) > TITLE_AT_MOST:
        words = words[: TITLE_AT_MOST - 1].rstrip() + "…"
    suffix = f"(#{number})" if number is not None else ""
    return f"{words} {suffix}".strip() if words else f"Issue {suffix}".strip()


def ref_for(branch: str) -> str:
    """The full ref of a branch. Raises: `Refused` for what git does not take as a branch's name.

    Source: git-check-ref-format(1).
    """
    if not branch or _BAD_IN_A_BRANCH.search(branch):
        raise Refused(f"`{branch!r}` is no name for a branch.")
    return f"refs/heads/{branch}"


def _visible(character: str) -> str:
    match unicodedata.category(character):
        case "Cc" | "Zl" | "Zp":
            return " "
        case "Cf" | "Cs" | "Co" | "Cn":
            return ""
        case _:
            return character

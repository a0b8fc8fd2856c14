"""Names of branches: ours by number alone, others as git judges them. Pure."""

import re

from bot.errors import Refused

_WORD = re.compile(r"[A-Za-z0-9-]+")
_BAD_IN_A_BRANCH = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^/|/$|\.$|^@$|^-|(?:^|/)\.|\.lock(?:/|$)")


def branch_for(number: int, place: int = 1) -> str:
    """The branch for an issue: of its number alone, so that no title can reach a command line.

    `place` counts the branches of one issue, from 1 on: a merged one is left alone, and the next begins.
    """
    return f"selfcode/issue-{number}" + (f"-{place}" if place > 1 else "")


def staging_ref(name: str) -> str:
    """The ref that commits are brought to a server by, without a branch. Raises: `Refused` for what is no word."""
    if not _WORD.fullmatch(name):
        raise Refused(f"`{name!r}` is no name for a ref.")
    return f"refs/selfcode/{name}"


def ref_for(branch: str) -> str:
    """The full ref of a branch. Raises: `Refused` for what git does not take as a branch's name.

    Source: git-check-ref-format(1).
    """
    if not branch or _BAD_IN_A_BRANCH.search(branch):
        raise Refused(f"`{branch!r}` is no name for a branch.")
    return f"refs/heads/{branch}"

"""GitHub for who may lose what they write in the name of: each write is preceded by a look whether it is held still."""

from collections.abc import Callable
from typing import Any, cast

from bot.records import GitHub

READS = frozenset(
    {
        "comments",
        "failed_checks",
        "issue",
        "permission",
        "pull_request_numbered",
        "pull_requests",
        "repository",
        "review",
        "signs_commits",
    }
)
"""What changes nothing. All else is guarded, a token for git too."""


def guarded(github: GitHub, require: Callable[[], None]) -> GitHub:
    """The same GitHub; what `require` raises keeps each write from being sent."""
    return cast("GitHub", _Guarded(github, require))


class _Guarded:
    def __init__(self, github: GitHub, require: Callable[[], None]) -> None:
        self._github = github
        self._require = require

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._github, name)
        if name in READS:
            return method

        def write(*arguments: Any, **named: Any) -> Any:
            self._require()
            return method(*arguments, **named)

        return write

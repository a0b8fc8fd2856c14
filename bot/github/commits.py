"""Commits that GitHub writes for us: as the App's own, which it signs where it can."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from bot.github.answers import GitCommit, read
from bot.github.failures import Invalid
from bot.github.place import Place
from bot.records import MadeCommit

UNSIGNED_FOR_S = 86_400.0
"""How long a server that does not sign is taken to go on so."""
WAITS_S = (1.0, 3.0)
"""How long to wait for what was pushed a moment ago to be known to the API."""

log = logging.getLogger(__name__)


class Commits:
    """Has commits written, and remembers whether the server signs them. Safe for any number of threads."""

    def __init__(self, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._clock = clock
        self._sleep = sleep
        self._unsigned_until_s = 0.0

    @property
    def are_signed(self) -> bool:
        """False where the server was seen not to sign, a short while ago."""
        return self._clock() >= self._unsigned_until_s

    def create(self, place: Place, *, tree: str, parents: Sequence[str], message: str) -> MadeCommit:
        """Write a commit. Who makes it is left to GitHub: it signs no other.

        Source: https://docs.github.com/en/authentication/managing-commit-signature-verification/about-commit-signature-verification#signature-verification-for-bots
        """
        wanted: dict[str, Any] = {"message": message, "tree": tree, "parents": list(parents)}
        made = read(GitCommit, self._posted(place, wanted))
        if made.verification.reason == "unsigned":
            if self.are_signed:
                log.warning("this GitHub server signs no commits of Apps: they are pushed as they are")
            self._unsigned_until_s = self._clock() + UNSIGNED_FOR_S
        return MadeCommit(made.sha, is_verified=made.verification.verified, reason=made.verification.reason)

    def _posted(self, place: Place, wanted: dict[str, Any]) -> Any:
        for wait_s in WAITS_S:
            try:
                return place.post("git/commits", wanted)
            except Invalid as invalid:
                if not invalid.says("does not exist"):
                    raise
                self._sleep(wait_s)
        return place.post("git/commits", wanted)

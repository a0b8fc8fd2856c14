"""How a run speaks on its issue: one comment, brought up to date, without secrets."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.errors import Gone, Refused, Unavailable
from bot.records import PullRequestText
from bot.runs.known import Known
from bot.writing.masking import mask_secrets
from bot.writing.progress import progress_marker

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Voice:
    """What a run or an examination says."""

    known: Known

    def write(self, body: str) -> None:
        """Bring the run's one comment to this text; where somebody deleted it, say it anew."""
        known, body = self.known, self.masked(body)
        github = known.house.github
        try:
            if known.comment_id is not None:
                github.edit_comment(known.at, known.comment_id, body)
                return
        except Gone as gone:
            log.warning("run %s: the comment is gone: %s", known.run_id, gone)
        marker, since = progress_marker(known.run_id), known.trigger.occurred_at
        posted = github.post_comment(known.at, body, marker=marker, since=since)
        known.learn(comment_id=posted)

    def masked(self, text: str) -> str:
        """The text without the operator's secrets."""
        return mask_secrets(text, self.known.house.secrets)

    def masked_pull(self, text: PullRequestText) -> PullRequestText:
        """A pull request's text likewise."""
        return replace(text, title=self.masked(text.title), body=self.masked(text.body))

    def politely(self, say: Callable[[], None]) -> None:
        """Say something that the run does not depend on: a locked issue or a missing permission is only logged."""
        try:
            say()
        except (Refused, Gone, Unavailable) as problem:
            log.warning("run %s: not said: %s", self.known.run_id, problem)

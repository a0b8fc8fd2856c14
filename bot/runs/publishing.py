"""What is said beside a pull request's own text: its check run, and that it is no draft any more."""

import logging
from dataclasses import replace

from bot.errors import Gone, Refused
from bot.records import RepositoryRef
from bot.runs.house import House
from bot.runs.known import Known
from bot.runs.voice import Voice
from bot.writing.check import CheckText

log = logging.getLogger(__name__)


def set_check(known: Known, head_sha: str, text: CheckText) -> None:
    """Set the check run on a commit of the run's repository, without secrets."""
    masked = Voice(known).masked
    known.house.github.set_check(
        known.at.repository,
        head_sha,
        conclusion=text.conclusion,
        title=masked(text.title),
        summary=masked(text.summary),
        annotations=[
            replace(each, title=masked(each.title), message=masked(each.message)) for each in text.annotations
        ],
    )


def marked_ready(house: House, ref: RepositoryRef, number: int) -> str:
    """Make the draft ready for review. Returns GitHub's words where it does not let us, else ""."""
    try:
        house.github.mark_ready(ref, number)
    except (Refused, Gone) as refusal:
        log.warning("pull request %s of %s stays a draft: %s", number, ref.full_name, refusal)
        return str(refusal)
    return ""

"""The pull request of a run, and what is said beside it: its check run, and that it is no draft any more."""

import logging
from dataclasses import dataclass, replace

from bot.errors import Gone, Refused
from bot.records import Outcome, PullRequest, PullRequestText, RepositoryRef, TriggerKind
from bot.runs.house import House
from bot.runs.known import Known
from bot.runs.pushing import refuse_unwanted
from bot.runs.results import result_of_run
from bot.runs.stopping import StopFlag
from bot.runs.voice import Voice
from bot.writing.check import CheckText
from bot.writing.pull_request import pull_request

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Publishing:
    """A run's pull request. Every method may be called again after it was cut off."""

    known: Known
    stop: StopFlag

    @property
    def _house(self) -> House:
        return self.known.house

    def is_wanted(self, outcome: Outcome) -> bool:
        """Whether a pull request is wanted for this outcome."""
        return outcome is Outcome.PROVEN or not self.known.config.require_proof

    def open(self, outcome: Outcome, reason: str) -> None:
        """Open the pull request, or bring the open one up to date. It names its number, which may be known after."""
        refuse_unwanted(self.known, self.stop)
        known = self.known
        expected = known.facts.get("pull_request") or known.footing.pull_request
        opened = self._publish(outcome, reason, expected)
        known.learn(pull_request=opened.number)
        if opened.number != expected:
            opened = self._publish(outcome, reason, opened.number)
        if outcome is Outcome.PROVEN and opened.is_draft and not known.config.draft:
            known.learn(not_ready=marked_ready(self._house, known.at.repository, opened.number))

    def _publish(self, outcome: Outcome, reason: str, number: int | None) -> PullRequest:
        known = self.known
        text = self.text(outcome, reason, number)
        return self._house.github.publish_pull_request(
            known.at.repository, known.footing.branch, known.info.default_branch, text
        )

    def text(self, outcome: Outcome, reason: str, number: int | None = None) -> PullRequestText:
        """What the pull request is to say."""
        known, config, trigger = self.known, self.known.config, self.known.trigger
        text = pull_request(
            replace(result_of_run(known, outcome, reason), pull_request=number),
            known.task,
            branch=known.footing.branch,
            run_id=known.run_id,
            repository=known.info.ref.full_name,
            labels=config.labels,
            reviewers=config.reviewers,
            asked_again=(trigger.sender.login,) if trigger.kind is TriggerKind.REVIEW else (),
        )
        return Voice(known).masked_pull(replace(text, draft=text.draft or config.draft))


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

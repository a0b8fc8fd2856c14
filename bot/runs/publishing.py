"""The pull request of a run, and what is said beside it: its check run, and whether it is a draft."""

import logging
from dataclasses import dataclass, replace

from bot.errors import Gone, Refused
from bot.records import IssueRef, Outcome, PullRequest, PullRequestText, RepositoryRef
from bot.runs.describing import describe, remember_body
from bot.runs.house import House
from bot.runs.judgement import newest_judgement
from bot.runs.known import Known
from bot.runs.pushing import refuse_unwanted
from bot.runs.results import result_of_run
from bot.runs.run_log import post_log
from bot.runs.stopping import StopFlag
from bot.runs.store import Store
from bot.runs.voice import Voice
from bot.writing.check import CheckText
from bot.writing.progress import page_of
from bot.writing.pull_request import pull_request

NO_DRAFTS = "GitHub has no drafts for this repository."
LEFT_OPEN = "So it was before, and so it is left."
WANTED_DRAFT = "This repository's settings want drafts (`draft: true`)."
PEOPLES_DRAFT = "A person made it a draft, and so it is left."

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
        """Open the pull request, or bring ours that is open up to date.

        The text names its number and the log's address, which are known after it is opened alone. What people have
        changed about it since it was opened stays: its title and base, who is to review it, a draft of theirs.
        """
        refuse_unwanted(self.known, self.stop)
        known = self.known
        expected = known.facts.get("pull_request") or known.footing.pull_request
        pull = self._brought_up(outcome, expected) if expected is not None else None
        pull = pull or self._opened(outcome, reason)
        self._post_log(pull.number)
        describe(known, pull, self.text(outcome, reason, pull.number).body)
        if outcome is Outcome.PROVEN:
            make_ready(known, pull)

    def _opened(self, outcome: Outcome, reason: str) -> PullRequest:
        known, text = self.known, self.text(outcome, reason)
        remember_body(known, text.body)
        opened = self._house.github.publish_pull_request(
            known.at.repository, known.footing.branch, known.info.default_branch, text
        )
        known.learn(pull_request=opened.number, is_our_draft=opened.is_draft)
        self._say_why_not_a_draft(outcome, opened, NO_DRAFTS)
        return opened

    def _brought_up(self, outcome: Outcome, number: int) -> PullRequest | None:
        """The pull request that is there, as it is to be told of; None where it is not open any more."""
        known = self.known
        if outcome is Outcome.UNPROVEN and not known.config.draft:
            make_draft_again(known, number)
        pull = self._house.github.pull_request_numbered(known.at.repository, number)
        if pull.state != "open":
            return None
        known.learn(pull_request=number, **({} if pull.is_draft else {"is_our_draft": False}))
        self._say_why_not_a_draft(outcome, pull, LEFT_OPEN)
        return pull

    def _say_why_not_a_draft(self, outcome: Outcome, pull: PullRequest, why: str) -> None:
        if outcome is Outcome.UNPROVEN and not pull.is_draft and "not_draft" not in self.known.facts:
            self.known.learn(not_draft=why)

    def _post_log(self, number: int) -> None:
        try:
            post_log(self.known, number)
        except (Refused, Gone) as problem:
            log.warning("run %s: the log is not on #%d: %s", self.known.run_id, number, problem)

    def text(self, outcome: Outcome, reason: str, number: int | None = None) -> PullRequestText:
        """What the pull request is to say."""
        known, config = self.known, self.known.config
        text = pull_request(
            replace(result_of_run(known, outcome, reason), pull_request=number),
            known.task,
            branch=known.footing.branch,
            run_id=known.run_id,
            repository=known.info.ref.full_name,
            labels=config.labels,
            reviewers=config.reviewers,
            pages=known.house.pages,
        )
        return Voice(known).masked_pull(replace(text, draft=text.draft or config.draft))


def set_check(known: Known, head_sha: str, text: CheckText) -> None:
    """Set the check run on a commit of the run's repository, without secrets; its “Details” lead to the run's page."""
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
        details_url=page_of(known.run_id, known.house.pages),
    )


def marked_ready(house: House, ref: RepositoryRef, number: int) -> str:
    """Make the draft ready for review. Returns GitHub's words where it does not let us, else ""."""
    try:
        house.github.mark_ready(ref, number)
    except (Refused, Gone) as refusal:
        log.warning("pull request %s of %s stays a draft: %s", number, ref.full_name, refusal)
        return str(refusal)
    return ""


def make_ready(known: Known, pull: PullRequest) -> None:
    """Make the draft of a proven change ready for review, where it is one of ours and no draft is wanted.

    Why it stays one is kept.
    """
    if not pull.is_draft:
        known.learn(is_our_draft=False)
    elif known.config.draft:
        known.learn(not_ready=WANTED_DRAFT)
    elif not _is_our_draft(known.house.store, known.at, pull.number):
        known.learn(not_ready=PEOPLES_DRAFT)
    else:
        why = marked_ready(known.house, known.at.repository, pull.number)
        known.learn(not_ready=why, is_our_draft=bool(why))


def _is_our_draft(store: Store, at: IssueRef, number: int) -> bool:
    """Whether the pull request, if it is a draft, is so by us: as the newest run has left it that did something."""
    kept = [store.facts(run.id) for run in reversed(store.runs_of(at.repository.id, at.number))]
    left = [facts["is_our_draft"] for facts in kept if facts.get("pull_request") == number and "is_our_draft" in facts]
    return bool(left[0]) if left else True


def make_draft_again(known: Known, number: int) -> None:
    """Make a pull request a draft, where it is ready for review by an earlier proof, and what it holds now is unproven.

    One that a person has made ready all the same is left so. What came of it is kept: done, or GitHub's words.
    """
    told = newest_judgement(known.house.store, known.at.repository.id, number, told=True)
    if told is None or not told.proof.holds:
        return
    github, ref = known.house.github, known.at.repository
    is_begun = known.facts.get("is_draft_again", False)  # cut off between the two: it may be a draft by now
    if not is_begun and github.pull_request_numbered(ref, number).is_draft:
        return
    known.learn(is_draft_again=True, is_our_draft=True)
    try:
        github.make_draft(ref, number)
    except (Refused, Gone) as refusal:
        log.warning("pull request %s of %s stays open for review: %s", number, ref.full_name, refusal)
        known.learn(is_draft_again=False, is_our_draft=False, not_draft=str(refusal))

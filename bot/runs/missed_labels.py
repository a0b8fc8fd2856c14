"""Finds the labels that no delivery told of, as none is kept of an outage that was longer than a few days."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from bot.errors import Gone, Refused, Unavailable
from bot.records import Hindsight, Installed, LabelledIssue, Labelling, Person, TriggerKind
from bot.runs.caught_up import CaughtUp
from bot.runs.hearing import Hearing
from bot.runs.missed import LATE_S
from bot.runs.missed_deliveries import FIRST_LOOK_S
from bot.triggers.events import IssueEvent
from bot.triggers.payloads import Account, Identified, Issue, Label, Repository

EVERY_S = 3600.0
"""Each time costs a request for every repository that has open issues."""

AGAIN_S = 15 * 60.0

LONGEST_LOOK_S = 30 * 86_400.0
"""How far it is looked back at most: what is kept of runs has to be kept longer."""

SAME_S = 2.0
"""How far apart one label's moment may be, as its event and its issue tell it."""

log = logging.getLogger(__name__)


@dataclass
class MissedLabels:
    """One in a process. `allowed_owners` are lower case. `longest_look_s`: no more than what is kept of runs."""

    hindsight: Hindsight
    hearing: Hearing
    caught_up: CaughtUp
    app_id: int
    allowed_owners: frozenset[str]
    longest_look_s: float = LONGEST_LOOK_S
    now: Callable[[], float] = time.time
    _due_at: float = field(default=0.0, init=False)

    def catch_up(self) -> None:
        """Look through the labels of all accounts where that is due: at the start of a process, then hourly.

        What can't be reached now is looked through later, as far back as now.
        """
        begun = self.now()
        if begun < self._due_at:
            return
        if away := self._look(begun):
            log.warning("some labels are not looked through yet: %s", away)
            self._due_at = begun + max(AGAIN_S, away.retry_after_s or 0.0)
            return
        self._due_at = begun + EVERY_S
        self.caught_up.keep(self.app_id, replace(self.caught_up.mark(self.app_id), at=begun))

    def _look(self, begun: float) -> Unavailable | None:
        """Look through all accounts. Returns what kept one of them from it."""
        at = self.caught_up.mark(self.app_id).at
        since = max(at - LATE_S, begun - self.longest_look_s) if at else begun - FIRST_LOOK_S
        try:
            away = [self._of_account(each, max(since, each.since)) for each in self._accounts()]
        except Unavailable as problem:
            return problem
        return next(filter(None, away), None)

    def _accounts(self) -> list[Installed]:
        found = self.hindsight.installations()
        return [each for each in found if each.account.lower() in self.allowed_owners and not each.is_suspended]

    def _of_account(self, installation: Installed, since: float) -> Unavailable | None:
        """Look through one account. Returns what kept it from being done, where it can be done later."""
        try:
            for found in self.hindsight.labelled(installation, self.hearing.label, since=since):
                self._of_issue(found, since)
        except Unavailable as away:
            return away
        except (Gone, Refused) as problem:
            log.warning("the labels of %s can't be looked through: %s", installation.account, problem)
        return None

    def _of_issue(self, found: LabelledIssue, since: float) -> None:
        """Hear the label as if it had been told, where nothing is known of it."""
        known = self.caught_up.newest(TriggerKind.START, found.issue.repository, found.issue.number)
        if known is not None and found.updated_at <= known + SAME_S:
            return
        try:
            labelling = self.hindsight.labelling(found.issue, self.hearing.label)
        except (Gone, Refused) as problem:
            log.warning("who labelled %s can't be found out: %s", found.issue, problem)
            return
        if labelling is None or labelling.by is None:
            return
        repository = found.issue.repository
        came = self.caught_up.newest(TriggerKind.INSTALLED, repository)
        if is_untold(labelling, known=known, since=max(since, came or 0.0)):
            log.info("nobody has told of the label on %s", found.issue)
            self.hearing.hear(labelled_event(found, labelling.by, labelling.at, self.hearing.label))


def is_untold(labelling: Labelling, *, known: float | None, since: float) -> bool:
    """Whether a label was put on since then, and later than the last one of its issue that is known."""
    return labelling.at >= since and (known is None or labelling.at > known + SAME_S)


def labelled_event(found: LabelledIssue, by: Person, at: float, label: str) -> IssueEvent:
    """The event that a delivery would have told: what it asks for has the same key."""
    repository = found.issue.repository
    return IssueEvent(
        action="labeled",
        installation=Identified(id=repository.installation_id),
        repository=Repository(id=repository.id, full_name=repository.full_name),
        sender=_account(by),
        issue=Issue(
            number=found.issue.number,
            updated_at=datetime.fromtimestamp(at, UTC),
            labels=tuple(Label(name=name) for name in found.labels),
            user=_account(found.author) if found.author else None,
            author_association=found.association,
        ),
        label=Label(name=label),
    )


def _account(person: Person) -> Account:
    return Account(login=person.login, id=person.id, type="Bot" if person.is_bot else "User")

"""Finds the labels that no delivery told of, as none is kept of an outage that was longer than a few days."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from bot.errors import Gone, Refused, Unavailable
from bot.records import Hindsight, Installed, LabelledIssue, Labelling, Person, TriggerKind
from bot.runs.caught_up import CaughtUp
from bot.runs.hearing import Hearing
from bot.runs.missed import LATE_S
from bot.runs.missed_deliveries import FIRST_LOOK_S
from bot.triggers.events import IssueEvent
from bot.triggers.happening import told_at
from bot.triggers.payloads import Account, Identified, Issue, Label, Repository

EVERY_S = 3600.0
AGAIN_S = 15 * 60.0

LONGEST_LOOK_S = 30 * 86_400.0
"""How far it is looked back at most: what is kept of runs has to be kept longer."""

SAME_S = 2
"""How many seconds apart one label's moment may be, as its event and its issue tell it."""

SETTLED_S = 60.0
"""How old a label has to be: what is younger may be on its way, and GitHub need not show yet that it was taken off."""

LOOKUPS = 250
"""Of how many issues of one account it is asked at a time who labelled them. Each costs three requests at most, where
GitHub gives 5,000 an hour at least, which the runs need.

Source: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

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
    lookups: int = LOOKUPS
    now: Callable[[], float] = time.time
    _due_at: float = field(default=0.0, init=False)
    _asked_due_at: float = field(default=0.0, init=False)
    _reached: dict[int, float] = field(default_factory=dict, init=False)
    """Up to when issues were looked at, by the installation, where that is not all that is to be looked at."""

    def catch_up(self) -> None:
        """Look through the labels of all accounts where that is due: at the start of a process, then hourly.

        What can't be reached now is looked through later, as far back as now.
        """
        begun = self.now()
        self._look_where_asked(begun)
        if begun < self._due_at:
            return
        if away := self._look(begun):
            log.warning("some labels are not looked through yet: %s", away)
            self._due_at = begun + max(AGAIN_S, away.retry_after_s or 0.0)
            return
        self._due_at = begun + EVERY_S
        self.caught_up.keep(self.app_id, replace(self.caught_up.mark(self.app_id), at=begun))

    def is_asked(self) -> bool:
        """Whether an account is to be looked through now, as one that the App may see again."""
        return bool(self._asked(self.now()))

    def _asked(self, now: float) -> Mapping[int, float]:
        """Since when accounts are to be looked through now, by the installation."""
        return self.caught_up.asked() if now >= self._asked_due_at else {}

    def _look_where_asked(self, begun: float) -> None:
        asked = self._asked(begun)
        if not asked:
            return
        self._asked_due_at = begun + SETTLED_S
        here = {each.id: each for each in self._accounts()}
        for installation_id, at in asked.items():
            account = here.get(installation_id)
            since = max(at - LATE_S, begun - self.longest_look_s)
            if account is None or self._of_account(account, max(since, account.since), begun) is None:
                self.caught_up.looked(installation_id, at)

    def _look(self, begun: float) -> Unavailable | None:
        """Look through all accounts. Returns what kept one of them from it."""
        at = self.caught_up.mark(self.app_id).at
        since = max(at - LATE_S, begun - self.longest_look_s) if at else begun - FIRST_LOOK_S
        try:
            away = [self._of_account(each, max(since, each.since), begun) for each in self._accounts()]
        except Unavailable as problem:
            return problem
        return next(filter(None, away), None)

    def _accounts(self) -> list[Installed]:
        found = self.hindsight.installations()
        return [each for each in found if each.account.lower() in self.allowed_owners and not each.is_suspended]

    def _of_account(self, installation: Installed, since: float, now: float) -> Unavailable | None:
        """Look through one account. Returns what kept it from being done, where it can be done later."""
        lookups, unsettled = 0, 0
        start = self._reached.get(installation.id, 0.0)
        try:
            for found in self.hindsight.labelled(installation, self.hearing.label, since=max(since, start)):
                known = self.caught_up.newest(TriggerKind.START, found.issue.repository, found.issue.number)
                if known is not None and found.updated_at <= known:
                    continue
                if lookups == self.lookups:
                    return Unavailable(
                        f"{lookups} issues of {installation.account} were looked at, the rest is for the next hour",
                        EVERY_S,
                    )
                lookups += 1
                unsettled += not self._of_issue(found, known, since, now)
                if not unsettled:
                    self._reached[installation.id] = min(found.updated_at, now - LATE_S)
        except Unavailable as away:
            return away
        except (Gone, Refused) as problem:
            log.warning("the labels of %s can't be looked through: %s", installation.account, problem)
        self._reached.pop(installation.id, None)
        if unsettled:
            return Unavailable(f"{unsettled} of {installation.account} are so young that GitHub may yet tell of them")
        return None

    def _of_issue(self, found: LabelledIssue, known: float | None, since: float, now: float) -> bool:
        """Hear the label as if it had been told, where nothing is known of it. Returns whether that is settled."""
        try:
            labelling = self.hindsight.labelling(found.issue, self.hearing.label)
        except (Gone, Refused) as problem:
            log.warning("who labelled %s can't be found out: %s", found.issue, problem)
            return True
        if labelling is None or labelling.by is None:
            return True
        repository = found.issue.repository
        came = self.caught_up.newest(TriggerKind.INSTALLED, repository)
        if not is_untold(labelling, known=known, since=max(since, came or 0.0)):
            return True
        if labelling.at > now - SETTLED_S:
            return False
        log.info("nobody has told of the label on %s", found.issue)
        moments = [datetime.fromtimestamp(at, UTC) for at in moments_of(labelling)]
        self.hearing.hear(
            labelled_event(found, labelling.by, labelling.at, self.hearing.label),
            also=lambda trigger: [told_at(trigger, moment).key for moment in moments],
        )
        return True


def is_untold(labelling: Labelling, *, known: float | None, since: float) -> bool:
    """Whether a label was put on since then, and is not the last one of its issue that is known."""
    return labelling.at >= since and (known is None or known < min(moments_of(labelling)))


def moments_of(labelling: Labelling) -> Sequence[float]:
    """When a label may be told to have been put on: its event and its issue are not written at once.

    Not so early that it had yet to be taken off: that was another one.
    """
    earliest = labelling.at - SAME_S if labelling.off_at is None else max(labelling.off_at + 1, labelling.at - SAME_S)
    return [labelling.at + second for second in range(int(min(earliest - labelling.at, 0)), SAME_S + 1)]


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

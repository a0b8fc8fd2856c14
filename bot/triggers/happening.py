"""What happens to issues and pull requests: labels and facts. Pure.

Facts (closed, label taken off, deleted, pushed) count whoever caused them; a label asks for something, never for a bot
that nobody lists.
"""

from dataclasses import replace
from datetime import datetime

from bot.records import PullState, PullTurn, Trigger, TriggerKind
from bot.triggers.answers import Accept, Ignore, Ours, asked, belongs, issue_of_pull
from bot.triggers.events import IssueEvent, PullRequestEvent, iso


def on_issue(event: IssueEvent, ours: Ours) -> Accept | Ignore:
    """A label, or the end of the issue."""
    changed = event.label.name.casefold() if event.label else None
    label = ours.label.casefold()
    match event.action:
        case "labeled" | "unlabeled" if changed != label:
            return Ignore("the label is not ours")
        case "labeled":
            return _start(event, "label added", ours)
        case "opened" if label in {found.name.casefold() for found in event.issue.labels}:
            return _start(event, "opened with the label", ours)
        case "unlabeled":
            return _stop(event, "label removed", ours)
        case "closed" | "deleted" | "transferred":
            return _stop(event, f"issue {event.action}", ours)
        case _:
            return Ignore(f"an issue that is {event.action} asks for nothing")


def on_pull_request(event: PullRequestEvent, ours: Ours) -> Accept | Ignore:
    """Closing our pull request, merged or not, ends what runs for its issue; a push makes its proof stale.

    Opening it again asks for no run: it is only known to be open.
    """
    pull = event.pull_request
    number, head = pull.number, pull.head
    issue = issue_of_pull(event, pull, ours)
    if issue is None:
        return Ignore("the pull request is not ours")
    at, turn = iso(pull.updated_at), None
    match event.action:
        case "closed":
            at, is_merged = iso(pull.closed_at or pull.updated_at), pull.merged_at is not None
            moment = f"{at}/merged" if is_merged else at  # it may have been closed and opened again in the same second
            kind, because = TriggerKind.STOP, f"pull request #{number} closed"
            turn = PullTurn(number, PullState.MERGED if is_merged else PullState.CLOSED)
        case "reopened":
            kind, moment, because = TriggerKind.REOPENED, at, f"pull request #{number} reopened"
            turn = PullTurn(number, PullState.OPEN)
        case "synchronize":
            kind, moment, because = TriggerKind.MOVED, f"{at}/{head.sha}", f"pushed to pull request #{number}"
        case _:
            return Ignore(f"a pull request that is {event.action} asks for nothing")
    key = f"{kind}:{event.repository.id}!{number}@{moment}"
    trigger = asked(event, ours, kind=kind, number=issue, key=key, occurred_at=at, because=because, pull_turn=turn)
    return Accept((trigger,))


def _start(event: IssueEvent, because: str, ours: Ours) -> Accept | Ignore:
    """Whose label it is that an issue was opened with: who opened it, for a form puts it on for anyone."""
    if not ours.hears(event.sender):
        return Ignore("sent by a bot")
    return Accept((_issue_trigger(event, TriggerKind.START, because, ours),))


def _stop(event: IssueEvent, because: str, ours: Ours) -> Accept:
    return Accept((_issue_trigger(event, TriggerKind.STOP, because, ours),))


def told_at(trigger: Trigger, moment: datetime) -> Trigger:
    """What a label or the end of an issue asks for, as if GitHub had given another moment for it."""
    at = iso(moment)
    key = _key(trigger.kind, trigger.issue.repository.id, trigger.issue.number, at)
    return replace(trigger, key=key, occurred_at=at)


def _issue_trigger(event: IssueEvent, kind: TriggerKind, because: str, ours: Ours) -> Trigger:
    """Known by the moment that GitHub gives the issue: opening it with the label and labelling it then are one."""
    at, number = iso(event.issue.updated_at), event.issue.number
    key = _key(kind, event.repository.id, number, at)
    is_insider = _takes_belonging(event)
    return asked(event, ours, kind=kind, number=number, key=key, occurred_at=at, because=because, is_insider=is_insider)


def _key(kind: TriggerKind, repository_id: int, number: int, at: str) -> str:
    return f"{kind}:{repository_id}#{number}@{at}"


def _takes_belonging(event: IssueEvent) -> bool:
    """Whether who did this belongs to the repository: a label takes that, unless a form puts it on its author's."""
    author = event.issue.user
    is_own = author is not None and author.login.casefold() == event.sender.login.casefold()
    return not is_own or belongs(event.issue.author_association)

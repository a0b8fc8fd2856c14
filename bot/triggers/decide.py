"""What a delivery asks for, if anything. Pure: the answer is a value, and whoever asked acts on it.

Facts (closed, label taken off, deleted) count whoever caused them; requests (a label, a command) never from a bot.
Whether a person may ask is looked up when it is acted on, not here: payloads can't be relied on for it.
"""

import re
from dataclasses import dataclass

from bot.records import IssueRef, Person, RepositoryRef, Trigger, TriggerKind
from bot.triggers.commands import AcceptTests, Command, Doctor, Help, Retry, Stop, read_command
from bot.triggers.events import (
    Account,
    App,
    AuthorizationEvent,
    CheckRunEvent,
    CheckSuite,
    CheckSuiteEvent,
    Event,
    FromRepository,
    Incomplete,
    InstallationEvent,
    InstallationRepositoriesEvent,
    InstallationTargetEvent,
    IssueCommentEvent,
    IssueEvent,
    Ping,
    PullRequestEvent,
    Repository,
    RepositoryEvent,
    ReviewCommentEvent,
    ReviewEvent,
    Unknown,
    iso,
)


@dataclass(frozen=True, slots=True)
class Pong:
    """GitHub only wants to know whether someone answers."""


@dataclass(frozen=True, slots=True)
class Ignore:
    """Do nothing; `reason` goes to the log and into the answer."""

    reason: str


@dataclass(frozen=True, slots=True)
class Accept:
    """Keep these triggers, at least one. Only installations make more than one: one for each repository."""

    triggers: tuple[Trigger, ...]


def decide(event: Event, *, label: str, bot_login: str, delivery_id: str) -> Accept | Ignore | Pong:  # noqa: PLR0911
    """What the event asks for. `label` starts runs, `bot_login` is ours (`slug[bot]`); letter case does not matter."""
    match event:
        case Ping():
            return Pong()
        case Unknown(name=name):
            return Ignore(f"the event {name} is not one we act on")
        case Incomplete(name=name, lacks=lacks):
            return Ignore(f"the payload of {name} has no usable {', '.join(lacks[:3])}")
        case InstallationEvent():
            return _on_installation(event, delivery_id)
        case InstallationRepositoriesEvent():
            return _on_repositories(event, delivery_id)
        case InstallationTargetEvent() | AuthorizationEvent():
            return Ignore("accounts are looked up when they matter")
        case FromRepository(sender=sender) if sender.login.casefold() == bot_login.casefold():
            return Ignore("our own doing")
        case _:
            return _on_repository(event, label, bot_login, delivery_id)


def _on_repository(event: RepositoryEvent, label: str, bot_login: str, delivery_id: str) -> Accept | Ignore:
    match event:
        case IssueEvent():
            return _on_issue(event, label, delivery_id)
        case IssueCommentEvent():
            return _on_comment(event, delivery_id)
        case PullRequestEvent():
            return _on_pull_request(event, delivery_id)
        case CheckRunEvent(action="rerequested", check_run=run) if run.check_suite is not None:
            return _renew(event, run.check_suite, app=run.app, bot_login=bot_login, delivery_id=delivery_id)
        case CheckSuiteEvent(action="rerequested", check_suite=suite):
            return _renew(event, suite, app=suite.app, bot_login=bot_login, delivery_id=delivery_id)
        case ReviewEvent() | ReviewCommentEvent() | CheckRunEvent() | CheckSuiteEvent():
            return Ignore("reviews, and checks that nobody asks for again, start nothing")


def _on_issue(event: IssueEvent, label: str, delivery_id: str) -> Accept | Ignore:
    ours = label.casefold()
    changed = event.label.name.casefold() if event.label else None
    match event.action:
        case "labeled" | "unlabeled" if changed != ours:
            return Ignore("the label is not ours")
        case "labeled":
            return _start(event, "label added", delivery_id)
        case "opened" if ours in {found.name.casefold() for found in event.issue.labels}:
            return _start(event, "opened with the label", delivery_id)
        case "unlabeled":
            return _stop(event, "label removed", delivery_id)
        case "closed" | "deleted" | "transferred":
            return _stop(event, f"issue {event.action}", delivery_id)
        case _:
            return Ignore(f"an issue that is {event.action} asks for nothing")


def _start(event: IssueEvent, because: str, delivery_id: str) -> Accept | Ignore:
    if event.sender.is_bot:
        return Ignore("sent by a bot")
    return Accept((_issue_trigger(event, TriggerKind.START, because, delivery_id),))


def _stop(event: IssueEvent, because: str, delivery_id: str) -> Accept:
    return Accept((_issue_trigger(event, TriggerKind.STOP, because, delivery_id),))


def _issue_trigger(event: IssueEvent, kind: TriggerKind, because: str, delivery_id: str) -> Trigger:
    """Known by the moment that GitHub gives the issue: opening it with the label and labelling it then are one."""
    at = iso(event.issue.updated_at)
    return Trigger(
        key=f"{kind}:{event.repository.id}#{event.issue.number}@{at}",
        kind=kind,
        issue=_issue(event, event.issue.number),
        sender=_person(event.sender),
        occurred_at=at,
        because=because,
        delivery_id=delivery_id,
    )


def _on_comment(event: IssueCommentEvent, delivery_id: str) -> Accept | Ignore:
    author = event.comment.user
    if event.action != "created":
        return Ignore(f"a comment that is {event.action} asks for nothing")
    if event.sender.is_bot or author is None or author.is_bot:
        return Ignore("sent by a bot")
    command = read_command(event.comment.body)
    if command is None:
        return Ignore("no command in the comment")
    return _asked(event, *_kind_and_text(command), delivery_id)


def _kind_and_text(command: Command) -> tuple[TriggerKind, str]:
    match command:
        case Retry(hint=hint):
            return TriggerKind.RETRY, hint
        case Stop():
            return TriggerKind.STOP, ""
        case Doctor():
            return TriggerKind.DOCTOR, ""
        case AcceptTests():
            return TriggerKind.ACCEPT, ""
        case Help(complaint=complaint):
            return TriggerKind.HELP, complaint


def _asked(event: IssueCommentEvent, kind: TriggerKind, text: str, delivery_id: str) -> Accept:
    return Accept(
        (
            Trigger(
                key=f"comment:{event.repository.id}/{event.comment.id}",
                kind=kind,
                issue=_issue(event, event.issue.number),
                sender=_person(event.sender),
                occurred_at=iso(event.comment.created_at),
                because=f"/selfcode {kind}",
                text=text,
                comment_id=event.comment.id,
                delivery_id=delivery_id,
                pull_request=event.issue.number if event.issue.pull_request is not None else None,
            ),
        )
    )


def _on_pull_request(event: PullRequestEvent, delivery_id: str) -> Accept | Ignore:
    """Closing our pull request, merged or not, ends what runs for its issue; a push makes its proof stale."""
    number, head = event.pull_request.number, event.pull_request.head
    issue = _issue_of_branch(head.ref)
    if issue is None or head.repo is None or head.repo.id != event.repository.id:
        return Ignore("the pull request is not ours")
    at = iso(event.pull_request.updated_at)
    match event.action:
        case "closed":
            kind, moment, because = TriggerKind.STOP, at, f"pull request #{number} closed"
        case "synchronize":
            kind, moment, because = TriggerKind.MOVED, f"{at}/{head.sha}", f"pushed to pull request #{number}"
        case _:
            return Ignore(f"a pull request that is {event.action} asks for nothing")
    return Accept(
        (
            Trigger(
                key=f"{kind}:{event.repository.id}!{number}@{moment}",
                kind=kind,
                issue=_issue(event, issue),
                sender=_person(event.sender),
                occurred_at=at,
                because=because,
                delivery_id=delivery_id,
            ),
        )
    )


def _issue_of_branch(branch: str) -> int | None:
    """The issue that a branch of ours is for."""
    found = re.fullmatch(r"selfcode/issue-([1-9][0-9]{0,9})", branch)
    return int(found[1]) if found else None


def _issue_of_check(event: CheckRunEvent | CheckSuiteEvent, suite: CheckSuite) -> int | None:
    """The issue that a check is for. A commit may be on several branches, and the suite names but one of them."""
    of_run = event.check_run.pull_requests if isinstance(event, CheckRunEvent) else ()
    heads = [pull.head for pull in (*of_run, *suite.pull_requests)]
    here = [head.ref for head in heads if head.repo is not None and head.repo.id == event.repository.id]
    return next((issue for branch in (suite.head_branch, *here) if (issue := _issue_of_branch(branch))), None)


def _renew(
    event: CheckRunEvent | CheckSuiteEvent, suite: CheckSuite, *, app: App, bot_login: str, delivery_id: str
) -> Accept | Ignore:
    """“Re-run” on our check. Nothing in the payload tells two of them apart: hence the delivery in the key."""
    if event.sender.is_bot:
        return Ignore("sent by a bot")
    if f"{app.slug}[bot]".casefold() != bot_login.casefold():
        return Ignore("the check is not ours")
    issue = _issue_of_check(event, suite)
    if issue is None:
        return Ignore("the check is on no branch of ours")
    told_at = event.check_run.started_at if isinstance(event, CheckRunEvent) else suite.updated_at
    return Accept(
        (
            Trigger(
                key=f"{TriggerKind.RENEW}:{event.repository.id}/{suite.id}@{delivery_id}",
                kind=TriggerKind.RENEW,
                issue=_issue(event, issue),
                sender=_person(event.sender),
                occurred_at=iso(told_at) if told_at else "",
                because="Re-run on the check",
                delivery_id=delivery_id,
            ),
        )
    )


def _on_installation(event: InstallationEvent, delivery_id: str) -> Accept | Ignore:
    match event.action:
        case "created" if event.repositories:
            return _of_repositories(event, TriggerKind.INSTALLED, event.repositories, delivery_id)
        case "deleted":
            account = Repository(id=0, full_name=f"{event.installation.account.login}/")
            return _of_repositories(event, TriggerKind.UNINSTALLED, (account,), delivery_id)
        case _:
            return Ignore(f"an installation that is {event.action} asks for nothing")


def _on_repositories(event: InstallationRepositoriesEvent, delivery_id: str) -> Accept | Ignore:
    match event.action:
        case "added" if event.repositories_added:
            return _of_repositories(event, TriggerKind.INSTALLED, event.repositories_added, delivery_id)
        case "removed" if event.repositories_removed:
            return _of_repositories(event, TriggerKind.UNINSTALLED, event.repositories_removed, delivery_id)
        case _:
            return Ignore("no repository was added or removed")


def _of_repositories(
    event: InstallationEvent | InstallationRepositoriesEvent,
    kind: TriggerKind,
    repositories: tuple[Repository, ...],
    delivery_id: str,
) -> Accept:
    """One trigger for each repository; id 0 stands for the whole account.

    A repository may come, go and come again, and the payload has nothing to tell these apart by: hence the delivery in
    the key. What they ask for may safely be done twice.
    """
    installation = event.installation
    return Accept(
        tuple(
            Trigger(
                key=f"{kind}:{installation.id}/{repository.id}@{delivery_id}",
                kind=kind,
                issue=IssueRef(RepositoryRef(installation.id, repository.id, repository.owner, repository.name), 0),
                sender=_person(event.sender),
                occurred_at=iso(installation.updated_at),
                because=f"App {kind}",
                delivery_id=delivery_id,
            )
            for repository in repositories
        )
    )


def _issue(event: FromRepository, number: int) -> IssueRef:
    found = event.repository
    return IssueRef(RepositoryRef(event.installation.id, found.id, found.owner, found.name), number)


def _person(account: Account) -> Person:
    return Person(account.login, is_bot=account.is_bot)

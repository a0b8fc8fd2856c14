"""What people ask for in words: in comments, in reviews, and in their comments on lines. Pure."""

from datetime import datetime
from typing import Any

from bot.records import ReviewState, Subject, SubjectKind, Trigger, TriggerKind
from bot.triggers.answers import Accept, Ignore, Ours, asked, belongs, issue_of_pull
from bot.triggers.commands import (
    TEXT_LIMIT,
    AcceptTests,
    Command,
    Doctor,
    Help,
    Note,
    Retry,
    Status,
    Stop,
    mentions,
    read_command,
    talks_of_commands,
)
from bot.triggers.events import IssueCommentEvent, ReviewCommentEvent, ReviewEvent, iso
from bot.triggers.rendered import Place, said_in

NO_COMMAND = Ignore("no command in the comment")
BY_A_BOT = Ignore("sent by a bot")


def on_comment(event: IssueCommentEvent, ours: Ours) -> Accept | Ignore:
    """A command, or what may answer a question of ours: whether there is one is not known here."""
    comment = event.comment
    if event.action != "created":
        return Ignore(f"a comment that is {event.action} asks for nothing")
    if not ours.hears(event.sender, comment.user):
        return BY_A_BOT
    command = read_command(comment.body)
    if command is None and not _may_answer(event, ours):
        return NO_COMMAND
    kind, text = (TriggerKind.ANSWER, comment.body.strip()[:TEXT_LIMIT]) if command is None else _in_words(command)
    trigger = asked(
        event,
        ours,
        kind=kind,
        number=event.issue.number,
        key=f"comment:{event.repository.id}/{comment.id}",
        occurred_at=iso(comment.created_at),
        because=f"answer by {event.sender.login}" if command is None else f"/selfcode {kind}",
        text=text,
        subject=Subject(SubjectKind.ISSUE_COMMENT, comment.id),
        pull_request=event.issue.number if event.issue.pull_request is not None else None,
        is_insider=belongs(comment.author_association),
    )
    return Accept((trigger,))


def on_review(event: ReviewEvent, ours: Ours) -> Accept | Ignore:
    """A review that asks for changes, or whose body asks us; and another command in its body.

    “Thanks, @selfcode” in one that approves asks for nothing. Where its comments alone ask, each of them comes as an
    event of its own.
    """
    review = event.review
    if event.action != "submitted":
        return Ignore(f"a review that is {event.action} asks for nothing")
    if not ours.hears(event.sender, review.user):
        return BY_A_BOT
    command = read_command(review.body)
    subject = Subject(SubjectKind.REVIEW, review.id, review.node_id)
    at = review.submitted_at or event.pull_request.updated_at
    state = review.state.lower()
    wants_changes = state == ReviewState.CHANGES_REQUESTED and not isinstance(command, Stop)
    asks = isinstance(command, Retry) or (state != ReviewState.APPROVED and _asks_for_a_run(command, review.body, ours))
    triggers = []
    if command is not None and not isinstance(command, Retry):
        key = f"review-command:{event.repository.id}/{review.id}"
        triggers.append(_commanded(event, ours, command, subject=subject, key=key, at=at))
    if wants_changes or asks:
        hint = command.hint if isinstance(command, Retry) else ""
        triggers += _heeded(event, ours, review.id, subject=subject, at=at, head_sha=review.commit_id, text=hint)
    return Accept(tuple(triggers)) if triggers else Ignore("the review asks for nothing of ours")


def on_review_comment(event: ReviewCommentEvent, ours: Ours) -> Accept | Ignore:
    """A comment on lines: where it asks us, its review is heeded; the same one as by the review's own event."""
    comment = event.comment
    at = max(comment.created_at, event.pull_request.updated_at)  # it was drafted then, and submitted now
    if event.action != "created":
        return Ignore(f"a comment that is {event.action} asks for nothing")
    if not ours.hears(event.sender, comment.user):
        return BY_A_BOT
    command = read_command(comment.body)
    subject = Subject(SubjectKind.REVIEW_COMMENT, comment.id, comment.node_id)
    if command is not None and not isinstance(command, Retry):
        key = f"review-comment:{event.repository.id}/{comment.id}"
        return Accept((_commanded(event, ours, command, subject=subject, key=key, at=at),))
    review_id = comment.pull_request_review_id
    if review_id is None or not _asks_for_a_run(command, comment.body, ours):
        return _answered_in_thread(event, ours, subject=subject, at=at)
    triggers = _heeded(event, ours, review_id, subject=subject, at=at, head_sha=comment.commit_id)
    return Accept(tuple(triggers)) if triggers else Ignore("the pull request is not ours")


def _answered_in_thread(event: ReviewCommentEvent, ours: Ours, *, subject: Subject, at: datetime) -> Accept | Ignore:
    """What may answer a question that a run has asked in a review's thread: a reply there, on our pull request."""
    comment = event.comment
    if comment.in_reply_to_id is None or issue_of_pull(event, event.pull_request, ours) is None:
        return NO_COMMAND
    if not _says_something(comment.body):
        return NO_COMMAND
    trigger = _asked_there(
        event,
        ours,
        kind=TriggerKind.ANSWER,
        text=comment.body.strip()[:TEXT_LIMIT],
        because=f"answer by {event.sender.login}",
        subject=subject,
        key=f"review-comment:{event.repository.id}/{comment.id}",
        at=at,
    )
    return Accept((trigger,))


def _may_answer(event: IssueCommentEvent, ours: Ours) -> bool:
    """Whether a comment without a command may be an answer: on a labelled issue, or on a pull request of ours."""
    issue = event.issue
    labels = {found.name.casefold() for found in issue.labels}
    is_ours = ours.label.casefold() in labels if issue.pull_request is None else ours.is_us(issue.user)
    return is_ours and _says_something(event.comment.body)


def _says_something(body: str) -> bool:
    """Whether it says more than quotes and code. What talks of commands is no answer: it is about us."""
    said = (each.text.strip() for each in said_in(body) if each.place is not Place.QUOTE)
    return not talks_of_commands(body) and any(said)


def _asks_for_a_run(command: Command | None, body: str, ours: Ours) -> bool:
    return isinstance(command, Retry) or (command is None and mentions(body, ours.bot_login))


def _commanded(
    event: ReviewEvent | ReviewCommentEvent, ours: Ours, command: Command, *, subject: Subject, key: str, at: datetime
) -> Trigger:
    kind, text = _in_words(command)
    because = f"/selfcode {kind}"
    return _asked_there(event, ours, kind=kind, text=text, because=because, subject=subject, key=key, at=at)


def _asked_there(event: ReviewEvent | ReviewCommentEvent, ours: Ours, *, at: datetime, **fields: Any) -> Trigger:
    """What was asked in a review, or on lines, of a pull request."""
    number, said = event.pull_request.number, event.review if isinstance(event, ReviewEvent) else event.comment
    insider = belongs(said.author_association)
    return asked(event, ours, number=number, occurred_at=iso(at), pull_request=number, is_insider=insider, **fields)


def _heeded(
    event: ReviewEvent | ReviewCommentEvent,
    ours: Ours,
    review_id: int,
    *,
    subject: Subject,
    at: datetime,
    head_sha: str,
    text: str = "",
) -> list[Trigger]:
    """The review as one trigger, whichever event tells of it; none where the pull request is not ours.

    `text` is the hint of a `/selfcode retry` that is the review's body.
    """
    if issue_of_pull(event, event.pull_request, ours) is None:
        return []
    trigger = _asked_there(
        event,
        ours,
        kind=TriggerKind.REVIEW,
        text=text,
        because=f"review by {event.sender.login}",
        subject=subject,
        key=f"review:{event.repository.id}/{review_id}",
        at=at,
        head_sha=head_sha,
        review_id=review_id,
    )
    return [trigger]


def _in_words(command: Command) -> tuple[TriggerKind, str]:  # noqa: PLR0911 - one answer a command
    match command:
        case Retry(hint=hint):
            return TriggerKind.RETRY, hint
        case Stop():
            return TriggerKind.STOP, ""
        case Status():
            return TriggerKind.STATUS, ""
        case Note(text=text):
            return TriggerKind.NOTE, text
        case Doctor():
            return TriggerKind.DOCTOR, ""
        case AcceptTests():
            return TriggerKind.ACCEPT, ""
        case Help(complaint=complaint):
            return TriggerKind.HELP, complaint

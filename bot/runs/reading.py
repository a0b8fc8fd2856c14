"""What of an issue counts: whether a run is wanted still, and what is shown to the model. Pure.

Shown is what people who count wrote up to the trigger, and nothing that readers can't see.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.records import PERMISSIONS, Comment, Issue, IssueRef, Task, Trigger, TriggerKind

COMMENTS_SHOWN = 30
TEXT_SHOWN = 20_000

_HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"  # formats, fillers, selectors, tags
)
"""Characters that take no room on a rendered page. Source: Unicode's Default_Ignorable_Code_Point, and controls."""


def at_least(permission: str, minimum: str) -> bool:
    """Whether a person's permission is enough. One that is not known is none."""
    rank = PERMISSIONS.index(permission) if permission in PERMISSIONS else 0
    return rank >= PERMISSIONS.index(minimum)


def withdrawn(issue: Issue, trigger: Trigger, *, label: str) -> str:
    """Why nobody wants the run any more, in words for people; "" while it is wanted.

    Who asks by a command, a review or an answer on our pull request asks for more than the label does, and needs none.
    What nobody asks for does.
    """
    if not issue.is_open:
        return "the issue is closed"
    is_plain_answer = trigger.kind is TriggerKind.ANSWER and trigger.pull_request is None
    needs_label = is_plain_answer or trigger.kind in (TriggerKind.START, TriggerKind.MEND)
    return "the label was taken off" if needs_label and not has_label(issue, label) else ""


def has_label(issue: Issue, label: str) -> bool:
    """Whether the issue has the label; letter case does not matter."""
    return label.casefold() in {name.casefold() for name in issue.labels}


def visible(text: str) -> str:
    """The text without what a reader of the rendered page can't see, and bounded."""
    shown = _INVISIBLE.sub("", _HTML_COMMENT.sub("", text)).strip()
    return shown if len(shown) <= TEXT_SHOWN else shown[:TEXT_SHOWN] + "\n[… cut …]"


def people_to_ask_about(issue: Issue, comments: Sequence[Comment]) -> tuple[str, ...]:
    """The commenters whose permission decides whether they are shown, in order of appearance, at most 20."""
    others = (each.author.login for each in comments if not each.author.is_bot and each.author != issue.author)
    return tuple(dict.fromkeys(others))[:20]


def task_from(
    issue: Issue,
    comments: Sequence[Comment],
    *,
    at: IssueRef,
    trigger: Trigger,
    permissions: Mapping[str, str],
    minimum: str,
) -> Task:
    """The task as of the trigger: the issue, its author's comments, and those by people with enough permission."""
    shown: list[Comment] = []
    left_out: list[str] = []
    answer = trigger.comment_id if trigger.kind is TriggerKind.ANSWER else None
    for comment in comments:
        if comment.id == answer:  # it is the hint
            continue
        reason = _why_not(comment, issue, trigger, permissions, minimum)
        if reason:
            left_out.append(f"comment {comment.id} by {comment.author.login}: {reason}")
        elif visible(comment.body):
            shown.append(replace(comment, body=visible(comment.body)))
    left_out += [f"comment {each.id} by {each.author.login}: too many comments" for each in shown[:-COMMENTS_SHOWN]]
    return Task(
        title=visible(issue.title),
        body=visible(issue.body),
        comments=tuple(shown[-COMMENTS_SHOWN:]),
        hint=visible(trigger.text),
        number=at.number,
        left_out=tuple(left_out),
    )


def _why_not(
    comment: Comment, issue: Issue, trigger: Trigger, permissions: Mapping[str, str], minimum: str
) -> str | None:
    if comment.author.is_bot:
        return "written by a bot"
    if comment.created_at > trigger.occurred_at:
        return "written after the run was asked for"
    if comment.id == trigger.comment_id or comment.body.lstrip().startswith("/selfcode"):
        return "a command"
    if comment.author.login == issue.author.login:
        return None
    if not at_least(permissions.get(comment.author.login, "none"), minimum):
        return f"its author has less than {minimum} access"
    return None

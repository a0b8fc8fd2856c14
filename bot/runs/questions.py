"""A question that a run ended with, and what people answered, as the next run's task has them. Pure."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.records import Comment, Note, Task, Trigger
from bot.runs.reading import at_least
from bot.runs.seen import CLOCKS_APART_S


def with_answers(
    task: Task, question: str, trigger: Trigger, *, asked_at: float, permissions: Mapping[str, str], minimum: str
) -> Task:
    """The task with the question and what people with enough permission said since `asked_at`.

    That is no comment among others any more. The words of the trigger, whoever gave them was admitted, are the last.
    """
    since = datetime.fromtimestamp(asked_at, UTC) - timedelta(seconds=CLOCKS_APART_S)

    def answers(comment: Comment) -> bool:
        is_later = datetime.fromisoformat(comment.created_at) >= since
        return is_later and at_least(permissions.get(comment.author.login, "none"), minimum)

    said = [Note(comment.author.login, comment.body) for comment in task.comments if answers(comment)]
    last = [Note(trigger.sender.login, task.hint)] if task.hint else []
    return replace(
        task,
        comments=tuple(comment for comment in task.comments if not answers(comment)),
        hint="",
        asked=question,
        answered=(*said, *last),
    )

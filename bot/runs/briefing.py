"""What a run is asked to do, as of now: the issue, and what a review, failed checks or people's answers add to it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from bot.errors import Stopped
from bot.records import Issue, PullRequest, Review, SubjectKind, Task, Trigger, TriggerKind
from bot.runs.continuing import branch_of
from bot.runs.deciding import UNASKED
from bot.runs.earlier import question_before, question_shown_at
from bot.runs.known import Known
from bot.runs.pulls import our_pull
from bot.runs.questions import with_answers
from bot.runs.reading import people_to_ask_about, task_from
from bot.runs.requests import Reviewed, people_in, reviewed
from bot.triggers.commands import Retry, mentions, read_command

PEOPLE_AT_MOST = 40


@dataclass(frozen=True, slots=True)
class Brief:
    """The task of a run, and the review that it answers, where it is for one."""

    task: Task
    reviewed: Reviewed | None = None


def brief_for(known: Known, issue: Issue) -> Brief:
    """Freeze what the run is to do. Raises `Stopped` where what it is for is over, `Gone` where it is gone."""
    trigger, minimum = known.trigger, known.house.min_permission
    pull = _pull(known)
    comments = known.house.github.comments(known.at)
    found = _review(known, pull) if trigger.kind is TriggerKind.REVIEW and pull else None
    people = (*people_to_ask_about(issue, comments), *(people_in(found) if found else ()))
    permissions = _permissions(known, people)
    task = task_from(issue, comments, at=known.at, trigger=trigger, permissions=permissions, minimum=minimum)
    if found is not None:
        return _reviewed(known, task, found, permissions)
    if trigger.kind is TriggerKind.MEND and pull is not None:
        return Brief(_to_mend(known, task, pull))
    return Brief(_answered(known, task, permissions))


def _pull(known: Known) -> PullRequest | None:
    """The pull request that the run is about; None where it is about the issue. Raises `Stopped` for one that ended."""
    trigger, at = known.trigger, known.at
    github = known.house.github
    match trigger:
        case Trigger(kind=TriggerKind.REVIEW, pull_request=int(number)):
            pull = github.pull_request_numbered(at.repository, number)
        case Trigger(kind=TriggerKind.MEND):
            found = our_pull(known.house, at, branch_of(known.house.store, at))
            if found is None:
                raise Stopped("there is no pull request whose checks could be mended")
            pull = found
        case _:
            return None
    if pull.state != "open":
        raise Stopped(f"pull request #{pull.number} is {pull.state}")
    return pull


def _permissions(known: Known, people: Iterable[str]) -> Mapping[str, str]:
    """What people may do, each asked about once; whoever asked for the run was admitted for as much as is wanted.

    The sender of what nobody asked for is merely who it has to do with, and was not admitted.
    """
    trigger, ref, house = known.trigger, known.at.repository, known.house
    admitted = {} if trigger.kind in UNASKED else {trigger.sender.login: house.min_permission}
    others = [login for login in dict.fromkeys(people) if login not in admitted][:PEOPLE_AT_MOST]
    return admitted | {login: house.github.permission(ref, login) for login in others}


def _review(known: Known, pull: PullRequest) -> Review:
    """The review that the trigger names: by itself, or by one of its comments, whose key has the review's id."""
    trigger = known.trigger
    subject = trigger.subject
    by_key = trigger.key.rpartition("/")[2]
    review_id = subject.id if subject is not None and subject.kind is SubjectKind.REVIEW else int(by_key)
    return known.house.github.review(known.at.repository, pull.number, review_id)


def _reviewed(known: Known, task: Task, review: Review, permissions: Mapping[str, str]) -> Brief:
    login = known.house.author.name

    def asks(text: str) -> bool:
        return mentions(text, login) or isinstance(read_command(text), Retry)

    minimum, command = known.house.min_permission, read_command(review.body)
    hint = command.hint if isinstance(command, Retry) else None
    taken = reviewed(review, permissions=permissions, minimum=minimum, asks=asks, hint=hint)
    if not taken.asked and not taken.is_retry:
        raise Stopped("the review asks for nothing that could be done")
    return Brief(replace(task, hint="", requests=taken.requests), taken)


def _to_mend(known: Known, task: Task, pull: PullRequest) -> Task:
    head = known.trigger.head_sha
    if pull.head_sha != head:
        raise Stopped("the branch has moved on since the checks failed")
    checks = tuple(known.house.github.failed_checks(known.at.repository, head))
    if not checks:
        raise Stopped("no check fails any more")
    return replace(task, checks=checks)


def _answered(known: Known, task: Task, permissions: Mapping[str, str]) -> Task:
    """The task, with the question that an earlier run has asked and what was said to it, where this run is for that."""
    store = known.house.store
    asking = question_before(store, known.run_id)
    if asking is None:
        return task
    return with_answers(
        task,
        store.progress(asking.id).why,
        known.trigger,
        asked_at=question_shown_at(store, asking.id) or asking.finished_at or asking.started_at,
        permissions=permissions,
        minimum=known.house.min_permission,
    )

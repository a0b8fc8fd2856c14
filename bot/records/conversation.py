"""What people and the bot say to each other about a pull request: reviews, their threads, notes, and answers."""

from dataclasses import dataclass
from enum import StrEnum

from bot.records.places import Person


class ReviewState(StrEnum):
    """What a submitted review says. The words are those of GitHub's REST API, in lower case."""

    APPROVED = "approved"
    CHANGES_REQUESTED = "changes_requested"
    COMMENTED = "commented"
    DISMISSED = "dismissed"


@dataclass(frozen=True, slots=True)
class ReviewComment:
    """One comment on lines of a pull request. `review_id` is the review that it was submitted with."""

    id: int
    author: Person
    body: str
    review_id: int
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation on lines of a pull request, oldest comment first.

    `id` is GitHub's node id, by which a thread is resolved. `line` and `start_line` count from 1 in the file as it was
    when the comment was made, and are None where the whole file is meant. `is_on_base` says that the lines are those
    before the change. `hunk` is the part of the diff that the comment was made on.
    """

    id: str
    path: str
    comments: tuple[ReviewComment, ...]
    line: int | None = None
    start_line: int | None = None
    is_on_base: bool = False
    hunk: str = ""
    is_resolved: bool = False
    is_outdated: bool = False


@dataclass(frozen=True, slots=True)
class Review:
    """A submitted review, and the threads that it has a comment in."""

    id: int
    author: Person
    state: ReviewState
    body: str = ""
    submitted_at: str = ""
    threads: tuple[Thread, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """One thing that a reviewer asks of the change, as the model sees it.

    `number` names it in the prompt and in the answer, from 1 on. `path` is "" where the review as a whole says it.
    `lines` is as people write it (“12–14”), or "". `said` are the thread's comments by people who count, the request
    the last.
    """

    number: int
    said: tuple[tuple[str, str], ...]
    path: str = ""
    lines: str = ""
    hunk: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model says to a request: whether it is done, and in a sentence or two what was done, or why not."""

    number: int
    is_done: bool
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A word of a person to the run at work, `text`, from whom."""

    author: str
    text: str


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """A check of the repository's own that failed on a commit. `log` is the end of its output, "" where none is had."""

    name: str
    url: str
    summary: str = ""
    log: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run that worked on a pull request, or on its issue before. `number` counts from 1.

    `because` is what it was for, in words for people (“label added”, “review by ada”); `outcome` is None while it is at
    work. `head_sha` is what it pushed, or "". `log_url` is the page of the comment with its log, or "".
    """

    number: int
    run_id: str
    because: str
    outcome: str | None = None
    head_sha: str = ""
    log_url: str = ""

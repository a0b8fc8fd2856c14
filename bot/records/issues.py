"""What an issue says, and what the agent is asked to do about it."""

from dataclasses import dataclass

from bot.records.conversation import FailedCheck, Note, Request
from bot.records.places import Person


@dataclass(frozen=True, slots=True)
class Comment:
    """An issue comment as it stood when the run was triggered."""

    id: int
    author: Person
    body: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue's text, frozen as of the trigger."""

    title: str
    body: str
    author: Person
    is_open: bool
    labels: tuple[str, ...]
    is_pull_request: bool = False
    is_locked: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """What the agent is asked to do: all of it data, none of it instructions to be trusted.

    `number` is None where there is no issue on a server (`selfcode run`). `requests` are what a review asks of the
    change that is there already. `checks` are the repository's own checks that failed on it. `conflicts` are the
    files in which that change and the base's newest state are both to be kept: they hold conflict markers. `asked`
    and `answered` are a question of an earlier run, and what people said to it. `wishes` are what the repository asks
    of contributors, by the file that says so.
    """

    title: str
    body: str
    comments: tuple[Comment, ...] = ()
    hint: str = ""
    number: int | None = None
    left_out: tuple[str, ...] = ()
    requests: tuple[Request, ...] = ()
    checks: tuple[FailedCheck, ...] = ()
    conflicts: tuple[str, ...] = ()
    asked: str = ""
    answered: tuple[Note, ...] = ()
    wishes: tuple[tuple[str, str], ...] = ()

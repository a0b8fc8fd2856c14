"""What a review asks for, by those who count, as the model is shown it. Pure."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from bot.records import Request, Review, ReviewComment, ReviewState, Thread
from bot.runs.reading import at_least, visible

REQUESTS_AT_MOST = 50
SAID_AT_MOST = 10
_COMMAND = "/selfcode"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, and where it is answered: in the thread of `comment_id`; None where the review as a whole says it."""

    request: Request
    thread_id: str = ""
    comment_id: int | None = None


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A review as a run has taken it up. `is_retry`: its own text is a `/selfcode retry`."""

    reviewer: str
    asked: tuple[Asked, ...]
    is_retry: bool = False

    @property
    def requests(self) -> tuple[Request, ...]:
        return tuple(each.request for each in self.asked)


def people_in(review: Review) -> tuple[str, ...]:
    """Whose permission decides what of the review counts, in order of appearance."""
    said = (comment.author for thread in review.threads for comment in thread.comments)
    return tuple(dict.fromkeys(author.login for author in (review.author, *said) if not author.is_bot))


def reviewed(
    review: Review,
    *,
    permissions: Mapping[str, str],
    minimum: str,
    asks: Callable[[str], bool],
    hint: str | None = None,
) -> Reviewed:
    """What the review asks for. Of a bot that is in no `permissions` nothing counts, as of anybody.

    All of it where it requests changes, or its own text asks; else those comments that do. `asks` says of a text
    whether it asks the bot; `hint` is what stands behind the `/selfcode retry` in the review's own text, None where
    that has none.
    """

    def counts(login: str) -> bool:
        return at_least(permissions.get(login, "none"), minimum)

    text = visible(review.body)
    whole = (visible(hint or "") if text.startswith(_COMMAND) else text) if counts(review.author.login) else ""
    asks_all = review.state is ReviewState.CHANGES_REQUESTED or asks(review.body)
    numbers = count(1)
    found: list[Asked] = []
    if whole and asks_all:
        found.append(Asked(Request(next(numbers), ((review.author.login, whole),))))
    for thread in review.threads:
        said = list(_said(thread, review.id, counts))
        if not said or not (asks_all or asks(said[-1].body)):
            continue
        shown = tuple((comment.author.login, visible(comment.body)) for comment in said[-SAID_AT_MOST:])
        request = Request(next(numbers), shown, path=thread.path, lines=_lines(thread), hunk=thread.hunk)
        found.append(Asked(request, thread.id, said[-1].id))
    is_retry = hint is not None and counts(review.author.login)
    return Reviewed(review.author.login, tuple(found[:REQUESTS_AT_MOST]), is_retry)


def _said(thread: Thread, review_id: int, counts: Callable[[str], bool]) -> Iterator[ReviewComment]:
    """The thread's comments by people who count, up to the review's last one there; none where that does not count."""
    of_review = [place for place, comment in enumerate(thread.comments) if comment.review_id == review_id]
    if not of_review or not counts(thread.comments[of_review[-1]].author.login):
        return
    for comment in thread.comments[: of_review[-1] + 1]:
        if counts(comment.author.login) and visible(comment.body):
            yield comment


def _lines(thread: Thread) -> str:
    if thread.line is None:
        return ""
    if thread.start_line is None or thread.start_line == thread.line:
        return str(thread.line)
    return f"{thread.start_line}–{thread.line}"

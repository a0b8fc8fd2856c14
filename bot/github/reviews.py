"""Reviews of a pull request: read whole, answered in their threads, asked for again."""

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bot import records
from bot.errors import Gone, Refused
from bot.github import answers
from bot.github.answers import read
from bot.github.conversation import cut
from bot.github.failures import Invalid
from bot.github.graph_answers import Thread, ThreadComments, Threads
from bot.github.place import Place
from bot.records import ReviewState

log = logging.getLogger(__name__)

_PENDING = "pending"
_KEPT_S = 60.0
_COMMENTS = """\
comments(first: 100, after: $comments) {
  pageInfo { hasNextPage endCursor }
  nodes {
    fullDatabaseId body createdAt diffHunk pullRequestReview { fullDatabaseId }
    author { login __typename ... on User { databaseId } ... on Bot { databaseId } }
  }
}"""
_THREADS = f"""\
query($owner: String!, $name: String!, $number: Int!, $threads: String, $comments: String) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      reviewThreads(first: 50, after: $threads) {{
        pageInfo {{ hasNextPage endCursor }}
        nodes {{
          id isResolved isOutdated path originalLine originalStartLine diffSide
          {_COMMENTS}
        }}
      }}
    }}
  }}
}}"""
"""Source: https://docs.github.com/en/graphql/reference/objects#pullrequestreviewthread"""
_MORE_COMMENTS = f"""\
query($id: ID!, $comments: String) {{ node(id: $id) {{ ... on PullRequestReviewThread {{ {_COMMENTS} }} }} }}"""
_RESOLVE = """\
mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }"""
"""Source: https://docs.github.com/en/graphql/reference/mutations#resolvereviewthread"""


def review(place: Place, number: int, review_id: int) -> records.Review:
    """A submitted review with the threads that it has a comment in. Raises `Gone` for one that is not submitted."""
    found = read(answers.Review, place.get(f"pulls/{number}/reviews/{review_id}"))
    if found.state.lower() == _PENDING:
        raise Gone(f"GitHub can't {place.purpose.doing}: it is not submitted")
    threads = (_as_record(thread) for thread in _threads(place, number))
    return records.Review(
        id=found.id,
        author=found.user.person(),
        state=ReviewState(found.state.lower()),
        body=found.body,
        submitted_at=found.submitted_at,
        threads=tuple(thread for thread in threads if any(said.review_id == review_id for said in thread.comments)),
    )


class Answered:
    """Answers in threads, each once for its marker. Safe for any number of threads.

    A review has many threads: what was said is asked once for all of them, and kept for a minute, or until a call
    fails.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._kept: dict[tuple[str, int], tuple[float, list[answers.ReviewComment]]] = {}

    def reply(self, place: Place, number: int, comment_id: int, body: str, *, marker: str, own_login: str) -> int:
        """Answer in a comment's thread, unless an answer of ours there holds the marker already."""
        key = (place.full_name, number)
        listed = self._listed(place, number, comment_id)
        opening = _opening(place, listed, comment_id)
        for found in listed:
            is_ours = found.user.login.casefold() == own_login.casefold()
            if is_ours and marker in found.body and _is_in_one_thread(found, opening):
                return found.id
        kept = self._kept.pop(key, None)  # what is not heard of may have been said: then it is asked for again
        said = _posted(place, number, opening, body, marker=marker)
        if kept is not None:
            self._kept[key] = kept[0], [*listed, said]
        return said.id

    def _listed(self, place: Place, number: int, comment_id: int) -> list[answers.ReviewComment]:
        """What was said on the lines of a pull request: asked again where it is old, or lacks the comment."""
        key, now_s = (place.full_name, number), self._clock()
        self._kept = {each: kept for each, kept in self._kept.items() if now_s - kept[0] < _KEPT_S}
        kept = self._kept.get(key)
        if kept is None or comment_id not in {found.id for found in kept[1]}:
            kept = self._kept[key] = (now_s, list(place.pages(f"pulls/{number}/comments", answers.ReviewComment)))
        return kept[1]


def _posted(
    place: Place, number: int, opening: answers.ReviewComment, body: str, *, marker: str
) -> answers.ReviewComment:
    marked = body if marker in body else f"{body}\n{marker}"
    try:
        answer = _reply(place, number, opening, marked)
    except Invalid as invalid:
        if not invalid.says("too long"):
            raise
        answer = _reply(place, number, opening, f"{cut(body)}\n{marker}")
    return read(answers.ReviewComment, answer)


def _opening(place: Place, listed: Sequence[answers.ReviewComment], comment_id: int) -> answers.ReviewComment:
    """The first comment of the thread that a comment is in: GitHub takes answers to that one alone.

    Where that was deleted, it is the oldest that is left: whether GitHub takes answers to it is not documented.
    """
    said = next((found for found in listed if found.id == comment_id), None)
    if said is None:
        raise Gone(f"GitHub can't {place.purpose.doing}: it was deleted")
    in_thread = (found for found in listed if _is_in_one_thread(found, said))
    return min(in_thread, key=lambda found: (found.in_reply_to_id is not None, found.id))


def _is_in_one_thread(one: answers.ReviewComment, other: answers.ReviewComment) -> bool:
    """Whether both are, by the first comment, which answers name when it is deleted too; or by the one that is left."""
    return not {one.id, _thread_of(one)}.isdisjoint({other.id, _thread_of(other)})


def _thread_of(comment: answers.ReviewComment) -> int:
    return comment.in_reply_to_id or comment.id


def _reply(place: Place, number: int, opening: answers.ReviewComment, body: str) -> Any:
    """Answer in one of two ways: GitHub's description says of the first, which is made for it, that Apps may not.

    It takes no answers to answers either, and the thread's first comment may be one, where another was before it.

    Source: https://docs.github.com/en/rest/pulls/comments#create-a-reply-for-a-review-comment
    """
    try:
        return place.post(f"pulls/{number}/comments/{opening.id}/replies", {"body": body})
    except (Refused, Gone) as refused:
        if isinstance(refused, Invalid) and refused.says("too long"):
            raise
        log.info("%s: answering in another way: %s", place.full_name, refused)
    there = {"in_reply_to": opening.id, "path": opening.path, "commit_id": opening.original_commit_id}
    return place.post(f"pulls/{number}/comments", {"body": body, **there})


def resolve(place: Place, thread_id: str) -> None:
    """Mark a thread as resolved. GitHub takes it twice as once."""
    place.mutate(_RESOLVE, id=thread_id)


def request(place: Place, number: int, login: str) -> bool:
    """Ask for a review. False, and logged, for whom GitHub does not ask: authors and strangers."""
    try:
        place.post(f"pulls/{number}/requested_reviewers", {"reviewers": [login]})
    except (Refused, Gone) as refusal:
        log.warning("%s: a review by %s left out: %s", place.full_name, login, refusal)
        return False
    return True


def _threads(place: Place, number: int) -> Iterator[Thread]:
    """All threads, each with all of its comments."""
    owner, _, name = place.full_name.partition("/")
    after: str | None = None
    while True:
        found = place.query(_THREADS, owner=owner, name=name, number=number, threads=after, comments=None)
        page = read(Threads, _inside(found, "repository", "pullRequest", "reviewThreads"))
        for thread in page.nodes:
            yield _whole(place, thread)
        if not page.pageInfo.hasNextPage:
            return
        after = page.pageInfo.endCursor


def _whole(place: Place, thread: Thread) -> Thread:
    """The thread with the comments that did not fit into its first page."""
    while thread.comments.pageInfo.hasNextPage:
        found = place.query(_MORE_COMMENTS, id=thread.id, comments=thread.comments.pageInfo.endCursor)
        more = read(ThreadComments, _inside(found, "node", "comments"))
        comments = more.model_copy(update={"nodes": (*thread.comments.nodes, *more.nodes)})
        thread = thread.model_copy(update={"comments": comments})
    return thread


def _inside(answer: Any, *path: str) -> Any:
    """What is there in an answer; None where a part of the way is missing."""
    for name in path:
        answer = answer.get(name) if isinstance(answer, dict) else None
    return answer


def _as_record(thread: Thread) -> records.Thread:
    return records.Thread(
        id=thread.id,
        path=thread.path,
        comments=tuple(
            records.ReviewComment(
                id=said.fullDatabaseId,
                author=said.author.person(),
                body=said.body,
                review_id=said.pullRequestReview.fullDatabaseId if said.pullRequestReview else 0,
                created_at=said.createdAt,
            )
            for said in thread.comments.nodes
        ),
        line=thread.originalLine,
        start_line=thread.originalStartLine,
        is_on_base=thread.diffSide == "LEFT",
        hunk=thread.comments.nodes[0].diffHunk if thread.comments.nodes else "",
        is_resolved=thread.isResolved,
        is_outdated=thread.isOutdated,
    )

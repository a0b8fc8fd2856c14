"""Reviews of pull requests, and the comments on their lines."""

from collections.abc import Iterable, Mapping
from typing import Any

from flask import Response

from bot.demo import access, reviewing, shapes, shapes_reviews
from bot.demo.access import account_of
from bot.demo.answers import ApiError, as_json, listed, not_found
from bot.demo.rest import Part, Route, body, nothing
from bot.demo.rest_issues import react
from bot.demo.reviewing import Remark
from bot.demo.state import Account, Issue, Repository, Review, ReviewComment

_PULL = "/repos/<owner>/<name>/pulls/<int:number>"
_REVIEW = f"{_PULL}/reviews/<int:review_id>"
_COMMENT = "/repos/<owner>/<name>/pulls/comments/<int:comment_id>"


class Reviews(Part):
    """Reviews as a whole. A pending one is its author's to see alone."""

    def routes(self) -> Iterable[Route]:
        return (
            ("GET", f"{_PULL}/reviews", self.index),
            ("POST", f"{_PULL}/reviews", self.create),
            ("GET", _REVIEW, self.show),
            ("PUT", _REVIEW, self.edit),
            ("DELETE", _REVIEW, self.discard),
            ("GET", f"{_REVIEW}/comments", self.comments),
            ("POST", f"{_REVIEW}/events", self.submit),
            ("PUT", f"{_REVIEW}/dismissals", self.dismiss),
        )

    def index(self, owner: str, name: str, number: int) -> Response:
        issue = self._readable(owner, name, number)
        assert issue.pull
        found = [review for review in issue.pull.reviews if self._sees(review)]
        return listed([shapes_reviews.review(self.world, review, issue) for review in found], self.world.base_url)

    def create(self, owner: str, name: str, number: int) -> Response:
        issue, by = _commentable(self, owner, name, number)
        fields = body()
        remarks = [_remark(each) for each in fields.get("comments") or ()]
        text = str(fields.get("body") or "")
        review = reviewing.start(self.changes, issue, by, body=text, remarks=remarks, app=self.app_of_caller)
        if fields.get("event"):
            try:
                reviewing.submit(self.changes, issue, review, str(fields["event"]))
            except ApiError:
                reviewing.discard(issue, review)
                raise
        return as_json(shapes_reviews.review(self.world, review, issue))

    def show(self, owner: str, name: str, number: int, review_id: int) -> Response:
        issue, review = self._review(owner, name, number, review_id)
        return as_json(shapes_reviews.review(self.world, review, issue))

    def edit(self, owner: str, name: str, number: int, review_id: int) -> Response:
        issue, review = self._review(owner, name, number, review_id)
        by = self._author(issue, review.author)
        reviewing.edit(self.changes, issue, review, by, access.require_field(body(), "PullRequestReview", "body"))
        return as_json(shapes_reviews.review(self.world, review, issue))

    def discard(self, owner: str, name: str, number: int, review_id: int) -> Response:
        issue, review = self._review(owner, name, number, review_id)
        self._author(issue, review.author)
        answer = as_json(shapes_reviews.review(self.world, review, issue))
        reviewing.discard(issue, review)
        return answer

    def comments(self, owner: str, name: str, number: int, review_id: int) -> Response:
        issue, review = self._review(owner, name, number, review_id)
        found = reviewing.comments_of(issue, review)
        return listed([shapes_reviews.comment(self.world, each, issue) for each in found], self.world.base_url)

    def submit(self, owner: str, name: str, number: int, review_id: int) -> Response:
        issue, review = self._review(owner, name, number, review_id)
        self._author(issue, review.author)
        fields = body()
        reviewing.submit(self.changes, issue, review, str(fields.get("event")), fields.get("body"))
        return as_json(shapes_reviews.review(self.world, review, issue))

    def dismiss(self, owner: str, name: str, number: int, review_id: int) -> Response:
        issue, review = self._review(owner, name, number, review_id)
        by = access.require(self.caller, issue.repository, "pull_requests", "write", role="write")
        access.require_field(body(), "PullRequestReview", "message")
        reviewing.dismiss(self.changes, issue, review, by)
        return as_json(shapes_reviews.review(self.world, review, issue))

    def _review(self, owner: str, name: str, number: int, review_id: int) -> tuple[Issue, Review]:
        self._readable(owner, name, number)
        issue, review = self.world.review(self.repository(owner, name), number, review_id)
        if not self._sees(review):
            raise not_found()
        return issue, review

    def _sees(self, review: Review) -> bool:
        return review.submitted_at is not None or review.author is account_of(self.caller)

    def _author(self, issue: Issue, author: Account) -> Account:
        if account_of(self.caller) is not author:
            raise ApiError(403, "Forbidden")
        return access.require(self.caller, issue.repository, "pull_requests", "write", role="read")

    def _readable(self, owner: str, name: str, number: int) -> Issue:
        repository = self.repository(owner, name)
        access.require(self.caller, repository, "pull_requests", "read", role="read")
        return self.world.pull(repository, number)[0]


class ReviewComments(Part):
    """Comments on lines, and the answers to them."""

    def routes(self) -> Iterable[Route]:
        return (
            ("GET", f"{_PULL}/comments", self.index),
            ("POST", f"{_PULL}/comments", self.create),
            ("POST", f"{_PULL}/comments/<int:comment_id>/replies", self.reply),
            ("GET", _COMMENT, self.show),
            ("PATCH", _COMMENT, self.edit),
            ("DELETE", _COMMENT, self.delete),
            ("GET", f"{_COMMENT}/reactions", self.reactions),
            ("POST", f"{_COMMENT}/reactions", self.react),
        )

    def index(self, owner: str, name: str, number: int) -> Response:
        repository = self.repository(owner, name)
        access.require(self.caller, repository, "pull_requests", "read", role="read")
        issue, pull = self.world.pull(repository, number)
        every = [comment for thread in pull.threads for comment in thread.comments]
        seen = [comment for comment in every if reviewing.is_visible(comment, account_of(self.caller))]
        found = sorted(seen, key=lambda comment: comment.id)
        return listed([shapes_reviews.comment(self.world, comment, issue) for comment in found], self.world.base_url)

    def create(self, owner: str, name: str, number: int) -> Response:
        """A comment on lines, or, with `in_reply_to`, an answer: then all but the text is passed over."""
        issue, by = _commentable(self, owner, name, number)
        fields = body()
        if fields.get("in_reply_to"):
            return self._answer_to(issue, by, int(fields["in_reply_to"]), fields)
        access.require_field(fields, "PullRequestReviewComment", "path")
        access.require_field(fields, "PullRequestReviewComment", "commit_id")
        comment = reviewing.remark(self.changes, issue, by, _remark(fields), app=self.app_of_caller)
        return as_json(shapes_reviews.comment(self.world, comment, issue), 201)

    def reply(self, owner: str, name: str, number: int, comment_id: int) -> Response:
        issue, by = _commentable(self, owner, name, number)
        if self.world.review_comment(issue.repository, comment_id)[1].answers is not None:
            raise ApiError(422, "Replies to replies are not supported")
        return self._answer_to(issue, by, comment_id, body())

    def _answer_to(self, issue: Issue, by: Account, comment_id: int, fields: Mapping[str, Any]) -> Response:
        text = access.require_field(fields, "PullRequestReviewComment", "body")
        there, comment = self.world.review_comment(issue.repository, comment_id)
        if there is not issue or not reviewing.is_visible(comment, by):
            raise not_found()
        answer = reviewing.reply(self.changes, issue, comment.thread, by, text, app=self.app_of_caller)
        return as_json(shapes_reviews.comment(self.world, answer, issue), 201)

    def show(self, owner: str, name: str, comment_id: int) -> Response:
        _, issue, comment = self._comment(owner, name, comment_id)
        return as_json(shapes_reviews.comment(self.world, comment, issue))

    def edit(self, owner: str, name: str, comment_id: int) -> Response:
        repository, issue, comment = self._comment(owner, name, comment_id)
        by = self._author_or_writer(repository, comment)
        text = access.require_field(body(), "PullRequestReviewComment", "body")
        reviewing.edit_comment(self.changes, issue, comment, by, text)
        return as_json(shapes_reviews.comment(self.world, comment, issue))

    def delete(self, owner: str, name: str, comment_id: int) -> Response:
        repository, issue, comment = self._comment(owner, name, comment_id)
        by = self._author_or_writer(repository, comment)
        reviewing.delete_comment(self.changes, issue, comment, by)
        return nothing()

    def reactions(self, owner: str, name: str, comment_id: int) -> Response:
        _, _, comment = self._comment(owner, name, comment_id)
        return listed([shapes.reaction(self.world, found) for found in comment.reactions], self.world.base_url)

    def react(self, owner: str, name: str, comment_id: int) -> Response:
        repository, issue, comment = self._comment(owner, name, comment_id)
        return react(self, repository, issue, comment.reactions, permission="pull_requests")

    def _comment(self, owner: str, name: str, comment_id: int) -> tuple[Repository, Issue, ReviewComment]:
        repository = self.repository(owner, name)
        access.require(self.caller, repository, "pull_requests", "read", role="read")
        issue, comment = self.world.review_comment(repository, comment_id)
        if not reviewing.is_visible(comment, account_of(self.caller)):
            raise not_found()
        return repository, issue, comment

    def _author_or_writer(self, repository: Repository, comment: ReviewComment) -> Account:
        own = account_of(self.caller) is comment.author
        return access.require(self.caller, repository, "pull_requests", "write", role="read" if own else "write")


def _commentable(part: Part, owner: str, name: str, number: int) -> tuple[Issue, Account]:
    """A pull request that the caller may comment on."""
    repository = part.repository(owner, name)
    by = access.require(part.caller, repository, "pull_requests", "write", role="read")
    issue, _ = part.world.pull(repository, number)
    access.require_unlocked(part.caller, issue)
    return issue, by


def _remark(fields: Mapping[str, Any]) -> Remark:
    return Remark(
        path=str(fields.get("path") or ""),
        body=str(fields.get("body") or ""),
        line=fields.get("line"),
        start_line=fields.get("start_line"),
        side=str(fields.get("side") or "RIGHT"),
    )

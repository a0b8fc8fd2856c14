"""GitHub in memory, for tests of whoever uses `records.GitHub`. It does what the real door does on the stand-in server:
tests/github/test_contract.py holds both to it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha1
from itertools import count

from bot.errors import Gone, Refused
from bot.records import (
    ANNOTATIONS_AT_MOST,
    Annotation,
    Comment,
    FailedCheck,
    Issue,
    IssueRef,
    MadeCommit,
    MergeState,
    Person,
    PullRequest,
    PullRequestText,
    RepositoryInfo,
    RepositoryRef,
    Review,
    ReviewComment,
    ReviewState,
    Subject,
    Thread,
)

NOW = "2026-11-29T10:00:00Z"


@dataclass
class FakeIssue:
    """An issue and all that was said on it; `reactions` of the issue itself, by (login, content)."""

    issue: Issue
    comments: list[Comment] = field(default_factory=list)
    reactions: list[tuple[str, str]] = field(default_factory=list)
    comment_reactions: dict[int, list[tuple[str, str]]] = field(default_factory=dict)


_NO_ISSUE = Issue(title="", body="", author=Person("selfcode[bot]", is_bot=True), is_open=True, labels=())


@dataclass
class FakePull:
    """A pull request: what was published, where it stands, and what was said on it."""

    number: int
    branch: str
    base: str
    text: PullRequestText
    is_draft: bool
    state: str = "open"
    reviewers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    thread: FakeIssue = field(default_factory=lambda: FakeIssue(_NO_ISSUE))
    merge_state: MergeState = MergeState.CLEAN
    by: str = "selfcode[bot]"
    reviews: dict[int, Review] = field(default_factory=dict)
    review_threads: list[Thread] = field(default_factory=list)


@dataclass
class FakeCheck:
    head_sha: str
    conclusion: str
    title: str
    summary: str
    annotations: tuple[Annotation, ...] = ()
    details_url: str = ""


@dataclass
class FakeRepository:
    """A repository. `branches` are the heads that were pushed."""

    ref: RepositoryRef
    default_branch: str = "main"
    branches: dict[str, str] = field(default_factory=lambda: {"main": "0" * 40})
    roles: dict[str, str] = field(default_factory=dict)
    issues: dict[int, FakeIssue] = field(default_factory=dict)
    pulls: list[FakePull] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    checks: list[FakeCheck] = field(default_factory=list)
    failed_checks: dict[str, list[FailedCheck]] = field(default_factory=dict)
    is_archived: bool = False
    is_gone: bool = False
    has_drafts: bool = True


@dataclass
class FakeGitHub:
    """Implements `records.GitHub`. `calls` records each call by its name; `failing` raises on the next of a name."""

    login: str = "selfcode[bot]"
    repositories: dict[int, FakeRepository] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    failing: dict[str, list[Exception]] = field(default_factory=dict)
    ids: Iterator[int] = field(default_factory=lambda: count(1001))
    signs: bool = True

    # --- Arranging

    def add_repository(self, full_name: str = "octo/cat", *, installation_id: int = 5) -> FakeRepository:
        owner, _, name = full_name.partition("/")
        ref = RepositoryRef(installation_id, next(self.ids), owner, name)
        self.repositories[ref.id] = FakeRepository(ref)
        return self.repositories[ref.id]

    def open_issue(
        self,
        ref: RepositoryRef,
        title: str = "It breaks",
        body: str = "",
        *,
        by: str = "alice",
        labels: Sequence[str] = (),
    ) -> IssueRef:
        repository = self.repositories[ref.id]
        number = 1 + len(repository.issues) + len(repository.pulls)
        issue = Issue(title=title, body=body, author=Person(by), is_open=True, labels=tuple(labels))
        repository.issues[number] = FakeIssue(issue)
        return IssueRef(ref, number)

    def say(self, at: IssueRef, body: str, *, by: str) -> int:
        """Comment as somebody else."""
        comment = Comment(next(self.ids), Person(by, is_bot=by.endswith("[bot]")), body, NOW)
        self._thread(at).comments.append(comment)
        return comment.id

    def submit_review(
        self,
        ref: RepositoryRef,
        number: int,
        *,
        by: str,
        state: ReviewState = ReviewState.CHANGES_REQUESTED,
        body: str = "",
        comments: Sequence[tuple[str, int, str]] = (),
        replies: Sequence[tuple[int, str]] = (),
    ) -> Review:
        """Review as somebody else: new threads by (path, line, text), answers by (comment's id, text)."""
        pull = self._pull(self.repositories[ref.id], number, "read the review")
        author, review_id = Person(by, is_bot=by.endswith("[bot]")), next(self.ids)
        for path, line, text in comments:
            said = ReviewComment(next(self.ids), author, text, review_id, NOW)
            pull.review_threads.append(Thread(f"thread-{said.id}", path, (said,), line=line, hunk="@@ -1 +1 @@"))
        for comment_id, text in replies:
            self._answer(pull, comment_id, ReviewComment(next(self.ids), author, text, review_id, NOW))
        pull.reviews[review_id] = Review(review_id, author, state, body, NOW)
        pull.reviewers = tuple(login for login in pull.reviewers if login != by)
        return self._review(pull, review_id)

    def change_issue(self, at: IssueRef, **fields: object) -> None:
        """Close it (`is_open=False`), lock it (`is_locked=True`), and so on."""
        thread = self._thread(at)
        thread.issue = replace(thread.issue, **fields)  # type: ignore[arg-type]

    def fail_next(self, call: str, error: Exception) -> None:
        self.failing.setdefault(call, []).append(error)

    # --- records.GitHub

    def repository(self, ref: RepositoryRef) -> RepositoryInfo:
        found = self._called("repository", ref)
        return RepositoryInfo(
            ref=found.ref,
            default_branch=found.default_branch,
            clone_url=f"https://github.invalid/{found.ref.full_name}.git",
            is_archived=found.is_archived,
        )

    def issue(self, at: IssueRef) -> Issue:
        self._called("issue", at.repository)
        return self._thread(at).issue

    def comments(self, at: IssueRef) -> Sequence[Comment]:
        self._called("comments", at.repository)
        return tuple(self._thread(at).comments)

    def permission(self, ref: RepositoryRef, login: str) -> str:
        return self._called("permission", ref).roles.get(login, "none")

    def react(self, at: IssueRef, reaction: str, *, subject: Subject | None = None) -> None:
        self._called("react", at.repository)
        thread = self._thread(at)
        self._require_unlocked(thread)
        given = thread.reactions if subject is None else thread.comment_reactions.setdefault(subject.id, [])
        if (self.login, reaction) not in given:
            given.append((self.login, reaction))

    def post_comment(self, at: IssueRef, body: str, *, marker: str, since: str = "") -> int:
        """Looks at everything that was said: it costs nothing here."""
        self._called("post_comment", at.repository)
        thread = self._thread(at)
        for comment in thread.comments:
            if marker in comment.body and comment.author.login == self.login:
                return comment.id
        self._require_unlocked(thread)
        return self.say(at, body if marker in body else f"{body}\n{marker}", by=self.login)

    def edit_comment(self, at: IssueRef, comment_id: int, body: str) -> None:
        self._called("edit_comment", at.repository)
        thread = self._thread(at)
        if comment_id not in {comment.id for comment in thread.comments}:
            raise Gone("GitHub can't comment: Not Found")
        thread.comments = [
            replace(comment, body=body) if comment.id == comment_id else comment for comment in thread.comments
        ]

    def ensure_label(self, ref: RepositoryRef, name: str) -> None:
        labels = self._called("ensure_label", ref).labels
        if name.casefold() not in {label.casefold() for label in labels}:
            labels.append(name)

    def git_token(self, ref: RepositoryRef) -> str:
        self._called("git_token", ref)
        return f"ghs_{next(self.ids)}"

    def signs_commits(self) -> bool:
        return self.signs or "create_commit" not in self.calls

    def create_commit(self, ref: RepositoryRef, *, tree: str, parents: Sequence[str], message: str) -> MadeCommit:
        self._called("create_commit", ref)
        sha = self.written_commit(ref, tree, parents, message)
        return MadeCommit(sha, is_verified=self.signs, reason="valid" if self.signs else "unsigned")

    def written_commit(self, ref: RepositoryRef, tree: str, parents: Sequence[str], message: str) -> str:
        """The id of a new commit. There is no git here."""
        told = (self.repositories[ref.id].ref.full_name, tree, *parents, message, str(next(self.ids)))
        return sha1("\0".join(told).encode(), usedforsecurity=False).hexdigest()

    def pull_requests(self, ref: RepositoryRef, branch: str) -> Sequence[PullRequest]:
        repository = self._called("pull_requests", ref)
        return tuple(self._record(repository, pull) for pull in reversed(repository.pulls) if pull.branch == branch)

    def pull_request_numbered(self, ref: RepositoryRef, number: int) -> PullRequest:
        repository = self._called("pull_request_numbered", ref)
        found = self._pull(repository, number, "read the pull request")
        record = self._record(repository, found)
        return replace(record, merge_state=found.merge_state) if found.state == "open" else record

    def publish_pull_request(self, ref: RepositoryRef, branch: str, base: str, text: PullRequestText) -> PullRequest:
        repository = self._called("publish_pull_request", ref)
        there = [pull for pull in repository.pulls if pull.branch == branch and pull.state == "open"]
        pull = next((pull for pull in there if pull.by == self.login), None)
        if pull is None:
            if base in {pull.base for pull in there}:
                raise Refused(
                    "GitHub does not let the App open or update the pull request: A pull request already exists for "
                    f"{repository.ref.owner}:{branch}."
                )
            if repository.branches.get(branch) in (None, repository.branches.get(base)):
                raise Refused(
                    f"GitHub does not let the App open the pull request: No commits between {base} and {branch}"
                )
            number = 1 + len(repository.issues) + len(repository.pulls)
            pull = FakePull(number, branch, base, text, is_draft=text.draft and repository.has_drafts)
            repository.pulls.append(pull)
        pull.labels = tuple(dict.fromkeys((*pull.labels, *text.labels)))
        known = (login for login in text.reviewers if repository.roles.get(login, "none") != "none")
        pull.reviewers = tuple(dict.fromkeys((*pull.reviewers, *known)))
        return self._record(repository, pull)

    def describe_pull_request(self, ref: RepositoryRef, number: int, body: str) -> None:
        repository = self._called("describe_pull_request", ref)
        pull = self._pull(repository, number, "open or update the pull request")
        pull.text = replace(pull.text, body=body)

    def mark_ready(self, ref: RepositoryRef, number: int) -> None:
        repository = self._called("mark_ready", ref)
        pull = self._pull(repository, number, "mark the pull request as ready for review")
        if pull.is_draft and pull.state != "open":
            raise Refused("GitHub does not let the App mark the pull request as ready for review: must be open")
        pull.is_draft = False

    def make_draft(self, ref: RepositoryRef, number: int) -> None:
        repository = self._called("make_draft", ref)
        pull = self._pull(repository, number, "make the pull request a draft again")
        if not pull.is_draft and (pull.state != "open" or not repository.has_drafts):
            raise Refused("GitHub does not let the App make the pull request a draft again: it has no permission")
        pull.is_draft = True

    def review(self, ref: RepositoryRef, number: int, review_id: int) -> Review:
        pull = self._pull(self._called("review", ref), number, "read the review")
        if review_id not in pull.reviews:
            raise Gone("GitHub can't read the review: Not Found")
        return self._review(pull, review_id)

    def reply_to_review_comment(self, at: IssueRef, comment_id: int, body: str, *, marker: str) -> int:
        pull = self._pull(self._called("reply_to_review_comment", at.repository), at.number, "answer a review comment")
        thread = self._thread_with(pull, comment_id)
        for said in thread.comments:
            if marker in said.body and said.author.login == self.login:
                return said.id
        self._require_unlocked(pull.thread)
        author = Person(self.login, is_bot=True)
        marked = body if marker in body else f"{body}\n{marker}"
        answer = ReviewComment(next(self.ids), author, marked, next(self.ids), NOW)
        self._answer(pull, comment_id, answer)
        return answer.id

    def resolve_thread(self, ref: RepositoryRef, thread_id: str) -> None:
        repository = self._called("resolve_thread", ref)
        pull = next((pull for pull in repository.pulls if thread_id in {each.id for each in pull.review_threads}), None)
        if pull is None:
            raise Gone("GitHub can't resolve a review's thread: Could not resolve to a node")
        pull.review_threads = [
            replace(thread, is_resolved=True) if thread.id == thread_id else thread for thread in pull.review_threads
        ]

    def request_review(self, ref: RepositoryRef, number: int, login: str) -> bool:
        repository = self._called("request_review", ref)
        pull = next((pull for pull in repository.pulls if pull.number == number), None)
        if pull is None or repository.roles.get(login, "none") == "none":
            return False
        pull.reviewers = tuple(dict.fromkeys((*pull.reviewers, login)))
        return True

    def failed_checks(self, ref: RepositoryRef, head_sha: str, *, with_logs: bool = True) -> Sequence[FailedCheck]:
        found = self._called("failed_checks", ref).failed_checks.get(head_sha, ())
        return tuple(check if with_logs else replace(check, log="") for check in found)

    def set_check(
        self,
        ref: RepositoryRef,
        head_sha: str,
        *,
        conclusion: str,
        title: str,
        summary: str,
        annotations: Sequence[Annotation] = (),
        details_url: str = "",
    ) -> None:
        repository = self._called("set_check", ref)
        repository.checks = [check for check in repository.checks if check.head_sha != head_sha]
        shown = tuple(annotations)[:ANNOTATIONS_AT_MOST]
        repository.checks.append(FakeCheck(head_sha, conclusion, title, summary, shown, details_url))

    # --- Inside

    def _called(self, name: str, ref: RepositoryRef) -> FakeRepository:
        self.calls.append(name)
        if self.failing.get(name):
            raise self.failing[name].pop(0)
        repository = self.repositories.get(ref.id)
        if repository is None or repository.is_gone:
            raise Gone("GitHub can't look at the repository: Not Found")
        return repository

    def _thread(self, at: IssueRef) -> FakeIssue:
        repository = self.repositories[at.repository.id]
        if at.number in repository.issues:
            return repository.issues[at.number]
        pull = next((pull for pull in repository.pulls if pull.number == at.number), None)
        if pull is None:
            raise Gone("GitHub can't read the issue: Not Found")
        return pull.thread

    def _pull(self, repository: FakeRepository, number: int, doing: str) -> FakePull:
        found = next((pull for pull in repository.pulls if pull.number == number), None)
        if found is None:
            raise Gone(f"GitHub can't {doing}: Not Found")
        return found

    def _review(self, pull: FakePull, review_id: int) -> Review:
        threads = (each for each in pull.review_threads if review_id in {said.review_id for said in each.comments})
        return replace(pull.reviews[review_id], threads=tuple(threads))

    def _thread_with(self, pull: FakePull, comment_id: int) -> Thread:
        for thread in pull.review_threads:
            if comment_id in {said.id for said in thread.comments}:
                return thread
        raise Gone("GitHub can't answer a review comment: Not Found")

    def _answer(self, pull: FakePull, comment_id: int, answer: ReviewComment) -> None:
        found = self._thread_with(pull, comment_id)
        longer = replace(found, comments=(*found.comments, answer))
        pull.review_threads = [longer if thread is found else thread for thread in pull.review_threads]

    def _require_unlocked(self, thread: FakeIssue) -> None:
        if thread.issue.is_locked:
            raise Refused("GitHub does not let the App comment: Unable to create comment because issue is locked.")

    def _record(self, repository: FakeRepository, pull: FakePull) -> PullRequest:
        return PullRequest(
            number=pull.number,
            url=f"https://github.invalid/{repository.ref.full_name}/pull/{pull.number}",
            state=pull.state,
            is_draft=pull.is_draft,
            head_sha=repository.branches.get(pull.branch, ""),
            base=pull.base,
            base_sha=repository.branches.get(pull.base, ""),
            body=pull.text.body,
            is_ours=pull.by == self.login,
        )

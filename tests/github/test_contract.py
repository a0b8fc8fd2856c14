"""What `records.GitHub` promises, held against the fake and against the real door on the stand-in server."""

from dataclasses import replace

import pytest

from bot.errors import Gone, Refused
from bot.records import (
    Annotation,
    AnnotationLevel,
    IssueRef,
    Person,
    PullRequestText,
    RepositoryRef,
    Subject,
    SubjectKind,
)
from tests.github.stages import Stage

BRANCH = "selfcode/issue-1"
BOT = "selfcode[bot]"


def a_text(
    title: str = "Fix it", body: str = "Closes #1", *, draft: bool = False, **fields: tuple[str, ...]
) -> PullRequestText:
    return PullRequestText(title=title, body=body, draft=draft, **fields)


# --- Repositories


def test_a_repository_tells_what_it_is(stage: Stage) -> None:
    info = stage.github.repository(stage.ref)

    assert info.ref == stage.ref
    assert (info.default_branch, info.is_archived) == ("main", False)
    assert info.clone_url.endswith(f"/{stage.ref.full_name}.git")
    assert "@" not in info.clone_url


def test_a_repository_is_found_by_its_number_whatever_it_was_called(stage: Stage) -> None:
    before = stage.ref
    stage.rename("dog")

    info = stage.github.repository(before)

    assert info.ref == RepositoryRef(before.installation_id, before.id, before.owner, "dog")


def test_a_rename_in_the_middle_changes_nothing(stage: Stage) -> None:
    at = stage.open_issue()
    stage.github.post_comment(at, "before", marker="<!-- 1 -->")
    stage.push(BRANCH, "x = 2\n")
    stage.rename("dog")

    stage.github.post_comment(at, "after", marker="<!-- 2 -->")
    stage.github.publish_pull_request(at.repository, BRANCH, "main", a_text())

    assert [body for _, body in stage.said(at)] == ["before\n<!-- 1 -->", "after\n<!-- 2 -->"]
    assert stage.pulls() == [("Fix it", "Closes #1", "open")]


def test_an_unknown_repository_is_gone(stage: Stage) -> None:
    unknown = RepositoryRef(stage.ref.installation_id, 999_999, "octo", "nothing")

    with pytest.raises(Gone):
        stage.github.repository(unknown)


@pytest.mark.parametrize("role", ["none", "read", "triage", "write", "maintain", "admin"])
def test_a_permission_is_the_true_role(stage: Stage, role: str) -> None:
    stage.give_role("alice", role)

    assert stage.github.permission(stage.ref, "alice") == role


def test_whom_nobody_knows_may_do_nothing(stage: Stage) -> None:
    assert stage.github.permission(stage.ref, "never-heard-of") == "none"


def test_a_repository_that_is_gone_says_nothing_of_what_people_may_do(stage: Stage) -> None:
    unknown = RepositoryRef(stage.ref.installation_id, 999_999, "octo", "nothing")

    with pytest.raises(Gone):
        stage.github.permission(unknown, "alice")


def test_the_label_is_created_once(stage: Stage) -> None:
    stage.github.ensure_label(stage.ref, "selfcode")
    stage.github.ensure_label(stage.ref, "SelfCode")

    assert stage.labels() == ["selfcode"]


def test_git_gets_a_token(stage: Stage) -> None:
    assert stage.github.git_token(stage.ref).startswith("ghs_")


# --- Issues


def test_an_issue_is_read(stage: Stage) -> None:
    issue = stage.github.issue(stage.open_issue("It breaks", "Badly", labels=("bug",)))

    assert (issue.title, issue.body, issue.author) == ("It breaks", "Badly", Person("alice"))
    assert (issue.is_open, issue.labels, issue.is_pull_request, issue.is_locked) == (True, ("bug",), False, False)


def test_an_issue_without_a_text_has_an_empty_one(stage: Stage) -> None:
    assert stage.github.issue(stage.open_issue(body="")).body == ""


def test_an_issue_is_read_as_it_is_now(stage: Stage) -> None:
    at = stage.open_issue()
    stage.close(at)
    stage.lock(at)

    issue = stage.github.issue(at)

    assert (issue.is_open, issue.is_locked) == (False, True)


def test_an_issue_that_was_deleted_or_never_was_is_gone(stage: Stage) -> None:
    at = stage.open_issue()
    stage.delete(at)

    with pytest.raises(Gone):
        stage.github.issue(at)
    with pytest.raises(Gone):
        stage.github.issue(IssueRef(stage.ref, 77))


def test_comments_come_oldest_first_with_their_authors(stage: Stage) -> None:
    at = stage.open_issue()
    first = stage.say(at, "first", by="alice")
    second = stage.say(at, "second", by="bob")

    comments = stage.github.comments(at)

    assert [(found.id, found.author, found.body) for found in comments] == [
        (first, Person("alice"), "first"),
        (second, Person("bob"), "second"),
    ]
    assert all(found.created_at.endswith("Z") for found in comments)


def test_our_own_comments_are_a_bots(stage: Stage) -> None:
    at = stage.open_issue()
    stage.github.post_comment(at, "working", marker="<!-- 1 -->")

    (comment,) = stage.github.comments(at)

    assert comment.author == Person(BOT, is_bot=True)


def test_a_comment_is_posted_once_for_each_marker(stage: Stage) -> None:
    at = stage.open_issue()

    first = stage.github.post_comment(at, "working <!-- progress -->", marker="<!-- progress -->")
    again = stage.github.post_comment(at, "working still <!-- progress -->", marker="<!-- progress -->")
    other = stage.github.post_comment(at, "the log <!-- log -->", marker="<!-- log -->")

    assert first == again != other
    assert stage.said(at) == [(BOT, "working <!-- progress -->"), (BOT, "the log <!-- log -->")]


def test_somebody_elses_marker_does_not_count(stage: Stage) -> None:
    at = stage.open_issue()
    forged = stage.say(at, "forged <!-- progress -->", by="mallory")

    posted = stage.github.post_comment(at, "working <!-- progress -->", marker="<!-- progress -->")

    assert posted != forged
    assert stage.said(at)[-1] == (BOT, "working <!-- progress -->")


def test_a_comment_gets_its_marker_where_the_text_lacks_it(stage: Stage) -> None:
    at = stage.open_issue()

    assert stage.github.post_comment(at, "hello", marker="<!-- m -->") == stage.github.post_comment(
        at, "hello", marker="<!-- m -->"
    )
    assert stage.said(at) == [(BOT, "hello\n<!-- m -->")]


def test_a_comment_is_edited_in_place(stage: Stage) -> None:
    at = stage.open_issue()
    comment_id = stage.github.post_comment(at, "working", marker="<!-- m -->")

    stage.github.edit_comment(at, comment_id, "done <!-- m -->")

    assert stage.said(at) == [(BOT, "done <!-- m -->")]


def test_a_comment_that_somebody_deleted_is_gone(stage: Stage) -> None:
    with pytest.raises(Gone):
        stage.github.edit_comment(stage.open_issue(), 999_999, "done")


def test_a_locked_conversation_is_refused_in_githubs_words(stage: Stage) -> None:
    at = stage.open_issue()
    stage.lock(at)

    with pytest.raises(Refused, match="locked"):
        stage.github.post_comment(at, "working", marker="<!-- m -->")
    with pytest.raises(Refused, match="locked"):
        stage.github.react(at, "eyes")


def test_reacting_twice_is_reacting_once(stage: Stage) -> None:
    at = stage.open_issue()
    comment_id = stage.say(at, "/selfcode retry", by="alice")

    for _ in range(2):
        stage.github.react(at, "eyes")
        stage.github.react(at, "-1", subject=Subject(SubjectKind.ISSUE_COMMENT, comment_id))

    assert stage.reactions(at) == [(BOT, "eyes")]
    assert stage.comment_reactions(at, comment_id) == [(BOT, "-1")]


# --- Pull requests


def test_there_is_no_pull_request_before_one_is_published(stage: Stage) -> None:
    stage.push(BRANCH, "x = 2\n")

    assert list(stage.github.pull_requests(stage.ref, BRANCH)) == []


def test_publishing_opens_a_pull_request(stage: Stage) -> None:
    sha = stage.push(BRANCH, "x = 2\n")

    pull = stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text(labels=("bug",)))

    assert (pull.state, pull.is_draft, pull.head_sha) == ("open", False, sha)
    assert pull.url.endswith(f"/{stage.ref.full_name}/pull/{pull.number}")
    assert list(stage.github.pull_requests(stage.ref, BRANCH)) == [pull]
    assert pull.is_ours
    assert stage.pull_labels(pull.number) == ["bug"]


def test_publishing_twice_is_publishing_once_and_leaves_what_is_open_as_it_is(stage: Stage) -> None:
    stage.push(BRANCH, "x = 2\n")
    first = stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text("Fix it", "first"))

    second = stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text("Fix it well", "second"))

    assert second == first
    assert stage.pulls() == [("Fix it", "first", "open")]


def test_one_that_people_have_sent_elsewhere_is_found_and_stays_there(stage: Stage) -> None:
    stage.push("develop", "x = 0\n")
    stage.push(BRANCH, "x = 2\n")
    first = stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text())
    stage.retarget(first.number, "develop")

    second = stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text())

    assert (second.number, second.base) == (first.number, "develop")


def test_what_people_opened_from_the_branch_is_listed_and_not_taken_over(stage: Stage) -> None:
    stage.push("release-1", "x = 0\n")
    stage.push(BRANCH, "x = 2\n")
    theirs = stage.open_pull(BRANCH, "release-1", "Backport", by="alice")

    ours = stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text("Fix it", "first"))

    found = stage.github.pull_requests(stage.ref, BRANCH)
    assert [(pull.number, pull.is_ours, pull.base) for pull in found] == [
        (ours.number, True, "main"),
        (theirs, False, "release-1"),
    ]
    assert stage.pulls() == [("Backport", "by hand", "open"), ("Fix it", "first", "open")]
    assert not stage.github.pull_request_numbered(stage.ref, theirs).is_ours


def test_where_people_have_one_into_the_same_base_ours_is_refused(stage: Stage) -> None:
    stage.push(BRANCH, "x = 2\n")
    stage.open_pull(BRANCH, "main", "My own fix", by="alice")

    with pytest.raises(Refused, match="already exists"):
        stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text())

    assert stage.pulls() == [("My own fix", "by hand", "open")]


def test_a_draft_is_opened_as_one(stage: Stage) -> None:
    stage.push(BRANCH, "x = 2\n")

    assert stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text(draft=True)).is_draft


def test_after_one_was_closed_another_is_opened_and_found_first(stage: Stage) -> None:
    stage.push(BRANCH, "x = 2\n")
    first = stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text("first"))
    stage.close_pull(first.number)
    (closed,) = stage.github.pull_requests(stage.ref, BRANCH)

    second = stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text("second"))

    assert (closed.number, closed.state) == (first.number, "closed")
    assert [pull.number for pull in stage.github.pull_requests(stage.ref, BRANCH)] == [second.number, first.number]
    assert [(title, state) for title, _, state in stage.pulls()] == [("first", "closed"), ("second", "open")]


def test_a_pull_request_from_another_branch_is_not_ours(stage: Stage) -> None:
    stage.push("selfcode/issue-2", "x = 3\n")
    stage.github.publish_pull_request(stage.ref, "selfcode/issue-2", "main", a_text())

    assert list(stage.github.pull_requests(stage.ref, BRANCH)) == []


def test_a_pull_request_is_read_by_its_number_with_where_it_is_to_go(stage: Stage) -> None:
    sha = stage.push(BRANCH, "x = 2\n")
    published = stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text())

    found = stage.github.pull_request_numbered(stage.ref, published.number)

    assert replace(found, merge_state=published.merge_state) == published
    assert (found.head_sha, found.base) == (sha, "main")
    assert len(found.base_sha) == 40
    assert found.base_sha != sha


def test_a_number_that_no_pull_request_has_is_gone(stage: Stage) -> None:
    at = stage.open_issue()

    for number in (at.number, 77):
        with pytest.raises(Gone):
            stage.github.pull_request_numbered(stage.ref, number)


def test_a_branch_without_commits_of_its_own_is_refused(stage: Stage) -> None:
    with pytest.raises(Refused):
        stage.github.publish_pull_request(stage.ref, "main", "main", a_text())


def test_reviewers_are_asked_one_by_one_and_who_can_not_be_asked_is_left_out(stage: Stage) -> None:
    stage.push(BRANCH, "x = 2\n")
    stage.give_role("bob", "write")

    pull = stage.github.publish_pull_request(
        stage.ref, BRANCH, "main", a_text(reviewers=("never-heard-of", BOT, "bob"))
    )

    assert stage.reviewers(pull.number) == ["bob"]


def test_a_check_run_is_set_once_for_each_commit(stage: Stage) -> None:
    sha = stage.push(BRANCH, "x = 2\n")

    stage.github.set_check(stage.ref, sha, conclusion="neutral", title="unproven", summary="soon")
    stage.github.set_check(stage.ref, sha, conclusion="success", title="proven", summary="see above")

    assert stage.checks(sha) == [("success", "proven", "see above")]


def test_the_details_of_a_check_run_lead_to_the_newest_run_that_said_it(stage: Stage) -> None:
    sha = stage.push(BRANCH, "x = 2\n")

    for run in ("", "https://bot.example.com/runs/1", "https://bot.example.com/runs/2"):
        stage.github.set_check(stage.ref, sha, conclusion="neutral", title="t", summary="s", details_url=run)

    assert stage.details(sha) == ["https://bot.example.com/runs/2"]


def remarks(*lines: int) -> list[Annotation]:
    return [Annotation("code.py", line, line, AnnotationLevel.NOTICE, "noticed", f"line {line}") for line in lines]


def test_annotations_stand_beside_their_lines_once_whatever_is_said_again(stage: Stage) -> None:
    sha = stage.push(BRANCH, "x = 2\n")
    for title in ("stale", "proven", "proven"):
        stage.github.set_check(
            stage.ref, sha, conclusion="neutral", title=title, summary="see above", annotations=remarks(1, 2)
        )

    assert stage.checks(sha) == [("neutral", "proven", "see above")]
    assert stage.annotated(sha) == [("code.py", 1, "line 1"), ("code.py", 2, "line 2")]


def test_annotations_go_when_there_are_none_any_more(stage: Stage) -> None:
    sha = stage.push(BRANCH, "x = 2\n")
    stage.github.set_check(stage.ref, sha, conclusion="neutral", title="t", summary="s", annotations=remarks(1))

    stage.github.set_check(stage.ref, sha, conclusion="success", title="t", summary="s")

    assert stage.annotated(sha) == []


def test_of_more_annotations_than_github_takes_the_first_are_shown(stage: Stage) -> None:
    sha = stage.push(BRANCH, "x = 2\n")

    stage.github.set_check(
        stage.ref, sha, conclusion="neutral", title="t", summary="s", annotations=remarks(*range(1, 61))
    )

    assert len(stage.annotated(sha)) == 50


def test_a_draft_is_marked_as_ready_once(stage: Stage) -> None:
    stage.push(BRANCH, "x = 2\n")
    pull = stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text(draft=True))
    assert stage.is_draft(pull.number)

    stage.github.mark_ready(stage.ref, pull.number)
    stage.github.mark_ready(stage.ref, pull.number)

    assert not stage.is_draft(pull.number)


def test_a_draft_that_is_closed_can_not_be_marked_as_ready(stage: Stage) -> None:
    stage.push(BRANCH, "x = 2\n")
    pull = stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text(draft=True))
    stage.close_pull(pull.number)

    with pytest.raises(Refused):
        stage.github.mark_ready(stage.ref, pull.number)


def test_a_pull_request_is_made_a_draft_again_once(stage: Stage) -> None:
    stage.push(BRANCH, "x = 2\n")
    pull = stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text())

    stage.github.make_draft(stage.ref, pull.number)
    stage.github.make_draft(stage.ref, pull.number)

    assert stage.is_draft(pull.number)


def test_a_pull_request_that_is_closed_can_not_be_made_a_draft(stage: Stage) -> None:
    stage.push(BRANCH, "x = 2\n")
    pull = stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text())
    stage.close_pull(pull.number)

    with pytest.raises(Refused):
        stage.github.make_draft(stage.ref, pull.number)


def test_without_drafts_a_pull_request_is_opened_as_none_and_made_none(stage: Stage) -> None:
    stage.forbid_drafts()
    stage.push(BRANCH, "x = 2\n")

    pull = stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text(draft=True))

    assert not pull.is_draft
    with pytest.raises(Refused):
        stage.github.make_draft(stage.ref, pull.number)


def test_a_body_is_replaced_and_a_title_that_people_gave_stays(stage: Stage) -> None:
    stage.push(BRANCH, "x = 2\n")
    pull = stage.github.publish_pull_request(stage.ref, BRANCH, "main", a_text("A title", "before"))

    stage.github.describe_pull_request(stage.ref, pull.number, "after")

    assert stage.pulls() == [("A title", "after", "open")]

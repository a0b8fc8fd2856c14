"""Reviews, threads and the checks of others: what `records.GitHub` promises, on the fake and on the stand-in server."""

import itertools

import pytest

from bot.errors import Gone, Refused
from bot.records import IssueRef, MergeState, Person, PullRequest, PullRequestText, ReviewState, Subject, SubjectKind
from tests.github.stages import HubStage, Stage, a_door

BRANCH = "selfcode/issue-1"
BOT = "selfcode[bot]"
TEXT = PullRequestText(title="Fix it", body="Closes #1", draft=False)


def a_pull(stage: Stage) -> PullRequest:
    stage.push(BRANCH, "x = 2\n")
    stage.give_role("ada", "write")
    return stage.github.publish_pull_request(stage.ref, BRANCH, "main", TEXT)


def test_a_review_is_read_with_its_threads(stage: Stage) -> None:
    pull = a_pull(stage)
    review_id = stage.review(pull.number, "ada", "Not yet.", ("a.py", 1, "Why two?"))

    review = stage.github.review(stage.ref, pull.number, review_id)

    (thread,) = review.threads
    (said,) = thread.comments
    assert (review.id, review.author, review.state) == (review_id, Person("ada"), ReviewState.CHANGES_REQUESTED)
    assert (review.body, review.submitted_at.endswith("Z")) == ("Not yet.", True)
    assert (thread.path, thread.line, thread.start_line, thread.is_on_base) == ("a.py", 1, None, False)
    assert (thread.is_resolved, thread.is_outdated, thread.hunk.startswith("@@ -1 +1 @@")) == (False, False, True)
    assert (said.author, said.body, said.review_id) == (Person("ada"), "Why two?", review_id)


def test_threads_of_other_reviews_are_left_out_and_answers_are_read_along(stage: Stage) -> None:
    pull = a_pull(stage)
    first = stage.review(pull.number, "ada", "", ("a.py", 1, "Why two?"))
    second = stage.review(pull.number, "bob", "", ("a.py", 1, "Why not three?"))
    opening = stage.github.review(stage.ref, pull.number, first).threads[0].comments[0]
    stage.answer(pull.number, opening.id, "I wonder, too.", by="bob")

    (thread,) = stage.github.review(stage.ref, pull.number, first).threads
    (other,) = stage.github.review(stage.ref, pull.number, second).threads

    assert [said.body for said in thread.comments] == ["Why two?", "I wonder, too."]
    assert [said.body for said in other.comments] == ["Why not three?"]


def test_a_review_that_is_not_there_is_gone(stage: Stage) -> None:
    pull = a_pull(stage)

    for number, review_id in ((pull.number, 999_999), (77, 1)):
        with pytest.raises(Gone):
            stage.github.review(stage.ref, number, review_id)


def test_a_review_comment_is_answered_in_its_thread_once_for_each_marker(stage: Stage) -> None:
    pull = a_pull(stage)
    review_id = stage.review(pull.number, "ada", "", ("a.py", 1, "Why two?"))
    opening = stage.github.review(stage.ref, pull.number, review_id).threads[0].comments[0]
    at = IssueRef(stage.ref, pull.number)

    first = stage.github.reply_to_review_comment(at, opening.id, "Done.", marker="<!-- 1 -->")
    again = stage.github.reply_to_review_comment(at, opening.id, "Done.", marker="<!-- 1 -->")
    other = stage.github.reply_to_review_comment(at, opening.id, "And more.", marker="<!-- 2 -->")

    assert first == again != other
    assert stage.threads(pull.number) == [
        [("ada", "Why two?"), (BOT, "Done.\n<!-- 1 -->"), (BOT, "And more.\n<!-- 2 -->")]
    ]


def test_a_comment_in_the_middle_of_a_thread_is_answered_at_its_end(stage: Stage) -> None:
    pull = a_pull(stage)
    review_id = stage.review(pull.number, "ada", "", ("a.py", 1, "Why two?"))
    opening = stage.github.review(stage.ref, pull.number, review_id).threads[0].comments[0]
    middle = stage.answer(pull.number, opening.id, "@selfcode?", by="ada")

    stage.github.reply_to_review_comment(IssueRef(stage.ref, pull.number), middle, "Done.", marker="<!-- 1 -->")

    assert [body for _, body in stage.threads(pull.number)[0]] == ["Why two?", "@selfcode?", "Done.\n<!-- 1 -->"]


def test_a_comment_that_was_deleted_can_not_be_answered(stage: Stage) -> None:
    pull = a_pull(stage)

    with pytest.raises(Gone):
        stage.github.reply_to_review_comment(IssueRef(stage.ref, pull.number), 999_999, "Done.", marker="<!-- 1 -->")


def test_a_thread_is_resolved_once(stage: Stage) -> None:
    pull = a_pull(stage)
    review_id = stage.review(pull.number, "ada", "", ("a.py", 1, "Why two?"), ("a.py", 1, "And why x?"))
    thread = stage.github.review(stage.ref, pull.number, review_id).threads[0]

    for _ in range(2):
        stage.github.resolve_thread(stage.ref, thread.id)

    assert stage.resolved(pull.number) == [True, False]
    assert stage.github.review(stage.ref, pull.number, review_id).threads[0].is_resolved


def test_a_thread_that_is_not_there_is_gone(stage: Stage) -> None:
    a_pull(stage)

    with pytest.raises(Gone):
        stage.github.resolve_thread(stage.ref, "nothing")


def test_whoever_reviewed_is_asked_again_and_who_can_not_be_asked_is_left_out(stage: Stage) -> None:
    pull = a_pull(stage)
    stage.github.request_review(stage.ref, pull.number, "ada")
    stage.review(pull.number, "ada", "Not yet.")
    assert stage.reviewers(pull.number) == []

    asked = [stage.github.request_review(stage.ref, pull.number, login) for login in ("never-heard-of", BOT, "ada")]

    assert asked == [False, False, True]
    assert stage.reviewers(pull.number) == ["ada"]


def test_reviews_and_their_comments_can_be_reacted_to(stage: Stage) -> None:
    pull = a_pull(stage)
    review_id = stage.review(pull.number, "ada", "", ("a.py", 1, "Why two?"))
    subject = Subject(SubjectKind.REVIEW, review_id, stage.node_of_review(pull.number, review_id))
    comment_id = stage.github.review(stage.ref, pull.number, review_id).threads[0].comments[0].id

    for _ in range(2):
        stage.github.react(IssueRef(stage.ref, pull.number), "eyes", subject=subject)
    stage.github.react(
        IssueRef(stage.ref, pull.number), "confused", subject=Subject(SubjectKind.REVIEW_COMMENT, comment_id)
    )

    assert stage.review_reactions(pull.number, review_id) == [(BOT, "eyes")]


def test_the_checks_of_others_that_failed_are_read_with_their_logs(stage: Stage) -> None:
    pull = a_pull(stage)
    stage.fail_check(pull.head_sha, "tests", log="1 failed")

    assert [(found.name, found.log) for found in stage.github.failed_checks(stage.ref, pull.head_sha)] == [
        ("tests", "1 failed")
    ]
    without = stage.github.failed_checks(stage.ref, pull.head_sha, with_logs=False)
    assert [(found.name, found.log) for found in without] == [("tests", "")]


def test_our_own_check_is_none_of_the_others(stage: Stage) -> None:
    pull = a_pull(stage)
    stage.github.set_check(stage.ref, pull.head_sha, conclusion="failure", title="t", summary="s")

    assert list(stage.github.failed_checks(stage.ref, pull.head_sha)) == []


# --- What only the server can show


def test_a_pull_request_says_whether_it_merges_once_github_has_found_out(scene: HubStage) -> None:
    pull = a_pull(scene)
    before = [scene.github.pull_request_numbered(scene.ref, pull.number).merge_state for _ in range(2)]

    scene.repository.commit({"a.py": "x = 3\n"})
    after = [scene.github.pull_request_numbered(scene.ref, pull.number).merge_state for _ in range(2)]

    assert before == [MergeState.UNKNOWN, MergeState.CLEAN]
    assert after == [MergeState.UNKNOWN, MergeState.CONFLICTING]


def test_a_bots_comment_is_a_bots(scene: HubStage) -> None:
    pull = a_pull(scene)
    review_id = scene.review(pull.number, "ada", "", ("a.py", 1, "Why two?"))
    comment_id = scene.pull(pull.number).threads[0].comments[0].id
    scene.github.reply_to_review_comment(IssueRef(scene.ref, pull.number), comment_id, "Done.", marker="<!-- 1 -->")

    said = scene.github.review(scene.ref, pull.number, review_id).threads[0].comments[-1]

    assert said.author == Person(BOT, is_bot=True)
    assert said.author.id == scene.app.bot.id


def test_numbers_that_need_more_than_32_bits_are_read(scene: HubStage) -> None:
    pull = a_pull(scene)
    scene.hub.world._ids = itertools.count(3_000_000_000)

    review_id = scene.review(pull.number, "ada", "", ("a.py", 1, "Why two?"))

    (thread,) = scene.github.review(scene.ref, pull.number, review_id).threads
    assert thread.comments[0].review_id == review_id >= 3_000_000_000


def test_a_thread_is_outdated_after_a_push_to_its_lines(scene: HubStage) -> None:
    pull = a_pull(scene)
    review_id = scene.review(pull.number, "ada", "", ("a.py", 1, "Why two?"))

    scene.repository.commit({"a.py": "x = 4\n"}, branch=BRANCH)

    (thread,) = scene.github.review(scene.ref, pull.number, review_id).threads
    assert (thread.is_outdated, thread.line) == (True, 1)


def test_more_threads_and_comments_than_fit_into_one_answer_are_all_read(scene: HubStage) -> None:
    pull = a_pull(scene)
    review_id = scene.review(pull.number, "ada", "", *[("a.py", 1, f"question {number}") for number in range(51)])
    thread = scene.pull(pull.number).threads[-1]
    for number in range(101):
        thread.reply(f"answer {number}", by="bob")

    threads = scene.github.review(scene.ref, pull.number, review_id).threads

    assert len(threads) == 51
    assert [said.body for said in threads[-1].comments] == [
        "question 50",
        *(f"answer {number}" for number in range(101)),
    ]


def test_a_pending_review_is_not_to_be_read(scene: HubStage) -> None:
    pull = a_pull(scene)
    review_id = scene.review(pull.number, "ada", "Soon.")
    seen = {"id": review_id, "state": "PENDING", "body": "", "user": {"login": "ada"}, "submitted_at": None}
    scene.hub.fail_next("GET", f"/reviews/{review_id}$", 200, seen)

    with pytest.raises(Gone):
        scene.github.review(scene.ref, pull.number, review_id)


def test_an_answer_that_apps_may_not_give_in_one_way_is_given_in_the_other(scene: HubStage) -> None:
    pull = a_pull(scene)
    scene.review(pull.number, "ada", "", ("a.py", 1, "Why two?"))
    comment_id = scene.pull(pull.number).threads[0].comments[0].id
    scene.hub.fail_next("POST", "/replies$", 404, {"message": "Not Found"})

    scene.github.reply_to_review_comment(IssueRef(scene.ref, pull.number), comment_id, "Done.", marker="<!-- 1 -->")

    assert scene.threads(pull.number) == [[("ada", "Why two?"), (BOT, "Done.\n<!-- 1 -->")]]


def test_where_a_threads_first_comment_was_deleted_it_is_answered_all_the_same_and_once(scene: HubStage) -> None:
    pull = a_pull(scene)
    scene.review(pull.number, "ada", "", ("a.py", 1, "Why two?"), ("a.py", 1, "Another."))
    thread = scene.pull(pull.number).threads[0]
    asking = thread.reply("@selfcode?", by="ada")
    thread.delete(thread.comments[0], by="ada")
    at = IssueRef(scene.ref, pull.number)

    scene.github.reply_to_review_comment(at, asking.id, "Done.", marker="<!-- 1 -->")
    restarted = a_door(scene.hub, scene.app, scene.slept)
    restarted.reply_to_review_comment(at, asking.id, "Done.", marker="<!-- 1 -->")
    restarted.reply_to_review_comment(at, asking.id, "And more.", marker="<!-- 2 -->")

    assert scene.threads(pull.number) == [
        [("ada", "@selfcode?"), (BOT, "Done.\n<!-- 1 -->"), (BOT, "And more.\n<!-- 2 -->")],
        [("ada", "Another.")],
    ]


def test_an_answer_whose_answer_was_lost_is_not_given_again(scene: HubStage) -> None:
    pull = a_pull(scene)
    scene.review(pull.number, "ada", "", ("a.py", 1, "Why two?"))
    comment_id = scene.pull(pull.number).threads[0].comments[0].id
    scene.hub.fail_next("POST", "/replies$", 0, after_effect=True)

    scene.github.reply_to_review_comment(IssueRef(scene.ref, pull.number), comment_id, "Done.", marker="<!-- 1 -->")

    assert len(scene.threads(pull.number)[0]) == 2


def test_what_was_said_is_asked_once_for_all_answers_to_a_review(scene: HubStage) -> None:
    pull = a_pull(scene)
    scene.review(pull.number, "ada", "", *[("a.py", 1, f"question {number}") for number in range(4)])
    before = len(scene.asked())

    for number, thread in enumerate(scene.pull(pull.number).threads):
        at = IssueRef(scene.ref, pull.number)
        scene.github.reply_to_review_comment(at, thread.comments[0].id, "Done.", marker=f"<!-- {number} -->")

    assert len(scene.asked()) - before == 5


def test_a_permission_that_graphql_finds_missing_is_named(scene: HubStage) -> None:
    pull = a_pull(scene)
    review_id = scene.review(pull.number, "ada", "", ("a.py", 1, "Why two?"))
    thread = scene.github.review(scene.ref, pull.number, review_id).threads[0]
    scene.hub.allow(scene.installation, pull_requests="read")

    with pytest.raises(Refused, match="`pull_requests: write`"):
        scene.github.resolve_thread(scene.ref, thread.id)


# --- The logs of jobs


def test_a_log_is_fetched_from_its_own_host_without_our_token(scene: HubStage) -> None:
    pull = a_pull(scene)
    stamp = "2026-11-30T12:00:00.0000000Z "
    log = f"\ufeff{stamp}\x1b[31m1 failed\x1b[0m\r\n{stamp}##[error]exit code 1\r\n{stamp}Cleaning up\r\n"
    scene.repository.check(pull.head_sha, "tests", "failure", log=log.encode())

    (found,) = scene.github.failed_checks(scene.ref, pull.head_sha)

    assert found.log == "1 failed\n##[error]exit code 1"
    assert "/actions/runs/" in found.url


def test_of_a_long_log_the_end_is_kept(scene: HubStage) -> None:
    pull = a_pull(scene)
    log = "".join(f"line {number}\n" for number in range(100_000))
    scene.repository.check(pull.head_sha, "tests", "timed_out", log=log)

    (found,) = scene.github.failed_checks(scene.ref, pull.head_sha)

    assert found.log.endswith("line 99999")
    assert len(found.log) <= 20_002
    assert found.log.startswith("…\nline ")


def test_where_there_is_no_log_the_check_runs_own_words_are_told(scene: HubStage) -> None:
    pull = a_pull(scene)
    scene.repository.check(pull.head_sha, "tests", "failure", summary="1 test failed", log=None)
    scene.repository.check(pull.head_sha, "lint", "failure", summary="2 errors", app="lint-bot")

    found = scene.github.failed_checks(scene.ref, pull.head_sha)

    assert [
        (each.name, each.log, each.summary.endswith(words))
        for each, words in zip(found, ("1 test failed", "2 errors"), strict=True)
    ] == [("tests", "", True), ("lint", "", True)]


@pytest.mark.parametrize("conclusion", ["success", "neutral", "cancelled", "skipped", None])
def test_a_check_that_did_not_fail_is_left_out(scene: HubStage, conclusion: str | None) -> None:
    pull = a_pull(scene)
    scene.repository.check(pull.head_sha, "tests", conclusion)

    assert list(scene.github.failed_checks(scene.ref, pull.head_sha)) == []


def test_a_check_that_succeeded_when_it_was_run_again_has_not_failed(scene: HubStage) -> None:
    pull = a_pull(scene)
    scene.repository.check(pull.head_sha, "tests", "failure")
    scene.repository.check(pull.head_sha, "tests", "success")

    assert list(scene.github.failed_checks(scene.ref, pull.head_sha)) == []

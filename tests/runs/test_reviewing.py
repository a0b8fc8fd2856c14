"""A review of our pull request, from its submission to the answers in its threads."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.errors import Refused
from bot.records import (
    Answer,
    IssueRef,
    Outcome,
    Review,
    ReviewState,
    Subject,
    SubjectKind,
    TriggerKind,
    Verdict,
)
from bot.runs.reviewing import Reviewing
from bot.runs.store import RunRow
from tests.runs.builders import MAINTAINER, STRANGER, a_database
from tests.runs.workshop import FILES, Turn, Workshop

THREE = {"calc.py": FILES["calc.py"].replace(b"three = 3", b"three = 33")}
BETTER = {"calc.py": FILES["calc.py"].replace(b"three = 3", b"three = 30 + 3")}
DONE = Answer(1, is_done=True, text="It is a sum now.")
NOT_DONE = Answer(2, is_done=False, text="Four is right as it is.")


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    with a_database(tmp_path) as database:
        made = Workshop(tmp_path, database)
        made.worked(THREE)
        yield made


def a_review(workshop: Workshop, *comments: str, by: str = MAINTAINER.login, **changed: Any) -> Review:
    placed = [("calc.py", line, text) for line, text in enumerate(comments, start=3)]
    return workshop.hub.submit_review(workshop.repository.ref, workshop.pull.number, by=by, comments=placed, **changed)


def answered(workshop: Workshop, review: Review, *turns: Turn, **changed: Any) -> RunRow:
    return workshop.run(
        *turns,
        kind=TriggerKind.REVIEW,
        pull_request=workshop.pull.number,
        subject=Subject(SubjectKind.REVIEW, review.id, "PRR_1"),
        because=f"review by {review.author.login}",
        **changed,
    )


def threads(workshop: Workshop) -> list[tuple[bool, list[str]]]:
    """Of each thread whether it is resolved, and the first line of each answer of ours."""
    return [
        (thread.is_resolved, [said.body.splitlines()[0] for said in thread.comments if said.author.is_bot])
        for thread in workshop.pull.review_threads
    ]


def test_each_comment_is_answered_in_its_thread_and_what_is_done_is_resolved(workshop: Workshop) -> None:
    review = a_review(workshop, "Make it a sum.", "Is four right?", body="Nearly there.")
    answers = (Answer(1, is_done=False, text=""), Answer(2, is_done=True, text="A sum."), Answer(3, False, "It is."))

    run = answered(workshop, review, Turn(BETTER, answers=answers))

    assert run.outcome is Outcome.UNPROVEN, run.reason
    (task,) = workshop.agent.tasks
    assert [(each.number, each.path, each.said[-1][1]) for each in task.requests] == [
        (1, "", "Nearly there."),
        (2, "calc.py", "Make it a sum."),
        (3, "calc.py", "Is four right?"),
    ]
    head = workshop.head()
    assert threads(workshop) == [(True, [f"✅ Done in {head}."]), (False, [f"➖ Not done in {head}."])]
    assert workshop.message(head).startswith("Review by grace: Three is wrong (#1)")
    assert workshop.pull.reviewers == (MAINTAINER.login,)
    assert [content for _, content in workshop.pull.thread.comment_reactions[review.id]] == ["eyes"]
    assert "1 of 3 requests is done" in workshop.pull.thread.comments[-1].body


def test_an_answer_is_given_once_however_often_it_is_told(workshop: Workshop) -> None:
    run = answered(workshop, a_review(workshop, "Make it a sum."), Turn(BETTER, answers=(DONE,)))

    asked = workshop.hub.calls.count("request_review")

    Reviewing(workshop.known(run.id)).answer(Outcome.UNPROVEN, "")

    assert (asked, workshop.hub.calls.count("request_review")) == (1, 1)
    assert [len(answers) for _, answers in threads(workshop)] == [1]
    assert len([said for said in workshop.pull.thread.comments if "Review by" in said.body]) == 1


def test_that_a_review_is_asked_for_again_is_said_where_github_did_so(workshop: Workshop) -> None:
    answered(workshop, a_review(workshop, "Make it a sum."), Turn(BETTER, answers=(DONE,)))
    asked = workshop.pull.thread.comments[-1].body
    workshop.hub.fail_next("request_review", Refused("no such reviewer"))

    answered(workshop, a_review(workshop, "Make it three."), Turn(THREE, answers=(DONE,)))

    assert "Your review is asked for again." in asked
    assert "1 of 1 request is done" in workshop.pull.thread.comments[-1].body
    assert "asked for again" not in workshop.pull.thread.comments[-1].body
    assert "asked for again" not in workshop.pull.text.body


def test_the_log_is_there_before_the_text_that_links_it(workshop: Workshop) -> None:
    workshop.hub.calls.clear()

    run = answered(workshop, a_review(workshop, "Make it a sum."), Turn(BETTER, answers=(DONE,)))

    calls = [name for name in workshop.hub.calls if name in ("post_comment", "describe_pull_request")]
    assert calls == ["post_comment", "post_comment", "describe_pull_request", "post_comment"]
    assert workshop.pull.thread.comments[0].body.startswith("**Iteration log**")
    assert len([said for said in workshop.pull.thread.comments if "selfcode:log" in said.body]) == 1
    assert "/pull/2#issuecomment-" in workshop.known(run.id).facts["log_url"]


def test_where_nothing_was_pushed_the_answers_go_out_all_the_same(workshop: Workshop) -> None:
    review = a_review(workshop, "Make it a sum.", "Is four right?")
    before = workshop.head()

    run = answered(workshop, review, Turn(verdict=Verdict.LIMIT, why="no iteration is left", answers=(NOT_DONE,)))

    assert run.outcome is Outcome.UNSOLVED
    assert [is_resolved for is_resolved, _ in threads(workshop)] == [False, False]
    assert all("nothing was pushed" in answers[0] for _, answers in threads(workshop))
    assert workshop.pull.reviewers == ()
    assert workshop.head() == before


@pytest.mark.parametrize("state", ["closed", "merged"])
def test_a_review_of_a_pull_request_that_has_ended_starts_nothing_and_says_so_there(
    workshop: Workshop, state: str
) -> None:
    review = a_review(workshop, "Make it a sum.")
    workshop.pull.state = state

    run = answered(workshop, review)

    assert (run.outcome, run.reason) == (Outcome.STOPPED, f"pull request #2 is {state}")
    assert threads(workshop) == [(False, [])]
    assert [said for said in workshop.said if said.author.is_bot] == []
    (said,) = workshop.pull.thread.comments
    assert said.body.startswith("⏹️ **Not begun**: pull request ")
    assert "Nothing was spent." in said.body


def test_a_review_by_someone_who_may_not_is_refused_without_a_word(workshop: Workshop) -> None:
    workshop.repository.roles[STRANGER.login] = "read"
    review = a_review(workshop, "Make it a sum.", by=STRANGER.login)

    run = answered(workshop, review, sender=STRANGER)

    assert run.outcome is Outcome.REFUSED
    assert [content for _, content in workshop.pull.thread.comment_reactions[review.id]] == ["-1"]
    assert threads(workshop) == [(False, [])]
    assert workshop.pull.thread.comments == []


def test_a_review_that_asks_nothing_of_the_bot_starts_nothing(workshop: Workshop) -> None:
    review = a_review(workshop, "Nice.", state=ReviewState.COMMENTED)

    assert answered(workshop, review).reason == "the review asks for nothing that could be done"
    (said,) = workshop.pull.thread.comments
    assert said.body.startswith("⏹️ **Not begun**: the review asks for nothing that could be done.")


def test_each_persons_access_is_looked_up_once(workshop: Workshop) -> None:
    workshop.repository.roles["linus"] = "write"
    at = IssueRef(workshop.repository.ref, workshop.issue.number)
    workshop.hub.say(at, "It is three.", by="linus")
    first = a_review(workshop, "Why?", by="linus", state=ReviewState.COMMENTED)
    comment = workshop.pull.review_threads[0].comments[0].id
    review = a_review(workshop, "Make it a sum.", replies=[(comment, "Indeed.")])
    workshop.hub.calls.clear()

    workshop.settled(
        TriggerKind.REVIEW,
        pull_request=workshop.pull.number,
        subject=Subject(SubjectKind.REVIEW, review.id),
    )

    assert first.id != review.id
    assert workshop.hub.calls.count("permission") == 2


def test_a_review_whose_own_text_is_a_retry_has_its_hint_done(workshop: Workshop) -> None:
    review = a_review(workshop, state=ReviewState.COMMENTED, body="/selfcode retry Make it a sum.")

    answered(workshop, review, Turn(BETTER, answers=(DONE,)), text="Make it a sum.")

    (task,) = workshop.agent.tasks
    assert ([each.said for each in task.requests], task.hint) == ([(("grace", "Make it a sum."),)], "")
    (said,) = [each.body for each in workshop.pull.thread.comments if "selfcode:review" in each.body]
    assert said.startswith("**Review by `grace`**: 1 of 1 request is done in")


def test_a_review_whose_text_is_a_retry_and_no_more_is_one(workshop: Workshop) -> None:
    review = a_review(workshop, state=ReviewState.COMMENTED, body="/selfcode retry")

    run = answered(workshop, review, Turn(BETTER))

    (task,) = workshop.agent.tasks
    assert (run.outcome, task.requests, task.hint) == (Outcome.UNPROVEN, (), "")
    assert [each.body for each in workshop.pull.thread.comments if "selfcode:review" in each.body] == []

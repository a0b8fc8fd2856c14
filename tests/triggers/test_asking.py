"""What people ask for in comments and reviews."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.records import IssueRef, Person, Subject, SubjectKind, Trigger, TriggerKind
from bot.triggers.answers import Accept, Ignore
from tests.triggers.payloads import (
    BOT,
    ISSUE,
    NOW,
    a_comment_event,
    a_person,
    a_pull,
    a_review_comment_event,
    a_review_event,
    an_issue,
    an_issue_event,
    decision,
    labels,
    the_trigger,
)

REVIEW, REVIEW_COMMENT = (
    Subject(SubjectKind.REVIEW, 400, "PRR_400"),
    Subject(SubjectKind.REVIEW_COMMENT, 500, "PRRC_500"),
)
PULL = IssueRef(ISSUE.repository, 9)
OTHERS = a_pull("feature")
FORK = a_pull(from_repository=72)
OTHER_BOT = a_person("other-ai[bot]", "Bot")


def kinds(event_name: str, payload: object) -> list[TriggerKind]:
    answer = decision(event_name, payload)
    return [trigger.kind for trigger in answer.triggers] if isinstance(answer, Accept) else []


# --- Answers to a question


def a_labelled(**fields: Any) -> dict[str, Any]:
    return an_issue(labels=labels("bug", "SelfCode"), **fields)


def test_a_comment_on_a_labelled_issue_may_answer_a_question() -> None:
    trigger = the_trigger("issue_comment", a_comment_event(" UTF-8, please.\r\n", issue=a_labelled()))

    assert trigger == Trigger(
        key="comment:71/900",
        kind=TriggerKind.ANSWER,
        issue=ISSUE,
        sender=Person("alice"),
        occurred_at=NOW,
        because="answer by alice",
        text="UTF-8, please.",
        subject=Subject(SubjectKind.ISSUE_COMMENT, 900),
        delivery_id="d-1",
    )


@pytest.mark.parametrize(
    "body",
    [
        None,
        "",
        "  \r\n",
        "<!-- nothing -->",
        "> only\n> a quote",
        "`/selfcode retry`",
        "```\n/selfcode retry\n```",
        "> /selfcode retry\n\nDid that work?",
        "    /selfcode retry",
    ],
)
def test_what_says_nothing_or_only_talks_of_commands_is_no_answer(body: str | None) -> None:
    payload = a_comment_event(body, issue=a_labelled())

    assert decision("issue_comment", payload) == Ignore("no command in the comment")


@pytest.mark.parametrize("issue", [an_issue(labels=labels("bug")), a_labelled(pull_request={"url": "x"})])
def test_a_plain_comment_elsewhere_answers_nothing(issue: dict[str, Any]) -> None:
    assert decision("issue_comment", a_comment_event("UTF-8", issue=issue)) == Ignore("no command in the comment")


def test_a_comment_on_a_pull_request_of_ours_may_answer_what_a_run_asked_there() -> None:
    on_ours = an_issue(number=9, pull_request={"url": "x"}, user=a_person(BOT, "Bot"))

    trigger = the_trigger("issue_comment", a_comment_event("UTF-8", issue=on_ours))

    assert (trigger.kind, trigger.pull_request, trigger.text) == (TriggerKind.ANSWER, 9, "UTF-8")


def test_a_reply_in_a_thread_of_our_pull_request_may_answer_what_a_run_asked_there() -> None:
    trigger = the_trigger("pull_request_review_comment", a_review_comment_event("UTF-8", in_reply_to=499))

    assert (trigger.kind, trigger.pull_request, trigger.text) == (TriggerKind.ANSWER, 9, "UTF-8")
    assert trigger.subject == REVIEW_COMMENT


@pytest.mark.parametrize(
    "payload",
    [
        a_review_comment_event("UTF-8"),
        a_review_comment_event("UTF-8", in_reply_to=499, pull=a_pull("theirs")),
        a_review_comment_event("> quoted", in_reply_to=499),
    ],
    ids=["no reply", "elsewhere", "nothing said"],
)
def test_other_comments_on_lines_answer_nothing(payload: dict[str, Any]) -> None:
    assert decision("pull_request_review_comment", payload) == Ignore("no command in the comment")


@pytest.mark.parametrize("fields", [{"action": "edited"}, {"action": "deleted"}, {"sender": OTHER_BOT}])
def test_an_edit_or_a_bot_answers_nothing(fields: dict[str, Any]) -> None:
    assert isinstance(decision("issue_comment", a_comment_event("UTF-8", issue=a_labelled(), **fields)), Ignore)


# --- Reviews


def test_a_review_that_wants_changes_is_one_request() -> None:
    trigger = the_trigger("pull_request_review", a_review_event("changes_requested", None))

    assert trigger == Trigger(
        key="review:71/400",
        kind=TriggerKind.REVIEW,
        issue=PULL,
        sender=Person("alice"),
        occurred_at=NOW,
        because="review by alice",
        subject=REVIEW,
        delivery_id="d-1",
        pull_request=9,
        head_sha="2a9b",
        review_id=400,
    )


def test_what_stands_behind_a_reviews_own_retry_goes_along() -> None:
    assert the_trigger("pull_request_review", a_review_event("commented", "/selfcode retry keep it")).text == "keep it"


def test_a_review_and_the_comments_in_it_are_one_request() -> None:
    review = the_trigger("pull_request_review", a_review_event("changes_requested"))
    comment = the_trigger("pull_request_review_comment", a_review_comment_event("@selfcode rename it"))

    assert (comment.kind, comment.key, comment.review_id) == (TriggerKind.REVIEW, review.key, 400)
    assert comment.subject == REVIEW_COMMENT


@pytest.mark.parametrize(
    ("state", "body"),
    [
        ("commented", "@selfcode rename it"),
        ("commented", "@selfcode[bot] please"),
        ("commented", "/selfcode retry rename it"),
        ("approved", "/selfcode retry rename it"),
    ],
)
def test_a_review_that_asks_us_is_a_request(state: str, body: str) -> None:
    trigger = the_trigger("pull_request_review", a_review_event(state, body))

    assert (trigger.kind, trigger.review_id) == (TriggerKind.REVIEW, 400)


def test_an_approval_that_names_us_is_no_request() -> None:
    assert isinstance(decision("pull_request_review", a_review_event("approved", "Thanks, @selfcode!")), Ignore)


@pytest.mark.parametrize("state", ["commented", "approved", "dismissed", ""])
@pytest.mark.parametrize("body", [None, "Looks good.", "`@selfcode` did it", "> /selfcode retry\n\nDid that work?"])
def test_a_review_that_asks_nothing_starts_nothing(state: str, body: str | None) -> None:
    assert isinstance(decision("pull_request_review", a_review_event(state, body)), Ignore)


@pytest.mark.parametrize("action", ["edited", "dismissed"])
def test_only_a_review_that_is_submitted_counts(action: str) -> None:
    assert isinstance(decision("pull_request_review", a_review_event(action=action)), Ignore)


@pytest.mark.parametrize("action", ["edited", "deleted"])
def test_only_a_new_comment_on_lines_counts(action: str) -> None:
    assert isinstance(decision("pull_request_review_comment", a_review_comment_event(action=action)), Ignore)


@pytest.mark.parametrize(
    "body", [None, "", "Why?", "`@selfcode`", "`/selfcode retry`", "```suggestion\n@selfcode\n```"]
)
def test_a_comment_on_lines_that_asks_nothing_of_us_starts_nothing(body: str | None) -> None:
    assert isinstance(decision("pull_request_review_comment", a_review_comment_event(body)), Ignore)


def test_a_retry_on_lines_has_its_review_heeded() -> None:
    trigger = the_trigger("pull_request_review_comment", a_review_comment_event("/selfcode retry with a set"))

    assert (trigger.kind, trigger.key) == (TriggerKind.REVIEW, "review:71/400")


def test_a_command_on_lines_is_given_when_its_review_is_submitted_though_it_was_drafted_before() -> None:
    payload = a_review_comment_event("/selfcode stop")
    payload["comment"]["created_at"] = "2020-01-01T00:00:00Z"

    assert the_trigger("pull_request_review_comment", payload).occurred_at == NOW


def test_a_comment_on_lines_of_no_review_has_none_heeded() -> None:
    assert isinstance(decision("pull_request_review_comment", a_review_comment_event(review_id=None)), Ignore)


@pytest.mark.parametrize("pull", [OTHERS, FORK], ids=["another's", "from a fork"])
def test_a_review_of_another_pull_request_has_nothing_heeded(pull: dict[str, Any]) -> None:
    assert isinstance(decision("pull_request_review", a_review_event(pull=pull)), Ignore)
    assert isinstance(decision("pull_request_review_comment", a_review_comment_event(pull=pull)), Ignore)


def test_a_review_of_a_pull_request_whose_fork_is_gone_is_read() -> None:
    pull = a_pull() | {"head": {"ref": "selfcode/issue-7", "sha": "2a9b", "repo": None}}

    assert isinstance(decision("pull_request_review", a_review_event(pull=pull)), Ignore)


# --- Commands in reviews


COMMANDS = {
    "/selfcode stop": TriggerKind.STOP,
    "/selfcode status": TriggerKind.STATUS,
    "/selfcode note keep it": TriggerKind.NOTE,
    "/selfcode doctor": TriggerKind.DOCTOR,
    "/selfcode accept-tests": TriggerKind.ACCEPT,
    "/selfcode help": TriggerKind.HELP,
    "/selfcode frobnicate": TriggerKind.HELP,
}


@pytest.mark.parametrize("pull", [a_pull(), OTHERS, FORK], ids=["ours", "another's", "from a fork"])
@pytest.mark.parametrize("body", COMMANDS)
def test_a_command_in_a_review_is_like_one_in_the_conversation(body: str, pull: dict[str, Any]) -> None:
    trigger = the_trigger("pull_request_review", a_review_event("commented", body, pull=pull))

    assert (trigger.kind, trigger.issue, trigger.pull_request) == (COMMANDS[body], PULL, 9)
    assert (trigger.key, trigger.subject, trigger.review_id) == ("review-command:71/400", REVIEW, None)


@pytest.mark.parametrize("pull", [a_pull(), OTHERS, FORK], ids=["ours", "another's", "from a fork"])
@pytest.mark.parametrize("body", COMMANDS)
def test_a_command_on_lines_is_like_one_in_the_conversation(body: str, pull: dict[str, Any]) -> None:
    trigger = the_trigger("pull_request_review_comment", a_review_comment_event(body, pull=pull))

    assert (trigger.kind, trigger.issue, trigger.pull_request) == (COMMANDS[body], PULL, 9)
    assert (trigger.key, trigger.subject, trigger.text) == (
        "review-comment:71/500",
        REVIEW_COMMENT,
        {"/selfcode note keep it": "keep it", "/selfcode frobnicate": "There is no command `frobnicate`."}.get(
            body, ""
        ),
    )


def test_a_review_that_wants_changes_and_gives_a_command_asks_for_both() -> None:
    answer = kinds("pull_request_review", a_review_event("changes_requested", "/selfcode accept-tests"))

    assert answer == [TriggerKind.ACCEPT, TriggerKind.REVIEW]


def test_a_stop_in_a_review_that_wants_changes_starts_nothing() -> None:
    assert kinds("pull_request_review", a_review_event("changes_requested", "/selfcode stop")) == [TriggerKind.STOP]


# --- Bots


ASKING: dict[str, tuple[str, Callable[..., dict[str, Any]], dict[str, Any]]] = {
    "a command": ("issue_comment", a_comment_event, {}),
    "an answer": ("issue_comment", a_comment_event, {"body": "UTF-8", "issue": a_labelled()}),
    "a label": ("issues", an_issue_event, {"label": "selfcode"}),
    "an issue with the label": ("issues", an_issue_event, {"action": "opened", "issue": a_labelled()}),
    "a review": ("pull_request_review", a_review_event, {}),
    "a comment on lines": ("pull_request_review_comment", a_review_comment_event, {}),
}


@pytest.mark.parametrize("asking", ASKING)
@pytest.mark.parametrize("sender", [OTHER_BOT, a_person("other-ai", "Bot"), a_person("other-ai[bot]")])
def test_a_bot_asks_for_nothing_unless_the_operator_lists_it(asking: str, sender: dict[str, Any]) -> None:
    event_name, build, fields = ASKING[asking]
    payload = build(sender=sender, **fields)

    unlisted = decision(event_name, payload, trusted_bots=["another"])
    listed = [the_trigger(event_name, payload, trusted_bots=[name]) for name in ("Other-AI", "other-ai[bot]")]

    assert unlisted == Ignore("sent by a bot")
    assert [trigger.sender.is_bot for trigger in listed] == [True, True]


@pytest.mark.parametrize("asking", ASKING)
def test_the_bot_itself_is_never_listened_to(asking: str) -> None:
    event_name, build, fields = ASKING[asking]
    ours = a_person(BOT, "Bot")
    by_another = build(sender=OTHER_BOT, **fields)
    for part in ("comment", "review"):
        by_another.get(part, {})["user"] = ours

    assert decision(event_name, build(sender=ours, **fields), trusted_bots=["selfcode"]) == Ignore("our own doing")
    if event_name != "issues":
        assert isinstance(decision(event_name, by_another, trusted_bots=["selfcode", "other-ai"]), Ignore)


@pytest.mark.parametrize("asking", ["a command", "an answer", "a review", "a comment on lines"])
def test_what_nobody_wrote_any_more_asks_for_nothing(asking: str) -> None:
    event_name, build, fields = ASKING[asking]
    payload = build(**fields)
    for part in ("comment", "review"):
        payload.get(part, {})["user"] = None

    assert decision(event_name, payload) == Ignore("sent by a bot")


def test_whose_number_it_is_goes_along_for_who_is_named_later() -> None:
    assert the_trigger("issues", an_issue_event(label="selfcode")).sender.id == 11


def test_a_form_that_puts_the_label_on_asks_in_the_name_of_who_opened_the_issue() -> None:
    payload = an_issue_event("opened", issue=a_labelled(), sender=a_person("mallory"))

    assert the_trigger("issues", payload).sender == Person("mallory")


# --- Who belongs to the repository, and whose the pull request is


@pytest.mark.parametrize(
    ("association", "is_insider"),
    [("OWNER", True), ("MEMBER", True), ("COLLABORATOR", True), ("CONTRIBUTOR", False), ("NONE", False), (None, False)],
)
def test_that_github_calls_somebody_one_of_the_repository_is_kept(association: str | None, *, is_insider: bool) -> None:
    comment = a_comment_event()
    review, on_a_line = a_review_event(), a_review_comment_event()
    for payload, name in ((comment, "comment"), (review, "review"), (on_a_line, "comment")):
        payload[name]["author_association"] = association

    told = [
        the_trigger("issue_comment", comment),
        the_trigger("pull_request_review", review),
        the_trigger("pull_request_review_comment", on_a_line),
    ]

    assert [trigger.is_insider for trigger in told] == [is_insider] * 3


@pytest.mark.parametrize(("login", "is_heeded"), [("selfcode[bot]", True), ("Selfcode[bot]", True), ("ada", False)])
def test_a_review_of_a_persons_own_pull_request_is_none_of_ours_whatever_its_branch_is_called(
    login: str, *, is_heeded: bool
) -> None:
    pull = a_pull() | {"user": a_person(login)}

    told = [
        decision("pull_request_review", a_review_event(pull=pull)),
        decision("pull_request_review_comment", a_review_comment_event(pull=pull)),
        decision("pull_request_review_comment", a_review_comment_event("Yes.", pull=pull, in_reply_to=499)),
    ]

    assert [isinstance(answer, Accept) for answer in told] == [is_heeded] * 3

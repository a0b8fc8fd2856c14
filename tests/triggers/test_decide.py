from typing import Any

import pytest

from bot.records import IssueRef, Person, PullState, PullTurn, RepositoryRef, Subject, SubjectKind, Trigger, TriggerKind
from bot.triggers.decide import Accept, EndSessions, Ignore, Pong
from tests.triggers.payloads import (
    BOT,
    ISSUE,
    NOW,
    a_check_event,
    a_checked_pull,
    a_comment_event,
    a_person,
    a_pull,
    a_pull_request_event,
    an_envelope,
    an_installation_event,
    an_issue,
    an_issue_event,
    decision,
    labels,
    the_trigger,
)

# --- labels


def test_our_label_asks_for_a_run() -> None:
    trigger = the_trigger("issues", an_issue_event(label="selfcode"))

    assert trigger == Trigger(
        key=f"start:71#7@{NOW}",
        kind=TriggerKind.START,
        issue=ISSUE,
        sender=Person("alice"),
        occurred_at=NOW,
        because="label added",
        delivery_id="d-1",
        is_insider=True,
    )


def test_another_label_asks_for_nothing_though_ours_is_there_already() -> None:
    payload = an_issue_event(label="bug", issue=an_issue(labels=labels("selfcode", "bug")))

    assert decision("issues", payload) == Ignore("the label is not ours")


def test_a_label_that_github_no_longer_knows_asks_for_nothing() -> None:
    payload = an_issue_event(label=None, issue=an_issue(labels=labels("selfcode")))

    assert decision("issues", payload) == Ignore("the label is not ours")


def test_our_label_is_ours_in_any_letter_case_as_on_github() -> None:
    assert the_trigger("issues", an_issue_event(label="SelfCode")).kind is TriggerKind.START


def test_an_issue_that_is_opened_with_the_label_asks_for_a_run() -> None:
    payload = an_issue_event("opened", issue=an_issue(labels=labels("bug", "selfcode")))

    assert the_trigger("issues", payload).kind is TriggerKind.START


def test_an_issue_that_is_opened_without_the_label_asks_for_nothing() -> None:
    assert isinstance(decision("issues", an_issue_event("opened", issue=an_issue(labels=labels("bug")))), Ignore)


def test_opening_with_the_label_and_labelling_in_the_same_moment_is_one_request() -> None:
    opened = the_trigger("issues", an_issue_event("opened", issue=an_issue(labels=labels("selfcode"))))
    labelled = the_trigger("issues", an_issue_event("labeled", label="selfcode"))

    assert opened.key == labelled.key


def test_labelling_again_later_is_another_request() -> None:
    later = an_issue_event(label="selfcode", issue=an_issue(updated_at="2026-11-29T11:00:00Z"))

    assert the_trigger("issues", later).key != the_trigger("issues", an_issue_event(label="selfcode")).key


@pytest.mark.parametrize("action", ["labeled", "opened"])
def test_a_bot_can_not_ask_for_a_run(action: str) -> None:
    payload = an_issue_event(
        action, label="selfcode", issue=an_issue(labels=labels("selfcode")), sender=a_person("evil[bot]", "Bot")
    )

    assert decision("issues", payload) == Ignore("sent by a bot")


@pytest.mark.parametrize("action", ["edited", "reopened", "assigned", "locked", "pinned", "typed", "milestoned"])
def test_other_things_that_happen_to_an_issue_ask_for_nothing(action: str) -> None:
    assert isinstance(decision("issues", an_issue_event(action, issue=an_issue(labels=labels("selfcode")))), Ignore)


# --- what ends a run


@pytest.mark.parametrize(
    ("action", "because"),
    [
        ("unlabeled", "label removed"),
        ("closed", "issue closed"),
        ("deleted", "issue deleted"),
        ("transferred", "issue transferred"),
    ],
)
def test_what_ends_a_run(action: str, because: str) -> None:
    trigger = the_trigger("issues", an_issue_event(action, label="selfcode"))

    assert (trigger.kind, trigger.because, trigger.issue) == (TriggerKind.STOP, because, ISSUE)


def test_taking_another_label_off_ends_nothing() -> None:
    assert decision("issues", an_issue_event("unlabeled", label="bug")) == Ignore("the label is not ours")


def test_a_fact_counts_though_a_bot_caused_it() -> None:
    payload = an_issue_event("closed", sender=a_person("stale[bot]", "Bot"))

    assert the_trigger("issues", payload).sender == Person("stale[bot]", is_bot=True)


def test_closing_our_pull_request_ends_the_run_of_its_issue() -> None:
    trigger = the_trigger("pull_request", a_pull_request_event("selfcode/issue-7"))

    assert (trigger.kind, trigger.issue, trigger.because) == (TriggerKind.STOP, ISSUE, "pull request #9 closed")
    assert trigger.pull_turn == PullTurn(9, PullState.CLOSED)


def test_merging_our_pull_request_says_so() -> None:
    payload = a_pull_request_event("selfcode/issue-7")
    payload["pull_request"]["merged_at"] = "2026-05-04T12:00:00Z"

    assert the_trigger("pull_request", payload).pull_turn == PullTurn(9, PullState.MERGED)


def test_what_is_closed_and_merged_in_the_same_second_is_both() -> None:
    payload = a_pull_request_event("selfcode/issue-7")
    closed = the_trigger("pull_request", payload)
    payload["pull_request"]["merged_at"] = payload["pull_request"]["updated_at"]

    assert the_trigger("pull_request", payload).key != closed.key


def test_a_pull_request_is_closed_as_of_its_closing_whatever_was_done_to_it_since() -> None:
    payload = a_pull_request_event("selfcode/issue-7")
    payload["pull_request"] |= {"closed_at": "2026-05-04T12:00:00Z", "updated_at": "2026-05-04T12:30:00Z"}

    assert the_trigger("pull_request", payload).occurred_at == "2026-05-04T12:00:00Z"


def test_opening_our_pull_request_again_asks_for_nothing_but_to_be_known() -> None:
    trigger = the_trigger("pull_request", a_pull_request_event("selfcode/issue-7", action="reopened"))

    assert (trigger.kind, trigger.issue, trigger.because) == (TriggerKind.REOPENED, ISSUE, "pull request #9 reopened")
    assert trigger.pull_turn == PullTurn(9, PullState.OPEN)


@pytest.mark.parametrize("branch", ["selfcode/issue-7-2", "selfcode/issue-7-10"])
@pytest.mark.parametrize(("action", "kind"), [("closed", TriggerKind.STOP), ("synchronize", TriggerKind.MOVED)])
def test_the_branch_that_follows_a_merged_one_is_of_the_same_issue(branch: str, action: str, kind: TriggerKind) -> None:
    trigger = the_trigger("pull_request", a_pull_request_event(branch, action=action))

    assert (trigger.kind, trigger.issue) == (kind, ISSUE)


@pytest.mark.parametrize(
    "payload",
    [
        a_pull_request_event("fix-7"),
        a_pull_request_event("selfcode/issue-7", from_repository=72),
        a_pull_request_event("selfcode/issue-7x"),
        a_pull_request_event("selfcode/issue-07"),
        a_pull_request_event("selfcode/issue-7-1"),
        a_pull_request_event("selfcode/issue-7-02"),
        a_pull_request_event("selfcode/issue-7-2-3"),
        a_pull_request_event("selfcode/issue-7", action="labeled", label={"name": "selfcode"}),
    ],
)
def test_another_pull_request_ends_nothing_and_starts_nothing(payload: object) -> None:
    assert isinstance(decision("pull_request", payload), Ignore)


def test_a_pull_request_of_a_deleted_fork_is_read() -> None:
    payload = a_pull_request_event()
    payload["pull_request"]["head"]["repo"] = None

    assert isinstance(decision("pull_request", payload), Ignore)


# --- commands


def test_a_command_is_known_by_its_comment() -> None:
    trigger = the_trigger("issue_comment", a_comment_event("/selfcode retry\r\nPlease keep the API.\r\n"))

    assert trigger == Trigger(
        key="comment:71/900",
        kind=TriggerKind.RETRY,
        issue=ISSUE,
        sender=Person("alice"),
        occurred_at=NOW,
        because="/selfcode retry",
        text="Please keep the API.",
        subject=Subject(SubjectKind.ISSUE_COMMENT, 900),
        delivery_id="d-1",
    )


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        ("/selfcode stop", TriggerKind.STOP, ""),
        ("/selfcode status", TriggerKind.STATUS, ""),
        ("/selfcode note keep it", TriggerKind.NOTE, "keep it"),
        ("/selfcode note", TriggerKind.HELP, "There was nothing in the note: `/selfcode note <text>`."),
        ("/selfcode doctor", TriggerKind.DOCTOR, ""),
        ("/selfcode accept-tests", TriggerKind.ACCEPT, ""),
        ("/selfcode help", TriggerKind.HELP, ""),
        ("/selfcode frobnicate", TriggerKind.HELP, "There is no command `frobnicate`."),
    ],
)
def test_each_command_becomes_a_trigger(body: str, kind: TriggerKind, text: str) -> None:
    trigger = the_trigger("issue_comment", a_comment_event(body))

    assert (trigger.kind, trigger.text) == (kind, text)


@pytest.mark.parametrize("body", ["> /selfcode retry\n\nDid that work?", "`/selfcode retry`", "thanks", None])
def test_a_comment_without_a_command_asks_for_nothing(body: str | None) -> None:
    assert decision("issue_comment", a_comment_event(body)) == Ignore("no command in the comment")


@pytest.mark.parametrize("action", ["edited", "deleted"])
def test_only_a_new_comment_counts(action: str) -> None:
    assert isinstance(decision("issue_comment", a_comment_event(action=action)), Ignore)


def test_commands_in_the_issue_itself_are_not_read() -> None:
    issue = an_issue(title="/selfcode frobnicate", body="/selfcode retry")

    assert isinstance(decision("issue_comment", a_comment_event("thanks", issue=issue)), Ignore)
    assert isinstance(decision("issues", an_issue_event("opened", issue=issue)), Ignore)


@pytest.mark.parametrize("sender", [a_person("other-ai[bot]", "Bot"), a_person("other-ai", "Bot"), a_person("x[bot]")])
def test_a_bot_gives_no_commands(sender: object) -> None:
    assert decision("issue_comment", a_comment_event(sender=sender)) == Ignore("sent by a bot")


def test_a_comment_without_an_author_gives_no_commands() -> None:
    payload = a_comment_event()
    payload["comment"]["user"] = None

    assert decision("issue_comment", payload) == Ignore("sent by a bot")


@pytest.mark.parametrize("login", [BOT, BOT.upper()])
@pytest.mark.parametrize(
    ("event_name", "payload"),
    [
        ("issue_comment", a_comment_event("/selfcode retry")),
        ("issues", an_issue_event("labeled", label="selfcode")),
        ("issues", an_issue_event("unlabeled", label="selfcode")),
        ("pull_request", a_pull_request_event()),
    ],
)
def test_our_own_doing_asks_for_nothing(login: str, event_name: str, payload: dict[str, object]) -> None:
    assert decision(event_name, payload | {"sender": a_person(login, "Bot")}) == Ignore("our own doing")


def test_a_command_on_a_pull_request_says_which_until_its_issue_is_looked_up() -> None:
    payload = a_comment_event("/selfcode retry", issue=an_issue(number=9, pull_request={"url": "https://example.com"}))

    trigger = the_trigger("issue_comment", payload)

    assert (trigger.kind, trigger.issue.number, trigger.pull_request) == (TriggerKind.RETRY, 9, 9)
    assert trigger.asked_at == IssueRef(ISSUE.repository, 9)


# --- proofs of our pull requests


def test_a_push_to_our_pull_request_is_one_trigger_for_its_issue() -> None:
    trigger = the_trigger("pull_request", a_pull_request_event(action="synchronize"))

    assert (trigger.kind, trigger.issue) == (TriggerKind.MOVED, ISSUE)
    assert trigger.key == f"moved:71!9@{NOW}/2a9b"


@pytest.mark.parametrize(
    "payload",
    [
        a_pull_request_event("feature", action="synchronize"),
        a_pull_request_event(from_repository=72, action="synchronize"),
        a_pull_request_event(action="synchronize", sender=a_person(BOT, "Bot")),
        a_pull_request_event(action="labeled"),
    ],
    ids=["another branch", "a fork", "our own push", "no push"],
)
def test_what_else_happens_to_pull_requests_asks_for_nothing(payload: dict[str, object]) -> None:
    assert isinstance(decision("pull_request", payload), Ignore)


@pytest.mark.parametrize("name", ["check_run", "check_suite"])
def test_a_check_of_ours_that_is_asked_for_again_renews_the_proof(name: str) -> None:
    trigger = the_trigger(name, a_check_event(name))

    assert (trigger.kind, trigger.issue) == (TriggerKind.RENEW, ISSUE)
    assert trigger.key == "renew:71/31@d-1"


@pytest.mark.parametrize("name", ["check_run", "check_suite"])
@pytest.mark.parametrize("branch", ["release", None])
def test_a_commit_that_another_branch_had_first_is_renewed_for_the_pull_request_it_is_in(
    name: str, branch: str | None
) -> None:
    pulls = [a_checked_pull("feature"), a_checked_pull("selfcode/issue-7")]

    trigger = the_trigger(name, a_check_event(name, branch=branch, pulls=pulls))

    assert (trigger.kind, trigger.issue) == (TriggerKind.RENEW, ISSUE)


def test_the_pull_requests_of_a_check_run_count_like_those_of_its_suite() -> None:
    payload = a_check_event(branch="release", pulls=None)
    payload["check_run"]["pull_requests"] = [a_checked_pull()]

    assert the_trigger("check_run", payload).issue == ISSUE


@pytest.mark.parametrize("name", ["check_run", "check_suite"])
@pytest.mark.parametrize(
    "changed",
    [
        {"branch": "main"},
        {"branch": "main", "pulls": None},
        {"branch": "main", "pulls": [a_checked_pull("feature")]},
        {"branch": "main", "pulls": [a_checked_pull(from_repository=72)]},
        {"branch": "main", "pulls": [a_checked_pull(from_repository=None)]},
        {"branch": None},
        {"slug": "other-ci"},
        {"slug": ""},
        {"action": "completed"},
        {"action": "completed", "conclusion": "failure", "slug": "selfcode"},
        {"sender": a_person("other-ai[bot]", "Bot")},
    ],
    ids=[
        "another branch",
        "no pull requests",
        "another's pull request",
        "a fork's pull request",
        "a pull request of a fork that is gone",
        "no branch",
        "another App's",
        "nobody's",
        "not asked again",
        "our own that failed",
        "by a bot",
    ],
)
def test_other_checks_ask_for_nothing(name: str, changed: dict[str, Any]) -> None:
    assert isinstance(decision(name, a_check_event(name, **changed)), Ignore)


# --- installations


def test_each_repository_of_an_installation_is_greeted() -> None:
    answer = decision("installation", an_installation_event("created", "octo/cat", "octo/dog"))

    assert isinstance(answer, Accept)
    assert [(trigger.kind, trigger.issue) for trigger in answer.triggers] == [
        (TriggerKind.INSTALLED, IssueRef(RepositoryRef(5, 71, "octo", "cat"), 0)),
        (TriggerKind.INSTALLED, IssueRef(RepositoryRef(5, 72, "octo", "dog"), 0)),
    ]
    assert answer.triggers[0].occurred_at == "2025-11-29T10:00:00Z"


def test_uninstalling_is_said_once_for_the_whole_account() -> None:
    trigger = the_trigger("installation", an_installation_event("deleted", "octo/cat", "octo/dog"))

    assert trigger.kind is TriggerKind.UNINSTALLED
    assert trigger.issue == IssueRef(RepositoryRef(5, 0, "octo", ""), 0)


def test_an_account_that_suspends_the_app_ends_what_runs_for_it() -> None:
    trigger = the_trigger("installation", an_installation_event("suspend", "octo/cat"))

    assert (trigger.kind, trigger.because) == (TriggerKind.UNINSTALLED, "App suspended")
    assert trigger.issue == IssueRef(RepositoryRef(5, 0, "octo", ""), 0)


def test_an_account_that_lets_the_app_in_again_is_told_of_as_a_whole() -> None:
    trigger = the_trigger("installation", an_installation_event("unsuspend", "octo/cat"))

    assert (trigger.kind, trigger.because) == (TriggerKind.INSTALLED, "App no longer suspended")
    assert trigger.issue == IssueRef(RepositoryRef(5, 0, "octo", ""), 0)


@pytest.mark.parametrize("action", ["new_permissions_accepted", "created"])
def test_other_news_of_an_installation_ask_for_nothing(action: str) -> None:
    assert isinstance(decision("installation", an_installation_event(action)), Ignore)
    assert isinstance(decision("installation", an_installation_event(action) | {"repositories": None}), Ignore)


@pytest.mark.parametrize(
    ("action", "field", "kind"),
    [
        ("added", "repositories_added", TriggerKind.INSTALLED),
        ("removed", "repositories_removed", TriggerKind.UNINSTALLED),
    ],
)
def test_repositories_come_and_go(action: str, field: str, kind: TriggerKind) -> None:
    payload = an_installation_event(action) | {field: [{"id": 71, "full_name": "octo/cat"}]}

    trigger = the_trigger("installation_repositories", payload)

    assert (trigger.kind, trigger.issue.repository) == (kind, RepositoryRef(5, 71, "octo", "cat"))


def test_a_redelivery_of_an_installation_is_the_same_request_and_a_new_one_another() -> None:
    payload = an_installation_event("created", "octo/cat")
    first, again, other = (decision("installation", payload, delivery_id=known) for known in ("d-1", "d-1", "d-2"))

    assert first == again
    assert first.triggers[0].key != other.triggers[0].key  # type: ignore[union-attr]


# --- the rest


def test_a_ping_is_answered() -> None:
    assert decision("ping", {"zen": "Approachable is better than simple.", "hook_id": 1, "hook": {}}) == Pong()


@pytest.mark.parametrize("action", ["renamed", "archived", "transferred", "deleted", "publicized", "privatized"])
def test_what_becomes_of_a_repository_is_found_out_when_it_matters_by_its_number(action: str) -> None:
    payload = an_envelope(action=action, changes={"repository": {"name": {"from": "dog"}}})

    assert decision("repository", payload) == Ignore("the event repository is not one we act on")


@pytest.mark.parametrize(
    ("event_name", "payload"),
    [
        ("sponsorship", {"action": "created"}),
        ("issues", {"action": "labeled", "issue": {"title": "café 😊"}}),
        ("github_app_authorization", {"action": "revoked", "sender": {"login": "ada"}}),
        ("github_app_authorization", {"action": "granted", "sender": a_person() | {"id": 7}}),
        ("installation_target", {"action": "renamed"}),
    ],
)
def test_what_can_not_be_acted_on_is_ignored_with_a_reason(event_name: str, payload: object) -> None:
    answer = decision(event_name, payload)

    assert isinstance(answer, Ignore)
    assert answer.reason


@pytest.mark.parametrize(
    ("author", "association", "is_insider"),
    [("alice", "NONE", False), ("ALICE", "NONE", False), ("alice", "MEMBER", True), ("bob", "NONE", True)],
)
def test_a_label_on_ones_own_issue_may_be_a_forms_and_takes_no_access(
    author: str, association: str, *, is_insider: bool
) -> None:
    issue = an_issue(user=a_person(author), author_association=association, labels=labels("selfcode"))

    events = [an_issue_event(action, label="selfcode", issue=issue) for action in ("labeled", "opened")]

    told = [the_trigger("issues", event) for event in events]

    assert [trigger.is_insider for trigger in told] == [is_insider] * 2


def test_who_takes_back_what_they_allowed_is_signed_out() -> None:
    payload = {"action": "revoked", "sender": a_person() | {"id": 7}}

    assert decision("github_app_authorization", payload) == EndSessions(7)


@pytest.mark.parametrize("action", ["closed", "reopened", "synchronize"])
def test_what_people_do_with_their_own_pull_request_from_our_branch_concerns_no_run(action: str) -> None:
    pull = a_pull() | {"user": a_person("ada")}

    assert decision("pull_request", a_pull_request_event(action=action, pull_request=pull)) == Ignore(
        "the pull request is not ours"
    )

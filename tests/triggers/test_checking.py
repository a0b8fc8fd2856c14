"""The repository's own checks on our branches."""

from typing import Any

import pytest

from bot.records import TriggerKind
from bot.triggers.answers import Ignore
from tests.triggers.payloads import BOT, ISSUE, NOW, a_check_event, a_checked_pull, a_person, decision, the_trigger

NAMES = ("check_run", "check_suite")


def ended(name: str, conclusion: str | None = "failure", **fields: Any) -> dict[str, Any]:
    whole = {"action": "completed", "slug": "github-actions", "conclusion": conclusion} | fields
    return a_check_event(name, **whole)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("conclusion", ["failure", "timed_out"])
def test_a_check_of_anothers_that_failed_on_our_branch_is_told(name: str, conclusion: str) -> None:
    trigger = the_trigger(name, ended(name, conclusion))

    assert (trigger.kind, trigger.issue, trigger.head_sha) == (TriggerKind.CHECKS, ISSUE, "2a9b")
    assert (trigger.occurred_at, trigger.because, trigger.text) == (NOW, "checks failed", conclusion)


@pytest.mark.parametrize("name", NAMES)
def test_who_pushed_is_named_as_the_sender_and_that_may_be_ourselves(name: str) -> None:
    payload = ended(name, sender=a_person(BOT, "Bot"))

    assert the_trigger(name, payload).kind is TriggerKind.CHECKS


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("conclusion", ["cancelled", "action_required", "stale", "startup_failure", None])
def test_what_somebody_ended_or_owes_is_not_told(name: str, conclusion: str | None) -> None:
    assert isinstance(decision(name, ended(name, conclusion)), Ignore)


@pytest.mark.parametrize("conclusion", ["success", "neutral", "skipped"])
def test_that_all_checks_passed_is_told_by_the_suite_alone(conclusion: str) -> None:
    assert the_trigger("check_suite", ended("check_suite", conclusion)).because == "checks passed"
    assert isinstance(decision("check_run", ended("check_run", conclusion)), Ignore)


def test_of_many_failing_checks_of_a_suite_the_first_is_told_and_then_the_end() -> None:
    first, second = ended("check_run"), ended("check_run")
    second["check_run"]["id"] = 33

    keys = [the_trigger("check_run", payload).key for payload in (first, second)]
    end = the_trigger("check_suite", ended("check_suite")).key

    assert keys == ["checks:71/31@2a9b"] * 2
    assert end == f"checks:71/31@{NOW}"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "changed",
    [{"branch": "main"}, {"branch": None}, {"slug": "selfcode"}, {"branch": "x", "pulls": [a_checked_pull("feature")]}],
    ids=["another branch", "no branch", "our own", "another's pull request"],
)
def test_other_checks_that_failed_are_not_told(name: str, changed: dict[str, Any]) -> None:
    assert isinstance(decision(name, ended(name, **changed)), Ignore)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fork", [72, None], ids=["a fork's", "a deleted fork's"])
def test_a_branch_of_a_fork_that_is_called_like_ours_is_not_ours(name: str, fork: int | None) -> None:
    theirs = a_checked_pull("selfcode/issue-7", from_repository=fork)

    assert isinstance(decision(name, ended(name, pulls=[theirs])), Ignore)
    assert the_trigger(name, ended(name, pulls=[theirs, a_checked_pull()])).issue == ISSUE
    assert the_trigger(name, ended(name, pulls=[theirs, a_checked_pull("selfcode/issue-7-2")])).issue == ISSUE


@pytest.mark.parametrize("name", NAMES)
def test_a_commit_of_ours_may_be_anothers_as_well(name: str) -> None:
    assert the_trigger(name, ended(name, pulls=[a_checked_pull("feature")])).issue == ISSUE


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("branch", ["selfcode/issue-7-2", None])
def test_a_check_on_a_later_branch_is_of_the_same_issue(name: str, branch: str | None) -> None:
    pulls = [a_checked_pull("selfcode/issue-7-2")]

    assert the_trigger(name, ended(name, branch=branch, pulls=pulls)).issue == ISSUE


def test_a_check_of_no_suite_is_not_told() -> None:
    payload = ended("check_run")
    payload["check_run"]["check_suite"] = None

    assert isinstance(decision("check_run", payload), Ignore)

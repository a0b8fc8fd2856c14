import dataclasses

import pytest

from bot.records import AppFacts, CheckState, Delivered, HookFacts, InstallationFacts
from bot.runs.checkup import (
    about_clock,
    about_deliveries,
    about_hook,
    about_installation,
    about_key,
    about_permissions,
)

WANTED = {"issues": "write", "actions": "read"}
EVENTS = ("issues", "issue_comment")
APP = AppFacts(7, "adders", "octo", "/settings/apps/adders", WANTED, EVENTS)
OCTO = InstallationFacts("octo", "https://github.com/settings/installations/1", WANTED, EVENTS)
NOWHERE = "https://selfcode.invalid/webhook"
HERE = "https://bot.example.com/webhook"


def test_another_slug_than_the_apps_is_told_with_the_line_that_mends_it() -> None:
    found = about_key(APP, slug="selfcode")

    assert (found.state, found.mend) == (CheckState.BAD, "export SELFCODE_APP_SLUG=adders")
    assert about_key(APP, slug="adders").state is CheckState.GOOD


@pytest.mark.parametrize(
    ("ahead_s", "state"),
    [
        (0.4, CheckState.GOOD),
        (-12.0, CheckState.NOTED),
        (90.0, CheckState.BAD),
        (-90.0, CheckState.BAD),
        (None, CheckState.UNKNOWN),
    ],
)
def test_a_clock_is_bad_where_github_would_refuse_its_tokens(ahead_s: float | None, state: CheckState) -> None:
    assert about_clock(ahead_s).state is state


@pytest.mark.parametrize(
    ("changed", "state", "words"),
    [
        ({}, CheckState.GOOD, "those of app.yml"),
        ({"permissions": {"issues": "read", "actions": "read"}}, CheckState.BAD, "lacks issues: write"),
        ({"permissions": {"issues": "write"}}, CheckState.BAD, "lacks actions: read"),
        ({"events": ("issues",)}, CheckState.BAD, "events issue_comment"),
        ({"permissions": WANTED | {"workflows": "write"}}, CheckState.NOTED, "more than it needs: workflows: write"),
        ({"permissions": WANTED | {"actions": "write"}}, CheckState.NOTED, "more than it needs: actions: write"),
    ],
)
def test_what_the_app_asks_for_is_held_against_app_yml(
    changed: dict[str, object], state: CheckState, words: str
) -> None:
    found = about_permissions(WANTED, EVENTS, dataclasses.replace(APP, **changed), page="P")  # type: ignore[arg-type]

    assert found.state is state
    assert words in found.words


def test_an_account_that_has_not_accepted_yet_is_named_with_the_page_where_its_owner_does() -> None:
    behind = dataclasses.replace(OCTO, permissions={"issues": "write"}, events=("issues",))
    found = about_installation(WANTED, EVENTS, behind, owners=())

    assert found.state is CheckState.BAD
    assert found.words == "octo: lacks actions: read; events issue_comment"
    assert OCTO.html_url in found.mend


def test_an_account_that_is_suspended_or_not_served_is_noted() -> None:
    suspended = dataclasses.replace(OCTO, is_suspended=True)

    assert about_installation(WANTED, EVENTS, OCTO, owners={"octo"}).state is CheckState.GOOD
    assert about_installation(WANTED, EVENTS, suspended, owners={"octo"}).state is CheckState.NOTED
    assert "SELFCODE_ALLOWED_OWNERS" in about_installation(WANTED, EVENTS, OCTO, owners={"acme"}).words


@pytest.mark.parametrize(
    ("hook", "address", "polls_s", "state"),
    [
        (HookFacts(HERE), HERE, None, CheckState.GOOD),
        (HookFacts(HERE), "https://other.example.com/webhook", None, CheckState.BAD),
        (HookFacts(HERE), None, None, CheckState.NOTED),
        (HookFacts(HERE, checks_certificate=False), HERE, None, CheckState.NOTED),
        (HookFacts(NOWHERE), HERE, None, CheckState.BAD),
        (HookFacts(NOWHERE), None, 30.0, CheckState.GOOD),
        (HookFacts("https://other.example.com/webhook"), HERE, 30.0, CheckState.BAD),
    ],
)
def test_deliveries_go_here_or_are_fetched(
    hook: HookFacts, address: str | None, polls_s: float | None, state: CheckState
) -> None:
    assert about_hook(hook, address=address, nowhere=NOWHERE, polls_s=polls_s).state is state


def test_the_newest_delivery_decides_and_each_answer_has_its_own_remedy() -> None:
    taken, refused = Delivered("issues", 1.0, 202, "OK"), Delivered("ping", 1.0, 401, "Unauthorized")

    assert about_deliveries([]).state is CheckState.NOTED
    assert about_deliveries([taken, taken]).state is CheckState.GOOD
    assert about_deliveries([taken, refused]).state is CheckState.NOTED
    newest = about_deliveries([refused, taken])
    assert newest.state is CheckState.BAD
    assert "1 of the last 2 were not taken; the newest of them, ping: 401, Unauthorized" in newest.words
    assert "SELFCODE_WEBHOOK_SECRET" in newest.mend
    assert "healthz" in about_deliveries([Delivered("ping", 1.0, 0, "")]).mend

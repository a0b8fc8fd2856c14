"""The page that creates the App, by real HTTP: from the link in the terminal to GitHub and back to app.json."""

import json
import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.app_file import FILE, read_kept
from bot.demo.hub import Hub
from bot.errors import ConfigError
from bot.settings import read_settings
from bot.wire.creating import create_app_by_clicking
from tests.demo.keys import Keys
from tests.test_serving import a_free_port
from tests.web.browser import Browser


@dataclass
class Office:
    """`selfcode serve` without an App, before it starts anything else; `said` is its terminal."""

    hub: Hub
    home: Path
    port: int
    said: list[str] = field(default_factory=list)
    ended: list[bool] = field(default_factory=list)

    @property
    def link(self) -> str:
        """The lowest link in the terminal."""
        return str(re.findall(r"http://\S+/setup/\S+", "\n".join(self.said))[-1])

    @property
    def kept(self) -> dict[str, str]:
        found: dict[str, str] = json.loads((self.home / FILE).read_text())
        return found

    def browser(self) -> Browser:
        return Browser().open(self.link)


@contextmanager
def office(hub: Hub, home: Path, **environment: str) -> Iterator[Office]:
    open_, until = Office(hub, home, a_free_port()), threading.Event()
    hub.sign_in("octo")
    settings = read_settings(
        {
            "SELFCODE_HOME": str(home),
            "SELFCODE_PORT": str(open_.port),
            "SELFCODE_GITHUB_API_URL": hub.api_url,
            "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        }
        | environment
    )
    listening = threading.Event()

    def say(text: str) -> None:
        open_.said.append(text)
        if "/setup/" in text:
            listening.set()

    serving = threading.Thread(target=lambda: open_.ended.append(create_app_by_clicking(settings, say, until)))
    serving.start()
    try:
        assert listening.wait(20)
        yield open_
    finally:
        until.set()
        serving.join(20)


@pytest.fixture(scope="module")
def running() -> Iterator[Hub]:
    with Hub(keys=Keys()) as hub:
        yield hub


@pytest.fixture
def hub(running: Hub) -> Hub:
    """Without an App on it."""
    running.world.apps.clear()
    running.world.registrations.clear()
    running.requests.clear()
    return running


@pytest.fixture
def here(hub: Hub, tmp_path: Path) -> Iterator[Office]:
    with office(hub, tmp_path / "home") as found:
        yield found


def to_github(browser: Browser, **fields: str) -> Browser:
    """From our form to GitHub's page."""
    return browser.send(**{"name": "adders bot", "reach": "poll"} | fields).send()


# --- The way through


def test_an_app_is_created_kept_for_its_user_alone_and_named_where_it_is_installed(here: Office) -> None:
    browser = here.browser()
    to_github(browser, reach="push", address="http://bot.example.com/webhook").send()

    assert browser.status == 200
    assert "adders-bot is created" in browser.words
    assert f"{here.hub.base_url}/apps/adders-bot/installations/new" in browser.page.links
    app = next(iter(here.hub.world.apps.values()))
    assert app.webhook_url == "http://bot.example.com/webhook"
    assert app.owner.login == "octo"
    assert here.kept == {
        "SELFCODE_APP_ID": str(app.id),
        "SELFCODE_APP_SLUG": "adders-bot",
        "SELFCODE_PRIVATE_KEY": app.private_key,
        "SELFCODE_WEBHOOK_SECRET": app.webhook_secret,
        "SELFCODE_CLIENT_ID": app.client_id,
        "SELFCODE_CLIENT_SECRET": app.client_secret,
        "SELFCODE_GITHUB_API_URL": here.hub.api_url,
        "SELFCODE_PUBLIC_URL": "http://bot.example.com",
    }
    assert (here.home / FILE).stat().st_mode & 0o777 == 0o600
    assert sorted(each.name for each in here.home.iterdir()) == [FILE]


def test_the_app_may_and_hears_what_app_yml_says_and_belongs_to_the_organization_that_was_named(here: Office) -> None:
    here.hub.create_user("acme")
    to_github(here.browser(), owner="organization", organization="acme").send()

    app = next(iter(here.hub.world.apps.values()))
    assert app.owner.login == "acme"
    assert app.permissions["contents"] == "write"
    assert "workflows" not in app.permissions
    assert "issue_comment" in app.events


def test_without_a_public_address_the_webhook_leads_nowhere_and_deliveries_are_fetched(here: Office) -> None:
    to_github(here.browser(), reach="poll").send()

    app = next(iter(here.hub.world.apps.values()))
    assert app.webhook_url == "https://selfcode.invalid/webhook"
    assert here.kept["SELFCODE_POLL_SECONDS"] == "30"
    assert "SELFCODE_PUBLIC_URL" not in here.kept


def test_once_the_app_is_there_the_page_is_gone(here: Office) -> None:
    to_github(here.browser()).send()
    while not here.ended:
        threading.Event().wait(0.02)

    assert here.ended == [True]
    with pytest.raises(OSError, match="refused"):
        Browser().open(f"http://127.0.0.1:{here.port}/setup")


def test_what_is_kept_are_the_settings_and_the_environment_overrides_them(here: Office) -> None:
    to_github(here.browser()).send()
    settings = read_settings(
        {"SELFCODE_HOME": str(here.home), "SELFCODE_WEBHOOK_SECRET": "x" * 20}, read_kept(here.home)
    )

    settings.require_app()
    assert settings.app_slug == "adders-bot"
    assert settings.github_api_url == here.hub.api_url
    assert settings.webhook_secret
    assert settings.webhook_secret.get_secret_value() == "x" * 20
    assert here.kept["SELFCODE_CLIENT_SECRET"] in settings.secrets()


# --- Who may


def test_the_link_lets_one_browser_in_and_another_link_is_printed_for_another(here: Office) -> None:
    link = here.link
    first = Browser().open(link)

    assert first.status == 200
    assert "/setup/" not in first.answer.url
    assert Browser().open(link).status == 404
    assert here.link != link
    assert Browser().open(here.link).status == 200


def test_without_the_link_there_is_nothing_to_see(here: Office) -> None:
    paths = ("/setup", "/setup/guessed", "/", "/setup/%FF%C3", "/webhook", "/setup/again")
    seen = [Browser().open(f"http://127.0.0.1:{here.port}{path}") for path in paths]

    assert [browser.status for browser in seen] == [403, 404, 404, 404, 404, 404]
    assert [browser.page.forms for browser in seen] == [[]] * len(paths)


def test_a_form_that_another_page_sends_does_nothing(here: Office) -> None:
    browser = here.browser()
    browser.page.forms[0].fields["form"] = "guessed"
    browser.send(name="adders", reach="poll")

    assert browser.status == 403
    assert browser.page.forms == []


def test_an_answer_that_nobody_asked_for_takes_no_app_over(here: Office) -> None:
    address = f"http://127.0.0.1:{here.port}/setup/created?code=abc"
    answers = [here.browser().open(f"{address}{more}").status for more in ("", "&state=", "&state=guess", "&state=ä")]

    assert answers == [400] * 4
    assert here.hub.requests == []
    assert not (here.home / FILE).exists()


def test_an_answer_counts_once(here: Office, hub: Hub) -> None:
    browser = here.browser()
    to_github(browser)
    hub.fail_next("POST", "conversions", 502)
    browser.send()
    came_back_by = browser.answer.url

    assert Browser().open(came_back_by).status == 400


# --- What goes wrong


def test_what_github_would_not_take_is_said_beside_its_field_and_what_was_entered_stays(here: Office) -> None:
    browser, good = here.browser(), {"name": "adders", "reach": "poll", "owner": "person", "address": ""}
    said = {
        "Give it a name": {"name": ""},
        "at most 34 characters": {"name": "x" * 35},
        "no login of an organization": {"owner": "organization", "organization": "a/../b"},
        "no address: https://HOST": {"reach": "push", "address": "bot.example.com"},
        "https://HOST, as GitHub can reach it": {"reach": "push", "address": "https://user:secret@bot.example.com"},
        "Say whether GitHub reaches this machine": {"reach": ""},
    }
    for words, fields in said.items():
        browser.send(**good | fields)

        assert browser.status == 400
        assert words in browser.words
        assert browser.page.forms[0].fields["name"] == fields.get("name", "adders")


def test_a_code_that_has_expired_is_told_and_one_can_begin_again(here: Office) -> None:
    browser = to_github(here.browser())
    browser.session.max_redirects = 0
    try:
        browser.send()
    except OSError as redirected:
        back = redirected.response.headers["Location"]  # type: ignore[attr-defined]
    here.hub.advance(minutes=61)
    browser.session.max_redirects = 30

    assert browser.open(back).status == 410
    assert "delete it on GitHub" in browser.words
    to_github(browser.open(f"http://127.0.0.1:{here.port}/setup"), name="second").send()
    assert here.kept["SELFCODE_APP_SLUG"] == "second"


def test_while_github_is_away_the_code_is_kept_and_tried_again(here: Office, hub: Hub) -> None:
    browser = to_github(here.browser())
    hub.fail_next("POST", "conversions", 503)
    browser.send()

    assert browser.status == 503
    assert browser.send().status == 200
    assert here.kept["SELFCODE_APP_SLUG"] == "adders-bot"


def test_a_home_that_can_not_be_written_is_told_before_anything_is_created(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with office(hub, tmp_path / "file" / "home") as here:
        browser = here.browser()
        told = browser.words
        browser.send(name="adders", reach="poll")

    assert "can't be written" in told
    assert browser.page.forms[0].action == "/setup"


def test_a_home_that_can_no_longer_be_written_loses_no_key(here: Office) -> None:
    browser = to_github(here.browser())
    here.home.rmdir()
    here.home.write_text("a file in the folder's place")
    browser.send()
    words = browser.words
    here.home.unlink()

    assert browser.status == 507
    assert "can't be written" in words
    assert browser.send().status == 200
    assert here.kept["SELFCODE_APP_SLUG"] == "adders-bot"


def test_of_two_browsers_the_second_is_told_that_it_came_too_late(here: Office, hub: Hub) -> None:
    first, second = to_github(here.browser()), to_github(here.browser(), name="second")
    hub.fail_next("POST", "conversions", 503)
    first.send()
    second.send()

    assert (first.status, second.status) == (503, 200)
    assert here.kept["SELFCODE_APP_SLUG"] == "second"


def test_an_app_that_is_kept_already_is_not_replaced(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"SELFCODE_APP_ID": "7", "SELFCODE_GITHUB_API_URL": "https://api.github.com"}')
    settings = read_settings({"SELFCODE_HOME": str(tmp_path), "SELFCODE_GITHUB_API_URL": hub.api_url})

    with pytest.raises(ConfigError, match="Take another SELFCODE_HOME"):
        create_app_by_clicking(settings, lambda _: None, threading.Event())


# --- What it tells nobody


def test_nothing_secret_is_logged_or_shown_and_no_page_loads_or_sends_anything_elsewhere(
    here: Office, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    browser = here.browser()
    policies = [browser.answer.headers["Content-Security-Policy"]]
    browser.send(name="adders", reach="poll")
    policies.append(browser.answer.headers["Content-Security-Policy"])
    browser.send()
    here.hub.fail_next("POST", "conversions", 500)
    browser.send()
    browser.send()

    assert all("default-src 'none'" in each and "unsafe" not in each for each in policies)
    assert f"form-action 'self' {here.hub.base_url}" in policies[1]
    assert browser.answer.headers["Referrer-Policy"] == "no-referrer"
    ours = [each for each in caplog.records if not each.name.startswith(("urllib3", "werkzeug"))]
    written = "\n".join(each.getMessage() for each in ours) + "".join(capfd.readouterr()) + browser.answer.text
    kept = here.kept
    for name in ("SELFCODE_PRIVATE_KEY", "SELFCODE_WEBHOOK_SECRET", "SELFCODE_CLIENT_SECRET"):
        assert kept[name] not in written
    assert "could not be fetched" in written


def test_what_is_missing_to_start_is_said_before_and_after(hub: Hub, tmp_path: Path) -> None:
    with office(hub, tmp_path, OPENAI_BASE_URL="") as here:
        browser = here.browser()
        before = browser.words
        after = to_github(browser).send().words

    assert all("No model can be asked yet" in each and "OPENAI_API_KEY" in each for each in (before, after))

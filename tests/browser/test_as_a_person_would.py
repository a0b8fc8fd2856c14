"""Signing in, looking, choosing, watching, stopping, trying again, creating the App: by hand, in a browser."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from bot.demo.hub import Hub
from bot.records import HappeningKind, Outcome, Person, TriggerKind, dump
from tests.browser import shown
from tests.browser.shown import PROMPT, REPLY
from tests.browser.site import OPERATOR, READER, WRITER, Site, sign_in
from tests.browser.tab import Opens, Tab
from tests.demo.keys import Keys
from tests.web.test_creating import Office, office
from tests.writing.builders import a_task


def listed(tab: Tab) -> list[str]:
    """The issues of the runs that the list shows."""
    found = tab.page.locator("table.runs tbody th").all()
    return sorted({number for each in found for number in re.findall(r"octo/\w+#\d+", each.inner_text())})


def stays(tab: Tab) -> None:
    """Mark what is loaded now: the mark is gone once the page is loaded anew."""
    tab.page.evaluate("window.loadedOnce = true")


def has_stayed(tab: Tab) -> bool:
    return bool(tab.page.evaluate("window.loadedOnce === true"))


# --- Who looks


def test_somebody_signs_in_by_github_is_led_to_the_page_they_wanted_and_signs_out(opens: Opens, site: Site) -> None:
    run_id = shown.at_work(site, number=101)
    tab = opens(leaves=True).open(f"/runs/{run_id}", status=401)
    asked_for = tab.text()
    sign_in(tab, WRITER)
    wanted, seen = tab.path, tab.text()
    tab.button("Sign out").click()
    expect(tab.button("Sign in with GitHub")).to_be_visible()
    afterwards = tab.open(f"/runs/{run_id}", status=401).text()

    assert "Totals are too small" not in asked_for
    assert wanted == f"/runs/{run_id}"
    assert "Totals are too small" in seen
    assert WRITER in seen
    assert "Totals are too small" not in afterwards


def test_signing_out_everywhere_ends_the_other_browser_too(opens: Opens) -> None:
    here, there = opens(leaves=True).open("/sign-in"), opens(leaves=True).open("/sign-in")
    for tab in (here, there):
        sign_in(tab, READER)
    here.button("Sign out everywhere").click()
    expect(here.button("Sign in with GitHub")).to_be_visible()

    assert "Sign in to selfcode" in there.open("/", status=401).text()


def test_who_does_not_let_github_tell_who_they_are_is_told_so_and_may_begin_again(opens: Opens) -> None:
    tab = opens(leaves=True).open("/sign-in")
    tab.button("Sign in with GitHub").click()
    tab.button("Cancel").click()

    expect(tab.page.get_by_role("alert")).to_contain_text("did not let it tell us who you are")
    sign_in(tab, READER)
    assert tab.path == "/"


def test_who_may_only_read_has_no_buttons_for_a_run(opens: Opens, site: Site) -> None:
    work, ended = shown.at_work(site, number=102), shown.unsolved(site, number=103)
    tab = opens(READER)

    for run_id in (work, ended):
        tab.open(f"/runs/{run_id}")
        assert "Totals are too small" in tab.text()
        assert tab.page.get_by_role("main").get_by_role("button").count() == 0


# --- What there is


def test_the_list_is_chosen_from_by_each_of_its_fields(opens: Opens, site: Site) -> None:
    shown.at_work(site, number=110)
    shown.unsolved(site, number=111)
    shown.unsolved(site, number=112, other=True)
    site.begun(113, sender=Person("grace-by-another-name"))
    tab = opens(WRITER)

    def chosen(label: str, value: str) -> set[str]:
        tab.open("/").page.get_by_label(label, exact=True).select_option(label=value)
        tab.button("Filter").click()
        tab.page.wait_for_url(re.compile(r"\?"))
        return {each for each in listed(tab) if re.search(r"#11\d$", each)}

    at_work, ended, other, named = "octo/seen#110", "octo/seen#111", "octo/other#112", "octo/seen#113"
    assert chosen("State", "ended") == {ended, other}
    assert chosen("State", "at work") == {at_work, named}
    assert chosen("Outcome", "unsolved") == {ended, other}
    assert chosen("Repository", "octo/other") == {other}
    assert chosen("Requested by", "grace-by-another-name") == {named}
    assert chosen("Requested by", "anyone") == {at_work, ended, other, named}
    tab.page.get_by_label("Started since").fill("2999-01-01")
    tab.button("Filter").click()
    expect(tab.page.get_by_text("No run matches")).to_be_visible()
    tab.link("Clear filters").first.click()
    expect(tab.page.locator("table.runs")).to_be_visible()


def test_numbers_are_those_of_the_repository_that_is_chosen(opens: Opens, site: Site) -> None:
    shown.proven(site, number=120)
    shown.unsolved(site, number=121, other=True)
    tab = opens(WRITER).open("/")
    tab.link("Numbers").click()
    expect(tab.page.get_by_role("heading", name="By repository")).to_be_visible()
    both = tab.text()
    tab.page.get_by_label("Repository", exact=True).select_option("octo/other")
    tab.page.get_by_label("Started in the last").select_option("90 days")
    tab.button("Filter").click()
    tab.page.wait_for_url("**/numbers?days=90*")

    assert "octo/seen" in both
    assert tab.page.locator("table.numbers tbody tr", has_text="octo/other").count() == 1
    assert tab.page.locator("table.numbers tbody tr", has_text="octo/seen").count() == 0


def test_an_iteration_opens_in_place_with_its_change_and_output_and_leads_to_prompt_and_reply(
    opens: Opens, site: Site
) -> None:
    run_id = shown.proven(site, number=130)
    tab = opens(WRITER).open(f"/runs/{run_id}")
    stays(tab)
    first = tab.page.locator("#iteration-1")
    first.locator("summary").first.click()

    expect(first.locator("pre.diff")).to_contain_text("+    return sum(prices)")
    expect(first.locator(".diff .added")).to_have_text(["+    return sum(prices)"])
    expect(first.locator(".ansi-red.ansi-bold", has_text="1 failed")).to_be_visible()
    expect(first).to_contain_text(REPLY)
    assert has_stayed(tab)
    first.get_by_role("link", name="prompt and reply").click()
    expect(tab.page.get_by_role("heading", name="Call 1")).to_be_visible()
    tab.unfold()
    assert PROMPT in "\n".join(tab.page.locator("pre").all_inner_texts())
    assert f'"content": "{REPLY}"' in tab.text()
    tab.link("as it was sent, whole").click()
    assert json.dumps(PROMPT).strip('"') in tab.text()


# --- As it happens


def test_who_watches_a_run_sees_what_happens_without_loading_the_page_anew(opens: Opens, site: Site) -> None:
    run_id = shown.at_work(site, number=140)
    tab = opens(WRITER).open(f"/runs/{run_id}")
    stays(tab)
    expect(tab.page.locator(".live-mark")).to_be_visible()

    shown.keep(site, run_id, HappeningKind.TOLD, "call 2: run the tests")
    expect(tab.page.get_by_role("log")).to_contain_text("call 2: run the tests")
    site.store.keep_progress(run_id, shown.first_iteration())
    shown.keep(site, run_id, HappeningKind.DONE, "iteration 1")
    first = tab.page.locator("#iteration-1")
    first.locator("summary").first.click()
    expect(first.locator("pre.diff")).to_be_visible()
    site.store.keep_progress(run_id, shown.both_iterations())
    shown.keep(site, run_id, HappeningKind.DONE, "iteration 2")
    expect(tab.page.locator("#iteration-2")).to_be_visible()
    expect(first.locator("pre.diff")).to_be_visible()
    site.store.finish(run_id, Outcome.UNSOLVED, "The limit of 5 iterations is reached.")
    shown.keep(site, run_id, HappeningKind.ENDED, "unsolved")

    expect(tab.page.locator(".head .badge")).to_have_class("badge bad")
    expect(tab.page.get_by_text("Retry", exact=True)).to_be_visible()
    assert has_stayed(tab)


def test_an_iteration_that_is_open_stays_so_while_somebody_is_about_to_stop_the_run(opens: Opens, site: Site) -> None:
    run_id = shown.at_work(site, number=145)
    site.store.keep_progress(run_id, shown.first_iteration())
    tab = opens(WRITER).open(f"/runs/{run_id}")
    first = tab.page.locator("#iteration-1")
    first.locator("summary").first.click()
    expect(first.locator("pre.diff")).to_be_visible()
    tab.button("Stop this run").focus()
    with tab.page.expect_response(lambda answer: answer.request.headers.get("x-part") == "1"):
        shown.keep(site, run_id, HappeningKind.BEGAN, "iteration 2")
    shown.keep(site, run_id, HappeningKind.TOLD, "call 2: run the tests")

    expect(tab.page.get_by_role("log")).to_contain_text("call 2: run the tests")
    expect(first.locator("pre.diff")).to_be_visible()
    expect(tab.button("Stop this run")).to_be_focused()


def test_the_list_follows_what_begins_and_ends(opens: Opens, site: Site) -> None:
    tab = opens(WRITER).open("/")
    stays(tab)
    run_id = site.begun(150)
    line = tab.page.locator("table.runs tbody tr", has=tab.page.locator(f'a[href="/runs/{run_id}"]'))

    expect(line.locator(".badge")).to_have_class("badge working")
    site.store.finish(run_id, Outcome.ERROR, "")
    expect(line.locator(".badge")).to_have_class("badge bad")
    assert has_stayed(tab)


# --- What may be asked for


def test_a_run_at_work_is_stopped_by_its_button(opens: Opens, site: Site) -> None:
    run_id = shown.at_work(site, number=160)
    tab = opens(WRITER).open(f"/runs/{run_id}")
    tab.button("Stop this run").click()

    expect(tab.page.get_by_text(f"stopped by {WRITER}")).to_be_visible()
    expect(tab.button("Stop this run")).to_have_count(0)
    assert site.store.stop_because(run_id) == f"stopped by {WRITER}"


def test_a_run_that_has_ended_is_done_again_with_a_hint_and_its_page_follows_it(opens: Opens, site: Site) -> None:
    run_id = shown.unsolved(site, number=170)
    tab = opens(WRITER).open(f"/runs/{run_id}")
    tab.page.get_by_text("Retry", exact=True).click()
    tab.page.get_by_label("A hint for the model").fill("Look at the rounding.")
    tab.button("Retry this run").click()

    expect(tab.page.get_by_role("heading", name="has not started")).to_be_visible()
    [waits] = [each for each in site.store.waiting() if each.trigger.issue.number == 170]
    assert (waits.trigger.kind, waits.trigger.text) == (TriggerKind.RETRY, "Look at the rounding.")
    assert waits.trigger.sender.login == WRITER
    again = site.store.begin_run(waits)
    site.store.learn(again, task=dump(a_task(number=170)))
    shown.keep(site, again, HappeningKind.BEGAN, "admit")
    expect(tab.page.get_by_role("heading", name="Totals are too small")).to_be_visible()
    expect(tab.page.locator(".facts")).to_contain_text("Look at the rounding.")


def test_what_waits_is_dropped_by_its_button(opens: Opens, site: Site) -> None:
    run_id = shown.waiting(site, number=180)
    tab = opens(OPERATOR).open(f"/runs/{run_id}")
    tab.button("Cancel this run").click()
    tab.page.wait_for_load_state()

    assert site.store.controls.wanted().cancelled[run_id] == f"stopped by {OPERATOR}"


# --- Where there is no App yet


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Office]:
    with Hub(keys=Keys()) as hub, office(hub, tmp_path / "home") as found:
        yield found


def test_the_app_is_created_from_the_link_in_the_terminal_to_the_page_that_says_so(
    browser: Browser, here: Office
) -> None:
    own = f"http://127.0.0.1:{here.port}"
    tab = Tab(browser.new_context(), own, [own, here.hub.base_url]).open(here.link.removeprefix(own))
    tab.page.get_by_label("Name").fill("adders bot")
    tab.page.get_by_label("GitHub reaches this machine").check()
    tab.page.get_by_label("Public address").fill("https://bot.example.com")
    tab.button("Review").click()
    expect(tab.page.get_by_role("heading", name="Create “adders bot” on GitHub")).to_be_visible()
    tab.button("Continue on GitHub").click()
    tab.button("Create GitHub App for octo").click()
    expect(tab.page.get_by_role("heading", name="adders-bot is created")).to_be_visible()
    tab.link("Install adders-bot").click()
    tab.button("Install on all repositories of octo").click()
    expect(tab.page.get_by_text("adders-bot is installed on octo")).to_be_visible()
    tab.context.close()

    [app] = here.hub.world.apps.values()
    assert here.kept["SELFCODE_APP_ID"] == str(app.id)
    assert [each.app for each in here.hub.world.installations.values()] == [app]
    assert tab.troubles == []

"""Every page for everybody: bright and dark, on a phone, by keyboard alone, by ear, without JavaScript."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from bot.demo.hub import Hub
from tests.browser import shown
from tests.browser.shown import PAGES, PHONE, PROMPT, REPLY
from tests.browser.site import READER, WRITER, Site
from tests.browser.tab import Opens, Tab
from tests.demo.keys import Keys
from tests.web.test_creating import Office, office

_FOCUSED = """() => {
    const it = document.activeElement, style = getComputedStyle(it), box = it.getBoundingClientRect();
    return {
        words: it.name || it.innerText || it.tagName,
        isMarked: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0,
        isInSight: box.width > 0 && box.left >= 0 && box.right <= innerWidth && box.top < innerHeight && box.bottom > 0,
    };
}"""
TABS_AT_MOST = 40


@pytest.fixture(scope="module")
def addresses(site: Site) -> Mapping[str, str]:
    return shown.everything(site)


def require_usable(tab: Tab) -> None:
    """No barriers in either colour scheme, nor on a phone, than which the page is not wider."""
    tab.page.emulate_media(color_scheme="light")
    assert not (found := tab.barriers()), f"bright: {found}"
    tab.page.emulate_media(color_scheme="dark")
    assert not (found := tab.barriers(of_all_else=False)), f"dark: {found}"
    tab.page.set_viewport_size(PHONE)
    assert not (found := tab.barriers(of_colour=False)), f"on a phone: {found}"
    assert tab.overflow_px() == 0


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_barriers_and_fits_a_phone(opens: Opens, addresses: Mapping[str, str], name: str) -> None:
    tab = opens(WRITER).open(addresses[name], status=404 if name == "nothing" else 200)
    tab.unfold()

    require_usable(tab)


def test_the_page_to_sign_in_has_no_barriers_and_fits_a_phone(opens: Opens) -> None:
    require_usable(opens().open("/", status=401))


@pytest.fixture(scope="module")
def here(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    with Hub(keys=Keys()) as hub, office(hub, tmp_path_factory.mktemp("office") / "home", OPENAI_BASE_URL="") as found:
        yield found


def test_the_pages_that_create_the_app_have_no_barriers_and_fit_a_phone(browser: Browser, here: Office) -> None:
    own = f"http://127.0.0.1:{here.port}"
    tab = Tab(browser.new_context(), own, [own, here.hub.base_url])
    require_usable(tab.open("/setup", status=403))
    require_usable(tab.open(here.link.removeprefix(own)))
    tab.page.get_by_label("GitHub reaches this machine").check()
    tab.page.get_by_label("Name").fill("adders bot")
    tab.button("Review").click()
    expect(tab.page.get_by_role("alert")).to_be_visible()
    require_usable(tab)
    tab.page.get_by_label("GitHub can't").check()
    tab.button("Review").click()
    expect(tab.button("Continue on GitHub")).to_be_visible()
    require_usable(tab)
    tab.button("Continue on GitHub").click()
    tab.button("Create GitHub App for octo").click()
    expect(tab.page.get_by_role("heading", name="adders-bot is created")).to_be_visible()
    require_usable(tab)
    tab.context.close()

    assert tab.troubles == []


# --- By keyboard alone


def tabbed_to(tab: Tab, words: str) -> list[dict[str, Any]]:
    """Press Tab until what has the focus says this. Returns all that had it on the way."""
    seen: list[dict[str, Any]] = []
    while len(seen) < TABS_AT_MOST and (not seen or seen[-1]["words"] != words):
        tab.page.keyboard.press("Tab")
        seen.append(tab.page.evaluate(_FOCUSED))
    return seen


def test_a_run_is_stopped_by_keyboard_and_where_one_is_can_be_seen_all_the_way(opens: Opens, site: Site) -> None:
    run_id = shown.at_work(site, number=200)
    tab = opens(WRITER).open(f"/runs/{run_id}")
    seen = tabbed_to(tab, "Stop this run")
    tab.page.keyboard.press("Enter")
    expect(tab.page.get_by_text(f"stopped by {WRITER}")).to_be_visible()

    assert seen[0]["words"] == "Skip to the content"
    assert seen[-1]["words"] == "Stop this run"
    assert [each for each in seen if not (each["isMarked"] and each["isInSight"])] == []
    assert site.store.stop_because(run_id) == f"stopped by {WRITER}"


def test_what_all_pages_have_in_common_can_be_skipped(opens: Opens, addresses: Mapping[str, str]) -> None:
    tab = opens(WRITER).open(addresses["runs"])
    tab.page.keyboard.press("Tab")
    tab.page.keyboard.press("Enter")
    tab.page.keyboard.press("Tab")

    assert tab.page.evaluate(_FOCUSED)["words"] == "state"


def test_an_iteration_is_opened_and_its_output_scrolled_by_keyboard(opens: Opens, addresses: Mapping[str, str]) -> None:
    tab = opens(READER).open(addresses["proven"])
    first = tab.page.locator("#iteration-1")
    first.locator("summary").first.focus()
    tab.page.keyboard.press("Enter")
    expect(first.locator("pre.diff")).to_be_visible()
    tabbed_to(tab, first.locator("pre.diff").inner_text())

    expect(first.locator("pre.diff")).to_be_focused()


# --- Without JavaScript


def test_without_a_script_a_run_is_read_to_the_exact_prompt_and_done_again(
    opens: Opens, site: Site, addresses: Mapping[str, str]
) -> None:
    tab = opens(WRITER, java_script_enabled=False).open(addresses["runs"])
    tab.page.locator(f'table.runs a[href="{addresses["proven"]}"]').click()
    expect(tab.page.get_by_text("UTC").first).to_be_visible()
    tab.page.locator("#iteration-1 summary").first.click()
    tab.link("Iteration 1 on a page of its own").click()
    expect(tab.page.locator("pre.diff")).to_contain_text("+    return sum(prices)")
    expect(tab.page.locator("pre", has_text="test session starts")).to_be_visible()
    tab.link("prompt and reply").click()
    expect(tab.page.locator("pre", has_text=PROMPT.splitlines()[0])).to_be_visible()
    expect(tab.page.locator("pre", has_text=REPLY).first).to_be_visible()
    tab.open(addresses["unsolved"]).page.locator(".retry summary").click()
    tab.button("Retry this run").click()
    expect(tab.page.get_by_role("heading", name="has not started")).to_be_visible()

    assert [each.trigger.sender.login for each in site.store.waiting() if each.trigger.issue.number == 3] == [WRITER]

"""What strangers write, wherever they can: a browser shows it as text, runs none of it, and asks nobody for it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from bot.demo.hub import Hub
from bot.records import HappeningKind, Outcome
from tests.browser import shown
from tests.browser.shown import PHONE
from tests.browser.site import OPERATOR, WRITER, Site
from tests.browser.tab import SENTINEL, Opens, Tab
from tests.demo.keys import Keys
from tests.runs.builders import a_trigger
from tests.web.pages.test_hostile_words import run_of
from tests.web.test_creating import Office, office

RUNS = f"window.{SENTINEL}=1"
SCRIPT = f"<script>{RUNS};alert(1)</script>"
WORDS: Mapping[str, str] = {
    "script": SCRIPT,
    "markup": f'</pre></bdi></details></title><img src=x onerror="{RUNS}"><base href="//evil.example"><b style="a:b">',
    "quotes": f"\"'><svg onload='{RUNS}'> onfocus={RUNS} autofocus {{{{ 7*7 }}}}",
    "links": f"[a](javascript:{RUNS}) ![i](https://evil.example/x.png) <iframe src=//evil.example>",
    "terminal": f"\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b[2J\x07\x08{SCRIPT}",
    "bidi": f"\u202egnp.exe\u202c\u2066\u200b\ufeff{SCRIPT}",
    "a megabyte": SCRIPT + "A" * 1_000_000,
}
SEEN_AS: Mapping[str, str] = {
    "script": SCRIPT,
    "markup": "</pre></bdi></details></title><img src=x onerror=",
    "quotes": "\"'><svg onload=",
    "links": "javascript:",
    "terminal": f"red{SCRIPT}",
    "bidi": "[U+202E]gnp.exe",
    "a megabyte": SCRIPT,
}


@pytest.fixture(scope="module")
def run_ids(site: Site) -> Mapping[str, str]:
    """Runs in which everything that others can write is these words."""
    return {name: run_of(words, site.store, site.inbox) for name, words in WORDS.items()}


def require_harmless(tab: Tab, words: str) -> None:
    """It is there as text, and makes the page no wider. What else it may do is looked at when the tab is closed."""
    tab.unfold()
    assert words in tab.text()
    assert tab.overflow_px() == 0


@pytest.mark.parametrize("name", WORDS)
def test_a_page_of_a_run_shows_it_as_text(opens: Opens, run_ids: Mapping[str, str], name: str) -> None:
    tab = opens(OPERATOR, viewport=PHONE)
    for path in ("", "/iterations/1", "/calls/1"):
        require_harmless(tab.open(f"/runs/{run_ids[name]}{path}"), SEEN_AS[name])


def test_lists_and_figures_show_it_as_text(opens: Opens, run_ids: Mapping[str, str], site: Site) -> None:
    assert run_ids
    for number, words in enumerate(WORDS.values(), start=300):
        site.inbox.accept(a_trigger(issue=site.issue(number), because=words[:200]))
    tab = opens(OPERATOR, viewport=PHONE)

    require_harmless(tab.open("/"), SCRIPT)
    require_harmless(tab.open("/numbers"), SCRIPT)
    for each in site.store.waiting()[:2]:
        require_harmless(tab.open(f"/runs/{shown.id_of(each)}"), "has not started")


def test_a_run_that_has_ended_shows_it_as_text(opens: Opens, run_ids: Mapping[str, str], site: Site) -> None:
    tab = opens(OPERATOR, viewport=PHONE)
    for name in ("markup", "links", "a megabyte"):
        site.store.finish(run_ids[name], Outcome.NEEDS_INFORMATION, WORDS[name][:3000])
        require_harmless(tab.open(f"/runs/{run_ids[name]}"), SEEN_AS[name])


def test_it_is_text_where_it_comes_while_somebody_watches(opens: Opens, site: Site) -> None:
    run_id = shown.at_work(site, number=320)
    tab = opens(WRITER, viewport=PHONE).open(f"/runs/{run_id}")
    for words in WORDS.values():
        shown.keep(site, run_id, HappeningKind.TOLD, words)
    shown.keep(site, run_id, HappeningKind.TOLD, "the last one")

    expect(tab.page.get_by_role("log")).to_contain_text("the last one")
    for name in ("script", "markup", "bidi"):
        require_harmless(tab, SEEN_AS[name])


def test_it_is_text_where_an_address_or_a_hint_holds_it(opens: Opens, site: Site) -> None:
    ended = shown.unsolved(site, number=330)
    tab = opens(WRITER, viewport=PHONE)
    fields = ("repository", "who", "since", "before", "state", "outcome", "facts", "model", "days", "next", "after")
    for path in ("/", "/numbers"):
        tab.open(f"{path}?" + "&".join(f"{field}={SCRIPT}%22%27%3E{SCRIPT}" for field in fields))
    tab.open(f"/runs/{SCRIPT}", status=404)
    tab.open(f"/runs/{ended}")
    tab.page.get_by_text("Retry", exact=True).click()
    tab.page.get_by_label("A hint for the model").fill(SCRIPT)
    tab.button("Retry this run").click()
    expect(tab.page.get_by_role("heading", name="has not started")).to_be_visible()
    [waits] = [each for each in site.store.waiting() if each.trigger.issue.number == 330]
    again = site.store.begin_run(waits)

    require_harmless(tab.open(f"/runs/{again}"), SCRIPT)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Office]:
    with Hub(keys=Keys()) as hub, office(hub, tmp_path / "home") as found:
        yield found


def test_the_pages_that_create_the_app_show_it_as_text(browser: Browser, here: Office) -> None:
    own = f"http://127.0.0.1:{here.port}"
    tab = Tab(browser.new_context(viewport=PHONE), own, [own]).open(here.link.removeprefix(own))
    tab.page.get_by_label("An organization's, which I own").check()
    tab.page.get_by_label("Its login").fill(WORDS["markup"][:100])
    tab.page.get_by_label("GitHub reaches this machine").check()
    tab.page.get_by_label("Public address").fill(SCRIPT)
    tab.page.get_by_label("Name").fill(SCRIPT[:34])
    tab.button("Review").click()
    expect(tab.page.get_by_role("alert")).to_contain_text("put right")
    assert tab.overflow_px() == 0
    assert tab.page.get_by_label("Public address").input_value() == SCRIPT
    tab.page.get_by_label("Mine").check()
    tab.page.get_by_label("GitHub can't").check()
    tab.button("Review").click()

    expect(tab.page.get_by_role("heading", level=1)).to_have_text(f"Create “{SCRIPT[:34]}” on GitHub")
    assert tab.overflow_px() == 0
    tab.context.close()
    assert tab.troubles == []

"""One browser for the tests of this folder, one site for each file."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chromium import chromium, program
from tests.browser.site import Site, a_site
from tests.browser.tab import PATIENCE_MS, Opens, Tab
from tests.left_out import leave_out


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """It ends with the folder: other tests have event loops of their own."""
    path = program()
    if path is None:
        leave_out("Chromium")
    expect.set_options(timeout=PATIENCE_MS)
    with chromium(path) as found:
        yield found


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with a_site(tmp_path_factory.mktemp("site")) as found:
        yield found


@pytest.fixture
def opens(browser: Browser, site: Site) -> Iterator[Opens]:
    """Opens tabs; when the test is over, nothing may have happened in them that no page of ours may do."""
    tabs: list[Tab] = []

    def one(who: str = "", *, leaves: bool = False, **options: object) -> Tab:
        tabs.append(site.leaving_tab(browser) if leaves else site.tab(browser, who, **options))
        return tabs[-1]

    yield one
    for each in tabs:
        each.context.close()
    assert [trouble for each in tabs for trouble in each.troubles] == []

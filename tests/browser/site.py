"""The web server as people start it, over a database to put runs into, with the stand-in for GitHub to sign in by."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser
from sqlalchemy import Engine

from bot.demo.handles import RepositoryHandle
from bot.demo.hub import Hub
from bot.records import IssueRef, RepositoryRef
from bot.runs.store import SqlInbox, Store
from tests.browser.chromium import PUBLIC_HOST
from tests.browser.tab import Tab
from tests.demo.keys import Keys
from tests.ports import held_port
from tests.runs.builders import a_database, a_trigger
from tests.story.town import Bot, answers
from tests.test_serving import an_environment

OPERATOR, WRITER, READER = "octo", "mona", "ada"


@dataclass
class Site:
    """The App is on octo's account. mona may write octo/seen and octo/other, ada may read them; octo is operator."""

    hub: Hub
    engine: Engine
    url: str
    seen: RepositoryHandle
    other: RepositoryHandle
    log: Path
    store: Store = field(init=False)
    inbox: SqlInbox = field(init=False)
    _sessions: dict[str, Any] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.store, self.inbox = Store(self.engine), SqlInbox(self.engine)

    def issue(self, number: int, *, other: bool = False) -> IssueRef:
        """An issue of octo/seen, or of octo/other."""
        repository = self.other if other else self.seen
        return IssueRef(RepositoryRef(1, repository.id, *repository.full_name.split("/")), number)

    def begun(self, number: int, *, other: bool = False, **changed: Any) -> str:
        """The id of a run at work on this issue."""
        self.inbox.accept(a_trigger(issue=self.issue(number, other=other), **changed))
        return self.store.begin_run(self.store.waiting()[-1])

    def tab(self, browser: Browser, who: str, **options: Any) -> Tab:
        """A tab of somebody who has signed in; "" is nobody."""
        if who and who not in self._sessions:
            self._sessions[who] = self._signed_in(browser, who)
        return Tab(browser.new_context(storage_state=self._sessions.get(who), **options), self.url, [self.url])

    def leaving_tab(self, browser: Browser) -> Tab:
        """A tab that may go to GitHub, too."""
        return Tab(browser.new_context(), self.url, [self.url, self.hub.base_url])

    def _signed_in(self, browser: Browser, who: str) -> Any:
        tab = self.leaving_tab(browser).open("/sign-in")
        sign_in(tab, who)
        state = tab.context.storage_state()
        tab.context.close()
        assert tab.troubles == [], tab.troubles
        return state


def sign_in(tab: Tab, who: str) -> None:
    """From the page with the button, by GitHub, and back."""
    tab.button("Sign in with GitHub").click()
    tab.button(f"Sign in as {who}").click()
    tab.button("Sign out").wait_for()


@contextmanager
def a_site(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[Site]:
    """A site with nothing on it yet."""
    home = folder / "home"
    home.mkdir()
    with Hub(keys=Keys()) as hub, a_database(home) as engine, held_port() as port:
        url = f"http://{PUBLIC_HOST}:{port}"
        roles = {WRITER: "write", READER: "read"}
        seen, other = (hub.create_repository(f"octo/{name}", private=True, roles=roles) for name in ("seen", "other"))
        app = hub.create_app(owner="octo", callback_urls=(f"{url}/auth/callback",))
        hub.install(app, "octo")
        environment = an_environment(
            home,
            port,
            SELFCODE_PUBLIC_URL=url,
            SELFCODE_GITHUB_API_URL=hub.api_url,
            SELFCODE_APP_ID=str(app.id),
            SELFCODE_PRIVATE_KEY=app.private_key,
            SELFCODE_WEBHOOK_SECRET=app.webhook_secret,
            SELFCODE_CLIENT_ID=app.client_id,
            SELFCODE_CLIENT_SECRET=app.client_secret,
            SELFCODE_OPERATORS=OPERATOR,
            **(settings or {}),
        )
        bot = Bot(environment, folder / "log")
        try:
            bot.start("web")
            while bot.is_alive() and not answers(port):
                time.sleep(0.1)
            yield Site(hub, engine, url, seen, other, bot.log)
        finally:
            bot.end()

"""A stand-in for GitHub with an App and repositories, our pages, and browsers from elsewhere to sign in with."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Engine
from werkzeug.test import TestResponse

from bot.demo.handles import RepositoryHandle
from bot.demo.hub import Hub
from bot.demo.state import App, Installation
from bot.github.signing_in import GitHubSigningIn
from bot.records import Outcome
from bot.runs.keeping import SharedInbox
from bot.runs.sessions import SqlSessions
from bot.runs.steering import SqlSteering
from bot.runs.store import SqlInbox, Store
from bot.runs.viewing import SqlViewing
from bot.seen.figures import Figures
from bot.web.app import create_app
from bot.web.asgi import Site
from bot.web.pages.doorkeeper import Doorkeeper
from bot.web.pages.means import Means
from bot.web.pages.place import Place
from bot.web.pages.site import add_pages
from tests.demo.keys import Keys
from tests.runs.builders import a_trigger, an_issue_ref, begun
from tests.web.pages.browsing import look, send

PUBLIC = "https://bot.example.com"
STRANGER = "203.0.113.9"
SESSION, UNDER_WAY, FORM = "__Host-selfcode-session", "__Host-selfcode-sign-in", "__Host-selfcode-form"
HERE = {"REMOTE_ADDR": "127.0.0.1"}
MINUTE_S = 60.0


class Afar(FlaskClient):
    """A browser that is not on this machine, and uses the public address."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        kwargs.setdefault("base_url", PUBLIC)
        self.environ_base["REMOTE_ADDR"] = STRANGER
        return super().open(*args, **kwargs)


@dataclass
class Clock:
    """Both clocks of a doorkeeper, and the stand-in's with them."""

    hub: Hub
    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def go_on(self, *, minutes: float) -> None:
        self.now += minutes * 60
        self.hub.advance(minutes=minutes)


@dataclass
class Scene:
    """The App is on octo's account. mona may write octo/seen, ada may read it; octo/hidden is octo's alone."""

    hub: Hub
    app: App
    installation: Installation
    engine: Engine
    seen: RepositoryHandle
    hidden: RepositoryHandle
    clock: Clock = field(init=False)

    def __post_init__(self) -> None:
        self.clock = Clock(self.hub)

    @property
    def store(self) -> Store:
        return Store(self.engine)

    def door(self, **changed: Any) -> Doorkeeper:
        """The doorkeeper of one web process."""
        github = GitHubSigningIn(
            web_url=self.hub.base_url,
            api_url=self.hub.api_url,
            client_id=self.app.client_id,
            client_secret=self.app.client_secret,
            clock=self.clock,
        )
        given: dict[str, Any] = {"place": Place(PUBLIC), "clock": self.clock, "monotonic": self.clock}
        return Doorkeeper(github, **{"sessions": SqlSessions(self.engine)} | given | changed)

    def pages(self, **changed: Any) -> Flask:
        """The pages of one web process."""
        app = Flask("pages", static_folder=None)
        app.test_client_class = Afar
        add_pages(app, self._means(**changed))
        return app

    def site(self) -> Site:
        """All of one web process, which hears deliveries too."""
        return create_app(
            webhook_secret=self.app.webhook_secret,
            label="selfcode",
            bot_login=f"{self.app.slug}[bot]",
            inbox=SharedInbox(SqlInbox(self.engine)),
            ready=dict,
            figures=Figures(),
            means=self._means(),
            sign_out=self.door().sign_out,
        )

    def _means(self, **changed: Any) -> Means:
        viewing, steering = SqlViewing(self.engine), SqlSteering(self.engine)
        return Means(viewing, steering, github_url=self.hub.base_url, door=self.door(**changed))

    def browser(self, **changed: Any) -> FlaskClient:
        """A browser from elsewhere."""
        return self.pages(**changed).test_client()

    def run_in(self, repository: RepositoryHandle, *, ended: bool = False) -> str:
        """A run in this repository."""
        ref = an_issue_ref(7, repository=repository.id)
        run_id = begun(self.store, SqlInbox(self.engine), a_trigger(issue=ref))
        if ended:
            self.store.finish(run_id, Outcome.UNSOLVED, "")
        return run_id


@contextmanager
def a_scene(engine: Engine) -> Iterator[Scene]:
    with Hub(keys=Keys()) as hub:
        seen = hub.create_repository("octo/seen", private=True, roles={"mona": "write", "ada": "read"})
        hidden = hub.create_repository("octo/hidden", private=True)
        app = hub.create_app(owner="octo", callback_urls=(f"{PUBLIC}/auth/callback",))
        yield Scene(hub, app, hub.install(app, "octo"), engine, seen, hidden)


def sent_to_github(browser: FlaskClient, leads_to: str = "/") -> str:
    """Use the button. Returns the address that the browser is sent to."""
    answer = send(browser, look(browser, "/sign-in"), "/sign-in", next=leads_to)
    assert answer.status_code == 303, answer.text
    return str(answer.location)


def says_yes(address: str, login: str) -> str:
    """Choose who one is on GitHub's page. Returns the way back, without our address."""
    answer = requests.post(address, data={"login": login}, timeout=20, allow_redirects=False)
    assert answer.status_code == 302, answer.text
    back = urlsplit(answer.headers["Location"])
    return f"{back.path}?{back.query}"


def sign_in(browser: FlaskClient, login: str, leads_to: str = "/") -> TestResponse:
    """All of it. Returns the last answer, which leads on."""
    return browser.get(says_yes(sent_to_github(browser, leads_to), login))


def signed_in(scene: Scene, login: str, **changed: Any) -> FlaskClient:
    """A browser in which somebody has signed in."""
    browser = scene.browser(**changed)
    assert sign_in(browser, login).status_code == 303
    return browser


def cookie_of(browser: FlaskClient, name: str = SESSION) -> str:
    """What the browser has in a cookie; "" for nothing."""
    found = browser.get_cookie(name, domain="bot.example.com")
    return found.value if found else ""


def behind_a_proxy(browser: FlaskClient) -> FlaskClient:
    """The browser, where a proxy names another host to us than the one that it asked."""
    for name in (SESSION, "__Host-selfcode-form"):
        browser.set_cookie(name, cookie_of(browser, name), domain="inside")
    return browser


def soon(is_so: Callable[[], bool], *, seconds: float = 10.0) -> bool:
    """Whether it comes about before long."""
    until = time.monotonic() + seconds
    while not is_so() and time.monotonic() < until:
        time.sleep(0.02)
    return is_so()


def query_of(address: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}

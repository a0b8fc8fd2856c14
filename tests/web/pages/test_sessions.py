"""How long somebody is signed in, and what ends it."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.records import SESSION_IDLE_S, SESSION_LASTS_S, Grant, Outcome, SessionRow, dump
from bot.runs.sessions import SqlSessions
from bot.web.pages.doorkeeper import REACH_S
from bot.web.pages.place import Place
from bot.web.pages.sealing import Secret
from tests.runs.builders import a_database
from tests.web.fakes import Client
from tests.web.pages.browsing import look, send
from tests.web.pages.signing import (
    MINUTE_S,
    SESSION,
    UNDER_WAY,
    Scene,
    a_scene,
    cookie_of,
    query_of,
    says_yes,
    sent_to_github,
    sign_in,
    signed_in,
    soon,
)


def test_a_session_is_a_cookie_that_no_script_reads_and_no_other_host_can_set(scene: Scene) -> None:
    given = sign_in(scene.browser(), "mona").headers.getlist("Set-Cookie")

    [session] = [cookie for cookie in given if cookie.startswith(f"{SESSION}=")]
    for part in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/", f"Max-Age={SESSION_LASTS_S}"):
        assert part in session.split("; ")
    assert "Domain" not in session
    assert any(cookie.startswith(f"{UNDER_WAY}=; Expires=Thu, 01 Jan 1970") for cookie in given)


def test_without_tls_the_cookie_has_a_name_that_browsers_take(scene: Scene) -> None:
    browser = scene.browser(place=Place("http://bot.example.com"))

    page = look(browser, "/sign-in")

    assert page
    assert cookie_of(browser, "selfcode-form")


def test_who_signs_in_anew_gets_another_session_and_the_one_before_is_over(scene: Scene) -> None:
    browser = signed_in(scene, "mona")
    before = cookie_of(browser)
    answer = browser.get(says_yes(_again(browser), "ada"))
    assert answer.status_code == 303

    old = scene.browser()
    old.set_cookie(SESSION, before, domain="bot.example.com")

    assert cookie_of(browser) not in ("", before)
    assert old.get("/").status_code == 401


def _again(browser: object) -> str:
    """Send the form to sign in though one is."""
    page = look(browser, "/")  # type: ignore[arg-type]
    [token, *_] = [field["value"] for field in page.all("input", name="form_token")]
    return str(browser.post("/sign-in", data={"form_token": token}).location)  # type: ignore[attr-defined]


def test_a_session_that_somebody_planted_is_none(scene: Scene) -> None:
    browser = scene.browser()
    planted = Secret.new().text
    browser.set_cookie(SESSION, planted, domain="bot.example.com")

    assert browser.get("/").status_code == 401
    sign_in(browser, "mona")
    assert cookie_of(browser) != planted


@pytest.mark.parametrize("cookie", ["", "x", "a" * 43, "é" * 43, "=" * 43, "a" * 5000])
def test_what_is_no_session_is_none(scene: Scene, cookie: str) -> None:
    answer = scene.browser().get("/", headers={"Cookie": f"{SESSION}={cookie}".encode().decode("latin-1")})

    assert answer.status_code == 401


def test_who_has_signed_out_is_out_at_once_in_every_process(scene: Scene) -> None:
    browser, other = signed_in(scene, "mona"), scene.browser()
    kept = cookie_of(browser)
    other.set_cookie(SESSION, kept, domain="bot.example.com")
    assert other.get("/").status_code == 200
    stays = signed_in(scene, "mona")

    answer = send(browser, look(browser, "/"), "/sign-out")

    assert (answer.status_code, answer.location) == (303, "/sign-in")
    assert cookie_of(browser) == ""
    assert other.get("/").status_code == 401
    assert stays.get("/").status_code == 200


def test_one_signs_out_of_every_browser_at_once(scene: Scene) -> None:
    here, there, somebody = signed_in(scene, "mona"), signed_in(scene, "mona"), signed_in(scene, "ada")

    send(here, look(here, "/"), "/sign-out", everywhere="1")

    assert [browser.get("/").status_code for browser in (here, there, somebody)] == [401, 401, 200]


def test_who_signs_out_leaves_no_token_that_is_good(scene: Scene) -> None:
    browser, stays = signed_in(scene, "mona"), signed_in(scene, "mona")
    before = len(scene.hub.world.tokens)

    send(browser, look(browser, "/"), "/sign-out").close()

    assert soon(lambda: len(scene.hub.world.tokens) == before - 1)
    scene.clock.go_on(minutes=REACH_S / MINUTE_S)
    assert stays.get("/").status_code == 200


def test_who_signs_in_anew_leaves_no_token_of_before_that_is_good(scene: Scene) -> None:
    browser = signed_in(scene, "mona")
    before = set(scene.hub.world.tokens)

    browser.get(says_yes(_again(browser), "mona")).close()

    assert soon(lambda: not before & set(scene.hub.world.tokens))
    assert browser.get("/").status_code == 200


@pytest.mark.parametrize("status", [0, 401, 403, 500])
def test_who_signs_out_is_out_though_github_does_not_answer(
    scene: Scene, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    browser = signed_in(scene, "mona")
    page, cookie = look(browser, "/"), cookie_of(browser)
    caplog.clear()
    scene.hub.fail_next("DELETE", "/applications/.*/token", status)

    answer = send(browser, page, "/sign-out")
    answer.close()

    assert (answer.status_code, answer.location, browser.get("/").status_code) == (303, "/sign-in", 401)
    assert soon(lambda: "is not revoked" in caplog.text)
    secrets = [cookie, scene.app.client_secret, *scene.hub.world.tokens, *scene.hub.world.refreshes]
    assert not [secret for secret in secrets if secret in caplog.text]


def test_nobody_waits_for_github_to_be_signed_out(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    browser = signed_in(scene, "mona")
    page = look(browser, "/")
    scene.hub.fail_next("DELETE", "/applications/.*/token", 500, delay_s=3.0)

    begun = time.monotonic()
    send(browser, page, "/sign-out").close()
    took_s = time.monotonic() - begun

    assert took_s < 2.5
    assert soon(lambda: "is not revoked" in caplog.text)


@dataclass(frozen=True)
class Interrupted(SqlSessions):
    """Sessions where somebody else does something just before one is ended, or another token is kept."""

    before_end: Callable[[], object] = lambda: None
    before_replace: Callable[[], object] = lambda: None

    def end(self, key: str) -> SessionRow | None:
        self.before_end()
        return super().end(key)

    def end_all_of(self, user_id: int, *, begun_until: float | None = None) -> None:
        self.before_end()
        super().end_all_of(user_id, begun_until=begun_until)

    def replace(self, row: SessionRow, sealed: str) -> bool:
        self.before_replace()
        return super().replace(row, sealed)


@pytest.mark.parametrize("everywhere", [{}, {"everywhere": "1"}], ids=["here", "everywhere"])
def test_a_token_that_another_process_has_replaced_just_now_is_the_one_that_is_revoked(
    scene: Scene, everywhere: dict[str, str]
) -> None:
    other = scene.browser()
    browser = signed_in(scene, "mona", sessions=Interrupted(scene.engine, before_end=lambda: other.get("/")))
    other.set_cookie(SESSION, cookie_of(browser), domain="bot.example.com")
    page = look(browser, "/")
    scene.clock.go_on(minutes=8 * 60 - 1)

    send(browser, page, "/sign-out", **everywhere).close()

    assert soon(lambda: scene.hub.world.tokens == {})
    assert scene.hub.world.refreshes == {}


def test_a_token_that_comes_for_who_has_signed_out_meanwhile_is_revoked(scene: Scene) -> None:
    mona, other = signed_in(scene, "mona"), scene.door()
    key = Secret.read(cookie_of(mona)).key  # type: ignore[union-attr]
    browser = scene.browser(sessions=Interrupted(scene.engine, before_replace=lambda: other.sessions.end(key)))
    browser.set_cookie(SESSION, cookie_of(mona), domain="bot.example.com")
    scene.clock.go_on(minutes=8 * 60 - 1)

    answer = browser.get("/")

    assert answer.status_code == 401
    assert [*scene.hub.world.tokens, *scene.hub.world.refreshes] == []


def test_who_follows_a_run_hears_nothing_more_once_signed_out(scene: Scene) -> None:
    run_id = scene.run_in(scene.seen)
    browser = signed_in(scene, "mona")
    following = browser.get(f"/runs/{run_id}/events")
    pieces = iter(following.response)
    assert next(pieces)

    send(browser, look(browser, "/"), "/sign-out")
    scene.store.finish(run_id, Outcome.STOPPED, "")

    assert list(pieces) == []


def test_a_session_ends_after_a_day_without_a_look(scene: Scene) -> None:
    browser = signed_in(scene, "mona")

    scene.clock.go_on(minutes=SESSION_IDLE_S / MINUTE_S)

    assert browser.get("/").status_code == 401


def test_a_session_ends_after_a_week_whatever_is_looked_at(scene: Scene) -> None:
    browser = signed_in(scene, "mona")
    seen = []
    for _ in range(15):
        scene.clock.go_on(minutes=12 * 60)
        seen.append(browser.get("/").status_code)

    assert seen == [200] * 13 + [401] * 2


def test_the_token_is_replaced_before_it_ends_by_one_process_for_all(scene: Scene) -> None:
    first, second = signed_in(scene, "mona"), scene.browser(sleep=lambda _: None)
    second.set_cookie(SESSION, cookie_of(first), domain="bot.example.com")
    scene.clock.go_on(minutes=8 * 60 - 1)
    seen: list[int] = []

    def see(browser: object) -> None:
        seen.append(browser.get("/").status_code)  # type: ignore[attr-defined]

    both = [threading.Thread(target=see, args=(browser,)) for browser in (first, second)]
    for each in both:
        each.start()
    for each in both:
        each.join()

    assert 200 in seen
    assert [browser.get("/").status_code for browser in (first, second)] == [200, 200]
    assert len(scene.hub.world.refreshes) == 1


def test_what_is_taken_back_at_github_ends_the_session(scene: Scene) -> None:
    browser = signed_in(scene, "mona")
    scene.hub.revoke("mona")
    scene.clock.go_on(minutes=REACH_S / MINUTE_S)

    assert browser.get("/").status_code == 401
    assert scene.door().sessions.find(Secret.read(cookie_of(browser)).key) is None  # type: ignore[union-attr]


def test_what_is_taken_back_at_github_signs_out_of_every_browser_as_soon_as_github_tells_it(scene: Scene) -> None:
    here, there, somebody = signed_in(scene, "mona"), signed_in(scene, "mona"), signed_in(scene, "ada")
    before = [browser.get("/").status_code for browser in (here, there, somebody)]
    scene.hub.revoke("mona")
    [told] = [each for each in scene.hub.world.deliveries if each.event == "github_app_authorization"]
    still = [browser.get("/").status_code for browser in (here, there, somebody)]

    answer = Client(scene.site()).ask("POST", "/webhook", told.body, headers=told.headers)

    assert (answer.status_code, answer.json) == (202, {"accepted": "revoked"})
    after = [browser.get("/").status_code for browser in (here, there, somebody)]
    assert (before, still, after) == ([200] * 3, [200] * 3, [401, 401, 200])


def test_the_database_gives_away_neither_sessions_nor_tokens(tmp_path: Path) -> None:
    with a_database(tmp_path) as engine, a_scene(engine) as scene:
        browser = scene.browser()
        under_way = says_yes(sent_to_github(browser), "mona")
        taken_along = cookie_of(browser, UNDER_WAY)
        browser.get(under_way)
        cookie, tokens = cookie_of(browser), [*scene.hub.world.tokens, *scene.hub.world.refreshes]
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("selfcode.sqlite*"))

    assert tokens
    for value in (cookie, taken_along, *tokens, query_of(under_way)["state"], query_of(under_way)["code"]):
        assert value.encode() not in kept


def test_what_is_sealed_is_read_with_its_own_secret_alone() -> None:
    secret, text = Secret.new(), dump(Grant("ghu_secret"))
    sealed = secret.seal(text)

    assert secret.open(sealed) == text
    assert Secret.new().open(sealed) is None
    assert [secret.open(sealed[:at] + sealed[at + 1 :]) for at in range(len(sealed))] == [None] * len(sealed)
    assert secret.open("") is secret.open("é") is None
    assert Secret.read(secret.text) == secret
    assert secret.text not in repr(secret)


def test_no_log_holds_what_is_secret(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    browser = scene.browser()
    address = sent_to_github(browser)
    ours = caplog.text
    back = says_yes(address, "mona")
    caplog.clear()
    browser.get(back)
    browser.get("/")
    scene.hub.fail_next("*", "/user", 0)
    scene.clock.go_on(minutes=3)
    browser.get("/")

    asked = query_of(back)
    secrets = [asked["code"], asked["state"], cookie_of(browser), scene.app.client_secret, *scene.hub.world.tokens]
    assert "mona has signed in" in caplog.text
    assert not [secret for secret in secrets if secret in ours + caplog.text]

"""Who may look: signing in by GitHub, and every way around it that somebody may try."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import Engine
from werkzeug.test import create_environ, run_wsgi_app

from bot.records import OPERATOR, SESSION_IDLE_S, SESSION_LASTS_S, Grant, Outcome, SessionRow, dump
from bot.runs.sessions import SqlSessions
from bot.web.beside import served_beside
from bot.web.pages.doorkeeper import REACH_S
from bot.web.pages.place import Place, own_path
from bot.web.pages.sealing import Secret
from tests.runs.builders import a_database
from tests.web.browser import Browser
from tests.web.fakes import Client
from tests.web.pages.browsing import look, read, send
from tests.web.pages.signing import (
    PUBLIC,
    SESSION,
    UNDER_WAY,
    Scene,
    a_scene,
    behind_a_proxy,
    cookie_of,
    query_of,
    says_yes,
    sent_to_github,
    sign_in,
    signed_in,
    soon,
)

MINUTE_S = 60.0
FORM = "__Host-selfcode-form"


@pytest.fixture
def scene(engine: Engine) -> Iterator[Scene]:
    with a_scene(engine) as made:
        yield made


# --- Who has not signed in


def test_who_has_not_signed_in_sees_what_this_is_and_a_button_whatever_they_ask_for(scene: Scene) -> None:
    run_id = scene.run_in(scene.seen)
    browser = scene.browser()

    answers = [
        browser.get(path)
        for path in ("/", f"/runs/{run_id}", "/runs/nobody", f"/runs/{run_id}/iterations/1", "/numbers", "/nothing")
    ]
    answers.append(browser.post(f"/runs/{run_id}/stop", data={"form_token": "x"}))
    answers.append(browser.get(f"/runs/{run_id}", headers={"X-Part": "1"}))
    answers.append(browser.get(f"/runs/{run_id}/events"))

    assert [answer.status_code for answer in answers] == [401] * 9
    pages = [read(answer) for answer in answers]
    assert {page.text for page in pages} == {pages[0].text}
    assert "Sign in with GitHub" in pages[0].text
    assert [link["href"] for link in pages[1].all("a")] == ["#main", "/"]
    assert scene.store.stop_because(run_id) is None


def test_the_page_leads_on_to_what_was_wanted(scene: Scene) -> None:
    run_id = scene.run_in(scene.seen)
    browser = scene.browser()
    page = read(browser.get(f"/runs/{run_id}?refused=no"))
    [wanted] = page.all("input", name="next")

    answer = sign_in(browser, "mona", wanted["value"])

    assert (answer.status_code, answer.location) == (303, f"/runs/{run_id}?refused=no")
    assert "octo/repository" in look(browser, str(answer.location)).text


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "evil.example",
        "/a\r\nSet-Cookie: a=b",
        "/" + "a" * 1000,
        "",
    ],
)
def test_nobody_is_led_to_another_server_after_signing_in(scene: Scene, wanted: str) -> None:
    assert own_path(wanted) == "/"
    assert sign_in(scene.browser(), "mona", wanted).location == "/"


# --- What one sees and may do


def test_one_sees_the_runs_of_repositories_that_one_can_read_and_no_others(scene: Scene) -> None:
    theirs, others = scene.run_in(scene.seen), scene.run_in(scene.hidden)
    browser = signed_in(scene, "ada")

    listed = look(browser, "/")

    assert listed.all("a", href=f"/runs/{theirs}")
    assert not listed.all("a", href=f"/runs/{others}")
    assert "ada" in listed.text
    assert look(browser, f"/runs/{theirs}")
    for path in (f"/runs/{others}", f"/runs/{others}/iterations/1", f"/runs/{others}/events", "/runs/nobody"):
        assert browser.get(path).status_code == 404
    assert read(browser.get(f"/runs/{others}")).text == read(browser.get("/runs/nobody")).text


def test_a_stranger_who_signs_in_sees_nothing_not_even_of_public_repositories(scene: Scene) -> None:
    public = scene.hub.create_repository("octo/public")
    run_id = scene.run_in(public)
    scene.hub.create_user("mallory")
    browser = signed_in(scene, "mallory")

    assert f"/runs/{run_id}" not in browser.get("/").text
    assert browser.get(f"/runs/{run_id}").status_code == 404


def test_who_can_write_has_a_run_stopped_in_their_name(scene: Scene) -> None:
    run_id = scene.run_in(scene.seen)
    browser = signed_in(scene, "mona")

    answer = send(browser, look(browser, f"/runs/{run_id}"), f"/runs/{run_id}/stop")

    assert answer.status_code == 303
    assert scene.store.stop_because(run_id) == "stopped by mona"
    assert scene.store.controls.wanted().cancelled == {run_id: "stopped by mona"}


def test_who_can_write_has_a_run_done_again_in_their_name(scene: Scene) -> None:
    run_id = scene.run_in(scene.seen, ended=True)
    browser = signed_in(scene, "mona")

    send(browser, look(browser, f"/runs/{run_id}"), f"/runs/{run_id}/retry", hint="mind the rounding")

    [waits] = scene.store.waiting()
    assert (waits.trigger.sender.login, waits.trigger.because) == ("mona", "retry by mona")
    assert waits.trigger.text == "mind the rounding"


def test_who_can_read_alone_changes_nothing(scene: Scene) -> None:
    run_id, others = scene.run_in(scene.seen), scene.run_in(scene.hidden)
    browser = signed_in(scene, "ada")
    page = look(browser, f"/runs/{run_id}")
    [token, *_] = [field["value"] for field in page.all("input", name="form_token")]

    refused = [browser.post(f"/runs/{each}/stop", data={"form_token": token}) for each in (run_id, others)]

    assert not page.all("form", action=f"/runs/{run_id}/stop")
    assert [answer.status_code for answer in refused] == [403, 404]
    assert scene.store.stop_because(run_id) is scene.store.stop_because(others) is None


def test_write_access_is_looked_up_when_the_button_is_used(scene: Scene) -> None:
    run_id = scene.run_in(scene.seen)
    browser = signed_in(scene, "mona")
    page = look(browser, f"/runs/{run_id}")
    scene.seen.give_role("mona", "read")

    answer = send(browser, page, f"/runs/{run_id}/stop")

    assert answer.status_code == 403
    assert scene.store.stop_because(run_id) is None


def test_the_permission_that_commands_take_is_the_one_that_buttons_take(scene: Scene) -> None:
    run_id = scene.run_in(scene.seen)
    browser = signed_in(scene, "mona", minimum="maintain")
    page = look(browser, f"/runs/{run_id}")
    [token, *_] = [field["value"] for field in page.all("input", name="form_token")]

    assert browser.post(f"/runs/{run_id}/stop", data={"form_token": token}).status_code == 403
    scene.seen.give_role("mona", "maintain")
    assert browser.post(f"/runs/{run_id}/stop", data={"form_token": token}).status_code == 303


@pytest.mark.parametrize("change", ["role", "suspended", "uninstalled", "taken from the installation"])
def test_what_one_may_no_longer_see_is_gone_within_minutes(scene: Scene, change: str) -> None:
    run_id = scene.run_in(scene.seen)
    browser = signed_in(scene, "mona")
    assert browser.get(f"/runs/{run_id}").status_code == 200
    match change:
        case "role":
            scene.seen.give_role("mona", "none")
        case "suspended":
            scene.hub.suspend(scene.installation)
        case "uninstalled":
            scene.hub.uninstall(scene.installation)
        case _:
            scene.installation.repository_ids = {scene.hidden.id}

    scene.clock.go_on(minutes=REACH_S / MINUTE_S)

    assert browser.get(f"/runs/{run_id}").status_code == 404


def test_operators_see_all_and_ask_as_such_and_it_is_told_who_they_are(scene: Scene) -> None:
    scene.hub.create_user("Grace")
    run_id = scene.run_in(scene.hidden, ended=True)
    browser = signed_in(scene, "Grace", operators=frozenset({"grace"}))

    page = look(browser, f"/runs/{run_id}")
    send(browser, page, f"/runs/{run_id}/retry")

    assert "Grace (operator)" in page.text
    [waits] = scene.store.waiting()
    assert (waits.trigger.sender, waits.trigger.because) == (OPERATOR, "retry by Grace")


# --- On this machine


HERE = {"REMOTE_ADDR": "127.0.0.1"}


def test_on_this_machine_one_is_the_operator_and_may_sign_in_as_somebody_else(scene: Scene) -> None:
    run_id = scene.run_in(scene.hidden)
    app = scene.pages(place=Place())
    browser = app.test_client()

    def get(path: str) -> object:
        return browser.get(path, base_url="http://localhost:8000", environ_overrides=HERE)

    assert get(f"/runs/{run_id}").status_code == 200  # type: ignore[attr-defined]
    form = read(get("/sign-in"))  # type: ignore[arg-type]
    [token] = [field["value"] for field in form.all("input", name="form_token")]
    sent = browser.post(
        "/sign-in", data={"form_token": token}, base_url="http://localhost:8000", environ_overrides=HERE
    )
    assert query_of(str(sent.location))["redirect_uri"] == "http://localhost:8000/auth/callback"
    get(says_yes(str(sent.location), "ada"))
    assert get(f"/runs/{run_id}").status_code == 404  # type: ignore[attr-defined]


@pytest.mark.parametrize("place", [Place(), Place(PUBLIC)], ids=["here", "public"])
@pytest.mark.parametrize(
    "headers",
    [{}, {"X-Forwarded-For": "127.0.0.1"}, {"Forwarded": "for=127.0.0.1"}, {"X-Real-Ip": "127.0.0.1"}],
    ids=["none", "x-forwarded-for", "forwarded", "x-real-ip"],
)
def test_where_sign_in_is_wanted_everywhere_this_machine_is_no_exception(
    scene: Scene, place: Place, headers: dict[str, str]
) -> None:
    run_id = scene.run_in(scene.seen)
    browser = scene.pages(place=place, lets_in_local=False).test_client()

    def ask(method: str, path: str) -> int:
        here = "http://localhost:8000"
        answer = browser.open(path, method=method, base_url=here, headers=headers, environ_overrides=HERE)
        return answer.status_code

    seen = [ask("GET", path) for path in ("/", f"/runs/{run_id}", "/numbers", f"/runs/{run_id}/events")]
    done = [ask("POST", f"/runs/{run_id}/{what}") for what in ("stop", "retry")]
    assert (seen, done) == ([401] * 4, [401] * 2)
    assert scene.store.stop_because(run_id) is None


@pytest.mark.parametrize(
    ("host", "headers", "remote"),
    [
        ("http://localhost", {"X-Forwarded-For": "203.0.113.9"}, "127.0.0.1"),
        ("http://localhost", {"Forwarded": "for=203.0.113.9"}, "127.0.0.1"),
        ("http://localhost", {"X-Forwarded-Host": "bot.example.com"}, "127.0.0.1"),
        ("http://localhost", {"X-Forwarded-Proto": "https"}, "127.0.0.1"),
        ("http://localhost", {"Via": "1.1 proxy"}, "127.0.0.1"),
        ("https://bot.example.com", {}, "127.0.0.1"),
        ("http://localhost", {}, "203.0.113.9"),
        ("http://rebound.example", {}, "127.0.0.1"),
    ],
)
def test_nobody_gets_in_by_seeming_to_be_on_this_machine(
    scene: Scene, host: str, headers: dict[str, str], remote: str
) -> None:
    answer = scene.browser().get("/", base_url=host, headers=headers, environ_overrides={"REMOTE_ADDR": remote})

    assert answer.status_code == 401
    assert "Sign in with GitHub" in answer.text


def test_who_names_no_host_is_not_taken_to_be_on_this_machine(scene: Scene) -> None:
    asked = create_environ(base_url="http://localhost", environ_overrides=HERE)
    del asked["HTTP_HOST"]

    _, status, _ = run_wsgi_app(scene.pages(), asked)

    assert asked["SERVER_NAME"] == "localhost"
    assert status == "401 UNAUTHORIZED"


# --- The way over GitHub


def test_github_is_asked_with_a_state_and_a_challenge_and_our_public_address(scene: Scene) -> None:
    browser = scene.browser()
    page = look(browser, "/sign-in")
    [token] = [field["value"] for field in page.all("input", name="form_token")]

    answer = behind_a_proxy(browser).post("/sign-in", data={"form_token": token}, headers={"Host": "inside:8000"})

    asked = query_of(str(answer.location))
    assert str(answer.location).startswith(f"{scene.hub.base_url}/login/oauth/authorize?")
    assert asked["redirect_uri"] == f"{PUBLIC}/auth/callback"
    assert asked["code_challenge_method"] == "S256"
    assert len(asked["state"]) == len(asked["code_challenge"]) == 43


def test_a_way_back_that_another_browser_was_given_signs_nobody_in(scene: Scene) -> None:
    attacker, victim = scene.browser(), scene.browser()
    back = says_yes(sent_to_github(attacker), "ada")
    sent_to_github(victim)

    answers = [victim.get(back), scene.browser().get(back)]

    assert [answer.status_code for answer in answers] == [400, 400]
    assert cookie_of(victim) == ""
    assert "belongs to no sign-in" in answers[0].text


def test_a_code_that_another_browser_was_given_is_good_for_nothing(scene: Scene) -> None:
    victim, thief = scene.browser(), scene.browser()
    code = query_of(says_yes(sent_to_github(victim), "mona"))["code"]
    own = query_of(sent_to_github(thief))["state"]

    answer = thief.get(f"/auth/callback?code={code}&state={own}")

    assert answer.status_code == 400
    assert "no longer takes the code" in answer.text
    assert cookie_of(thief) == ""


def test_a_way_back_counts_once(scene: Scene) -> None:
    browser = scene.browser()
    back = says_yes(sent_to_github(browser), "mona")
    taken_along = cookie_of(browser, UNDER_WAY)
    assert browser.get(back).status_code == 303
    browser.set_cookie(UNDER_WAY, taken_along, domain="bot.example.com")

    answer = browser.get(back)

    assert answer.status_code == 400


def test_a_way_back_counts_for_ten_minutes(scene: Scene) -> None:
    browser = scene.browser()
    address = sent_to_github(browser)
    scene.clock.go_on(minutes=10.1)

    answer = browser.get(says_yes(address, "mona"))

    assert answer.status_code == 400
    assert cookie_of(browser) == ""


@pytest.mark.parametrize("query", ["", "?code=c", "?state=s", "?code=c&state=", "?code=c&state=é", "?error=x&state=y"])
def test_what_nobody_asked_for_signs_nobody_in(scene: Scene, query: str) -> None:
    browser = scene.browser()
    sent_to_github(browser)

    assert browser.get(f"/auth/callback{query}").status_code == 400
    assert cookie_of(browser) == ""


def test_who_says_no_to_github_is_told_so(scene: Scene) -> None:
    browser = scene.browser()

    answer = browser.get(says_yes(sent_to_github(browser), ""))

    assert answer.status_code == 401
    assert "you did not let it tell us" in answer.text


def test_signing_in_and_out_take_a_form_of_ours(scene: Scene) -> None:
    browser = signed_in(scene, "mona")
    page = look(browser, "/")
    [token, *_] = [field["value"] for field in page.all("input", name="form_token")]
    hidden = {"Origin": "null", "Sec-Fetch-Site": "cross-site"}

    refused = [
        browser.post("/sign-out"),
        browser.post("/sign-out", data={"form_token": "x" * 43}),
        browser.post("/sign-out", data={"form_token": token}, headers={"Origin": "https://evil.example"}),
        browser.post("/sign-out", data={"form_token": token}, headers=hidden),
        browser.post("/sign-out", data={"form_token": token}, headers={"Sec-Fetch-Site": "same-site"}),
        scene.browser().post("/sign-in", data={"form_token": token}),
    ]

    assert [answer.status_code for answer in refused] == [403] * 6
    assert browser.get("/sign-out").status_code == 405
    assert browser.get("/").status_code == 200


def test_behind_a_proxy_forms_are_ours_by_the_public_address_whatever_host_it_names(scene: Scene) -> None:
    run_id = scene.run_in(scene.seen)
    browser = signed_in(scene, "mona")
    page = look(browser, f"/runs/{run_id}")
    [token, *_] = [field["value"] for field in page.all("input", name="form_token")]

    proxied = behind_a_proxy(browser)

    def stop(origin: str) -> int:
        sent = {"Origin": origin, "Host": "inside:8000"}
        return proxied.post(f"/runs/{run_id}/stop", data={"form_token": token}, headers=sent).status_code

    assert [stop("http://inside:8000"), stop("http://bot.example.com"), stop(PUBLIC)] == [403, 403, 303]


def test_the_form_of_who_was_here_before_is_no_good_after_signing_in(scene: Scene) -> None:
    browser = scene.browser()
    look(browser, "/sign-in")
    before = cookie_of(browser, FORM)

    sign_in(browser, "mona")

    assert cookie_of(browser, FORM) not in ("", before)


def test_pages_may_send_forms_to_us_alone_and_the_one_to_sign_in_to_github(scene: Scene) -> None:
    browser = scene.browser()
    asked = browser.get("/").headers["Content-Security-Policy"]
    sign_in(browser, "mona")
    shown = browser.get("/").headers["Content-Security-Policy"]

    assert f"form-action 'self' {scene.hub.base_url};" in asked
    assert "form-action 'self';" in shown
    assert "unsafe-inline" not in asked + shown


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "://", "localhost:8000"])
def test_an_origin_that_is_none_is_not_ours(scene: Scene, origin: str) -> None:
    browser = scene.pages(place=Place(), lets_in_local=False).test_client()
    here = {"base_url": "http://localhost:8000", "environ_overrides": HERE}
    [token] = [field["value"] for field in read(browser.get("/sign-in", **here)).all("input", name="form_token")]

    answer = browser.post("/sign-in", data={"form_token": token}, headers={"Origin": origin}, **here)

    assert answer.status_code == 403


@pytest.mark.parametrize("path", ["//", "/runs//nobody", "/static//style.css", "//evil.example//"])
def test_nobody_is_led_on_to_the_host_that_a_request_names(scene: Scene, path: str) -> None:
    answer = scene.browser().get(path, headers={"Host": "evil.example"})

    assert [answer.status_code, answer.location] == [401, None]


def test_no_cache_keeps_what_a_page_says_to_somebody_whatever_its_address_looks_like(scene: Scene) -> None:
    browser = signed_in(scene, "mona")

    answers = [each.get("/static/nothing.css") for each in (browser, scene.browser())]
    kept = browser.get("/static/style.css")
    kept.close()

    assert [(answer.status_code, answer.headers["Cache-Control"]) for answer in answers] == [
        (404, "no-store"),
        (401, "no-store"),
    ]
    assert (kept.status_code, kept.headers["Cache-Control"]) == (200, "public, max-age=86400")


# --- Sessions


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

    def end_all_of(self, user_id: int) -> None:
        self.before_end()
        super().end_all_of(user_id)

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


# --- GitHub is away


@pytest.mark.parametrize("status", [0, 500, 502])
def test_while_github_does_not_say_who_may_see_what_nobody_sees_anything(scene: Scene, status: int) -> None:
    run_id = scene.run_in(scene.seen)
    browser = signed_in(scene, "mona")
    assert browser.get(f"/runs/{run_id}").status_code == 200
    scene.clock.go_on(minutes=REACH_S / MINUTE_S)
    scene.hub.fail_next("GET", "/user", status, times=2)

    answers = [browser.get(f"/runs/{run_id}"), browser.get("/")]

    assert [answer.status_code for answer in answers] == [503, 503]
    assert "GitHub does not answer" in answers[0].text
    assert browser.get(f"/runs/{run_id}").status_code == 200


def test_a_part_of_the_answer_is_none(scene: Scene) -> None:
    browser = signed_in(scene, "mona")
    scene.clock.go_on(minutes=REACH_S / MINUTE_S)
    scene.hub.fail_next("GET", "/user/installations/.*/repositories", 500)

    assert browser.get("/").status_code == 503


def test_nothing_is_stopped_while_github_does_not_say_who_may(scene: Scene) -> None:
    run_id = scene.run_in(scene.seen)
    browser = signed_in(scene, "mona")
    page = look(browser, f"/runs/{run_id}")
    scene.hub.fail_next("GET", "/repositories/", 500)

    answer = send(browser, page, f"/runs/{run_id}/stop")

    assert answer.status_code == 503
    assert scene.store.stop_because(run_id) is None


def test_who_comes_back_while_github_is_away_is_told_so(scene: Scene) -> None:
    browser = scene.browser()
    back = says_yes(sent_to_github(browser), "mona")
    scene.hub.fail_next("GET", "/user", 502)

    answer = browser.get(back)

    assert answer.status_code == 503
    assert cookie_of(browser) == ""


def test_with_credentials_that_github_does_not_take_nobody_signs_in(scene: Scene) -> None:
    browser = scene.browser()
    back = says_yes(sent_to_github(browser), "mona")
    scene.app.client_secret = "another"

    assert browser.get(back).status_code == 503


# --- As a person does it


def test_over_http_one_signs_in_looks_at_a_run_and_signs_out(scene: Scene) -> None:
    run_id = scene.run_in(scene.seen)
    with served_beside(scene.pages(place=Place(), lets_in_local=False), port=0) as port:
        browser = Browser()
        assert browser.open(f"http://127.0.0.1:{port}/runs/{run_id}").status == 401
        browser.send()
        assert "Authorize selfcode" in browser.words
        browser.send(login="mona")
        assert (browser.status, browser.answer.url) == (200, f"http://127.0.0.1:{port}/runs/{run_id}")
        assert "mona" in browser.words
        browser.send()
        assert "Sign in to selfcode" in browser.words
        assert browser.open(f"http://127.0.0.1:{port}/runs/{run_id}").status == 401
    assert soon(lambda: scene.hub.world.tokens == {})

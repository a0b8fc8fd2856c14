"""Signing in by GitHub, and every way around it that somebody may try."""

import pytest

from bot.web.beside import served_beside
from bot.web.pages.doorkeeper import REACH_S
from bot.web.pages.place import Place
from tests.web.browser import Browser
from tests.web.pages.browsing import look, read, send
from tests.web.pages.signing import (
    FORM,
    HERE,
    MINUTE_S,
    PUBLIC,
    UNDER_WAY,
    Scene,
    behind_a_proxy,
    cookie_of,
    query_of,
    says_yes,
    sent_to_github,
    sign_in,
    signed_in,
    soon,
)

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

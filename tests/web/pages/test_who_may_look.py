"""Who sees what and may do what, signed in, not signed in, or on this machine."""

import pytest
from flask.testing import FlaskClient
from werkzeug.test import create_environ, run_wsgi_app

from bot.records import OPERATOR
from bot.web.pages.doorkeeper import REACH_S
from bot.web.pages.place import Place, own_path
from tests.web.pages.browsing import look, read, send
from tests.web.pages.signing import (
    HERE,
    MINUTE_S,
    PUBLIC,
    Scene,
    query_of,
    says_yes,
    sign_in,
    signed_in,
)

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


def test_that_something_runs_is_told_to_those_alone_who_may_see_it(scene: Scene) -> None:
    ada, operator = signed_in(scene, "ada"), signed_in(scene, "octo", operators=frozenset({"octo"}))
    before = [told_of(browser) for browser in (ada, operator)]

    scene.run_in(scene.hidden)

    after = [told_of(browser) for browser in (ada, operator)]
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False]
    scene.run_in(scene.seen)
    assert told_of(ada) != after[0]


def told_of(browser: FlaskClient) -> str:
    """Where the page with all runs listens from on: another address once there is something to hear."""
    [live] = look(browser, "/").all("div", id="live")
    return live["data-events"]


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

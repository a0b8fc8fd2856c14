"""Signing in by an App on the stand-in, as GitHub's pages and API do it."""

from typing import Any

import pytest
import requests

from bot.demo.hub import Hub
from bot.demo.state import App
from bot.web.pages.sealing import challenge_for
from tests.demo import published
from tests.demo.clients import Client

BACK = "https://bot.example.com/auth/callback"
VERIFIER = "v" * 43


@pytest.fixture
def app(hub: Hub) -> App:
    """On octo's account, which has octo/seen (private, mona writes) and octo/public."""
    hub.create_repository("octo/seen", private=True, roles={"mona": "write"})
    hub.create_repository("octo/public")
    app = hub.create_app(owner="octo", callback_urls=(BACK,))
    hub.install(app, "octo")
    return app


def code_for(hub: Hub, app: App, login: str = "mona", **changed: str) -> str:
    """Say yes on the page, as somebody."""
    asked = {
        "client_id": app.client_id,
        "redirect_uri": BACK,
        "state": "s-1",
        "code_challenge": challenge_for(VERIFIER),
        "code_challenge_method": "S256",
    } | changed
    address = f"{hub.base_url}/login/oauth/authorize"
    assert f"Sign in as {login}" in requests.get(address, asked, timeout=10).text
    said = requests.post(address, {"login": login}, params=asked, timeout=10, allow_redirects=False)
    back = said.headers["Location"]
    assert back.startswith(f"{BACK}?code=")
    assert back.endswith("&state=s-1")
    return back.partition("code=")[2].partition("&")[0]


def tokens(hub: Hub, app: App, **given: str) -> Any:
    sent = {"client_id": app.client_id, "client_secret": app.client_secret, **given}
    return requests.post(f"{hub.base_url}/login/oauth/access_token", sent, timeout=10).json()


def signed_in(hub: Hub, app: App, login: str = "mona") -> Client:
    given = tokens(hub, app, code=code_for(hub, app, login), code_verifier=VERIFIER)
    return Client(hub.api_url, given["access_token"])


def test_a_code_is_good_for_a_token_of_eight_hours_and_what_renews_it_once(hub: Hub, app: App) -> None:
    code = code_for(hub, app)

    given = tokens(hub, app, code=code, code_verifier=VERIFIER, redirect_uri=BACK)

    assert given["access_token"].startswith("ghu_")
    assert given["refresh_token"].startswith("ghr_")
    assert (given["expires_in"], given["token_type"], given["scope"]) == (28_800, "bearer", "")
    assert tokens(hub, app, code=code, code_verifier=VERIFIER)["error"] == "bad_verification_code"


def test_an_app_revokes_a_token_of_its_own_by_its_secret_alone(hub: Hub, app: App) -> None:
    given = tokens(hub, app, code=code_for(hub, app), code_verifier=VERIFIER)["access_token"]
    other = hub.create_app("other")
    address = f"{hub.api_url}/applications/{app.client_id}/token"

    def revoked(client_id: str, secret: str, value: str = given) -> int:
        asked = requests.delete(address, auth=(client_id, secret), json={"access_token": value}, timeout=10)
        return asked.status_code

    refused = [
        revoked(app.client_id, "wrong"),
        revoked(other.client_id, other.client_secret),
        revoked(app.client_id, app.client_secret, "ghu_other"),
        Client(hub.api_url, given).delete(f"/applications/{app.client_id}/token").status_code,
    ]
    before = Client(hub.api_url, given).get("/user").status_code
    done = revoked(app.client_id, app.client_secret)

    assert refused == [401, 404, 404, 404]
    assert (before, done, Client(hub.api_url, given).get("/user").status_code) == (200, 204, 401)
    published.check_all(hub)


def test_who_takes_back_what_they_allowed_ends_their_tokens_and_the_app_is_told(hub: Hub, app: App) -> None:
    mona = signed_in(hub, app)

    hub.revoke("mona")
    hub.revoke("mona")

    told = [each for each in hub.world.deliveries if each.event == "github_app_authorization"]
    assert [(each.action, each.payload["sender"]["login"]) for each in told] == [("revoked", "mona")]
    assert "installation" not in told[0].payload
    assert mona.get("/user").status_code == 401
    published.check_all(hub)


def test_the_next_token_takes_the_place_of_the_one_before(hub: Hub, app: App) -> None:
    given = tokens(hub, app, code=code_for(hub, app), code_verifier=VERIFIER)
    renewing = {"grant_type": "refresh_token", "refresh_token": given["refresh_token"]}

    fresh = tokens(hub, app, **renewing)

    asked = [Client(hub.api_url, each["access_token"]).get("/user").status_code for each in (given, fresh)]
    assert asked == [401, 200]
    assert tokens(hub, app, **renewing)["error"] == "bad_refresh_token"


def test_a_token_ends_after_eight_hours(hub: Hub, app: App) -> None:
    mona = signed_in(hub, app)
    hub.advance(minutes=8 * 60)

    assert mona.get("/user").status_code == 401


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"code_verifier": "w" * 43}, "bad_verification_code"),
        ({"code_verifier": ""}, "bad_verification_code"),
        ({"client_secret": "x"}, "incorrect_client_credentials"),
        ({"client_id": "x"}, "incorrect_client_credentials"),
        ({"redirect_uri": "https://evil.example"}, "redirect_uri_mismatch"),
        ({"code": "x"}, "bad_verification_code"),
    ],
)
def test_what_does_not_fit_gets_no_token(hub: Hub, app: App, wrong: dict[str, str], error: str) -> None:
    given = {"code": code_for(hub, app), "code_verifier": VERIFIER} | wrong

    answer = tokens(hub, app, **given)

    assert answer["error"] == error
    assert "access_token" not in answer


def test_a_code_is_good_for_ten_minutes(hub: Hub, app: App) -> None:
    code = code_for(hub, app)
    hub.advance(minutes=10)

    assert tokens(hub, app, code=code, code_verifier=VERIFIER)["error"] == "bad_verification_code"


@pytest.mark.parametrize("back", ["https://evil.example/auth/callback", "https://bot.example.com/other"])
def test_nobody_is_sent_back_to_an_address_that_the_app_has_not_named(hub: Hub, app: App, back: str) -> None:
    asked = {"client_id": app.client_id, "redirect_uri": back}

    assert requests.get(f"{hub.base_url}/login/oauth/authorize", asked, timeout=10).status_code == 404


def test_one_sees_what_both_the_person_and_the_app_see_in_githubs_shapes(hub: Hub, app: App) -> None:
    hub.create_repository("else/where", private=True, roles={"mona": "admin"})
    mona = signed_in(hub, app)

    [installation] = mona.get("/user/installations").json()["installations"]
    seen = mona.get(f"/user/installations/{installation['id']}/repositories").json()

    assert [(each["full_name"], each["permissions"]["push"]) for each in seen["repositories"]] == [("octo/seen", True)]
    assert mona.get("/user").json()["login"] == "mona"
    assert mona.get("/repos/octo/seen").json()["permissions"]["maintain"] is False
    assert [mona.get(f"/repos/{name}").status_code for name in ("else/where", "octo/public")] == [404, 200]
    published.check_all(hub)


def test_a_stranger_sees_no_installation(hub: Hub, app: App) -> None:
    hub.create_user("mallory")

    stranger = signed_in(hub, app, "mallory")

    assert stranger.get("/user/installations").json() == {"total_count": 0, "installations": []}


def test_a_token_that_no_app_has_says_nothing_of_installations(hub: Hub, app: App) -> None:
    assert Client(hub.api_url, hub.token("mona")).get("/user/installations").status_code == 403


def test_what_is_suspended_shows_nothing(hub: Hub, app: App) -> None:
    mona = signed_in(hub, app)
    [installation] = hub.world.installations.values()
    hub.suspend(installation)

    assert mona.get(f"/user/installations/{installation.id}/repositories").status_code == 403
    assert mona.get("/repos/octo/seen").status_code == 404

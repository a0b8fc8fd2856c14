"""An App from a manifest, as GitHub's pages and API do it."""

import json
from typing import Any

import pytest
import requests
from githubkit_schemas.v2022_11_28.models import AppManifestsCodeConversionsPostResponse201

from bot.demo.hub import Hub
from tests.web.browser import Browser

MANIFEST = {
    "name": "Adders Bot",
    "url": "https://bot.example.com",
    "redirect_url": "http://127.0.0.1:9/setup/created",
    "hook_attributes": {"url": "http://127.0.0.1:9/webhook", "active": True},
    "default_permissions": {"issues": "write"},
    "default_events": ["issues"],
}


def code_of(hub: Hub, **changed: Any) -> str:
    """From the page that asks for the name to the code that comes back."""
    browser = Browser()
    browser.session.max_redirects = 0
    browser._show(
        browser.session.post(
            f"{hub.base_url}/settings/apps/new?state=s-1", data={"manifest": json.dumps(MANIFEST | changed)}, timeout=10
        )
    )
    form = browser.page.forms[0]
    sent = requests.post(hub.base_url + form.action, data=form.fields, timeout=10, allow_redirects=False)
    assert sent.status_code == 302, sent.text
    back = sent.headers["Location"]
    assert back.startswith("http://127.0.0.1:9/setup/created?code=")
    assert back.endswith("&state=s-1")
    return back.partition("code=")[2].partition("&")[0]


def convert(hub: Hub, code: str) -> requests.Response:
    return requests.post(f"{hub.api_url}/app-manifests/{code}/conversions", timeout=10)


def test_a_code_is_good_for_the_apps_credentials_in_githubs_shape_and_once(hub: Hub) -> None:
    hub.sign_in("octo")
    code = code_of(hub)

    answer = convert(hub, code)

    AppManifestsCodeConversionsPostResponse201.model_validate(answer.json())
    app = hub.world.apps[answer.json()["id"]]
    assert (answer.status_code, app.slug, app.owner.login) == (201, "adders-bot", "octo")
    assert answer.json()["pem"] == app.private_key
    assert app.permissions == {"issues": "write", "metadata": "read"}
    assert convert(hub, code).status_code == 404
    hub.wait_for_deliveries()
    assert [delivery.event for delivery in hub.deliveries] == ["ping"]


def test_a_code_expires_after_an_hour(hub: Hub) -> None:
    hub.sign_in("octo")
    code = code_of(hub)
    hub.advance(minutes=60)

    assert convert(hub, code).status_code == 404


@pytest.mark.parametrize(
    ("changed", "words"),
    [({"hook_attributes": {"active": False}}, "url"), ({"url": ""}, "url")],
)
def test_a_manifest_without_an_address_that_github_wants_is_refused(
    hub: Hub, changed: dict[str, Any], words: str
) -> None:
    hub.sign_in("octo")

    answer = requests.post(
        f"{hub.base_url}/settings/apps/new", data={"manifest": json.dumps(MANIFEST | changed)}, timeout=10
    )

    assert answer.status_code == 422
    assert words in answer.text


def test_a_name_is_had_by_one_app_alone(hub: Hub) -> None:
    hub.sign_in("octo")
    code_of(hub)

    sent = requests.post(
        f"{hub.base_url}/settings/apps/manifest",
        data={"manifest": json.dumps(MANIFEST), "name": "adders bot", "owner": "octo"},
        timeout=10,
    )

    assert sent.status_code == 422
    assert "already taken" in sent.text


def test_who_is_signed_in_installs_an_app_on_all_repositories_of_its_owner(hub: Hub) -> None:
    app = hub.create_app("adders", owner="octo")

    shown = Browser().open(f"{hub.base_url}/apps/adders/installations/new").send()

    assert "is installed on octo" in shown.words
    assert [each.app for each in hub.world.installations.values()] == [app]

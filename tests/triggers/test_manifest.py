"""app.yml: what GitHub's manifest flow takes, and what the code reads."""

from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml
from githubkit_schemas.latest.models import AppPermissions
from githubkit_schemas.latest.webhooks import VALID_EVENT_NAMES
from hatchling.builders.wheel import WheelBuilder

from bot.records import WantedApp
from bot.triggers.events import SUBSCRIBED, UNASKED
from bot.triggers.manifest import complaints, manifest_for
from bot.wire.manifest import app_manifest

KEYS = {
    "name",
    "url",
    "hook_attributes",
    "redirect_url",
    "callback_urls",
    "setup_url",
    "description",
    "public",
    "default_events",
    "default_permissions",
    "request_oauth_on_install",
    "setup_on_update",
}
"""Source: https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest"""


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((Path(__file__).parents[2] / "app.yml").read_text("utf-8"))
    return found


def test_the_manifest_has_only_keys_that_github_documents(manifest: dict[str, Any]) -> None:
    assert set(manifest) <= KEYS
    assert {"name", "url"} <= set(manifest)
    assert set(manifest["hook_attributes"]) <= {"url", "active"}
    assert len(manifest["name"]) <= 34


def test_the_app_subscribes_to_exactly_the_events_that_are_parsed(manifest: dict[str, Any]) -> None:
    assert set(manifest["default_events"]) == set(SUBSCRIBED)
    assert not set(manifest["default_events"]) & set(UNASKED)


def test_every_event_is_one_of_githubs(manifest: dict[str, Any]) -> None:
    assert set(SUBSCRIBED) | set(UNASKED) <= set(VALID_EVENT_NAMES)


def test_the_permissions_are_those_of_the_whole_design_and_githubs_own_words(manifest: dict[str, Any]) -> None:
    permissions = manifest["default_permissions"]

    AppPermissions.model_validate(permissions, strict=True)
    assert set(permissions) <= set(AppPermissions.model_fields)
    assert permissions == {
        "issues": "write",
        "pull_requests": "write",
        "contents": "write",
        "checks": "write",
        "actions": "read",
        "metadata": "read",
    }


def test_not_everyone_may_install_the_app(manifest: dict[str, Any]) -> None:
    assert manifest["public"] is False


# --- What is made of it


def a_wish(**changed: Any) -> WantedApp:
    return WantedApp(**{"name": "adders", "address": "https://bot.example.com"} | changed)


def test_what_is_sent_to_github_has_the_operators_words_in_it_and_the_rest_of_app_yml(manifest: dict[str, Any]) -> None:
    sent = manifest_for(app_manifest(), a_wish(), here="http://127.0.0.1:8000")

    assert set(sent) == set(manifest)
    assert sent["hook_attributes"] == {"url": "https://bot.example.com/webhook", "active": True}
    assert sent["redirect_url"] == "http://127.0.0.1:8000/setup/created"
    assert sent["callback_urls"] == ["https://bot.example.com/auth/callback"]
    assert sent["default_permissions"] == manifest["default_permissions"]
    assert sent["public"] is False


def test_without_an_address_the_webhook_is_active_all_the_same_for_only_then_github_keeps_deliveries() -> None:
    sent = manifest_for(app_manifest(), a_wish(address=None), here="http://127.0.0.1:8000")

    assert sent["hook_attributes"] == {"url": "https://selfcode.invalid/webhook", "active": True}
    assert sent["callback_urls"] == ["http://127.0.0.1:8000/auth/callback"]


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({}, ""),
        ({"organization": "acme-inc"}, ""),
        ({"address": None}, ""),
        ({"name": "x" * 34}, ""),
        ({"name": "x" * 35}, "name"),
        ({"name": ""}, "name"),
        ({"name": "a\u202eb"}, "name"),
        ({"organization": "a/b"}, "organization"),
        ({"organization": "-a"}, "organization"),
        ({"address": "bot.example.com"}, "address"),
        ({"address": "ftp://bot.example.com"}, "address"),
        ({"address": "https://bot.example.com/?a"}, "address"),
        ({"address": "https://[bot"}, "address"),
        ({"address": "https://bot:99999"}, "address"),
        ({"address": "https://localhost"}, "address"),
        ({"address": "http://127.0.0.1:8000"}, "address"),
        ({"address": "https://10.0.0.7"}, "address"),
        ({"address": "https://bot"}, "address"),
        ({"address": "https://[::1]:8000"}, "address"),
    ],
)
def test_what_github_com_would_not_take_is_told_by_its_field(changed: dict[str, Any], field: str) -> None:
    assert list(complaints(a_wish(**changed), web_address="https://github.com")) == ([field] if field else [])


def test_an_enterprise_server_may_reach_addresses_inside() -> None:
    assert not complaints(a_wish(address="http://10.0.0.7:8000"), web_address="https://github.example.com")


def test_app_yml_and_what_pages_need_are_part_of_the_installed_package(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]

    built = next(WheelBuilder(str(root)).build(directory=str(tmp_path), versions=["standard"]))

    names = set(ZipFile(built).namelist())
    assert {"bot/app.yml", "bot/web/pages/templates/frame.html", "bot/web/pages/static/style.css"} <= names
    assert not {name for name in names if name.endswith(".pyc")}

"""app.yml: what GitHub's manifest flow takes, and what the code reads."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from githubkit_schemas.latest.models import AppPermissions
from githubkit_schemas.latest.webhooks import VALID_EVENT_NAMES

from bot.triggers.events import SUBSCRIBED, UNASKED

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

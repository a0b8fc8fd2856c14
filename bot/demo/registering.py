"""Registering Apps: by the hub's own word, or from a manifest that somebody brings along with their browser.

Source: https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from bot.demo.answers import ApiError
from bot.demo.deliveries import Courier
from bot.demo.people import Account, App, Registration
from bot.demo.world import World

CODE_LIFE = timedelta(hours=1)
NAME_LIMIT = 34


@dataclass(frozen=True, slots=True)
class Manifest:
    """What somebody brings along."""

    name: str
    redirect_url: str
    webhook_url: str
    permissions: Mapping[str, str]
    events: tuple[str, ...]
    callback_urls: tuple[str, ...]


def register(
    world: World,
    slug: str,
    *,
    owner: Account,
    webhook_url: str,
    webhook_secret: str,
    permissions: Mapping[str, str],
    events: tuple[str, ...],
    callback_urls: tuple[str, ...],
) -> App:
    """Make an App, with a key of its own."""
    private, public = world.new_keys()
    app = App(
        id=world.new_id(),
        slug=slug,
        owner=owner,
        bot=world.add_account(f"{slug}[bot]", "Bot"),
        private_key=private,
        public_key=public,
        webhook_secret=webhook_secret,
        webhook_url=webhook_url,
        permissions=dict(permissions),
        events=events,
        created_at=world.now(),
        client_id=f"Iv23{secrets.token_hex(8)}",
        client_secret=secrets.token_hex(20),
        callback_urls=callback_urls,
    )
    world.apps[app.id] = app
    return app


def read_manifest(text: str) -> Manifest:
    """What it says. Raises 422 for what GitHub would not take."""
    try:
        given: dict[str, Any] = json.loads(text)
    except ValueError:
        raise ApiError(422, "The manifest is not JSON") from None
    hook = given.get("hook_attributes")
    if not given.get("url") or (hook is not None and not hook.get("url")):
        raise ApiError(422, 'Invalid GitHub App configuration: Error "url" wasn\'t supplied.')
    active = hook is not None and hook.get("active", True)
    return Manifest(
        name=given.get("name", ""),
        redirect_url=given.get("redirect_url", ""),
        webhook_url=hook["url"] if hook is not None and active else "",
        permissions=given.get("default_permissions", {}),
        events=tuple(given.get("default_events", ())),
        callback_urls=tuple(given.get("callback_urls", ())),
    )


def create_from(world: World, courier: Courier, manifest: Manifest, *, name: str, owner: Account, state: str) -> str:
    """Create the App under the name that was chosen. Returns the address that the browser is sent back to, with a code.

    Raises 422 where the name can't be had.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if not slug or len(name) > NAME_LIMIT:
        raise ApiError(422, f"Name is too long (maximum is {NAME_LIMIT} characters)" if slug else "Name can't be blank")
    if any(app.slug == slug for app in world.apps.values()):
        raise ApiError(422, "Name is already taken")
    app = register(
        world,
        slug,
        owner=owner,
        webhook_url=manifest.webhook_url,
        webhook_secret=secrets.token_hex(20),
        permissions={**manifest.permissions, "metadata": "read"},
        events=manifest.events,
        callback_urls=manifest.callback_urls,
    )
    if app.webhook_url:
        courier.ping(app)
    code = secrets.token_hex(20)
    world.registrations[code] = Registration(app, world.now())
    return f"{manifest.redirect_url}?{urlencode({'code': code, **({'state': state} if state else {})})}"


def redeem(world: World, code: str) -> App:
    """The App that a code stands for, whose credentials are told now and never again. Raises 404."""
    found = world.registrations.pop(code, None)
    if found is None or world.now() - found.at >= CODE_LIFE:
        raise ApiError(404, "Not Found")
    return found.app

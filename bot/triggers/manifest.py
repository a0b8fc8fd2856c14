"""The App's manifest: what app.yml asks for, and what is sent to GitHub to create the App from it.

Source: https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import yaml

from bot.records import WantedApp

NAME_LIMIT = 34
NOWHERE = "https://selfcode.invalid"
"""An address that leads nowhere, for ever: GitHub makes and keeps deliveries for an active webhook alone.

Source: RFC 2606
"""
PUBLIC_GITHUB = "https://github.com"
WEBHOOK = "/webhook"
CREATED = "/setup/created"
SIGNED_IN = "/auth/callback"

_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9_])?")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What app.yml says, and of it what has to be granted."""

    fields: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(self.fields["name"])

    @property
    def permissions(self) -> Mapping[str, str]:
        return MappingProxyType(dict(self.fields["default_permissions"]))

    @property
    def events(self) -> tuple[str, ...]:
        return tuple(self.fields["default_events"])


def parse_manifest(text: str) -> Manifest:
    """What an app.yml says."""
    return Manifest(MappingProxyType(yaml.safe_load(text)))


def manifest_for(manifest: Manifest, wanted: WantedApp, *, here: str) -> Mapping[str, Any]:
    """What GitHub is to create. `here` is our address as the operator's browser sees it."""
    address = wanted.address or NOWHERE
    return {
        **manifest.fields,
        "name": wanted.name,
        "url": address,
        "hook_attributes": {"url": f"{address}{WEBHOOK}", "active": True},
        "redirect_url": f"{here}{CREATED}",
        "callback_urls": [f"{wanted.address or here}{SIGNED_IN}"],
    }


def complaints(wanted: WantedApp, *, web_address: str) -> Mapping[str, str]:
    """What GitHub would not take, each by the field that it is about."""
    found = {
        "name": _about_name(wanted.name),
        "organization": "" if not wanted.organization or _LOGIN.fullmatch(wanted.organization) else _NO_LOGIN,
        "address": _about_address(wanted.address, web_address),
    }
    return {name: words for name, words in found.items() if words}


_NO_LOGIN = "This is no login of an organization: letters, digits and hyphens."


def _about_name(name: str) -> str:
    if not name:
        return "Give it a name."
    if len(name) > NAME_LIMIT:
        return f"GitHub takes at most {NAME_LIMIT} characters; these are {len(name)}."
    return "" if name.isprintable() else "Only characters that can be seen."


def _about_address(address: str | None, web_address: str) -> str:
    if address is None:
        return ""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        return "This is no address."
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment or "@" in parts.netloc:
        return "This is no address: https://HOST, as GitHub can reach it."
    if any(mark.isspace() or not mark.isprintable() for mark in address):
        return "This is no address: there is a space in it."
    if web_address == PUBLIC_GITHUB and _is_inside(host):
        return f"github.com can't reach {host}: it is an address inside your own network."
    return ""


def _is_inside(host: str) -> bool:
    try:
        return not ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith((".localhost", ".local", ".internal"))

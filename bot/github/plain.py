"""Requests that PyGithub does not send: of those who are not to load it, and to where it does not lead."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import requests
from requests import PreparedRequest

API_VERSION = "2022-11-28"
TIMEOUT_S = 15
"""How long GitHub may say nothing: by itself it ends each request after 10 s.

Source: https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#timeouts
"""
USER_AGENT = "selfcode"

Trust = bool | str
"""What certificates are checked by: True for what is installed, else a file."""


def trust_in(ca_bundle: Path | None) -> Trust:
    """What certificates are checked by."""
    return True if ca_bundle is None else str(ca_bundle)


def as_it_is(request: PreparedRequest) -> PreparedRequest:
    """No credentials, nor a password of the user's files, which `requests` would look for."""
    return request


def ask(
    method: str,
    address: str,
    *,
    trust: Trust,
    auth: Callable[[PreparedRequest], PreparedRequest] = as_it_is,
    timeout_s: float = TIMEOUT_S,
    headers: Mapping[str, str] | None = None,
    **sent: Any,
) -> requests.Response:
    """The answer, whatever its status; a redirect is one. Raises what `requests` does."""
    return requests.request(
        method,
        address,
        timeout=timeout_s,
        verify=trust,
        headers={"User-Agent": USER_AGENT, **(headers or {})},
        auth=auth,
        allow_redirects=False,
        **sent,
    )


def json_in(text: str | bytes) -> Any:
    """The answer's JSON; None where it is none, as that of a proxy between us and GitHub."""
    try:
        return json.loads(text)
    except ValueError:
        return None

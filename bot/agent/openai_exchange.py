"""One request to an OpenAI-compatible server and its answer, whatever it is: the door to the `openai` package."""

import asyncio
import json
import os
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bot.agent.retry_after import seconds_in
from bot.errors import ConfigError, Unavailable

if TYPE_CHECKING:
    import openai

OPENAI_HOST = "api.openai.com"
NO_KEY = "none"
UNNAMED = 500
"""The status of an error that came with 200 and names none."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. An error that came with status 200 has the status that its body names."""

    status: int
    body: str
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the model is served, and the key for it."""

    base_url: str
    api_key: str

    @property
    def address(self) -> str:
        """The address without what is secret in it."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"

    async def complete(self, request: Mapping[str, Any], *, timeout_s: float) -> Answer:
        """Ask for a chat completion, within `timeout_s` for all of it. Raises `Unavailable` where nothing came."""

        async def ask(client: "openai.AsyncOpenAI") -> str:
            response = await client.chat.completions.with_raw_response.create(**request)
            return str(response.text)

        return await self._within(ask, timeout_s=timeout_s)

    async def models(self, *, timeout_s: float) -> Answer:
        """What the server says of the models that it has. Raises `Unavailable` where nothing came."""

        async def ask(client: "openai.AsyncOpenAI") -> str:
            response = await client.models.with_raw_response.list()
            return str(response.text)

        return await self._within(ask, timeout_s=timeout_s)

    async def _within(self, ask: Callable[["openai.AsyncOpenAI"], Awaitable[str]], *, timeout_s: float) -> Answer:
        import openai  # noqa: PLC0415 - takes a second, and many a process asks no model

        client = openai.AsyncOpenAI(
            base_url=self.base_url,
            api_key=self.api_key,
            timeout=timeout_s,
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(verify=_trusted()),
        )
        try:
            async with client, asyncio.timeout(timeout_s):
                body = await ask(client)
        except openai.APIStatusError as error:
            return Answer(
                error.status_code, error.response.text, seconds_in(error.response.headers, now=datetime.now(tz=UTC))
            )
        except (openai.APITimeoutError, TimeoutError) as error:
            raise Unavailable(f"the model server at {self.address} did not answer in {timeout_s:g} s") from error
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            raise Unavailable(f"no connection to the model server at {self.address}: {cause}") from error
        return Answer(_status_within(body), body)


def endpoint_of(base_url: str | None, api_key: str | None) -> Endpoint:
    """The endpoint; what is not given as the openai package reads it. Local servers need no key.

    A variable that is set to nothing counts as not set, which the package sees otherwise. Raises `ConfigError` for what
    can be no key and no address, and where OpenAI itself is asked without a key.
    """
    base_url = base_url or os.environ.get("OPENAI_BASE_URL") or f"https://{OPENAI_HOST}/v1"
    api_key = api_key or os.environ.get("OPENAI_API_KEY") or None
    if not (api_key or NO_KEY).isascii() or not (api_key or NO_KEY).isprintable():
        raise ConfigError("OPENAI_API_KEY holds what no key holds: a line break, or letters beyond ASCII")
    if not _is_address(base_url):
        raise ConfigError("OPENAI_BASE_URL is no address: it begins with https:// or http://, then a host")
    if api_key is None and urlsplit(base_url).hostname == OPENAI_HOST:
        raise ConfigError("no key for the model: set OPENAI_API_KEY, or OPENAI_BASE_URL for a local server")
    return Endpoint(base_url, api_key or NO_KEY)


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates that are trusted. Read once a process: it takes longer than many a request."""
    import httpx  # noqa: PLC0415

    return httpx.create_ssl_context()


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _status_within(body: str) -> int:
    """OpenRouter and others answer 200 and put a failed call's status, if any, into the body."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return 200
    if not isinstance(found, dict) or found.get("choices"):
        return 200
    error = found if found.get("object") == "error" else found.get("error")
    if not error:
        return 200
    code = str(error.get("code")) if isinstance(error, dict) else ""
    status = int(code) if code.isdecimal() and len(code) == len("500") else UNNAMED
    return status if 400 <= status < 600 else UNNAMED

"""One request to an OpenAI-compatible server and its answer, whatever it is: the door to the `openai` package."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import openai

from bot.errors import ConfigError, Unavailable

OPENAI_HOST = "api.openai.com"
NO_KEY = "none"


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

        async def ask(client: openai.AsyncOpenAI) -> str:
            response = await client.chat.completions.with_raw_response.create(**request)
            return str(response.text)

        return await self._within(ask, timeout_s=timeout_s)

    async def models(self, *, timeout_s: float) -> Answer:
        """What the server says of the models that it has. Raises `Unavailable` where nothing came."""

        async def ask(client: openai.AsyncOpenAI) -> str:
            response = await client.models.with_raw_response.list()
            return str(response.text)

        return await self._within(ask, timeout_s=timeout_s)

    async def _within(self, ask: Callable[[openai.AsyncOpenAI], Awaitable[str]], *, timeout_s: float) -> Answer:
        client = openai.AsyncOpenAI(base_url=self.base_url, api_key=self.api_key, timeout=timeout_s, max_retries=0)
        try:
            async with client, asyncio.timeout(timeout_s):
                body = await ask(client)
        except openai.APIStatusError as error:
            return Answer(error.status_code, error.response.text, _seconds(error.response.headers))
        except (openai.APITimeoutError, TimeoutError) as error:
            raise Unavailable(f"the model server at {self.address} did not answer in {timeout_s:g} s") from error
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            raise Unavailable(f"no connection to the model server at {self.address}: {cause}") from error
        return Answer(_status_within(body), body)


def endpoint_of(base_url: str | None, api_key: str | None) -> Endpoint:
    """The endpoint; what is not given as the openai package reads it. Local servers need no key.

    A variable that is set to nothing counts as not set, which the package sees otherwise. Raises `ConfigError` where
    OpenAI itself is asked without a key.
    """
    base_url = base_url or os.environ.get("OPENAI_BASE_URL") or f"https://{OPENAI_HOST}/v1"
    api_key = api_key or os.environ.get("OPENAI_API_KEY") or None
    client = openai.OpenAI(base_url=base_url, api_key=api_key or NO_KEY)
    if api_key is None and client.base_url.host == OPENAI_HOST:
        raise ConfigError("no key for the model: set OPENAI_API_KEY, or OPENAI_BASE_URL for a local server")
    with client:
        return Endpoint(str(client.base_url), client.api_key or NO_KEY)


def _status_within(body: str) -> int:
    """OpenRouter and others answer 200 and put the status of a failed call into the body."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return 200
    if not isinstance(found, dict) or found.get("choices") or not isinstance(found.get("error"), dict):
        return 200
    code = found["error"].get("code")
    return code if isinstance(code, int) and 400 <= code < 600 else 200


def _seconds(headers: Mapping[str, str]) -> float | None:
    """How long the server asks to wait: a number of seconds, or a date."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        if text.replace(".", "", 1).isdigit():
            return float(text) / unit
    return _seconds_until(headers.get("retry-after", ""), headers.get("date", ""))


def _seconds_until(text: str, now_text: str) -> float | None:
    """The time until a date by the server's own clock, or by ours where it does not tell its own."""
    until = _date(text)
    if until is None:
        return None
    now = _date(now_text) or datetime.now(tz=UTC)
    return max((until - now).total_seconds(), 0.0)


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)

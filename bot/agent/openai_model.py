"""The door to the `openai` package: chat completions over any endpoint that speaks its protocol."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import openai
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, stop_after_delay
from tenacity.wait import wait_exponential_jitter

from bot.agent.llm import NO_TOOLS, TOO_LONG, Message, Reply, ToolSpec
from bot.agent.openai_errors import Drop, GiveUp, Lower, NoTools, Remedy, Rename, TooLong, Wait, remedy
from bot.agent.openai_replies import read_reply
from bot.agent.prices import Prices, known_prices
from bot.agent.watched import run_watched, sleep_watched
from bot.errors import ConfigError, Unavailable
from bot.records import StopCheck, Usage

ATTEMPTS = 5
PATIENCE_S = 120.0
CORRECTIONS = 6
OPENAI_HOST = "api.openai.com"
NO_KEY = "none"


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: str
    retry_after_s: float | None = None


@dataclass(slots=True)
class _Learnt:
    """What the server has told about itself so far: once is enough."""

    dropped: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    longest_reply: int | None = None
    takes_tools: bool = True


class OpenAIModel:
    """A model behind an OpenAI-compatible endpoint. Use it from one thread at a time.

    `base_url` and `api_key` default to what the openai package reads from the environment. `prices` default to OpenAI's
    list prices at OpenAI's own endpoint and to “not known” anywhere else. Raises `ConfigError` where a key is missing.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 600.0,
        prices: Prices | None = None,
        backoff_s: float = 1.0,
    ) -> None:
        self._name = name
        self._timeout_s = timeout_s
        self._backoff_s = backoff_s
        self._base_url, self._api_key = _endpoint(base_url or None, api_key or None)
        self._prices = prices or (known_prices(name) if OPENAI_HOST in self._base_url else None)
        self._learnt = _Learnt()

    @property
    def name(self) -> str:
        return self._name

    @property
    def window_tokens(self) -> int | None:
        return None

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSpec] | None = None,
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002
        temperature: float | None,
        max_tokens: int | None,
        stop: StopCheck,
    ) -> Reply:
        """Ask for one reply. What the server does not take is left out, renamed or lowered, and remembered."""
        request = self._request(messages, tools, temperature, max_tokens)
        prompt = json.dumps(request["messages"])
        for _ in range(CORRECTIONS):
            if tools and not self._learnt.takes_tools:
                return _no_reply(NO_TOOLS, "the server takes no tools")
            sent = self._adapted(request)
            answer = self._ask(sent, stop)
            if answer.status < 400:
                return read_reply(answer.body, prompt=prompt, prices=self._prices)
            mended = self._mended(request, _remedy(answer, sent))
            if isinstance(mended, Reply):
                return mended
            request = mended
        raise Unavailable(f"the model server refused {CORRECTIONS} variants of a request, the last with {answer.body}")

    def _mended(self, request: dict[str, Any], found: Remedy) -> dict[str, Any] | Reply:
        """The request to send instead, or the reply that says why there is none. Raises `Unavailable`."""
        match found:
            case Drop(parameter):
                self._learnt.dropped.add(parameter)
            case Rename(parameter, to):
                self._rename(parameter, to)
            case Lower(limit, always):
                self._learnt.longest_reply = limit if always else self._learnt.longest_reply
                return {**request, "max_tokens": limit}
            case NoTools(reason):
                self._learnt.takes_tools = False
                return _no_reply(NO_TOOLS, reason)
            case TooLong(reason):
                return _no_reply(TOO_LONG, reason)
            case Wait(reason, retry_after_s):
                raise Unavailable(reason, retry_after_s)
            case GiveUp(reason):
                raise Unavailable(reason, passes=False)
        return request

    def _rename(self, parameter: str, to: str) -> None:
        """A server that takes neither name gets no limit at all."""
        if self._learnt.renamed.get(to) == parameter:
            self._learnt.dropped.update((parameter, to))
        self._learnt.renamed[parameter] = to

    def _request(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec] | None,
        temperature: float | None,
        max_tokens: int | None,
    ) -> dict[str, Any]:
        request: dict[str, Any] = {"model": self._name, "messages": [message.as_json() for message in messages]}
        if tools:
            request["tools"] = [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
                }
                for tool in tools
            ]
        if temperature is not None:
            request["temperature"] = temperature
        if max_tokens is not None:
            request["max_tokens"] = max_tokens
        return request

    def _adapted(self, request: dict[str, Any]) -> dict[str, Any]:
        """The request as this server takes it, by what it has told so far."""
        learnt = self._learnt
        limit = request.get("max_tokens")
        if limit is not None and learnt.longest_reply is not None:
            request = {**request, "max_tokens": min(limit, learnt.longest_reply)}
        named = {learnt.renamed.get(name, name): value for name, value in request.items()}
        return {name: value for name, value in named.items() if name not in learnt.dropped}

    def _ask(self, request: dict[str, Any], stop: StopCheck) -> _Answer:
        """Send one request, again where the service failed: the only place where a model call is retried."""
        waiting = Retrying(
            retry=retry_if_exception_type(Unavailable),
            stop=stop_after_attempt(ATTEMPTS) | stop_after_delay(self._timeout_s * 1.5),
            wait=self._pause,
            sleep=lambda seconds: sleep_watched(float(seconds), stop),
            reraise=True,
        )
        return waiting(self._send, request, stop)

    def _pause(self, state: RetryCallState) -> float:
        """Wait as long as the server asked for, else longer each time."""
        failure = state.outcome.exception() if state.outcome else None
        if isinstance(failure, Unavailable) and failure.retry_after_s is not None:
            return failure.retry_after_s
        return wait_exponential_jitter(multiplier=self._backoff_s, max=30.0, jitter=self._backoff_s)(state)

    def _send(self, request: dict[str, Any], stop: StopCheck) -> _Answer:
        answer = run_watched(self._exchange(request), stop)
        if answer.status >= 400:
            match _remedy(answer, request):
                case Wait(reason, retry_after_s) if (retry_after_s or 0.0) <= PATIENCE_S:
                    raise Unavailable(reason, retry_after_s)
        return answer

    async def _exchange(self, request: dict[str, Any]) -> _Answer:
        client = openai.AsyncOpenAI(
            base_url=self._base_url, api_key=self._api_key, timeout=self._timeout_s, max_retries=0
        )
        async with client:
            try:
                response = await client.chat.completions.with_raw_response.create(**request)
            except openai.APIStatusError as error:
                waits = _seconds(error.response.headers)
                return _Answer(error.status_code, error.response.text, waits)
            except openai.APITimeoutError as error:
                raise Unavailable(
                    f"the model server at {self._base_url} did not answer in {self._timeout_s:g} s"
                ) from error
            except openai.APIConnectionError as error:
                cause = error.__cause__ or error
                raise Unavailable(f"no connection to the model server at {self._base_url}: {cause}") from error
            return _Answer(200, response.text)


def _remedy(answer: _Answer, sent: dict[str, Any]) -> Remedy:
    return remedy(answer.status, answer.body, request=sent, retry_after_s=answer.retry_after_s)


def _no_reply(finish_reason: str, detail: str) -> Reply:
    raw = json.dumps({"error": {"code": finish_reason, "message": detail}})
    return Reply(None, (), finish_reason, Usage(cost_usd=0.0), raw, detail)


def _seconds(headers: Any) -> float | None:
    """`Retry-After` in seconds; a date, which model servers do not send, counts as not said."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = headers.get(name, "")
        if text.replace(".", "", 1).isdigit():
            return float(text) / unit
    return None


def _endpoint(base_url: str | None, api_key: str | None) -> tuple[str, str]:
    """The endpoint and the key; those not given as the openai package reads them. Local servers need no key.

    A variable that is set to nothing counts as not set, which the package sees otherwise.
    """
    base_url = base_url or os.environ.get("OPENAI_BASE_URL") or f"https://{OPENAI_HOST}/v1"
    api_key = api_key or os.environ.get("OPENAI_API_KEY") or None
    client = openai.OpenAI(base_url=base_url, api_key=api_key or NO_KEY)
    if api_key is None and client.base_url.host == OPENAI_HOST:
        raise ConfigError("no key for the model: set OPENAI_API_KEY, or OPENAI_BASE_URL for a local server")
    with client:
        return str(client.base_url), client.api_key or NO_KEY

"""A model behind an endpoint that speaks OpenAI's chat completions: what it does not take is learnt and left out."""

import json
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt
from tenacity.stop import stop_base
from tenacity.wait import wait_exponential_jitter

from bot.agent.llm import BAD_CALL, FILTERED, NO_SCHEMA, NO_TOOLS, TOO_LONG, Message, Reply, ToolSpec
from bot.agent.openai_errors import remedy
from bot.agent.openai_exchange import Answer, endpoint_of
from bot.agent.openai_learning import Learnt
from bot.agent.openai_replies import no_reply, read_reply
from bot.agent.openai_usage import estimated
from bot.agent.prices import Pricing, known_prices, known_window, priced
from bot.agent.remedies import BadCall, Drop, Filtered, GiveUp, Lower, NoSchema, NoTools, Remedy, Rename, TooLong, Wait
from bot.agent.watched import run_watched, sleep_watched
from bot.agent.windows import window_in_models
from bot.errors import Unavailable
from bot.records import StopCheck, Usage

ATTEMPTS = 5
PATIENCE_S = 120.0
CORRECTIONS = 6
MODELS_TIMEOUT_S = 5.0
MODELS_TRIES = 3
"""A server that was away when it was asked of its models is asked again, and not for ever."""
SCHEMA_NAME = "reply"

_ENDS: dict[type, str] = {NoTools: NO_TOOLS, NoSchema: NO_SCHEMA, TooLong: TOO_LONG, Filtered: FILTERED}


class OpenAIModel:
    """A model behind an OpenAI-compatible endpoint. Several threads may call it at a time.

    `base_url` and `api_key` default to what the openai package reads from the environment. `prices` default to the list
    prices of the provider whose endpoint it is, and to “not known” where that is none; `window_tokens` to what the
    server tells, else the provider's list. `timeout_s` is for one answer whole; a call with its tries and waits takes
    half as long again at most, or four minutes where that is more. Raises `ConfigError` where a key is missing.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 600.0,
        prices: Pricing | None = None,
        window_tokens: int | None = None,
        backoff_s: float = 1.0,
    ) -> None:
        self._name = name
        self._endpoint = endpoint_of(base_url or None, api_key or None)
        self._timeout_s = timeout_s
        self._backoff_s = backoff_s
        self._prices = prices or known_prices(name, endpoint=self._endpoint.base_url)
        self._window = window_tokens
        self._asks_left = MODELS_TRIES if window_tokens is None else 0
        self._learnt = Learnt()
        self._lock = threading.Lock()
        self._asking = threading.Lock()

    @property
    def name(self) -> str:
        return self._name

    @property
    def endpoint(self) -> str:
        """The address of the server, without what is secret in it."""
        return self._endpoint.address

    @property
    def has_price(self) -> bool:
        """Whether it is known what a call costs."""
        return self._prices is not None

    @property
    def window_tokens(self) -> int | None:
        """The window; the first to ask has the server asked. The server's word in an error goes before its list."""
        with self._asking:
            if self._asks_left:
                self._asks_left -= 1
                self._window = self._told_window() or known_window(self._name, endpoint=self._endpoint.base_url)
        windows = [window for window in (self._window, self._learnt.window_tokens) if window is not None]
        return min(windows, default=None)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSpec] | None = None,
        schema: Mapping[str, Any] | None = None,
        temperature: float | None,
        max_tokens: int | None,
        stop: StopCheck,
    ) -> Reply:
        """Ask for one reply. What the server does not take is left out, renamed or lowered, and remembered."""
        request = self._request(messages, tools, schema, temperature, max_tokens)
        prompt = json.dumps(request["messages"])
        until = time.monotonic() + max(self._timeout_s * 1.5, PATIENCE_S * 2)
        for _ in range(CORRECTIONS):
            learnt = self._learnt
            if tools and not learnt.takes_tools:
                return _unpaid(NO_TOOLS, "the server takes no tools")
            if schema and not learnt.takes_schema:
                return _unpaid(NO_SCHEMA, "the server constrains no reply to a schema")
            sent = learnt.adapted(request)
            answer = self._ask(sent, stop, until=until)
            if answer.status < 400:
                return read_reply(answer.body, prompt=prompt, prices=self._prices)
            mended = self._mended(request, _remedy(answer, sent))
            if isinstance(mended, Reply):
                return mended
            request = mended
        reason = f"the model server refused {CORRECTIONS} variants of a request, the last with {answer.body[:600]}"
        raise Unavailable(reason, passes=False)

    def _mended(self, request: dict[str, Any], found: Remedy) -> dict[str, Any] | Reply:
        """The request to send instead, or the reply that says why there is none. Raises `Unavailable`."""
        with self._lock:
            self._learnt = self._learnt.after(found)
        match found:
            case Lower(limit):
                return {**request, "max_tokens": limit}
            case Drop(parameter):
                return {name: value for name, value in request.items() if name != parameter}
            case Rename():
                return request
            case BadCall(reason):
                usage = estimated(json.dumps(request["messages"]), reason)
                return no_reply(BAD_CALL, reason, priced(usage, self._prices))
            case NoTools(reason) | NoSchema(reason) | TooLong(reason) | Filtered(reason):
                return _unpaid(_ENDS[type(found)], reason)
            case Wait(reason, retry_after_s):
                raise Unavailable(reason, retry_after_s)
            case GiveUp(reason):
                raise Unavailable(reason, passes=False)

    def _request(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec] | None,
        schema: Mapping[str, Any] | None,
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
        if schema:
            shape = {"name": SCHEMA_NAME, "schema": schema, "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": shape}
        if temperature is not None:
            request["temperature"] = temperature
        if max_tokens is not None:
            request["max_tokens"] = max_tokens
        return request

    def _ask(self, request: dict[str, Any], stop: StopCheck, *, until: float) -> Answer:
        """Send one request, again where the service failed: the only place where a model call is retried."""
        waiting = Retrying(
            retry=retry_if_exception_type(Unavailable),
            stop=stop_after_attempt(ATTEMPTS) | _Until(until),
            wait=self._pause,
            sleep=lambda seconds: sleep_watched(float(seconds), stop),
            reraise=True,
        )
        return waiting(self._send, request, stop, until=until)

    def _pause(self, state: RetryCallState) -> float:
        """Wait as long as the server asked for, else longer each time."""
        failure = state.outcome.exception() if state.outcome else None
        if isinstance(failure, Unavailable) and failure.retry_after_s is not None:
            return failure.retry_after_s
        return wait_exponential_jitter(multiplier=self._backoff_s, max=30.0, jitter=self._backoff_s)(state)

    def _send(self, request: dict[str, Any], stop: StopCheck, *, until: float) -> Answer:
        timeout_s = min(self._timeout_s, max(until - time.monotonic(), 1.0))
        answer = run_watched(self._endpoint.complete(request, timeout_s=timeout_s), stop)
        if answer.status >= 400:
            match _remedy(answer, request):
                case Wait(reason, retry_after_s) if (retry_after_s or 0.0) <= PATIENCE_S:
                    raise Unavailable(reason, retry_after_s)
        return answer

    def _told_window(self) -> int | None:
        """What the server says of the model's window; a server that does not say is none to complain about."""
        timeout_s = min(self._timeout_s, MODELS_TIMEOUT_S)
        try:
            answer = run_watched(self._endpoint.models(timeout_s=timeout_s), lambda: False)
        except Unavailable:
            return None
        if answer.status < 500:
            self._asks_left = 0
        return window_in_models(answer.body, self._name) if answer.status < 400 else None


class _Until(stop_base):
    """No further try after a moment, nor one whose wait would go beyond it."""

    def __init__(self, until: float) -> None:
        self._until = until

    def __call__(self, retry_state: RetryCallState) -> bool:
        return time.monotonic() + retry_state.upcoming_sleep >= self._until


def _remedy(answer: Answer, sent: dict[str, Any]) -> Remedy:
    return remedy(answer.status, answer.body, request=sent, retry_after_s=answer.retry_after_s)


def _unpaid(reason: str, detail: str) -> Reply:
    return no_reply(reason, detail, Usage(cost_usd=0.0))

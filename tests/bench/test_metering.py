"""What every system's calls go through: it counts them, and ends what is spent."""

import http.client
import json
import threading
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from bench.solve.metering import metered
from bench.solve.records import Budget, Endpoint
from bot.agent import Message, OpenAIModel, Role
from tests.bench.model import completion, model, refusal

BUDGET = Budget()


def post(endpoint: Endpoint, **request: Any) -> tuple[int, dict[str, Any]]:
    place = urlsplit(endpoint.base_url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
    try:
        shape = {"model": endpoint.model, "messages": [{"role": "user", "content": "hello"}], **request}
        connection.request("POST", f"{place.path}/chat/completions", body=json.dumps(shape))
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def upstream(url: str) -> Endpoint:
    return Endpoint(url, "m", "the-real-key")


def test_calls_and_tokens_are_the_servers_own_figures() -> None:
    with model(lambda _: completion("hi")) as served, metered(upstream(served.url), BUDGET, seed=None) as meter:
        post(meter.endpoint)
        post(meter.endpoint)

        used = meter.used

    assert (used.calls, used.prompt_tokens, used.completion_tokens, used.cached_tokens) == (2, 200, 40, 80)
    assert not used.estimated


def test_tokens_are_estimated_where_the_server_gives_no_figures() -> None:
    answered = completion("a word or two", usage=None)
    with model(lambda _: answered) as served, metered(upstream(served.url), BUDGET, seed=None) as meter:
        post(meter.endpoint)

        used = meter.used

    assert used.estimated
    assert used.prompt_tokens > 0
    assert used.completion_tokens > 0


def test_the_real_key_is_sent_on_and_not_given_out() -> None:
    with model(lambda _: completion("hi")) as served, metered(upstream(served.url), BUDGET, seed=None) as meter:
        post(meter.endpoint)

    assert served.keys == ["Bearer the-real-key"]
    assert meter.endpoint.api_key != "the-real-key"


def test_each_call_has_a_seed_of_its_own() -> None:
    with model(lambda _: completion("hi")) as served, metered(upstream(served.url), BUDGET, seed=4) as meter:
        post(meter.endpoint)
        post(meter.endpoint)

    assert [request["seed"] for request in served.requests] == [4001, 4002]


def test_no_system_gets_a_longer_reply_than_the_budget_says() -> None:
    budget = replace(BUDGET, reply_tokens=500)
    with model(lambda _: completion("hi")) as served, metered(upstream(served.url), budget, seed=None) as meter:
        post(meter.endpoint)
        post(meter.endpoint, max_tokens=8000)
        post(meter.endpoint, max_completion_tokens=100)

    assert [request.get("max_tokens") for request in served.requests] == [500, 500, None]
    assert served.requests[2]["max_completion_tokens"] == 100


def test_after_the_budget_no_call_goes_through() -> None:
    budget = replace(BUDGET, tokens=120)
    with model(lambda _: completion("hi")) as served, metered(upstream(served.url), budget, seed=None) as meter:
        first, _ = post(meter.endpoint)
        second, said = post(meter.endpoint)

    assert (first, second, len(served.requests)) == (200, 401, 1)
    assert said["error"]["message"] == "the attempt's 120 tokens are spent"


def test_a_call_ends_when_the_attempts_time_is_over() -> None:
    never = threading.Event()
    budget = replace(BUDGET, seconds=0.2)

    def silent(_: Any) -> tuple[int, dict[str, Any]]:
        never.wait(60)
        return completion("too late")

    with model(silent) as served, metered(upstream(served.url), budget, seed=None) as meter:
        status, said = post(meter.endpoint)
        never.set()

    assert status == 401
    assert said["error"]["message"] == "the attempt's 0.2 s are over"
    assert meter.used.calls == 0


def test_an_error_of_the_server_is_handed_on_and_not_counted() -> None:
    with (
        model(lambda _: refusal(400, "no such parameter")) as served,
        metered(upstream(served.url), BUDGET, seed=None) as meter,
    ):
        status, said = post(meter.endpoint)

    assert (status, said["error"]["message"], meter.used.calls) == (400, "no such parameter", 0)


def test_a_server_that_is_not_there_is_an_answer_too() -> None:
    with metered(upstream("http://127.0.0.1:9/v1"), BUDGET, seed=None) as meter:
        status, said = post(meter.endpoint)

    assert status == 502
    assert "the model's server failed" in said["error"]["message"]


def test_our_own_door_to_models_works_through_it() -> None:
    with model(lambda _: completion("hi")) as served, metered(upstream(served.url), BUDGET, seed=1) as meter:
        asked = OpenAIModel("m", base_url=meter.endpoint.base_url, api_key=meter.endpoint.api_key)
        reply = asked.complete(
            [Message(Role.USER, "hello")], tools=None, temperature=0.2, max_tokens=None, stop=lambda: False
        )

    assert reply.text == "hi"
    assert reply.usage.prompt_tokens == meter.used.prompt_tokens == 100

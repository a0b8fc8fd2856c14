"""A sandbox and a model in whose place one stands that counts."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import pytest

from bot.agent import OpenAIModel
from bot.agent.llm import Message, user
from bot.agent.probing import endpoint_of
from bot.errors import Unavailable
from bot.records import Usage
from bot.runs.counted import CountedSandbox, counting_failures
from bot.runs.counted_model import counted_model
from bot.runs.wrapped_model import WrappedModel
from bot.seen.counting import Uncounted
from sandbox import Ending, ExecutionResult, Limits, SandboxError, SandboxUnavailable, Workspace, WorkspaceFull
from sandbox.contract import ImageGone
from sandbox.environments import SetupFailed
from sandbox.process import ProcessSandbox
from tests.agent.openai_server import OpenAIServer, completion, error, openai_server


@dataclass
class Counted(Uncounted):
    """What was counted of sandboxes and models."""

    failures: list[str] = field(default_factory=list)
    calls: list[tuple[str, str, Usage | None]] = field(default_factory=list)

    def sandbox_failed(self, how: str) -> None:
        self.failures.append(how)

    def model_answered(self, model: str, seconds: float, result: str, usage: Usage | None) -> None:
        self.calls.append((model, result, usage))


class Away(ProcessSandbox):
    """A sandbox that does not answer any more."""

    def open(self, *, image: str | None = None, limits: Limits | None = None) -> AbstractContextManager[Workspace]:
        raise SandboxUnavailable("no engine")


def test_a_sandbox_that_works_is_used_as_it_is_and_nothing_is_counted() -> None:
    counted = Counted()
    sandbox = CountedSandbox(ProcessSandbox(), counted)

    with sandbox.open() as workspace:
        result = workspace.run("echo hello")

    assert (result.ending, result.stdout) == (Ending.EXITED, "hello\n")
    assert (sandbox.name, sandbox.isolated) == ("process", False)
    assert counted.failures == []


@pytest.mark.parametrize(
    ("failure", "how"),
    [
        (WorkspaceFull("no room"), "full"),
        (ImageGone("not there"), "image_gone"),
        (SandboxUnavailable("no engine"), "unavailable"),
        (SandboxError("the container vanished"), "failed"),
    ],
)
def test_what_fails_in_a_workspace_is_counted_once_and_raised(failure: SandboxError, how: str) -> None:
    counted = Counted()

    with pytest.raises(type(failure)), CountedSandbox(ProcessSandbox(), counted).open():
        raise failure

    assert counted.failures == [how]


def test_a_sandbox_that_opens_nothing_is_counted() -> None:
    counted = Counted()

    with pytest.raises(SandboxUnavailable), CountedSandbox(Away(), counted).open():
        pytest.fail("opened")

    assert counted.failures == ["unavailable"]


def test_a_setup_that_fails_is_its_repository_s_and_a_bug_is_ours() -> None:
    counted = Counted()
    result = ExecutionResult(1, "", "", Ending.EXITED, truncated=False, duration_s=1.0)

    for problem in (SetupFailed(result, "no such package"), KeyError("x")):
        with pytest.raises(type(problem)), counting_failures(counted):
            raise problem

    assert counted.failures == []


# --- Models


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


HELLO: list[Message] = [user("hello")]


def a_model(server: OpenAIServer, counted: Counted) -> WrappedModel:
    return counted_model(OpenAIModel("small", base_url=server.url, api_key="k", backoff_s=0.0), counted)


def test_a_call_is_counted_with_its_tokens(server: OpenAIServer) -> None:
    counted = Counted()
    server.answers = [completion("hi")]

    reply = a_model(server, counted).complete(HELLO, temperature=0.0, max_tokens=10, stop=lambda: False)

    assert reply.text == "hi"
    assert counted.calls == [("small", "answered", reply.usage)]
    assert (reply.usage.prompt_tokens, reply.usage.cached_tokens) == (1000, 400)


def test_a_call_of_which_no_reply_came_is_counted_by_the_reason(server: OpenAIServer) -> None:
    counted = Counted()
    server.answers = [error(400, "too long", code="context_length_exceeded")]

    a_model(server, counted).complete(HELLO, temperature=0.0, max_tokens=10, stop=lambda: False)

    assert [(name, result) for name, result, _ in counted.calls] == [("small", "context_length_exceeded")]


def test_a_server_that_fails_is_counted_once_whatever_it_was_tried(server: OpenAIServer) -> None:
    counted = Counted()
    server.answers = [error(503, "overloaded")]

    with pytest.raises(Unavailable):
        a_model(server, counted).complete(HELLO, temperature=0.0, max_tokens=10, stop=lambda: False)

    assert counted.calls == [("small", "unavailable", None)]


def test_it_says_where_it_is_as_the_model_does(server: OpenAIServer) -> None:
    model = a_model(server, Counted())

    assert endpoint_of(model) == server.url
    assert model.window_tokens is None

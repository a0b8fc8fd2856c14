"""HumanEval's problems as program tasks; this one is ours, in the package's form."""

import json

from bench.solve.humaneval import tasks_of
from bench.solve.judging import Judge
from bench.solve.records import program
from bench.solve.selfcheck import check
from sandbox.process import ProcessSandbox

PROBLEM = {
    "task_id": "HumanEval/7",
    "prompt": 'def twice(n):\n    """ Twice as much.\n    >>> twice(2)\n    4\n    """\n',
    "entry_point": "twice",
    "canonical_solution": "    return 2 * n\n",
    "test": "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(3) == 6\n",
}


def test_a_problem_is_a_program_task_with_its_own_tests_as_the_judge() -> None:
    (task,) = tasks_of(json.dumps(PROBLEM).encode())

    judge = Judge(ProcessSandbox())

    assert task.id == "humaneval-7"
    assert PROBLEM["prompt"] in task.prompt
    assert "check" not in task.prompt
    assert judge.passes(task, program(task.solution))
    assert not judge.passes(task, program("def twice(n):\n    return n + 2\n"))


def test_the_check_finds_no_fault_where_the_known_solution_passes_and_the_beginning_does_not() -> None:
    said: list[str] = []

    is_good = check(tasks_of(json.dumps(PROBLEM).encode()), Judge(ProcessSandbox()), said.append)

    assert is_good
    assert said == ["1 tasks checked, 0 faults; 0 without a known solution"]


def test_the_check_names_a_task_whose_judge_passes_anything() -> None:
    said: list[str] = []
    problem = PROBLEM | {"test": "def check(candidate):\n    pass\n"}

    is_good = check(tasks_of(json.dumps(problem).encode()), Judge(ProcessSandbox()), said.append)

    assert not is_good
    assert said[0] == "humaneval-7: the judge passes where nothing was done"

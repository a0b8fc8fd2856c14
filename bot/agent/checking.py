"""Running one program of the model in a sandbox, by itself or against hidden tests."""

import secrets
from dataclasses import dataclass
from importlib.resources import files

from pydantic import BaseModel, ValidationError

from bot.agent.hidden import PASSED, RESULT
from sandbox.contract import (
    Ending,
    ExecutionResult,
    File,
    Limits,
    Sandbox,
    Workspace,
    archive_of,
    clipped,
    files_of,
)

SOLUTION = "solution.py"
TIMEOUT_S = 30.0
LIMITS = Limits(wall_s=TIMEOUT_S)
RESULT_BYTES = 1024 * 1024
FEEDBACK_CHARS = 3_000
NAMED_TESTS = 10


@dataclass(frozen=True, slots=True)
class Tested:
    """How one test ended. `held` is how many plain assertions held in it."""

    name: str
    ok: bool
    held: int = 0


@dataclass(frozen=True, slots=True)
class Check:
    """What came of one program.

    `problem` is for the model, "" where it passed; of hidden tests it holds names, exception types and messages alone.
    `tests` are the tests that came to an end, none where it was run by itself or did not get so far.
    """

    problem: str
    stdout: str
    stderr: str
    tests: tuple[Tested, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.problem

    @property
    def passed_tests(self) -> int:
        return sum(test.ok for test in self.tests)

    @property
    def worth(self) -> tuple[bool, int, int]:
        """What orders programs: whether all passed, how many tests did, how many assertions held."""
        return self.passed, self.passed_tests, sum(test.held for test in self.tests)


class _Test(BaseModel):
    name: str
    ok: bool
    error: str = ""
    message: str = ""
    held: int = 0


class _Found(BaseModel):
    token: str
    stage: str
    detail: str = ""
    tests: list[_Test] = []


def run_alone(sandbox: Sandbox, code: str) -> Check:
    """Run a program: it passes where it ends by itself with exit code 0."""
    with sandbox.open(limits=LIMITS) as workspace:
        workspace.put(archive_of({SOLUTION: File(code.encode())}))
        result = workspace.run(["python3", SOLUTION], timeout_s=TIMEOUT_S)
        stderr = result.stderr.replace(f"{workspace.directory}/", "")
    if result.ending is Ending.EXITED and result.exit_code == 0:
        return Check("", result.stdout, stderr)
    said = clipped((stderr or result.stdout).strip(), FEEDBACK_CHARS)
    return Check(f"{_ended(result)}\n{said}".strip(), result.stdout, stderr)


def run_against(sandbox: Sandbox, code: str, tests: str) -> Check:
    """Run hidden tests against a program.

    It passes where the check ends with exit code 0 and both sentinels are printed: the tests' own, and a random one
    that is made for this run and printed after the last test. A program that ends early or prints the sentinel itself
    does not pass. The tests share a process with the program: one that is out to cheat can look around in it.
    """
    token = secrets.token_hex(16)
    name = f"check_{secrets.token_hex(4)}.py"
    with sandbox.open(limits=LIMITS) as workspace:
        workspace.put(archive_of({SOLUTION: File(code.encode()), name: File(_check(token, tests).encode())}))
        result = workspace.run(["python3", name], timeout_s=TIMEOUT_S)
        found = _read(workspace)
    lines = [line.strip() for line in result.stdout.splitlines()]
    both = token in lines and any(PASSED in line for line in lines)
    stdout = result.stdout.replace(token, "").rstrip("\n") + "\n"
    known = found if found is not None and secrets.compare_digest(found.token, token) else None
    ended = tuple(Tested(test.name, test.ok, test.held) for test in known.tests) if known else ()
    if result.ending is Ending.EXITED and result.exit_code == 0 and both and known and known.stage == "tested":
        return Check("", stdout, result.stderr, ended)
    return Check(_problem(result, known), stdout, result.stderr, ended)


def _check(token: str, tests: str) -> str:
    source = files("bot.agent").joinpath("hidden.py").read_text(encoding="utf-8")
    return f"{source}\n\nraise SystemExit(main({token!r}, {tests!r}))\n"


def _read(workspace: Workspace) -> _Found | None:
    """The results file, which the program may have written over or removed."""
    for path, file in files_of(workspace.get([RESULT], limit_bytes=RESULT_BYTES)):
        if path == RESULT and not file.symlink:
            try:
                return _Found.model_validate_json(file.data)
            except ValidationError:
                return None
    return None


def _problem(result: ExecutionResult, found: _Found | None) -> str:
    if result.ending is not Ending.EXITED:
        return _ended(result)
    if found is None:
        return "The program ended before the tests were over: it must not exit by itself."
    if found.stage == "import":
        return f"The module can't be imported:\n{clipped(found.detail, FEEDBACK_CHARS)}"
    failed = [test for test in found.tests if not test.ok]
    if not failed:
        return "The tests did not come to their end."
    lines = [f"{len(failed)} of {len(found.tests)} tests failed:"]
    lines += [
        f"- {test.name}: {test.error}{f': {test.message}' if test.message else ''}" for test in failed[:NAMED_TESTS]
    ]
    return clipped("\n".join(lines), FEEDBACK_CHARS)


def _ended(result: ExecutionResult) -> str:
    match result.ending:
        case Ending.EXITED:
            return f"The program ended with exit code {result.exit_code}."
        case Ending.TIMED_OUT:
            return f"The program did not end within {TIMEOUT_S:g} seconds."
        case Ending.OUT_OF_MEMORY:
            return "The program used too much memory."
        case Ending.OUTPUT_LIMIT:
            return "The program wrote too much output."
        case Ending.STOPPED:
            return "The program was stopped."

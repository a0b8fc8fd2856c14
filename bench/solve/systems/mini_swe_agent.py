"""mini-swe-agent with a configuration of its own, from a virtual environment of its own.

It runs the model's commands in its own process, so all of it runs in our bubblewrap sandbox: no network but the way to
the model, a limit on memory, time and processes, and nothing of this machine but programs.
"""

import socket
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bench.solve.records import Budget, Endpoint, ProgramTask, Task, Tried
from bench.solve.systems import relay
from bot.agent.checking import SOLUTION
from bot.backtest.tasks import RepositoryTask, State
from sandbox.bubblewrap import BubblewrapSandbox
from sandbox.contract import CACHES, Ending, ExecutionResult, File, Limits, Workspace, archive_of, files_of

PORT = 4000
TREE, TRAJECTORY, RELAY = "repository", "trajectory.json", "relay.py"
GRACE_S = 20.0
AWAY = (
    "APIConnectionError",
    "AuthenticationError",
    "InternalServerError",
    "NotFoundError",
    "RateLimitError",
    "ServiceUnavailableError",
    "Timeout",
)
"""Ends of it that say that the model's server failed, or that the attempt's budget is spent."""

BEGIN = "git init -q . && git add -A -f && git -c user.name=bench -c user.email=bench@localhost commit -qm base"
PROGRAM = """{prompt}

The function is begun in the file solution.py. Complete it there, so that `import solution` works."""


class Speech(StrEnum):
    """How it is spoken to: by its default, tool calls, or in words, for models that make none."""

    TOOLS = "mini.yaml"
    WORDS = "mini_textbased.yaml"


class MiniSweAgent:
    """`mini` from the virtual environment `venv`; `sockets` is a folder for the way out to the model."""

    name = "mini-swe-agent"

    def __init__(self, venv: Path, sockets: Path, speech: Speech = Speech.TOOLS) -> None:
        self._venv = venv
        self._sockets = sockets
        self._speech = speech

    def attempt(self, task: Task, endpoint: Endpoint, *, seed: int, budget: Budget) -> Tried:  # noqa: ARG002 - the meter sends it
        limits = Limits(wall_s=budget.seconds + GRACE_S)
        with _way_out(self._sockets, endpoint) as path:
            sandbox = BubblewrapSandbox(owner="selfcode-bench", readable=[self._venv, path.parent])
            with sandbox.open(limits=limits) as workspace:
                workspace.put(_files(task))
                result = self._run(workspace, task, endpoint, budget, path)
                left = dict(files_of(workspace.get(exclude=[*CACHES, ".git"])))
            sandbox.close()
        state = {name.removeprefix(f"{TREE}/"): file for name, file in left.items() if name.startswith(f"{TREE}/")}
        found = left.get(TRAJECTORY)
        ended = ended_as(found.data if found else b"")
        did_not_start = not ended and result.exit_code is not None
        return Tried((state,), ended or _words(result), failed=did_not_start or ended in AWAY)

    def _run(self, workspace: Workspace, task: Task, endpoint: Endpoint, budget: Budget, path: Path) -> ExecutionResult:
        home = workspace.directory
        workspace.run(f"cd {home}/{TREE} && {BEGIN}")
        options = _options(task, endpoint, budget, f"{home}/{TRAJECTORY}")
        mini = [str(self._venv / "bin" / "mini"), "-c", self._speech, *_CLASSES[self._speech], *options]
        relayed = [str(self._venv / "bin" / "python"), f"{home}/{RELAY}", str(path), str(PORT), *mini]
        return workspace.run(relayed, env=_environment(endpoint), directory=TREE)


_CLASSES: Mapping[Speech, Sequence[str]] = {
    Speech.TOOLS: (),
    Speech.WORDS: ("--model-class", "litellm_textbased"),
}


class _Info(BaseModel):
    model_config = ConfigDict(extra="ignore")

    exit_status: str = ""


class _Trajectory(BaseModel):
    model_config = ConfigDict(extra="ignore")

    info: _Info = Field(default_factory=_Info)


def ended_as(trajectory: bytes) -> str:
    """How it ended, by its own trajectory; "" where that does not say."""
    try:
        return _Trajectory.model_validate_json(trajectory).info.exit_status
    except ValidationError:
        return ""


def _options(task: Task, endpoint: Endpoint, budget: Budget, trajectory: str) -> Sequence[str]:
    """The task, and the limits of the attempt."""
    settings = {
        "agent.step_limit": budget.steps,
        "agent.wall_time_limit_seconds": int(budget.seconds),
        "model.model_kwargs.api_base": f"http://127.0.0.1:{PORT}{urlsplit(endpoint.base_url).path}",
    }
    chosen = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    words = ["-m", f"openai/{endpoint.model}", "-t", _words_of(task), "-y", "--exit-immediately", "-o", trajectory]
    return [*words, *chosen]


def _environment(endpoint: Endpoint) -> Mapping[str, str]:
    return {
        "MSWEA_CONFIGURED": "true",
        "MSWEA_COST_TRACKING": "ignore_errors",
        "MSWEA_SILENT_STARTUP": "1",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "OPENAI_API_KEY": endpoint.api_key,
    }


def _words_of(task: Task) -> str:
    match task:
        case ProgramTask():
            return PROGRAM.format(prompt=task.prompt)
        case RepositoryTask():
            return f"{task.title}\n\n{task.body}"


def _files(task: Task) -> bytes:
    match task:
        case ProgramTask():
            files: State = {SOLUTION: File(task.begun.encode())}
        case RepositoryTask():
            files = task.files
    own = {RELAY: File(Path(relay.__file__).read_bytes())}
    return archive_of({**own, **{f"{TREE}/{name}": file for name, file in files.items()}})


def _words(result: ExecutionResult) -> str:
    if result.ending is Ending.TIMED_OUT:
        return "the time is over"
    lines = (result.stderr or result.stdout).strip().splitlines()
    return f"{result.ending}, exit code {result.exit_code}: {lines[-1] if lines else ''}"


@contextmanager
def _way_out(folder: Path, endpoint: Endpoint) -> Iterator[Path]:
    """A socket, readable in the sandbox, that leads to the endpoint."""
    place = urlsplit(endpoint.base_url)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        path = Path(made) / "s"
        Path(made).chmod(0o755)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(path))
        path.chmod(0o777)
        listener.listen()
        where = (place.hostname or "", place.port or 80)
        thread = threading.Thread(target=relay.serve, args=(listener, lambda: socket.create_connection(where)))
        thread.start()
        try:
            yield path
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            thread.join()

"""Everything that a story needs, as real parts: the stand-in for GitHub, a model server, the bot's own processes."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from bot.demo.handles import IssueHandle, RepositoryHandle
from bot.demo.hub import Hub
from bot.demo.recorded import RecordedModel, Recording
from bot.demo.state import App, Comment
from bot.records import Outcome
from bot.runs.database import connect
from bot.runs.schema import migrate
from bot.runs.store import RunRow, Store
from tests import command
from tests.demo.keys import Keys
from tests.ports import held_port
from tests.story.recordings import recording

BOT = "selfcode[bot]"
PATIENCE_S = 240.0


@dataclass
class Bot:
    """The bot's processes: `selfcode serve`, or web and worker one each."""

    environment: Mapping[str, str]
    log: Path
    processes: dict[str, command.Running] = field(default_factory=dict)

    def start(self, name: str) -> None:
        """`serve` as people start it, web and worker forked: that saves them what takes longest, their imports."""
        begin = command.start_anew if name == "serve" else command.start
        self.processes[name] = begin(name, environment=self.environment, log=self.log)

    def kill(self, name: str) -> None:
        """kill -9, the process alone: whatever it started has to be dealt with by who comes next."""
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def is_alive(self) -> bool:
        """Fails where a process has ended, instead of waiting for what will never be."""
        assert all(process.poll() is None for process in self.processes.values()), self.log.read_text(
            "utf-8", "replace"
        )
        return True

    def end(self) -> None:
        for process in self.processes.values():
            process.send_signal(signal.SIGTERM)
        for process in self.processes.values():
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.processes.clear()


@dataclass
class Town:
    """The hub with one App, one model, and the bot between them."""

    hub: Hub
    app: App
    model: RecordedModel
    bot: Bot
    home: Path
    store: Store
    url: str

    def will_reply(self, *iterations: str, to: str) -> None:
        """What the model replies from now on to who tells it these words, iteration by iteration."""
        self.model.recordings = (recording(*iterations, match=to), *self.model.recordings)

    def repository(
        self, full_name: str, files: Mapping[str, bytes | str] | None, *, default_branch: str = "main"
    ) -> RepositoryHandle:
        """A repository with the App installed on it; `ada` may write, `eve` read, `tom` triage."""
        roles = {"ada": "write", "eve": "read", "tom": "triage"}
        made = self.hub.create_repository(full_name, files, roles=roles, default_branch=default_branch)
        self.hub.install(self.app, full_name.partition("/")[0], (made,))
        return made

    def log(self) -> str:
        return self.bot.log.read_text(encoding="utf-8", errors="replace")

    def wait_for(self, what: str, found: Callable[[], Any], *, timeout_s: float = PATIENCE_S) -> Any:
        """What `found` returns once it is something. Fails with the bot's log."""
        until = time.monotonic() + timeout_s
        while time.monotonic() < until:
            value = found()
            if value:
                return value
            time.sleep(0.1)
        raise AssertionError(f"{what} did not happen in {timeout_s:.0f} s\n--- the bot's log\n{self.log()[-6000:]}")

    def runs(self, repository: RepositoryHandle, issue: IssueHandle) -> list[RunRow]:
        return list(self.store.runs_of(repository.id, issue.number))

    def wait_for_end(self, repository: RepositoryHandle, issue: IssueHandle, *, runs: int = 1) -> RunRow:
        """The issue's newest run, once that many have ended."""

        def ended() -> RunRow | None:
            found = self.runs(repository, issue)
            return found[-1] if len(found) >= runs and all(run.is_finished for run in found) else None

        run: RunRow = self.wait_for("the end of the run", ended)
        self.hub.wait_for_deliveries()
        return run

    def wait_for_outcome(self, repository: RepositoryHandle, issue: IssueHandle, outcome: Outcome) -> RunRow:
        run = self.wait_for_end(repository, issue)
        assert run.outcome is outcome, f"{run.outcome}: {run.reason}\n{self.log()[-6000:]}"
        return run

    def said(self, issue: IssueHandle) -> tuple[Comment, ...]:
        """The bot's comments on the issue."""
        return issue.comments_by(BOT)


def environment_of(hub: Hub, app: App, model: RecordedModel, home: Path, *, port: int, sandbox: str) -> dict[str, str]:
    """The settings of a bot for this hub, and nothing of the settings of whoever runs the tests."""
    kept = ("PATH", "DOCKER_HOST", "TMPDIR", "LANG", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "VIRTUAL_ENV")
    return {name: os.environ[name] for name in kept if name in os.environ} | {
        "HOME": str(home),
        "SELFCODE_HOME": str(home),
        "SELFCODE_HOST": "127.0.0.1",
        "SELFCODE_PORT": str(port),
        "SELFCODE_GITHUB_API_URL": hub.api_url,
        "SELFCODE_APP_ID": str(app.id),
        "SELFCODE_PRIVATE_KEY": app.private_key,
        "SELFCODE_WEBHOOK_SECRET": app.webhook_secret,
        "SELFCODE_ALLOWED_OWNERS": "octo",
        "SELFCODE_SECONDS_BETWEEN_WRITES": "0",
        "SELFCODE_SANDBOX": sandbox,
        "SELFCODE_SANDBOX_IMAGE": os.environ.get("SELFCODE_TEST_IMAGE", "selfcode-sandbox:test"),
        "SELFCODE_MODEL": "recorded",
        "OPENAI_BASE_URL": model.base_url,
        "OPENAI_API_KEY": "sk-a-key-that-must-show-nowhere-0123456789",
    }


@contextmanager
def town(
    folder: Path,
    *recordings: Recording | Mapping[str, Any] | Path,
    sandbox: str = "process",
    settings: Mapping[str, str] | None = None,
    commands: tuple[str, ...] = ("web", "worker"),
) -> Iterator[Town]:
    """A town with the bot running and ready."""
    home = folder / "home"
    home.mkdir()
    with Hub(folder / "hub", keys=Keys()) as hub, RecordedModel(*recordings) as model, held_port() as port:
        app = hub.create_app(owner="octo", webhook_secret="a secret of the tests")
        environment = environment_of(hub, app, model, home, port=port, sandbox=sandbox) | dict(settings or {})
        bot = Bot(environment, folder / "bot.log")
        database = connect(f"sqlite:///{home / 'selfcode.sqlite'}")
        migrate(database)
        built = Town(hub, app, model, bot, home, Store(database), f"http://127.0.0.1:{port}")
        try:
            for name in commands:
                bot.start(name)
            built.wait_for("the webhook", lambda: bot.is_alive() and answers(port))
            built.wait_for("the worker", lambda: bot.is_alive() and "the worker is ready" in built.log())
            hub.set_webhook(app, f"{built.url}/webhook")
            yield built
        finally:
            bot.end()
            database.dispose()


def answers(port: int) -> bool:
    """Whether the web server is healthy. Asked often, so by a client that is made at no cost."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=5.0)) as asked:
        try:
            asked.request("GET", "/healthz")
            return asked.getresponse().status == 200
        except (OSError, HTTPException):
            return False

"""A town with one web and several workers over one PostgreSQL, each worker with a home of its own."""

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.demo.handles import IssueHandle, RepositoryHandle
from bot.demo.hub import Hub
from bot.demo.recorded import RecordedModel, Recording
from bot.runs.database import connect
from bot.runs.schema import migrate
from bot.runs.store import RunRow, Store
from bot.runs.tables import workers
from tests.demo.keys import Keys
from tests.ports import held_port
from tests.story.town import Bot, Town, answers, environment_of


@dataclass
class Fleet:
    """The town, and its workers by their process ids."""

    town: Town
    workers: dict[int, Bot]

    def at_work(self, repository: RepositoryHandle, issue: IssueHandle) -> RunRow:
        """The issue's newest run, once a worker has it."""
        run: RunRow = self.town.wait_for(
            "a worker for the run",
            lambda: next((run for run in self.town.runs(repository, issue)[-1:] if run.worker_id), None),
        )
        return run

    def pid_of(self, run: RunRow) -> int:
        """The process that has the run."""
        with self.town.store._engine.connect() as connection:
            names = {row.id: row.name for row in connection.execute(workers.select())}
        return int(names[run.worker_id].rpartition(":")[2])

    def goes_on_elsewhere(self, run: RunRow) -> RunRow:
        """The run, once another worker has it."""
        moved: RunRow = self.town.wait_for(
            "another worker for the run",
            lambda: found if (found := self.town.store.run(run.id)).worker_id != run.worker_id else None,
        )
        return moved

    def is_cut_off(self, pid: int) -> None:
        """The process does nothing any more, as on a machine that hangs."""
        os.kill(pid, signal.SIGSTOP)

    def comes_back(self, pid: int) -> None:
        os.kill(pid, signal.SIGCONT)

    def log_of(self, pid: int) -> str:
        return self.workers[pid].log.read_text(encoding="utf-8", errors="replace")


@contextmanager
def fleet(
    folder: Path, database_url: str, *recordings: Recording, count: int, settings: Mapping[str, str] | None = None
) -> Iterator[Fleet]:
    """A fleet at this database, running and ready."""
    with ExitStack() as stack:
        hub = stack.enter_context(Hub(folder / "hub", keys=Keys()))
        model = stack.enter_context(RecordedModel(*recordings))
        app = hub.create_app(owner="octo", webhook_secret="a secret of the tests")
        engine = connect(database_url)
        stack.callback(engine.dispose)
        migrate(engine)
        port = stack.enter_context(held_port())

        def a_bot(name: str, command: str) -> Bot:
            home = folder / name
            home.mkdir()
            environment = environment_of(hub, app, model, home, port=port, sandbox="process")
            added = {"SELFCODE_DATABASE_URL": database_url, **(settings or {})}
            bot = Bot(environment | added, folder / f"{name}.log")
            stack.callback(bot.end)
            bot.start(command)
            return bot

        bots = [a_bot(f"worker-{number}", "worker") for number in range(count)]
        web = a_bot("web", "web")
        built = Fleet(
            Town(hub, app, model, web, folder / "web", Store(engine), f"http://127.0.0.1:{port}"),
            {bot.processes["worker"].pid: bot for bot in bots},
        )
        built.town.wait_for("the webhook", lambda: answers(port))
        built.town.wait_for(
            "the workers", lambda: all("the worker is ready" in built.log_of(pid) for pid in built.workers)
        )
        hub.set_webhook(app, f"{built.town.url}/webhook")
        yield built

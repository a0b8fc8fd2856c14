"""Where the stories are told: the bot's processes at work, and what they need. Each can be ended and put up again."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import docker
from sqlalchemy import text

from bot.demo.recorded import Recording
from bot.runs.database import connect
from bot.runs.schema import migrate
from bot.runs.store import Store
from bot.settings import read_settings
from sandbox.bubblewrap import BubblewrapSandbox
from tests import command, remains
from tests.chaos.points import Target
from tests.chaos.servers import WatchedHub, WatchedModel
from tests.chaos.telling import ADDRESS, listening
from tests.chaos.watch import Watch
from tests.chaos.worker import work
from tests.engine import private
from tests.engine.image import TAG
from tests.ports import held_port
from tests.postgres import server
from tests.story.town import Bot, Town, answers, environment_of

PEOPLE = ("octo", "ada", "eve", "tom")


class PlaceKind(StrEnum):
    """What the bot runs on."""

    FILE = "SQLite, bubblewrap"
    SERVER = "PostgreSQL, bubblewrap"
    CONTAINERS = "SQLite, Docker"

    @property
    def sandbox(self) -> str:
        """What the tests of a run are run in: all else makes no difference to what can be seen of it."""
        return "docker" if self is PlaceKind.CONTAINERS else "bubblewrap"


TARGETS: Mapping[PlaceKind, Sequence[Target]] = {
    PlaceKind.FILE: (Target.WORKER, Target.HUB, Target.WEB),
    PlaceKind.SERVER: (Target.CONNECTIONS, Target.DATABASE, Target.MACHINE),
    PlaceKind.CONTAINERS: (Target.ENGINE,),
}
"""What can be ended in each."""

AWAY_S: Mapping[Target, float] = {Target.HUB: 2.5, Target.DATABASE: 1.0, Target.ENGINE: 1.0}
"""How long what answers others is away."""


class Worker(Bot):
    """The worker, which tells of what it does."""

    def start(self, name: str = "worker") -> None:
        self.processes[name] = command.start(name, environment=self.environment, log=self.log, program=work)

    @property
    def owner_tag(self) -> str:
        """What its containers, processes and control groups are marked with."""
        return read_settings(self.environment).owner_tag

    @property
    def pid(self) -> int | None:
        return self.processes["worker"].pid if "worker" in self.processes else None


@dataclass
class Servers:
    """What the place has of its own in `folder`, beside no other's."""

    folder: Path
    database: "subprocess.Popen[bytes] | None" = None
    engine: "subprocess.Popen[bytes] | None" = None

    def start(self, kind: PlaceKind) -> Mapping[str, str]:
        """Start what the kind has. Returns where it is, as settings."""
        if kind is PlaceKind.SERVER:
            below = self._folder("postgres")
            server.make_ready(below)
            self.database = server.started(below, durable=True)
            return {"SELFCODE_DATABASE_URL": server.Server(below).create("selfcode")}
        if kind is PlaceKind.CONTAINERS:
            below = self._folder("engine")
            self.engine = private.started(below)
            self._bring_image(private.address(below))
            return {"DOCKER_HOST": private.address(below)}
        return {}

    def end(self) -> None:
        if self.database and self.database.poll() is None:
            server.end(self.database)
        if self.engine:
            if self.engine.poll() is None:
                private.remove_containers(private.address(self.folder / "engine"))
            private.end(self.engine)
            self._end_what_outlived_an_engine()
            private.unmount_below(self.folder / "engine")

    def _end_what_outlived_an_engine(self) -> None:
        """One that was killed leaves what keeps its containers, and those with it."""
        for keeper in remains.numbers_of(f"-address {self.folder}/engine/"):
            for number in (*remains.children_of(keeper), keeper):
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)

    def _folder(self, name: str) -> Path:
        made = self.folder / name
        made.mkdir()
        return made

    def _bring_image(self, address: str) -> None:
        """The image that the tests' engine has."""
        image = os.environ.get("SELFCODE_TEST_IMAGE", TAG)
        with closing(docker.from_env()) as ours, closing(docker.DockerClient(base_url=address)) as theirs:
            theirs.images.load(b"".join(ours.images.get(image).save(named=True)))


@dataclass
class Place:
    """One of them, at work. All is below `folder`, temporary files too."""

    kind: PlaceKind
    folder: Path
    watch: Watch
    hub: WatchedHub
    town: Town
    web: Bot
    worker: Worker
    steps_url: str
    servers: Servers
    _homes: int = field(default=1, init=False)

    def end(self, target: Target) -> None:
        """End it as suddenly as can be."""
        match target:
            case Target.WORKER | Target.MACHINE:
                self.worker.kill("worker")
            case Target.WEB:
                process = self.web.processes.pop("web")
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            case Target.HUB:
                self.hub.go_away()
            case Target.CONNECTIONS:
                self._cut_connections()
            case Target.DATABASE:
                assert self.servers.database
                server.end(self.servers.database, signal.SIGQUIT)
            case Target.ENGINE:
                assert self.servers.engine
                self.servers.engine.kill()
                self.servers.engine.wait()

    def put_up(self, target: Target) -> None:
        """Have it again. Another machine has nothing of the one before."""
        match target:
            case Target.WORKER:
                self.worker.start()
            case Target.MACHINE:
                self._move()
                self.worker.start()
            case Target.WEB:
                self.web.start("web")
                self.town.wait_for("the webhook", lambda: answers(int(self.web.environment["SELFCODE_PORT"])))
            case Target.HUB:
                self.hub.come_back()
            case Target.CONNECTIONS:
                pass
            case Target.DATABASE:
                self.servers.database = server.started(self.folder / "postgres", durable=True)
            case Target.ENGINE:
                self.servers.engine = _started_in_the_end(self.folder / "engine")

    def _cut_connections(self) -> None:
        cut = text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        engine = connect(server.Server(self.folder / "postgres").url())
        with engine.connect() as connection:
            connection.execute(cut)
        engine.dispose()

    def _move(self) -> None:
        """What is lost with a machine: the worker's home, its temporary files, and what ran there."""
        BubblewrapSandbox(owner=self.worker.owner_tag).remove_leftovers()
        shutil.rmtree(Path(self.worker.environment["SELFCODE_HOME"]).parent)
        self._homes += 1
        self.worker.environment = _at(self.folder / f"machine-{self._homes}", self.worker.environment)


def _started_in_the_end(folder: Path) -> "subprocess.Popen[bytes]":
    """Where much was left to it, an engine may give up before it is ready: it is started again, as systemd does it."""
    for _ in range(2):
        with suppress(private.CannotStart):
            return private.started(folder)
    return private.started(folder)


def _at(machine: Path, environment: Mapping[str, str]) -> Mapping[str, str]:
    """The same on a machine with files of its own."""
    home, temporary = machine / "home", machine / "tmp"
    home.mkdir(parents=True)
    temporary.mkdir()
    return {**environment, "HOME": str(home), "SELFCODE_HOME": str(home), "TMPDIR": str(temporary)}


@contextmanager
def place(kind: PlaceKind, *recordings: Recording) -> Iterator[Place]:
    """A place, running and ready; at its end all of it is gone."""
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="chaos-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        watch = Watch()
        hub_port, port = stack.enter_context(held_port()), stack.enter_context(held_port())
        hub = stack.enter_context(WatchedHub(folder / "hub", port=hub_port, told=watch.at))
        hub.limits.requests_an_hour = hub.limits.points_a_minute = 1_000_000
        hub.limits.created_a_minute = hub.limits.created_an_hour = 1_000_000
        model = stack.enter_context(WatchedModel(*recordings, told=watch.at))
        app = hub.create_app(owner="octo", webhook_secret="a secret of the tests")
        for login in PEOPLE:  # before anything else has a number: theirs are the same in all places
            hub.create_user(login)
        stack.enter_context(listening(folder / "watch", watch.at))
        stack.callback(watch.let_go)

        servers = Servers(folder)
        stack.callback(servers.end)
        given = environment_of(hub, app, model, folder, port=port, sandbox=kind.sandbox) | {
            "SELFCODE_WEB_PROCESSES": "1",
            "SELFCODE_POLL_SECONDS": "5",
            "SELFCODE_DIALECT": "fenced",
            ADDRESS: str(folder / "watch"),
            **servers.start(kind),
        }
        environment = _at(folder / "machine-1", given)
        settings = read_settings(environment)
        store_engine = connect(settings.database)
        stack.callback(store_engine.dispose)
        migrate(store_engine)
        log = folder / "bot.log"
        web_environment = _at(folder / "web", given) if kind is PlaceKind.SERVER else environment
        web, worker = Bot(web_environment, log), Worker(environment, log)
        stack.callback(web.end)
        stack.callback(worker.end)
        town = Town(hub, app, model, web, settings.home, Store(store_engine), f"http://127.0.0.1:{port}")
        web.start("web")
        worker.start()
        town.wait_for("the webhook", lambda: answers(port))
        town.wait_for("the worker", lambda: "the worker is ready" in town.log())
        hub.set_webhook(app, f"{town.url}/webhook")
        yield Place(kind, folder, watch, hub, town, web, worker, settings.workflow_database, servers)

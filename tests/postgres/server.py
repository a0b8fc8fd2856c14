"""A PostgreSQL server of the tests' own, beside any other: in a folder that is gone afterwards, on a socket in it."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sqlalchemy import URL, Engine, create_engine, text
from sqlalchemy.exc import OperationalError

from tests.providing import CannotProvide
from tests.with_parent import end_with_parent

ADDRESS = "SELFCODE_TEST_POSTGRES"
"""The folder of the socket of a server that is there for the tests, in their environment."""

PROGRAMS = "SELFCODE_TEST_POSTGRES_PROGRAMS"
"""The folder of the server's programs, where they are in an unusual place."""

_READY_S = 60.0
_STOP_S = 30.0
_ACCOUNTS = ("postgres", "nobody")
_PLAIN = {"max_connections": "300", "listen_addresses": "", "timezone": "UTC"}
_FAST = {**_PLAIN, "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
"""Nobody minds what becomes of this server's data when the machine fails."""


class CannotStart(CannotProvide):
    """No server could be started; the text says why."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server that answers at the socket in `folder`, to its superuser."""

    folder: Path

    def url(self, database: str = "postgres") -> str:
        """The address of one of its databases, as an operator would write it."""
        address = URL.create("postgresql", username="postgres", database=database, query={"host": str(self.folder)})
        return address.render_as_string()

    def create(self, database: str) -> str:
        """Make a database, in place of one that has the name, and return its address."""
        self.drop(database)
        self._say(f'CREATE DATABASE "{database}"')
        return self.url(database)

    def drop(self, database: str) -> None:
        """Remove a database, whoever is connected to it."""
        self._say(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')

    def answers(self) -> bool:
        """Whether it does."""
        try:
            self._say("SELECT 1")
        except OperationalError:
            return False
        return True

    def _say(self, statement: str) -> None:
        engine = self._engine()
        with engine.connect() as connection:
            connection.execute(text(statement))
        engine.dispose()

    def _engine(self) -> Engine:
        url = self.url().replace("postgresql:", "postgresql+psycopg:", 1)
        return create_engine(url, isolation_level="AUTOCOMMIT")


def is_installed() -> bool:
    """Whether a server's programs are on this machine."""
    return _programs() is not None


@contextmanager
def private_server(*, durable: bool = False) -> Iterator[Server]:
    """Start a server, and end it. `durable`: it keeps what it has answered, as people's servers do; else it is fast.

    Raises `CannotStart`.
    """
    folder = Path(tempfile.mkdtemp(prefix="selfcode-postgres-"))
    try:
        make_ready(folder)
        process = started(folder, durable=durable)
        try:
            yield Server(folder)
        finally:
            end(process)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def make_ready(folder: Path) -> None:
    """Let a server be started in the folder, with nothing in it. Raises `CannotStart`."""
    if account := _account():
        shutil.chown(folder, account)
    initdb = [_program("initdb"), "-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8"]
    made = subprocess.run(
        [*initdb, "--locale=C", "--no-sync"], user=account, cwd=folder, check=False, capture_output=True, text=True
    )
    if made.returncode:
        raise CannotStart(f"initdb failed:\n{(made.stdout + made.stderr)[-2000:]}")


def started(folder: Path, *, durable: bool) -> "subprocess.Popen[bytes]":
    """A server that answers, over the data in the folder. Raises `CannotStart`."""
    settings = _PLAIN if durable else _FAST
    options = [option for name, value in settings.items() for option in ("-c", f"{name}={value}")]
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            [_program("postgres"), "-D", str(folder / "data"), "-k", str(folder), *options],
            user=_account(),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for the tests: the server is stopped after them
            preexec_fn=partial(end_with_parent, signal.SIGINT),  # noqa: PLW1509 - it does what is safe beside threads
        )
    try:
        _wait_until_ready(process, Server(folder))
    except BaseException:
        end(process)
        raise
    return process


def end(process: "subprocess.Popen[bytes]", number: int = signal.SIGINT) -> None:
    """End a server, by default so that it waits for nobody who is connected; SIGQUIT is as if it had crashed."""
    process.send_signal(number)
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _program(name: str) -> str:
    programs = _programs()
    if programs is None:
        raise CannotStart("PostgreSQL's server is not installed (Debian: postgresql)")
    return str(programs / name)


def _programs() -> Path | None:
    """The folder of the newest server's programs: Debian keeps each version's apart, off the PATH."""
    if named := os.environ.get(PROGRAMS):
        return Path(named) if (Path(named) / "initdb").exists() else None
    kept = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    found = kept[-1] if kept else shutil.which("initdb")
    return Path(os.path.realpath(found)).parent if found else None


def _account() -> str | None:
    """Whom the server runs as: it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    known = [line.partition(":")[0] for line in Path("/etc/passwd").read_text(encoding="utf-8").splitlines()]
    return next((name for name in _ACCOUNTS if name in known), None)


def _wait_until_ready(process: subprocess.Popen[bytes], server: Server) -> None:
    deadline = time.monotonic() + _READY_S
    while not server.answers():
        if process.poll() is not None or time.monotonic() > deadline:
            said = (server.folder / "log").read_text(errors="replace")[-2000:]
            raise CannotStart(f"postgres did not start:\n{said}")
        time.sleep(0.1)

"""Both sides, each as processes of its own that answer on loopback: one for each of two cores."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bench.flood.deliveries import LABEL, SECRET
from tests.ports import held_port

PROCESSES = 2
_READY_S = 60.0


@dataclass(frozen=True, slots=True)
class Side:
    """A server that takes deliveries at `path`."""

    port: int
    path: str
    pid: int

    def processes(self) -> list[int]:
        """The ids of those that answer."""
        return _family(self.pid)[1:]

    def memory_mb(self) -> float:
        """What its processes have of the memory; what several share counts once."""
        return sum(_proportional_kb(pid) for pid in _family(self.pid)) / 1024

    def cpu_s(self) -> float:
        """What its processes have taken of the cores so far: of little interest to whatever else the machine does."""
        return sum(_ticks(pid) for pid in _family(self.pid)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def selfcode(folder: Path, database_url: str | None = None) -> Iterator[Side]:
    """`selfcode web` over a home in the folder, which is made: its SQLite file, unless another database is named."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "SELFCODE_HOME": str(folder / "home"),
        "SELFCODE_HOST": "127.0.0.1",
        "SELFCODE_APP_ID": "1",
        "SELFCODE_WEBHOOK_SECRET": SECRET,
        "SELFCODE_PRIVATE_KEY": _key(),
        "SELFCODE_LABEL": LABEL,
        "SELFCODE_WEB_PROCESSES": str(PROCESSES),
    }
    if database_url is not None:
        settings["SELFCODE_DATABASE_URL"] = database_url
    command = [sys.executable, "-P", "-m", "bot.cli", "web"]
    log = folder / "selfcode.log"
    with (
        held_port() as port,
        _process(command, Path.cwd(), {**settings, "SELFCODE_PORT": str(port)}, log) as process,
    ):
        _wait_for(port, process)
        yield Side(port, "/webhook", process.pid)


@contextmanager
def probot(program: Path, folder: Path) -> Iterator[Side]:
    """Probot in production mode, its log at the level it has by itself."""
    settings = {
        "APP_ID": "1",
        "PRIVATE_KEY": _key(),
        "WEBHOOK_SECRET": SECRET,
        "HOST": "127.0.0.1",
        "NODE_ENV": "production",
        "FLOOD_LABEL": LABEL,
        "FLOOD_PROCESSES": str(PROCESSES),
    }
    log = folder / "probot.log"
    with held_port() as port, _process(["node", "app.mjs"], program, {**settings, "PORT": str(port)}, log) as process:
        _wait_for(port, process)
        yield Side(port, "/api/github/webhooks", process.pid)


@contextmanager
def _process(
    command: Sequence[str], folder: Path, settings: Mapping[str, str], log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SELFCODE_")}
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=folder, env={**kept, **settings}, stdout=out, stderr=out)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _READY_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise ConnectionError(f"{process.args!r} does not answer") from None
            time.sleep(0.1)
        else:
            time.sleep(1.0)  # the other process of it, too
            return


def _key() -> str:
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return made.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()


def _family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [pid, *(found for child in children for found in _family(int(child)))]


def _ticks(pid: int) -> int:
    """User and system time. Source: proc_pid_stat(5)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def _proportional_kb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("Pss:")).split()[1])

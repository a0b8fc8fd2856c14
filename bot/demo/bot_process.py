"""The bot as a real process of its own, with a log, which is gone when its context ends."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import requests

_PATIENCE_S = 20.0
_LOG_LINES = 60
_REQUEST = " bot.web.asgi"


class NotReady(Exception):
    """The bot ended early, or did not become ready in time. The text says which."""


@dataclass(frozen=True, slots=True)
class BotProcess:
    """The bot's first process; all that it starts is in one process group."""

    process: "subprocess.Popen[bytes]"
    port: int
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def exit_code(self) -> int | None:
        """None while it runs."""
        return self.process.poll()

    def last_words(self) -> str:
        """The end of its log, without a line for each request."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join([line for line in lines if _REQUEST not in line][-_LOG_LINES:])

    def wait_until_ready(self, timeout_s: float) -> None:
        """Return once `/readyz` says so. Raises `NotReady`."""
        deadline = time.monotonic() + timeout_s
        said = "it did not listen"
        with requests.Session() as session:
            session.trust_env = False
            while time.monotonic() < deadline:
                if self.exit_code is not None:
                    raise NotReady(f"the bot ended with exit code {self.exit_code} before it was ready")
                with suppress(requests.ConnectionError, requests.Timeout):
                    answer = session.get(f"{self.url}/readyz", timeout=5)
                    if answer.ok:
                        return
                    said = answer.text.strip()
                time.sleep(0.1)
        raise NotReady(f"the bot was not ready within {timeout_s:g} s: {said}")


@contextmanager
def running(argv: Sequence[str], environment: Mapping[str, str], *, port: int, log: Path) -> Iterator[BotProcess]:
    """Start the bot; end it, and whatever it left running, when the context ends."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            argv,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield BotProcess(process, port, log)
    finally:
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """First politely, so that it can clear up after itself; then whatever is left of its group."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_PATIENCE_S)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def free_port() -> int:
    """A port of loopback that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

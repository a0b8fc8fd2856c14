"""What every command has in common: its settings, how errors become exit codes, how it is ended, what it says."""

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec

import click

from bot.errors import ConfigError, Refused, Unavailable
from bot.settings import Settings, read_settings
from bot.writing.masking import mask_secrets

P = ParamSpec("P")


def answering_errors(command: Callable[P, int | None]) -> Callable[P, None]:
    """End with the exit code that the command returns; errors are told to whoever must act, without a traceback."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            sys.exit(command(*args, **kwargs) or 0)
        except (ConfigError, Refused) as problem:
            click.echo(f"selfcode: {problem}", err=True)
            sys.exit(2)
        except Unavailable as away:
            click.echo(f"selfcode: {away}", err=True)
            sys.exit(1)

    return run


def settings_of(**overrides: Any) -> Settings:
    """The operator's settings, under what the command line says."""
    given = {name: str(value) for name, value in overrides.items() if value}
    return read_settings({**os.environ, **given})


class MaskedLines(logging.Formatter):
    """Log lines, tracebacks included, without secrets: what a server answers may repeat the key that it was sent."""

    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._secrets = tuple(secrets)

    def format(self, record: logging.LogRecord) -> str:
        return mask_secrets(super().format(record), self._secrets)


def log_to_stderr(secrets: Sequence[str] = ()) -> None:
    """Let the program log, without secrets."""
    handler = logging.StreamHandler()
    handler.setFormatter(MaskedLines(secrets))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("httpx").setLevel(logging.WARNING)


def until_told_to_end() -> threading.Event:
    """An event that is set once somebody ends the program."""
    event = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: event.set())
    return event


def say(text: str) -> None:
    """A line for people."""
    click.echo(text, err=True)


def say_what_is_not_isolated(settings: Settings) -> None:
    """Warn of a sandbox that is none."""
    if settings.sandbox == "process":
        say("sandbox: process. The code runs with your own rights: only for code that you trust.")

"""What every command has in common: its settings, how errors become exit codes, how it is ended, what it says."""

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from functools import wraps
from types import TracebackType
from typing import Any, ParamSpec

import click

from bot.app_file import home_in, read_kept
from bot.errors import ConfigError, Refused, Unavailable
from bot.runs.space import is_no_room, no_room
from bot.seen.lines import TextLines
from bot.settings import Settings, read_settings
from bot.writing.masking import mask_secrets

P = ParamSpec("P")

log = logging.getLogger(__name__)

INTERRUPTED = 130
"""The exit code of what was ended by Ctrl-C, as shells give it."""

HANDLER = "selfcode"
"""The name of the handler that writes the log."""


def answering_errors(command: Callable[P, int | None]) -> Callable[P, None]:
    """End with the exit code that the command returns; errors are told to whoever must act, without a traceback."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            sys.exit(command(*args, **kwargs) or 0)
        except (ConfigError, Refused) as problem:
            _tell(problem)
            sys.exit(2)
        except Unavailable as away:
            _tell(away)
            sys.exit(1)
        except OSError as problem:
            if not is_no_room(problem):
                raise
            _tell(no_room(problem))
            sys.exit(1)

    return run


def _tell(problem: Exception | str) -> None:
    """A line for whoever reads along; once there is a log, one of its lines."""
    if any(handler.get_name() == HANDLER for handler in logging.getLogger().handlers):
        log.error("%s", problem)
    else:
        click.echo(f"selfcode: {problem}", err=True)


def settings_of(**overrides: Any) -> Settings:
    """The operator's settings, over the App that was created by clicking and under what the command line says."""
    given = {name: str(value) for name, value in overrides.items() if value}
    environment = {**os.environ, **given}
    return read_settings(environment, read_kept(home_in(environment)))


def log_to_stderr(settings: Settings) -> None:
    """Let the program log, in the operator's format: without secrets, tracebacks and Python's own warnings included."""
    handler = logging.StreamHandler()
    handler.set_name(HANDLER)
    handler.setFormatter(lines_of(settings.log_format, settings.secrets()))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    for name in ("httpx", "httpx2"):  # a line for each request
        logging.getLogger(name).setLevel(logging.WARNING)
    steps = logging.getLogger("dbos")  # it has a handler of its own, unless it is given one
    steps.addHandler(handler)
    steps.propagate = False
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught
    threading.excepthook = lambda failed: _log_uncaught(failed.exc_type, failed.exc_value, failed.exc_traceback)


def lines_of(log_format: str, secrets: Sequence[str]) -> logging.Formatter:
    """How log lines look: `text` or `json`. What a server answers may repeat the key that it was sent: it is masked."""

    def mask(text: str) -> str:
        return mask_secrets(text, secrets)

    if log_format == "json":
        from bot.seen.json_lines import JsonLines  # noqa: PLC0415 - commands load what they need

        return JsonLines(mask)
    return TextLines(mask)


def _log_uncaught(kind: type[BaseException], error: BaseException | None, traceback: TracebackType | None) -> None:
    """A bug that nobody caught, in the main thread or another: its end, told like all else."""
    if issubclass(kind, SystemExit | KeyboardInterrupt):
        return
    log.critical("bug: a thread has ended by it", exc_info=(kind, error or kind(), traceback))


def until_told_to_end() -> threading.Event:
    """An event that is set once somebody ends the program."""
    event = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: event.set())
    return event


def end_at_once() -> None:
    """Let whoever ends the program end it at once again, instead of an event that nobody looks at any more."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


def say(text: str) -> None:
    """A line for people."""
    click.echo(text, err=True)


def say_what_is_not_isolated(settings: Settings) -> None:
    """Warn of a sandbox that is none."""
    if settings.sandbox == "process":
        say("sandbox: process. The code runs with your own rights: only for code that you trust.")

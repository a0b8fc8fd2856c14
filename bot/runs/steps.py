"""The durable steps of a run: each is done once, its value kept, and a restarted worker goes on behind the last one."""

import itertools
import json
import logging
import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from dbos import DBOS, DBOSConfig, Serializer, SetWorkflowID
from sqlalchemy import make_url

from bot.errors import Gone, Refused, Stopped, Unavailable
from bot.records import StopCheck

STEPS_VERSION = "2"
"""Changed whenever the steps of a run change. A run that an older version began is then told again from the start, by
what it kept in the store: its finished iterations are not paid twice."""

PATIENCE = (2.0, 10.0, 30.0)
"""Seconds to wait before each further try of a step whose service was away and did not say for how long."""

LONGEST_WAIT_S = 900.0

_OVER = ("SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")

log = logging.getLogger(__name__)

Json = dict[str, Any] | list[Any] | str | int | float | bool | None


class _Connection(sqlite3.Connection):
    """SQLite with a clock that an SQLite before 3.42 lacks, and that the engine's tables need from Python 3.12 on.

    Source: dbos/_migration.py, get_sqlite_timestamp_expr: it asks for `unixepoch('subsec')`, there NULL.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if sqlite3.sqlite_version_info < (3, 42):
            self.create_function("unixepoch", -1, lambda *_: time.time())


class JsonSerializer(Serializer):
    """Keeps step values as JSON, never as pickle. An exception, which only a bug raises, keeps its text."""

    def serialize(self, data: Any) -> str:
        return json.dumps(data, default=_told)

    def deserialize(self, serialized_data: str) -> Any:
        value = json.loads(serialized_data)
        if isinstance(value, dict) and set(value) == {"error"}:
            return RuntimeError(value["error"])
        return value

    def name(self) -> str:
        return "selfcode_json"


def _told(value: object) -> dict[str, str]:
    """A bug as what it said. Anything else that is no JSON must not look well until the restart."""
    if isinstance(value, BaseException):
        return {"error": f"{type(value).__name__}: {value}"}
    raise TypeError(f"a step came to a {type(value).__name__}, which is no JSON")


_EXPECTED: dict[str, Callable[[str], Exception]] = {
    "refused": Refused,
    "gone": Gone,
    "stopped": Stopped,
    "unavailable": Unavailable,
}


def step(name: str, work: Callable[[], Json], *, stop: StopCheck, patience: Iterable[float] = PATIENCE) -> Any:
    """Do a durable step of the running workflow, or return what it came to before the restart.

    What people must act on (`Refused`, `Gone`, `Stopped`) is kept as the step's value and raised again; `Unavailable`
    is waited out and raised when patience ends, a wait that a stop cuts short as `Stopped`.
    """
    came_to = DBOS.run_step({"name": name}, _attempt, name, work, stop, patience)
    for kind, error in _EXPECTED.items():
        if kind in came_to:
            raise error(came_to[kind])
    return came_to["value"]


def _attempt(name: str, work: Callable[[], Json], stop: StopCheck, patience: Iterable[float]) -> dict[str, Any]:
    waits = iter(patience)
    while True:
        try:
            return {"value": work()}
        except Refused as refusal:
            return {"refused": str(refusal)}
        except Gone as gone:
            return {"gone": str(gone)}
        except Stopped as stopped:
            return {"stopped": str(stopped)}
        except Unavailable as away:
            wait = next(waits, None)
            log.warning("step %s: %s", name, away)
            if wait is None or not away.passes:
                return {"unavailable": str(away)}
            if not _pause(max(wait, min(away.retry_after_s or 0.0, LONGEST_WAIT_S)), stop):
                return {"stopped": ""}


def _pause(seconds: float, stop: StopCheck) -> bool:
    """Wait; False where a stop cut it short."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if _is_asked(stop):
            return False
        time.sleep(min(0.5, seconds))
    return True


def _is_asked(stop: StopCheck) -> bool:
    """Whether a stop is known to be asked for: a database that is away does not say, and is asked again."""
    try:
        return stop()
    except Unavailable:
        return False


@dataclass
class Engine:
    """The durable engine under the runs: one in a process."""

    database_url: str
    executor_id: str
    tell_story: Callable[[str], None]
    version: str = STEPS_VERSION
    rest_s: float = 30.0
    _broken_off: dict[str, float] = field(default_factory=dict, init=False)

    def __enter__(self) -> Self:
        config: DBOSConfig = {
            "name": "selfcode",
            "system_database_url": self.database_url,
            "application_version": self.version,
            "executor_id": self.executor_id,
            "serializer": JsonSerializer(),
            "log_level": "ERROR",
            "notification_listener_polling_interval_sec": 0.5,
            "run_migrations": True,
        }
        if make_url(self.database_url).get_backend_name() == "sqlite":
            config["db_engine_kwargs"] = {"connect_args": {"factory": _Connection}}
        _make_folder(self.database_url)
        DBOS(config=config)
        tell = self._tell

        @DBOS.workflow(name="run", max_recovery_attempts=1000)
        def run(run_id: str) -> str:
            tell(run_id)
            return run_id

        self._workflow = run
        DBOS.launch()
        return self

    def start(self, run_id: str) -> None:
        """Start the run's workflow, or do nothing where it is under way.

        One that is over is told again from the start, as another: who asks knows that the run itself has not ended.
        """
        self._broken_off.pop(run_id, None)
        with SetWorkflowID(self._workflow_id(run_id)):
            DBOS.start_workflow(self._workflow, run_id)

    def is_to_start_again(self, run_id: str) -> bool:
        """Whether the run's story broke off in this process a while ago: where nothing can be written, none can end."""
        broke_off_at = self._broken_off.get(run_id)
        return broke_off_at is not None and time.monotonic() - broke_off_at >= self.rest_s

    def _workflow_id(self, run_id: str) -> str:
        first = f"{run_id}.{self.version}"
        ids = itertools.chain([first], (f"{first}.{go}" for go in itertools.count(2)))
        return next(
            name for name in ids if (found := DBOS.get_workflow_status(name)) is None or found.status not in _OVER
        )

    def _tell(self, run_id: str) -> None:
        try:
            self.tell_story(run_id)
        except BaseException:
            self._broken_off[run_id] = time.monotonic()
            raise

    def __exit__(self, *_: object) -> None:
        DBOS.destroy(workflow_completion_timeout_sec=0)


def _make_folder(url: str) -> None:
    database = make_url(url).database
    if url.startswith("sqlite") and database:
        Path(database).parent.mkdir(parents=True, exist_ok=True)

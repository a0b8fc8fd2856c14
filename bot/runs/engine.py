"""The durable engine under the runs: which workflow tells a run, and what it takes up of those before it."""

import itertools
import json
import logging
import re
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from dbos import DBOS, DBOSConfig, Serializer, SetWorkflowID
from sqlalchemy.exc import OperationalError

from bot.errors import Unavailable
from bot.runs.database import manners_of, with_driver
from bot.runs.leases import Lease, LeaseLost
from bot.runs.steps import STEPS_VERSION, CameTo, going_on_behind

log = logging.getLogger(__name__)

OF_A_HOME = frozenset({"fetch", "result"})
"""The step that brings a run to a home, and says so in the place of what was said: in another home it is done again,
and so is what tells the result."""

_OVER = ("SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")


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


@dataclass
class Engine:
    """The durable engine under the runs: one in a process, whose worker's id is that of its leases.

    Each lease of a run is told by a workflow of its own, which goes on behind the steps that were done under those
    before. So a step that somebody ends who has lost the run is never taken for one of those that go on.
    """

    database_url: str
    worker_id: str
    tell_story: Callable[[Lease], None]
    version: str = STEPS_VERSION
    rest_s: float = 30.0
    _broken_off: dict[str, float] = field(default_factory=dict, init=False)
    _before: dict[Lease, dict[str, CameTo]] = field(default_factory=dict, init=False)

    def __enter__(self) -> Self:
        address = with_driver(self.database_url)
        config: DBOSConfig = {
            "name": "selfcode",
            "system_database_url": address.render_as_string(hide_password=False),
            "application_version": self.version,
            "executor_id": self.worker_id,
            "serializer": JsonSerializer(),
            "log_level": "ERROR",
            "notification_listener_polling_interval_sec": 0.5,
            "run_migrations": True,
        }
        if address.get_backend_name() == "sqlite":
            config["db_engine_kwargs"] = {"connect_args": {"factory": _Connection}}
            if address.database:
                Path(address.database).parent.mkdir(parents=True, exist_ok=True)
        else:
            config["db_engine_kwargs"] = {"connect_args": manners_of(address), "pool_size": 5, "max_overflow": 10}
        DBOS(config=config)
        tell = self._tell

        @DBOS.workflow(name="run", max_recovery_attempts=1000)
        def run(run_id: str, worker_id: str, fence: int, home_since: int) -> str:
            tell(Lease(run_id, worker_id, fence, home_since))
            return run_id

        self._workflow = run
        DBOS.launch()
        return self

    def start(self, lease: Lease) -> None:
        """Start the run's workflow under this lease, or do nothing where it is under way.

        One that is over is told again from where the lease began, as another: who asks knows that the run itself has
        not ended. Raises `Unavailable` where nothing can be written.
        """
        run_id = lease.run_id
        broke_off_at = self._broken_off.pop(run_id, None)
        try:
            if broke_off_at is not None:
                self._give_up(lease)
            self._before[lease] = self._done_before(lease)
            with SetWorkflowID(self._workflow_id(lease)):
                DBOS.start_workflow(self._workflow, run_id, lease.worker_id, lease.fence, lease.home_since)
        except OperationalError as problem:
            if broke_off_at is not None:
                self._broken_off[run_id] = broke_off_at
            raise Unavailable(f"the database of steps does not answer: {problem.orig}") from problem

    def is_to_start_again(self, run_id: str) -> bool:
        """Whether the run's story broke off in this process a while ago: where nothing can be written, none can end."""
        broke_off_at = self._broken_off.get(run_id)
        return broke_off_at is not None and time.monotonic() - broke_off_at >= self.rest_s

    def _give_up(self, lease: Lease) -> None:
        """Take a workflow for over that broke off here: on a full disk, the engine could not write down that it did."""
        name = self._workflow_id(lease)
        if DBOS.get_workflow_status(name) is not None:
            DBOS.cancel_workflow(name)

    def _workflow_id(self, lease: Lease) -> str:
        first = f"{lease.run_id}.{self.version}.f{lease.fence}"
        ids = itertools.chain([first], (f"{first}.{go}" for go in itertools.count(2)))
        return next(
            name for name in ids if (found := DBOS.get_workflow_status(name)) is None or found.status not in _OVER
        )

    def _tell(self, lease: Lease) -> None:
        try:
            with going_on_behind(self._before.pop(lease, {})):
                self.tell_story(lease)
        except LeaseLost:
            log.info("run %s is another worker's by now, or waits: here it ends", lease.run_id)
            raise
        except BaseException:
            self._broken_off[lease.run_id] = time.monotonic()
            raise

    def _done_before(self, lease: Lease) -> dict[str, CameTo]:
        """What the steps came to that were done under earlier leases, by these same steps; the newest word counts.

        Of those that bring a run to a home, what was done in another one does not count here.
        """
        earlier = DBOS.list_workflows(
            workflow_id_prefix=f"{lease.run_id}.{self.version}", load_input=False, load_output=False
        )
        named = [(self._fence_in(each.workflow_id, lease.run_id), each.workflow_id) for each in earlier]
        done: dict[str, CameTo] = {}
        for (fence, _), name in sorted((found, name) for found, name in named if found and found[0] < lease.fence):
            for step in DBOS.list_workflow_steps(name):
                if fence >= lease.home_since or step["function_name"] not in OF_A_HOME:
                    done[step["function_name"]] = CameTo(step["output"], step["error"])
        return done

    def _fence_in(self, name: str, run_id: str) -> tuple[int, int] | None:
        """The fence, and which go of it, in the name of a workflow; None in one of other steps, or no run's."""
        found = re.fullmatch(rf"{re.escape(f'{run_id}.{self.version}')}(?:\.f(\d+))?(?:\.(\d+))?", name)
        return (int(found[1] or 0), int(found[2] or 1)) if found else None

    def __exit__(self, *_: object) -> None:
        DBOS.destroy(workflow_completion_timeout_sec=0)

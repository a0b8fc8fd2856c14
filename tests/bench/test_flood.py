"""Floods, as `bench.flood` makes them: some hundred deliveries through real processes, over both databases."""

import os
import signal
from pathlib import Path

import pytest

from bench.dispatch import measured, sqlite
from bench.flood import deliveries
from bench.flood.__main__ import kept
from bench.flood.client import pour
from bench.flood.provisions import probot
from bench.flood.sides import selfcode
from bot.errors import ConfigError
from tests.runs.builders import database_url


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_of_a_flood_in_which_a_web_process_is_killed_each_delivery_is_answered_and_each_trigger_kept_once(
    database: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = str(request.getfixturevalue("postgres_url")) if database == "postgresql" else None
    with selfcode(tmp_path, url) as side:
        once = deliveries.accepted(800, side.path)
        flood = deliveries.with_duplicates(once)
        killed = side.processes()[0]

        def kill(answered: int) -> None:
            if answered == 300:
                os.kill(killed, signal.SIGKILL)

        poured = pour(side.port, [*flood, *deliveries.ignored(40, side.path)], connections=24, answered=kill)
        memory_mb, cpu_s, processes = side.memory_mb(), side.cpu_s(), side.processes()

    assert poured.statuses == {202: 1000, 200: 40}
    assert kept(url or database_url(tmp_path / "home")) == 800
    assert killed not in processes
    assert memory_mb > 10
    assert cpu_s > 0


def test_a_delivery_has_the_size_that_githubs_have() -> None:
    made = [*deliveries.ignored(2, "/webhook"), *deliveries.accepted(2, "/webhook")]

    assert all(5_000 < len(request) < 30_000 for request in made)
    assert len(set(made)) == 4


def test_a_look_at_the_queue_can_be_timed() -> None:
    cost = measured(sqlite, 3)

    assert cost is not None
    assert cost.filling.clock_s > 0


def test_without_npm_probot_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ConfigError, match=r"Node\.js is not installed"):
        probot(tmp_path / "cache")

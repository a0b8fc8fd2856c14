"""What is counted, and how it is shown: by one process, and by several over one folder."""

import re
import subprocess
import sys
from pathlib import Path

from bot.records import Usage
from bot.seen.counting import Allowance
from bot.seen.figures import Figures, Reading
from bot.seen.places import ROOM_BYTES, readable_files, take_place


def shown(figures: Figures, *readings: Reading) -> dict[str, float]:
    """Every series with its value, but those of the library itself."""
    text = figures.text(readings)[0].decode()
    lines = [line for line in text.splitlines() if not line.startswith("#") and "_created" not in line]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_runs_are_counted_by_kind_and_outcome() -> None:
    figures = Figures()
    figures.run_ended("start", "proven")
    figures.run_ended("start", "proven")
    figures.run_ended("retry", "error")

    assert shown(figures) == {
        'selfcode_runs_ended_total{kind="start",outcome="proven"}': 2,
        'selfcode_runs_ended_total{kind="retry",outcome="error"}': 1,
    }


def test_the_time_of_a_phase_is_that_of_all_its_steps_whatever_their_numbers() -> None:
    figures = Figures()
    figures.step_took("iteration 1", 20.0)
    figures.step_took("iteration 2", 40.0)
    figures.step_took("pull request", 0.3)

    found = shown(figures)

    assert found['selfcode_step_seconds_sum{step="iteration"}'] == 60
    assert found['selfcode_step_seconds_count{step="iteration"}'] == 2
    assert found['selfcode_step_seconds_bucket{le="0.5",step="pull request"}'] == 1


def test_a_model_costs_tokens_and_money_as_far_as_they_are_known() -> None:
    figures = Figures()
    figures.model_answered("small", 2.0, "answered", Usage(1000, 100, cached_tokens=400, cost_usd=0.5))
    figures.model_answered("small", 3.0, "answered", Usage(10, 1))
    figures.model_answered("small", 60.0, "unavailable", None)

    found = shown(figures)

    assert {name: value for name, value in found.items() if "tokens" in name or "cost" in name} == {
        'selfcode_model_tokens_total{model="small",part="prompt"}': 1010,
        'selfcode_model_tokens_total{model="small",part="completion"}': 101,
        'selfcode_model_tokens_total{model="small",part="cached"}': 400,
        'selfcode_model_cost_usd_total{model="small"}': 0.5,
    }
    assert found['selfcode_model_calls_total{model="small",result="unavailable"}'] == 1
    assert found['selfcode_model_call_seconds_sum{model="small"}'] == 65


def test_what_github_allows_is_what_it_said_last_by_installation_and_resource() -> None:
    figures = Figures()
    figures.github_answered(200, 5, Allowance("core", 5000, 4000, 1_770_000_000.0))
    figures.github_answered(200, 5, Allowance("core", 5000, 3999, 1_770_000_000.0))
    figures.github_answered(200, None, Allowance("core", 5000, 12, 1_770_000_000.0))
    figures.github_answered(429, 5, None)
    figures.github_answered(None, 5, None)

    found = shown(figures)

    assert found['selfcode_github_requests_left{installation="5",resource="core"}'] == 3999
    assert found['selfcode_github_requests_left{installation="app",resource="core"}'] == 12
    assert found['selfcode_github_requests_limit{installation="5",resource="core"}'] == 5000
    assert found['selfcode_github_resets_timestamp_seconds{installation="5",resource="core"}'] == 1_770_000_000
    assert found['selfcode_github_requests_total{status="200"}'] == 3
    assert found['selfcode_github_requests_total{status="429"}'] == 1
    assert found['selfcode_github_requests_total{status="unreachable"}'] == 1


def test_readings_are_shown_beside_what_is_counted_each_name_described_once() -> None:
    figures = Figures()
    figures.sandbox_failed("unavailable")
    readings = [Reading("selfcode_waiting", "What waits", n, {"kind": kind}) for n, kind in ((3, "start"), (1, "stop"))]

    text, content_type = figures.text(readings)

    assert shown(figures, *readings) == {
        'selfcode_sandbox_failures_total{how="unavailable"}': 1,
        'selfcode_waiting{kind="start"}': 3,
        'selfcode_waiting{kind="stop"}': 1,
    }
    assert text.decode().count("# HELP selfcode_waiting What waits") == 1
    assert content_type.startswith("text/plain")


# --- Several processes over one folder

COUNTING = """
import sys
from pathlib import Path
from bot.seen.counting import Allowance
from bot.seen.figures import Figures

figures = Figures(Path(sys.argv[1]))
for line in sys.stdin:
    figures.run_ended("start", "proven")
    figures.step_took("proof", 5.0)
    figures.github_answered(200, 5, Allowance("core", 5000, int(line), 0.0))
    print(figures.text()[0].decode().replace("\\n", ";"), flush=True)
"""


class Counting:
    """A process that counts a run each time it is told how many requests GitHub has left."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-c", COUNTING, str(folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def count(self, left: int) -> tuple[float, float, float]:
        """The runs, the seconds of proofs and the requests left that it shows then."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{left}\n")
        self.process.stdin.flush()
        text = self.process.stdout.readline()
        names = ("selfcode_runs_ended_total", "selfcode_step_seconds_sum", "selfcode_github_requests_left")
        runs, seconds, requests = (float(re.findall(rf"{name}{{[^}}]*}} (\S+?);", text)[0]) for name in names)
        return runs, seconds, requests

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def test_processes_over_one_folder_show_the_same_and_a_killed_one_is_followed_by_the_next(tmp_path: Path) -> None:
    one, other = Counting(tmp_path), Counting(tmp_path)
    try:
        first, second = one.count(4000), other.count(3000)
        other.kill()
        other = Counting(tmp_path)
        third = other.count(2000)
    finally:
        one.kill()
        other.kill()

    assert (first, second, third) == ((1, 5, 4000), (2, 10, 3000), (3, 15, 2000))
    assert sorted(file.name for file in tmp_path.glob("*.lock")) == ["1.lock", "2.lock"]


def test_a_place_has_its_room_on_the_disk_from_the_start(tmp_path: Path) -> None:
    take_place(tmp_path / "home" / "figures")

    files = list((tmp_path / "home" / "figures").glob("*.db"))
    assert len(files) == 3
    assert all(file.stat().st_blocks * 512 >= ROOM_BYTES for file in files)
    assert (tmp_path / "home").stat().st_mode & 0o077 == 0


def test_a_file_that_a_crash_of_the_machine_left_unreadable_is_passed_over_and_made_anew(tmp_path: Path) -> None:
    for name in ("counter_1.db", "counter_7.db"):
        (tmp_path / name).write_bytes(b"\xff\x00\x00\x00" + bytes(4) + b"\xff" * 300)

    assert readable_files(tmp_path) == []

    take_place(tmp_path)

    assert [Path(file).name for file in readable_files(tmp_path)] == [
        "counter_1.db",
        "gauge_mostrecent_1.db",
        "histogram_1.db",
    ]

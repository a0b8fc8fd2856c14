"""The demo from its start to its end, with a small program in the bot's place: real processes, real HTTP."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from bot.demo.show import run_demo
from tests.demo import bot_stub

TITLES = {"Proven": "proven", "Not solved": "unsolved"}
Demo = Callable[..., int]


@pytest.fixture
def pids(tmp_path: Path) -> Path:
    return tmp_path / "pids"


@pytest.fixture
def demo(pids: Path) -> Demo:
    def run(kind: str, *, environ: Mapping[str, str] | None = None, **wanted: Any) -> int:
        argv = (sys.executable, bot_stub.__file__, kind, str(pids))
        return run_demo(
            environ={"PATH": os.environ["PATH"], **(environ or {})},
            sandbox="process",
            titles=TITLES,
            argv=argv,
            **wanted,
        )

    return run


def still_running(pids: Path) -> list[int]:
    return [pid for pid in map(int, pids.read_text().split()) if is_running(pid)]


def is_running(pid: int) -> bool:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_the_demo_ends_with_the_pull_request_and_exit_code_0(demo: Demo, capsys: pytest.CaptureFixture[str]) -> None:
    code = demo("proven", notes=["No Docker here."])

    shown = capsys.readouterr().out
    assert code == 0
    assert "No Docker here." in shown
    assert "recorded replies" in shown
    assert "selfcode is on it: iteration 1." in shown
    assert "Pull request #2: Mend it (#1)" in shown
    assert "| red | green |" in shown
    assert "▸ More" in shown
    assert "NEWS |    1 +" in shown
    assert "Outcome: proven" in shown


def test_as_json_stdout_is_one_object_and_the_prose_goes_to_stderr(
    demo: Demo, capsys: pytest.CaptureFixture[str]
) -> None:
    demo("proven", as_json=True)

    out, err = capsys.readouterr()
    told = json.loads(out)
    assert told["outcome"] == "proven"
    assert told["pull_request"]["files"] == [{"path": "NEWS", "status": "added", "additions": 1, "deletions": 0}]
    assert told["pull_request"]["checks"] == [{"name": "selfcode", "conclusion": "success", "title": "Proven"}]
    assert [comment["by"] for comment in told["issue"]["comments"]] == ["selfcode[bot]"]
    assert "Outcome: proven" in err


def test_an_outcome_other_than_proven_is_exit_code_1_and_the_bots_own_words(
    demo: Demo, capsys: pytest.CaptureFixture[str]
) -> None:
    code = demo("unsolved")

    shown = capsys.readouterr().out
    assert code == 1
    assert "Outcome: unsolved" in shown
    assert "the tests still fail." in shown


def test_a_bot_that_ends_before_it_is_ready_has_its_log_shown(demo: Demo, capsys: pytest.CaptureFixture[str]) -> None:
    code = demo("early")

    shown = capsys.readouterr().out
    assert code == 1
    assert "the bot ended with exit code 2 before it was ready" in shown
    assert "SELFCODE_APP_ID is not set" in shown


def test_a_bot_that_dies_in_the_middle_has_its_log_shown(demo: Demo, capsys: pytest.CaptureFixture[str]) -> None:
    code = demo("late")

    shown = capsys.readouterr().out
    assert code == 1
    assert "the bot ended with exit code 3 in the middle of the run" in shown
    assert "the database is on fire" in shown


def test_no_result_in_time_is_an_error_and_not_a_wait_for_ever(demo: Demo, capsys: pytest.CaptureFixture[str]) -> None:
    code = demo("proven", timeout_s=0.0)

    assert code == 1
    assert "no result within 0 s" in capsys.readouterr().out


def test_no_process_stays_behind(demo: Demo, pids: Path) -> None:
    demo("proven")

    assert still_running(pids) == []


def test_the_callers_key_is_used_and_never_shown(demo: Demo, capsys: pytest.CaptureFixture[str]) -> None:
    key = "sk-a-key-of-the-caller"

    demo(
        "unsolved",
        environ={"OPENAI_API_KEY": key, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "SELFCODE_MODEL": "tiny"},
    )

    shown = capsys.readouterr().out
    assert "Model: tiny at http://127.0.0.1:9/v1" in shown
    assert key not in shown


def test_a_kept_folder_holds_the_repository_and_the_bots_log(demo: Demo, tmp_path: Path) -> None:
    demo("proven", directory=tmp_path / "kept")

    [kept] = (tmp_path / "kept").iterdir()
    assert (kept / "bot.log").exists()
    assert len(list((kept / "repositories").glob("*.git"))) == 1


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_demo_ends_everything(how: signal.Signals, pids: Path, tmp_path: Path) -> None:
    script = tmp_path / "demo.py"
    script.write_text(
        "import os, signal, sys\nfrom bot.demo.show import run_demo\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs ignore it
        f"argv = (sys.executable, {bot_stub.__file__!r}, 'proven', {str(pids)!r})\n"
        "sys.exit(run_demo(environ=os.environ, sandbox='process', argv=argv, keep=True))\n"
    )
    root = Path(__file__).parents[2]
    environment = os.environ | {"PYTHONPATH": str(root)}
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True, env=environment) as running:
        assert running.stdout
        try:
            before = "".join(takewhile(lambda line: "Ctrl-C ends" not in line, running.stdout))
            running.send_signal(how)
            after, _ = running.communicate(timeout=120)
        finally:
            running.kill()

    assert "git clone --branch selfcode/issue-1 http://127.0.0.1:" in before
    assert "Interrupted" in after
    assert running.returncode == 130
    assert still_running(pids) == []

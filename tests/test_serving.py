import hashlib
import hmac
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.demo.hub import Hub
from bot.serving import Child, keep
from tests import command
from tests.demo.keys import Keys
from tests.web.browser import Browser

PROMPT_S = 60.0


def a_child(folder: Path, name: str, script: str) -> Child:
    """A process that leaves a line in `folder/name` at each start, and then does what the script says."""
    begin = f"import pathlib, signal, sys, time; pathlib.Path({str(folder / name)!r}).open('a').write('started\\n'); "
    return Child(name, [sys.executable, "-c", begin + script], calm_s=0.05)


def starts_of(folder: Path, name: str) -> int:
    return len((folder / name).read_text().splitlines()) if (folder / name).exists() else 0


def wait_until_started(folder: Path, name: str, times: int = 1) -> None:
    until = time.monotonic() + PROMPT_S
    while starts_of(folder, name) < times and time.monotonic() < until:
        time.sleep(0.05)
    assert starts_of(folder, name) >= times


@contextmanager
def kept(*children: Child, grace_s: float = 10.0) -> Iterator[threading.Event]:
    """Children that are kept running beside the test, until it ends."""
    until = threading.Event()
    keeping = threading.Thread(target=keep, args=(children, until), kwargs={"grace_s": grace_s})
    keeping.start()
    try:
        yield until
    finally:
        until.set()
        keeping.join()


FOR_LONG = "time.sleep(300)"


def test_a_process_that_dies_is_started_again_and_the_other_is_left_alone(tmp_path: Path) -> None:
    fragile, sturdy = a_child(tmp_path, "fragile", "sys.exit(1)"), a_child(tmp_path, "sturdy", FOR_LONG)

    with kept(fragile, sturdy):
        wait_until_started(tmp_path, "fragile", times=3)

    assert starts_of(tmp_path, "sturdy") == 1


def test_a_process_that_is_killed_is_started_again(tmp_path: Path) -> None:
    child = a_child(tmp_path, "worker", FOR_LONG)

    with kept(child):
        wait_until_started(tmp_path, "worker")
        assert child.process
        os.kill(child.process.pid, signal.SIGKILL)
        wait_until_started(tmp_path, "worker", times=2)


def test_a_process_that_keeps_dying_is_started_ever_more_slowly() -> None:
    child = Child("worker", [sys.executable, "-c", "raise SystemExit(1)"])
    waits = []
    for _ in range(7):
        now = child.due_at
        child.keep(now)
        assert child.process
        child.process.wait()
        child.keep(now)
        waits.append(child.due_at - now)

    assert waits == [2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


def test_a_process_that_ran_for_long_before_it_died_is_started_soon() -> None:
    child = Child("worker", [sys.executable, "-c", "raise SystemExit(1)"], calm_s=30.0)
    child.keep(0.0)
    assert child.process
    child.process.wait()

    child.keep(1000.0)

    assert child.due_at == 1001.0


def test_wrong_settings_of_one_end_everything_with_2(tmp_path: Path) -> None:
    other = a_child(tmp_path, "web", FOR_LONG)

    code = keep([other, a_child(tmp_path, "worker", "sys.exit(2)")], threading.Event())

    assert code == 2
    assert other.process
    assert other.process.returncode == -signal.SIGTERM


def test_told_to_end_both_end_and_the_code_is_0(tmp_path: Path) -> None:
    children = [a_child(tmp_path, name, FOR_LONG) for name in ("web", "worker")]
    until = threading.Event()
    threading.Timer(0.5, until.set).start()

    code = keep(children, until)

    assert code == 0
    assert [child.process.returncode for child in children if child.process] == [-signal.SIGTERM] * 2


def test_a_process_that_does_not_end_by_itself_is_ended(tmp_path: Path) -> None:
    stubborn = [a_child(tmp_path, name, f"signal.signal(15, signal.SIG_IGN); {FOR_LONG}") for name in ("web", "worker")]

    with kept(*stubborn, grace_s=0.5) as until:
        wait_until_started(tmp_path, "web")
        wait_until_started(tmp_path, "worker")
        time.sleep(0.5)
        began = time.monotonic()
        until.set()

    assert time.monotonic() - began < 60
    assert [child.process.returncode for child in stubborn if child.process] == [-signal.SIGKILL] * 2


# --- The command itself


def a_free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def a_private_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    return text.decode()


def an_environment(home: Path, port: int, **changed: str) -> dict[str, str]:
    """An App whose GitHub is away."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "SELFCODE_HOME": str(home),
        "SELFCODE_PORT": str(port),
        "SELFCODE_APP_ID": "7",
        "SELFCODE_PRIVATE_KEY": a_private_key(),
        "SELFCODE_WEBHOOK_SECRET": "hush",
        "SELFCODE_ALLOWED_OWNERS": "octo",
        "OPENAI_API_KEY": "hush-openai",
        "SELFCODE_GITHUB_API_URL": f"http://127.0.0.1:{a_free_port()}",
        "SELFCODE_SANDBOX": "process",
    } | changed


def processes_with(home: Path) -> list[int]:
    """Every process that has this home in its environment."""
    mark, found = f"SELFCODE_HOME={home}".encode(), []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return found


def answers(url: str) -> bool:
    try:
        return requests.get(url, timeout=2).status_code == 200
    except requests.ConnectionError:
        return False


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
def test_serve_answers_although_github_is_away_and_leaves_no_process_when_it_is_told_to_end(tmp_path: Path) -> None:
    home, elsewhere, port = tmp_path / "home", tmp_path / "elsewhere", a_free_port()
    (elsewhere / "bot").mkdir(parents=True)
    (elsewhere / "bot" / "__init__.py").write_text("raise SystemExit('another bot')")
    command = [sys.executable, "-P", "-m", "bot.cli", "serve"]
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(command, cwd=elsewhere, env=an_environment(home, port), stdout=log, stderr=log) as serving,
    ):
        until = time.monotonic() + PROMPT_S
        while not answers(f"http://127.0.0.1:{port}/healthz") and time.monotonic() < until:
            time.sleep(0.1)
        answered = answers(f"http://127.0.0.1:{port}/healthz")
        running = processes_with(home)
        serving.send_signal(signal.SIGTERM)
        code = serving.wait(30)

    assert answered, (tmp_path / "log").read_text()
    assert len(running) >= 3
    assert code == 0
    assert processes_with(home) == []
    assert "Traceback" not in (tmp_path / "log").read_text()


def the_link_in(log: Path) -> str:
    until = time.monotonic() + PROMPT_S
    while time.monotonic() < until:
        if found := re.findall(r"http://\S+/setup/\S+", log.read_text()):
            return str(found[-1])
        time.sleep(0.1)
    raise AssertionError(log.read_text())


def answer_to_a_ping(port: int, secret: str) -> int:
    signature = hmac.new(secret.encode(), b"{}", hashlib.sha256).hexdigest()
    headers = {"X-GitHub-Event": "ping", "X-GitHub-Delivery": "1", "X-Hub-Signature-256": f"sha256={signature}"}
    try:
        return requests.post(
            f"http://127.0.0.1:{port}/webhook",
            data=b"{}",
            headers={**headers, "Content-Type": "application/json"},
            timeout=5,
        ).status_code
    except requests.ConnectionError:
        return 0


def test_serve_without_an_app_has_one_created_and_then_takes_its_deliveries_by_itself(tmp_path: Path) -> None:
    home, port, log = tmp_path / "home", a_free_port(), tmp_path / "log"
    nothing_of_it = dict.fromkeys(("SELFCODE_APP_ID", "SELFCODE_PRIVATE_KEY", "SELFCODE_WEBHOOK_SECRET"), "")
    with Hub(keys=Keys()) as hub:
        hub.sign_in("octo")
        environment = an_environment(home, port, SELFCODE_GITHUB_API_URL=hub.api_url, **nothing_of_it)
        with (
            log.open("wb") as written,
            subprocess.Popen(
                [sys.executable, "-P", "-m", "bot.cli", "serve"], env=environment, stdout=written, stderr=written
            ) as serving,
        ):
            try:
                browser = Browser().open(the_link_in(log))
                created = browser.send(name="adders", reach="push", address=f"http://127.0.0.1:{port}").send().send()
                secret = json.loads((home / "app.json").read_text())["SELFCODE_WEBHOOK_SECRET"]
                until = time.monotonic() + PROMPT_S
                while (pinged := answer_to_a_ping(port, secret)) != 200 and time.monotonic() < until:
                    time.sleep(0.2)
                setup = requests.get(f"http://127.0.0.1:{port}/setup", timeout=5)
            finally:
                serving.send_signal(signal.SIGTERM)
                code = serving.wait(30)

    assert "adders is created" in created.words
    assert (pinged, code) == (200, 0), log.read_text()
    assert (setup.status_code, "Create" in setup.text) == (401, False)
    assert secret not in log.read_text()
    assert "Traceback" not in log.read_text()


def test_serve_with_only_a_part_of_an_app_says_what_is_missing_and_offers_no_page(tmp_path: Path) -> None:
    environment = an_environment(tmp_path, 0, SELFCODE_PORT="", SELFCODE_PRIVATE_KEY="")

    done = command.selfcode(tmp_path, "serve", environment=environment)

    assert done.returncode == 2
    assert "SELFCODE_PRIVATE_KEY" in done.stderr
    assert "SELFCODE_APP_ID, SELFCODE_WEBHOOK_SECRET from the environment" in done.stderr
    assert "/setup/" not in done.stderr


def test_serve_with_a_setting_that_can_not_be_used_ends_with_2_at_once(tmp_path: Path) -> None:
    environment = an_environment(tmp_path, 0, SELFCODE_PORT="http")

    done = subprocess.run(
        [sys.executable, "-m", "bot.cli", "serve"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 2
    assert "SELFCODE_PORT" in done.stderr
    assert "Traceback" not in done.stderr

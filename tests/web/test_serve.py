import contextlib
import json
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

from bot.errors import ConfigError
from bot.triggers.signature import sign
from bot.web.serve import serve
from tests.triggers.payloads import an_issue, an_issue_event
from tests.web.fakes import SECRET, MemoryInbox, an_app


@contextmanager
def a_server(folder: Path, *, max_requests: int = 0, log_format: str = "text") -> Iterator[str]:
    command = [sys.executable, "-m", "tests.web.served", str(folder), str(max_requests), log_format]
    with (
        (folder / "stderr").open("ab") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        try:
            assert process.stdout
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.send_signal(signal.SIGTERM)
            _, _ = process.communicate(timeout=20)


def deliver(url: str, number: int = 7) -> requests.Response:
    body = json.dumps(an_issue_event(label="selfcode", issue=an_issue(number=number))).encode()
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": "issues",
        "X-GitHub-Delivery": f"d-{number}",
        "X-Hub-Signature-256": sign(SECRET, body),
        "Connection": "close",
    }
    return requests.post(f"{url}/webhook", data=body, headers=headers, timeout=10)


def lives(process: Path) -> bool:
    return Path("/proc", process.name.removeprefix("process-")).exists()


@dataclass(frozen=True)
class Served:
    """What a server said whose processes are replaced after each request, and another one over the same folder."""

    folder: Path
    answers: list[object]
    figures: str
    answer_later: object
    figures_later: str


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    """Six times the same delivery to the one, the last of them to a new process, and once more to the other."""
    folder = tmp_path_factory.mktemp("served")
    with a_server(folder, max_requests=1) as url:
        answers = [deliver(url).json() for _ in range(5)]
        until = time.monotonic() + 30
        while any(lives(each) for each in folder.glob("process-*")) and time.monotonic() < until:
            time.sleep(0.05)
        answers.append(deliver(url).json())
        figures = requests.get(f"{url}/metrics", timeout=10).text
    with a_server(folder) as url:
        later = deliver(url).json()
        return Served(folder, answers, figures, later, requests.get(f"{url}/metrics", timeout=10).text)


def test_a_delivery_and_its_redelivery_are_one_whichever_process_gets_them_and_after_a_restart(served: Served) -> None:
    assert served.answers == [{"accepted": "start"}, *[{"duplicate": True}] * 5]
    assert served.answer_later == {"duplicate": True}
    assert len(list(served.folder.glob("trigger-*"))) == 1
    assert len(list(served.folder.glob("process-*"))) > 2


def test_figures_are_those_of_all_processes_together_and_go_on_after_a_restart(served: Served) -> None:
    assert 'selfcode_deliveries_total{answer="duplicate",event="issues"} 5.0' in served.figures
    assert 'selfcode_deliveries_total{answer="duplicate",event="issues"} 6.0' in served.figures_later
    assert 'selfcode_deliveries_total{answer="accepted",event="issues"} 1.0' in served.figures_later
    assert len(list((served.folder / "figures").glob("*.lock"))) <= 4


def test_an_answer_comes_long_before_github_gives_up(tmp_path: Path) -> None:
    with a_server(tmp_path) as url:
        answers = [deliver(url, number) for number in range(1, 21)]

    assert {answer.status_code for answer in answers} == {202}
    assert max(answer.elapsed.total_seconds() for answer in answers) < 8


def test_a_body_of_unknown_length_is_read_whole(tmp_path: Path) -> None:
    body = json.dumps(an_issue_event(label="selfcode")).encode()
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": "issues",
        "X-Hub-Signature-256": sign(SECRET, body),
    }

    with a_server(tmp_path) as url:
        answer = requests.post(f"{url}/webhook", data=iter([body[:10], body[10:]]), headers=headers, timeout=10)

    assert answer.status_code == 202


def test_a_request_is_one_short_line_in_the_log_without_the_query(tmp_path: Path) -> None:
    with a_server(tmp_path) as url:
        deliver(url)
        requests.get(f"{url}/healthz?code=hush", timeout=10)

    lines = (tmp_path / "stderr").read_text().splitlines()
    (looked,) = [line for line in lines if "healthz" in line]
    assert 'bot.web.asgi: 127.0.0.1 "GET /healthz" 200, ' in looked
    (posted,) = [line for line in lines if "d-7" in line]
    assert (
        "bot.web.webhook [delivery=d-7 installation=5 repository=octo/cat issue=7]: "
        "issues: 202 accepted: start (127.0.0.1, " in posted
    )
    assert not [line for line in lines if "hush" in line]


def test_all_that_a_server_writes_may_be_json_and_says_of_a_delivery_what_it_is_about(tmp_path: Path) -> None:
    with a_server(tmp_path, log_format="json") as url:
        deliver(url)

    lines = [json.loads(line) for line in (tmp_path / "stderr").read_text().splitlines()]
    (ours,) = [line for line in lines if "delivery" in line]
    assert ours | {"delivery": "d-7", "installation": 5, "repository": "octo/cat", "issue": 7} == ours
    assert ours["logger"] == "bot.web.webhook"
    assert all({"time", "level", "logger", "message"} <= set(line) for line in lines)


def test_who_connects_and_asks_for_nothing_is_not_waited_for(tmp_path: Path) -> None:
    with a_server(tmp_path) as url:
        port = int(url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=20) as silent:
            silent.sendall(b"POST /webhook HTTP/1.1\r\nHost: ")
            with contextlib.suppress(ConnectionResetError):
                assert silent.recv(1) == b""
        answer = deliver(url)

    assert answer.status_code == 202


def test_a_length_beyond_all_numbers_ends_the_connection_and_is_no_bug_of_ours(tmp_path: Path) -> None:
    with a_server(tmp_path) as url, socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), 20) as odd:
        odd.sendall(b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n")
        with contextlib.suppress(ConnectionResetError):
            assert odd.recv(1) == b""

    assert "Traceback" not in (tmp_path / "stderr").read_text()


def test_those_who_send_without_end_keep_nobody_out(tmp_path: Path) -> None:
    with a_server(tmp_path) as url, contextlib.ExitStack() as held:
        port = int(url.rpartition(":")[2])
        slow = [held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20)) for _ in range(24)]
        for each in slow:
            each.sendall(b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
        answers = [deliver(url, number) for number in range(1, 5)]
        ended: set[socket.socket] = set()
        while len(ended) < 24 - 2 * 8:
            gone, _, _ = select.select(set(slow) - ended, [], [], 20)
            assert gone
            ended |= set(gone)

    assert [answer.status_code for answer in answers] == [202] * 4


def test_a_port_that_is_taken_is_a_matter_of_settings() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        with pytest.raises(ConfigError, match=f"SELFCODE_PORT.*{port}"):
            serve(lambda: an_app(MemoryInbox()), host="127.0.0.1", port=port)

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests
from flask import Flask

from bot.errors import ConfigError
from bot.triggers.signature import sign
from bot.web.serve import serve
from tests.triggers.payloads import an_issue, an_issue_event
from tests.web.fakes import SECRET


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
    """Six times the same delivery to the one, and once more to the other."""
    folder = tmp_path_factory.mktemp("served")
    with a_server(folder, max_requests=1) as url:
        answers = [deliver(url).json() for _ in range(6)]
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
    assert [line for line in lines if '"GET /healthz" 200' in line]
    (posted,) = [line for line in lines if '"POST /webhook" 202' in line]
    assert "gunicorn.access [delivery=d-7 installation=5 repository=octo/cat issue=7]: 127.0.0.1" in posted
    assert posted.endswith("ms issues")
    assert not [line for line in lines if "hush" in line]


def test_all_that_a_server_writes_may_be_json_and_says_of_a_delivery_what_it_is_about(tmp_path: Path) -> None:
    with a_server(tmp_path, log_format="json") as url:
        deliver(url)

    lines = [json.loads(line) for line in (tmp_path / "stderr").read_text().splitlines()]
    about = {"delivery": "d-7", "installation": 5, "repository": "octo/cat", "issue": 7}
    ours = [line for line in lines if "delivery" in line]
    assert [line["logger"] for line in ours] == ["bot.web.webhook", "gunicorn.access"]
    assert all(line | about == line for line in ours)
    assert all({"time", "level", "logger", "message"} <= set(line) for line in lines)


def test_a_port_that_is_taken_is_a_matter_of_settings() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        with pytest.raises(ConfigError, match=f"SELFCODE_PORT.*{port}"):
            serve(lambda: Flask(__name__), host="127.0.0.1", port=port)

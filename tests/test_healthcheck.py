"""The image's health check: whatever of web and worker is in the container has to answer."""

import http.server
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from bot.healthcheck import is_healthy, ports_of


@contextmanager
def answering(status: int) -> Iterator[int]:
    """A server that answers so; yields its port."""

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/healthz" else 404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with http.server.HTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def a_closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def test_web_and_worker_answer_at_ports_of_the_settings() -> None:
    assert ports_of({}) == [8000]
    assert ports_of({"SELFCODE_PORT": "80", "SELFCODE_METRICS_PORT": "8001"}) == [80, 8001]
    assert ports_of({"SELFCODE_PORT": "", "SELFCODE_METRICS_PORT": ""}) == [8000]


def test_one_of_them_alone_is_enough() -> None:
    with answering(200) as port:
        assert is_healthy([a_closed_port(), port])


def test_nobody_there_is_ill() -> None:
    assert not is_healthy([a_closed_port()])


def test_one_that_is_there_and_does_not_answer_well_is_ill_whatever_the_other_says() -> None:
    with answering(200) as well, answering(503) as ill:
        assert not is_healthy([well, ill])

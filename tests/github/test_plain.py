"""What is asked of GitHub without PyGithub."""

import http.server
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.errors import Unavailable
from bot.github.itself import clock_ahead_s
from bot.github.plain import ask, json_in


@contextmanager
def listening() -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A server that takes everything; yields its address, and the headers of what it was asked."""
    heard: list[dict[str, str]] = []

    class Listens(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            heard.append(dict(self.headers))
            self.send_response(302)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with http.server.HTTPServer(("127.0.0.1", 0), Listens) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", heard
        server.shutdown()


def test_no_password_of_the_users_files_is_sent_and_no_redirect_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login mona password hush\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))

    with listening() as (address, heard):
        status = ask("HEAD", address, trust=True).status_code

    assert status == 302
    assert [("Authorization" in headers, headers["User-Agent"]) for headers in heard] == [(False, "selfcode")]


def test_any_answer_says_what_time_it_is_there() -> None:
    with listening() as (address, _):
        ahead_s = clock_ahead_s(address, clock=lambda: time.time() + 86_400)

    assert ahead_s is not None
    assert ahead_s // 3600 in (23, 24)
    with pytest.raises(Unavailable, match="can't be reached"):
        clock_ahead_s(address)


def test_an_answer_that_is_no_json_is_none() -> None:
    assert [json_in('{"a": 1}'), json_in("<html>"), json_in(b"\xff")] == [{"a": 1}, None, None]

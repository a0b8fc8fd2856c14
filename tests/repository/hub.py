"""A real git server for these tests: `git http-backend` behind one token, and a log of what was asked."""

import base64
import os
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from werkzeug.serving import WSGIRequestHandler, make_server

TOKEN = "ghs_" + "12345_eyJhbGciOi.J9-" * 4

Environ = dict[str, Any]
StartResponse = Callable[[str, list[tuple[str, str]]], object]


@dataclass
class Hub:
    """Bare repositories in one folder, served over smart HTTP to whoever has the token.

    `answer` replaces every answer by this status; `redirect_to` sends every caller elsewhere. `authorizations` are the
    headers that callers sent.
    """

    folder: Path
    url: str = ""
    answer: str = ""
    redirect_to: str = ""
    before_answer: Callable[[], object] | None = None
    before_push: Callable[[], object] | None = None
    authorizations: list[str] = field(default_factory=list)

    def create(self, name: str = "acme/tool.git") -> Path:
        path = self.folder / name
        git("init", "-q", "--bare", "--template=", "--initial-branch=main", str(path))
        git("--git-dir", str(path), "config", "http.receivepack", "true")
        return path

    def url_of(self, name: str = "acme/tool.git") -> str:
        return f"{self.url}/{name}"

    def __call__(self, environ: Environ, start: StartResponse) -> Iterable[bytes]:
        authorization = environ.get("HTTP_AUTHORIZATION", "")
        self.authorizations.append(authorization)
        if self.before_answer:
            self.before_answer()
        if self.redirect_to:
            target = self.redirect_to + environ["PATH_INFO"] + "?" + environ["QUERY_STRING"]
            return _plain(start, "301 Moved Permanently", ("Location", target))
        if authorization != "Basic " + base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode():
            return _plain(start, "401 Unauthorized", ("WWW-Authenticate", 'Basic realm="hub"'))
        if self.answer:
            return _plain(start, self.answer)
        if not (self.folder / environ["PATH_INFO"].strip("/").partition(".git")[0]).with_suffix(".git").exists():
            return _plain(start, "404 Not Found")
        if environ["PATH_INFO"].endswith("git-receive-pack") and self.before_push:
            self.before_push()
        return _backend(self.folder, environ, start)


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    """Serve the hub on a free port of loopback."""
    server = make_server("127.0.0.1", 0, hub, threaded=True, request_handler=_Quiet)
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def git(*arguments: str, stdin: bytes = b"", cwd: Path | None = None) -> str:
    """The test's own git, as a person would use it."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        **{
            f"GIT_{role}_{what}": f"{what}@example.com"
            for role in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    }
    done = subprocess.run(["git", *arguments], input=stdin, cwd=cwd, env=environment, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


class _Quiet(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002 - werkzeug's own name for it
        pass


def _plain(start: StartResponse, status: str, *headers: tuple[str, str]) -> Iterable[bytes]:
    start(status, [("Content-Type", "text/plain"), *headers])
    return [status.encode()]


def _backend(folder: Path, environ: Environ, start: StartResponse) -> Iterable[bytes]:
    """Run git's own CGI. Source: git-http-backend(1)."""
    names = ("REQUEST_METHOD", "PATH_INFO", "QUERY_STRING", "CONTENT_TYPE", "CONTENT_LENGTH")
    variables = {name: environ[name] for name in names if environ.get(name)}
    length = environ.get("CONTENT_LENGTH")
    is_chunked = environ.get("wsgi.input_terminated", False)
    body = environ["wsgi.input"].read() if is_chunked else environ["wsgi.input"].read(int(length or 0))
    done = subprocess.run(
        ["git", "http-backend"],
        input=body,
        capture_output=True,
        check=True,
        env={
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "REMOTE_USER": "x",
            **variables,
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": environ.get("HTTP_CONTENT_ENCODING", ""),
            "GIT_PROTOCOL": environ.get("HTTP_GIT_PROTOCOL", ""),
        },
    )
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    headers = [(name, value.strip()) for name, _, value in (line.partition(":") for line in head.decode().splitlines())]
    status = next((value for name, value in headers if name == "Status"), "200 OK")
    start(status, [header for header in headers if header[0] != "Status"])
    return [content]

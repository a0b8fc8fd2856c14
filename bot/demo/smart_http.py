"""Git over HTTP: `git http-backend` behind the tokens of the stand-in."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from werkzeug.wrappers import Request, Response

from bot.demo import access, git, keeping, push_rules, ruling
from bot.demo.access import Anonymous, AsApp, AsClient, AsInstallation, Caller, User, account_of
from bot.demo.answers import ApiError, Moved
from bot.demo.changes import Changes
from bot.demo.state import ROLES, Repository

_SPOOL_BYTES = 8 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class GitRequest:
    """One request of a git client and how it was answered."""

    method: str
    path: str
    who: str
    pushes: bool
    status: int


@dataclass(slots=True)
class _Refused(Exception):
    status: int
    text: str


class SmartHttp:
    """Serves `/{owner}/{name}.git/…`."""

    def __init__(self, changes: Changes, requests: list[GitRequest]) -> None:
        self._changes = changes
        self._requests = requests

    def answer(self, asked: Request) -> Response:
        """Serve one request of a git client."""
        full_name, _, rest = asked.path.lstrip("/").partition(".git/")
        pushes = "git-receive-pack" in (rest, asked.args.get("service"))
        who: Caller = Anonymous()
        try:
            with self._changes.world.lock:
                who = access.caller(self._changes.world, asked.headers.get("Authorization", ""))
                repository, may_workflows = self._admitted(who, full_name, pushes=pushes)
            answer = self._serve(asked, repository, rest, who=who, workflows=may_workflows, pushes=pushes)
        except _Refused as problem:
            answer = _plain(problem.status, problem.text)
        except ApiError as problem:
            text = "Invalid username or token. Password authentication is not supported for Git operations."
            answer = _plain(problem.status, text if problem.status == 401 else problem.message)
        self._requests.append(GitRequest(asked.method, asked.path, who.name, pushes, answer.status_code))
        return answer

    def _admitted(self, who: Caller, full_name: str, *, pushes: bool) -> tuple[Repository, bool]:
        """The repository, and whether workflow files may be pushed. Raises where GitHub would not let the caller in."""
        owner, _, name = full_name.partition("/")
        try:
            repository = self._changes.world.repository(owner, name)
        except Moved as moved:
            repository = self._changes.world.repositories[int(moved.url.rpartition("/")[2])]
        if isinstance(who, Anonymous | AsApp | AsClient) and (pushes or repository.private):
            raise _Refused(401, "No anonymous write access." if pushes else "Authentication required.")
        if not _may_read(who, repository):
            raise _Refused(404, "Repository not found.")
        if pushes and not _may_write(who, repository):
            raise _Refused(403, "Write access to repository not granted.")
        if pushes and repository.archived:
            raise _Refused(403, "This repository was archived so it is read-only.")
        return repository, isinstance(who, User) or (isinstance(who, AsInstallation) and who.has("workflows", "write"))

    def _serve(
        self, asked: Request, repository: Repository, rest: str, *, who: Caller, workflows: bool, pushes: bool
    ) -> Response:
        with tempfile.SpooledTemporaryFile(_SPOOL_BYTES) as body:
            for chunk in iter(lambda: asked.stream.read(_CHUNK_BYTES), b""):
                body.write(chunk)
            size = body.tell()
            body.seek(0)
            variables = _variables(asked, repository, rest, size) | self._rules(repository, workflows=workflows)
            body.fileno()
            before = git.heads(repository.directory) if pushes else {}
            backend = subprocess.Popen(
                ["git", "http-backend"], stdin=body, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=variables
            )
        assert backend.stdout
        status, headers = _head(backend.stdout)
        if not (pushes and asked.method == "POST"):
            return Response(_stream(backend), status, headers)
        content = b"".join(_stream(backend))
        with self._changes.world.lock:
            keeping.pushed(self._changes, repository, account_of(who) or repository.owner, before)
        return Response(content, status, headers)

    def _rules(self, repository: Repository, *, workflows: bool) -> dict[str, str]:
        """What the repository's hook goes by."""
        rules = ruling.rules_of(self._changes.world, repository, workflows=workflows)
        return {"HUB_RULES": rules, "HUB_PYTHON": sys.executable, "HUB_PUSH_RULES": push_rules.__file__}


def _may_read(who: Caller, repository: Repository) -> bool:
    match who:
        case User(account):
            return repository.role(account) != "none"
        case AsInstallation():
            return not repository.private or (who.covers(repository) and who.has("contents", "read"))
        case Anonymous() | AsApp() | AsClient():
            return not repository.private


def _may_write(who: Caller, repository: Repository) -> bool:
    match who:
        case User(account):
            return ROLES.index(repository.role(account)) >= ROLES.index("write")
        case AsInstallation():
            return who.covers(repository) and who.has("contents", "write")
        case Anonymous() | AsApp() | AsClient():
            return False


def _variables(asked: Request, repository: Repository, rest: str, size: int) -> dict[str, str]:
    """The CGI variables of `git http-backend`."""
    variables = git.environment(repository.directory) | {
        "GIT_PROJECT_ROOT": str(repository.directory.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{repository.directory.name}/{rest}",
        "QUERY_STRING": asked.query_string.decode(),
        "REQUEST_METHOD": asked.method,
        "CONTENT_TYPE": asked.headers.get("Content-Type", ""),
        "REMOTE_USER": "hub",
        "REMOTE_ADDR": "127.0.0.1",
        "GIT_PROTOCOL": asked.headers.get("Git-Protocol", ""),
        "HTTP_CONTENT_ENCODING": asked.headers.get("Content-Encoding", ""),
    }
    return variables | ({"CONTENT_LENGTH": str(size)} if asked.method == "POST" else {})


def _head(stdout: IO[bytes]) -> tuple[int, list[tuple[str, str]]]:
    """Read the CGI header: the status, and the header fields."""
    status, headers = 200, []
    while line := stdout.readline().decode("latin-1").strip():
        name, _, value = line.partition(":")
        if name.lower() == "status":
            status = int(value.split()[0])
        else:
            headers.append((name, value.strip()))
    return status, headers


def _stream(backend: "subprocess.Popen[bytes]") -> Iterator[bytes]:
    assert backend.stdout
    with backend:
        yield from iter(lambda: backend.stdout.read(_CHUNK_BYTES), b"")  # type: ignore[union-attr]


def _plain(status: int, text: str) -> Response:
    answer = Response(f"{text}\n", status, content_type="text/plain; charset=UTF-8")
    if status == 401:
        answer.headers["WWW-Authenticate"] = 'Basic realm="GitHub"'
    return answer


def is_git(environ: dict[str, Any]) -> bool:
    """Whether a request is a git client's."""
    return ".git/" in str(environ.get("PATH_INFO", ""))

"""A GitHub-shaped server on loopback: state in memory, real git repositories, signed webhooks.

It serves the REST API under `/api/v3`, as GitHub Enterprise Server does, git at `/OWNER/NAME.git`, and pages to look at
with a browser at `/OWNER/NAME/issues/1`.
"""

import re
import tempfile
import threading
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Self

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server
from werkzeug.wrappers import Request

from bot.demo import git, installing, making, oauth, registering
from bot.demo.api import Api, Fault, Faults, Recorded, by_number
from bot.demo.changes import Changes
from bot.demo.deliveries import Courier
from bot.demo.handles import RepositoryHandle, account
from bot.demo.keys import KeyPair, key_pair
from bot.demo.limits import Limits
from bot.demo.smart_http import GitRequest, SmartHttp, is_git
from bot.demo.state import Account, App, Delivery, Installation, Repository
from bot.demo.world import World

PERMISSIONS: Mapping[str, str] = {
    "actions": "read",
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "metadata": "read",
    "pull_requests": "write",
}
_POLL_S = 0.02
EVENTS = (
    "issues",
    "issue_comment",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "check_run",
    "check_suite",
)
"""What an App asks for by default: what app.yml says."""


class Hub:
    """The stand-in for GitHub. A context manager; without one, call `start` and `stop`.

    `requests` holds every API request with its answer, `git_requests` every request of a git client, `deliveries` every
    webhook, in order. `limits` are how many requests it takes, for tests to lower.
    """

    def __init__(
        self,
        directory: Path | None = None,
        *,
        port: int = 0,
        keys: Callable[[], KeyPair] = key_pair,
    ) -> None:
        """Keep repositories in `directory` (default: a temporary one); serve on `port` (default: a free one).

        Each App has the next of the `keys` (default: a new one).
        """
        self._temporary = tempfile.TemporaryDirectory(prefix="hub-") if directory is None else None
        self.world = World(directory or Path(self._temporary.name if self._temporary else ""))
        self._courier = Courier(self.world)
        self.changes = Changes(self.world, self._courier)
        self.requests: list[Recorded] = []
        self.git_requests: list[GitRequest] = []
        self._faults = Faults()
        self.world.new_keys = keys
        self.limits = Limits()
        self._api = Api(self.changes, self._faults, self.limits, self.requests)
        self._git = SmartHttp(self.changes, self.git_requests)
        self._server: BaseWSGIServer = make_server(
            "127.0.0.1", port, self._serve, threaded=True, request_handler=_Quiet
        )
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_POLL_S,), name="hub", daemon=True)
        self.world.base_url = f"http://127.0.0.1:{self._server.port}"

    # --- Life

    def start(self) -> Self:
        self._courier.start()
        self._thread.start()
        return self

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._courier.stop()
        if self._temporary:
            self._temporary.cleanup()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def base_url(self) -> str:
        """Where the pages and git are."""
        return self.world.base_url

    @property
    def api_url(self) -> str:
        """What `SELFCODE_GITHUB_API_URL` is to be."""
        return self.world.api_url

    # --- Making things

    def create_user(self, login: str) -> Account:
        with self.world.lock:
            return account(self.changes, login)

    def token(self, login: str) -> str:
        """A new token of a person, who is made where new: for API and git."""
        with self.world.lock:
            return self.world.token_for(account(self.changes, login)).value

    def create_repository(
        self,
        full_name: str,
        source: Mapping[str, bytes | str] | Path | None = None,
        *,
        private: bool = False,
        default_branch: str = "main",
        roles: Mapping[str, str] | None = None,
    ) -> RepositoryHandle:
        """Make a repository from files by path, a plain folder, or a git repository; None leaves it empty.

        `roles` gives people (made where new) read, triage, write, maintain or admin.
        """
        owner, _, name = full_name.partition("/")
        with self.world.lock:
            number = self.world.new_id()
            repository = Repository(
                id=number,
                owner=account(self.changes, owner),
                name=name,
                directory=self.world.directory / f"{number}.git",
                private=private,
                default_branch=default_branch,
                created_at=self.world.now(),
            )
            git.create(repository.directory, default_branch)
            making.fill(repository, source)
            self.world.repositories[number] = repository
            handle = RepositoryHandle(self.changes, repository)
            for login, role in (roles or {}).items():
                handle.give_role(login, role)
            return handle

    def create_app(
        self,
        slug: str = "selfcode",
        *,
        owner: str = "octo",
        webhook_url: str = "",
        webhook_secret: str = "a secret of the demo",  # noqa: S107
        permissions: Mapping[str, str] = PERMISSIONS,
        events: tuple[str, ...] = EVENTS,
        callback_urls: tuple[str, ...] = (),
    ) -> App:
        """Register an App. Its `private_key` is PEM text; `webhook_url` may be set later, by `set_webhook`.

        People may be sent back to `callback_urls` once they have signed in by it; anywhere, where there are none.
        """
        with self.world.lock:
            return registering.register(
                self.world,
                slug,
                owner=account(self.changes, owner),
                webhook_url=webhook_url,
                webhook_secret=webhook_secret,
                permissions=permissions,
                events=events,
                callback_urls=callback_urls,
            )

    def sign_in(self, login: str) -> Account:
        """Let somebody, who is made where new, be the one who looks at the pages about Apps."""
        with self.world.lock:
            self.world.signed_in = account(self.changes, login)
            return self.world.signed_in

    def revoke(self, login: str) -> None:
        """Have somebody take back what they let Apps do in their name."""
        with self.world.lock:
            oauth.revoke(self.changes, account(self.changes, login))

    def set_webhook(self, app: App, url: str, *, ping: bool = True) -> None:
        """Send the App's deliveries there from now on; those kept so far stay unsent."""
        with self.world.lock:
            app.webhook_url = url
            if ping:
                self._courier.ping(app)

    def install(self, app: App, login: str, repositories: tuple[RepositoryHandle, ...] | None = None) -> Installation:
        """Install an App on an account: for all of its repositories, or for some."""
        with self.world.lock:
            owner = account(self.changes, login)
            chosen = None if repositories is None else {repository.id for repository in repositories}
            installation = Installation(
                self.world.new_id(), app, owner, chosen, dict(app.permissions), self.world.now()
            )
            installing.install(self.changes, installation, owner)
            return installation

    def uninstall(self, installation: Installation) -> None:
        with self.world.lock:
            installing.uninstall(self.changes, installation, installation.account)

    def suspend(self, installation: Installation) -> None:
        with self.world.lock:
            installing.suspend(self.changes, installation, installation.account)

    def unsuspend(self, installation: Installation) -> None:
        with self.world.lock:
            installing.unsuspend(self.changes, installation, installation.account)

    def allow(self, installation: Installation, **permissions: str) -> None:
        """Change what an App may do there: `issues="read"`, `contents="none"`; the App is told."""
        with self.world.lock:
            held = {name: level for name, level in (installation.permissions | permissions).items() if level != "none"}
            installing.allow(self.changes, installation, held, installation.account)

    def select(self, installation: Installation, repository: RepositoryHandle, *, added: bool = True) -> None:
        """Add a repository to an installation's, or take it away."""
        with self.world.lock:
            installing.select(self.changes, installation, repository.state_of, installation.account, added=added)

    # --- Reading and steering

    def repository(self, full_name: str) -> RepositoryHandle:
        owner, _, name = full_name.partition("/")
        return RepositoryHandle(self.changes, self.world.repository(owner, name))

    def calls_by(self, login: str, *, since: int = 0) -> list[Recorded]:
        """What somebody has asked of the API, from the request of that number on: `selfcode[bot]` is the App itself."""
        who = {login, f"app {login.removesuffix('[bot]')}"}
        return [found for found in self.requests[since:] if found.who in who]

    @property
    def deliveries(self) -> list[Delivery]:
        with self.world.lock:
            return list(self.world.deliveries)

    def redeliver(self, delivery: Delivery) -> Delivery:
        """Send a delivery again, with the same GUID."""
        with self.world.lock:
            return self._courier.redeliver(delivery)

    def wait_for_deliveries(self) -> None:
        """Return once every delivery so far was answered or has failed."""
        self._courier.wait_until_idle()

    def advance(self, *, minutes: float) -> None:
        """Move the clock of tokens and dates. The JWTs of Apps go by the real clock still."""
        self.world.advance(timedelta(minutes=minutes))

    def fail_next(
        self,
        method: str,
        path: str,
        status: int,
        body: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
        times: int = 1,
        after_effect: bool = False,
        delay_s: float = 0.0,
    ) -> None:
        """Answer the next requests like these with a failure.

        `method` may be `*`; `path` is a regular expression, searched in the path without `/api/v3` (git's paths
        count too). `status` 0 drops the connection. With `after_effect` what was asked is done all the same.
        """
        answer = {"message": "Server Error"} if body is None else body
        fault = Fault(method, re.compile(path), status, answer, headers or {}, times, after_effect, delay_s)
        self._faults.planned.append(fault)

    # --- Serving

    def _serve(self, environ: dict[str, Any], start_response: Any) -> Any:
        if not is_git(environ):
            by_number(environ, self.world.lock, self.world.repositories)
            return self._api(environ, start_response)
        asked = Request(environ)
        fault = self._faults.take(asked.method, asked.path)
        answer = self._git.answer(asked) if fault is None or fault.after_effect else None
        if fault is not None:
            answer = fault.answer(environ)
        assert answer
        return answer(environ, start_response)


class _Quiet(WSGIRequestHandler):
    """Serves without a line on stderr for each request: `Hub.requests` has them."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:  # noqa: ARG002 - werkzeug's shape
        return

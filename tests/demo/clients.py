"""Callers of the hub as tests need them: a person or an App with a token, over real HTTP; and git with one."""

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import jwt
import requests

from bot.demo.handles import RepositoryHandle
from bot.demo.hub import Hub
from bot.demo.state import App, Installation

FILES = {"adder.py": "def add(a, b):\n    return a - b\n", ".github/workflows/ci.yml": "on: push\n"}


@dataclass(frozen=True)
class Client:
    """One caller. Every method returns the answer as it is."""

    url: str
    token: str
    version: str = "2022-11-28"

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> requests.Response:
        named = {
            "X-GitHub-Api-Version": self.version,
            **{key.replace("_", "-"): value for key, value in headers.items()},
        }
        if self.token:
            named["Authorization"] = f"Bearer {self.token}"
        with requests.Session() as session:
            return session.request(method, self.url + path, json=body, headers=named, timeout=30, allow_redirects=False)

    def get(self, path: str) -> requests.Response:
        return self.ask("GET", path)

    def post(self, path: str, body: Any = None) -> requests.Response:
        return self.ask("POST", path, body)

    def patch(self, path: str, body: Any) -> requests.Response:
        return self.ask("PATCH", path, body)

    def delete(self, path: str) -> requests.Response:
        return self.ask("DELETE", path)


@dataclass(frozen=True)
class Scene:
    """A repository and those who deal with it."""

    hub: Hub
    repository: RepositoryHandle
    app: App
    installation: Installation

    @classmethod
    def on(cls, hub: Hub) -> Self:
        repository = hub.create_repository("octo/adder", FILES, roles={"mona": "write", "tria": "triage"})
        hub.create_user("ada")
        app = hub.create_app()
        return cls(hub, repository, app, hub.install(app, "octo"))

    def person(self, login: str) -> Client:
        return Client(self.hub.api_url, self.hub.token(login))

    def nobody(self) -> Client:
        return Client(self.hub.api_url, "")

    def as_app(self, **claims: Any) -> Client:
        return Client(self.hub.api_url, signed(self.app, **claims))

    def bot_token(self, body: Any = None) -> str:
        answer = self.as_app().post(f"/app/installations/{self.installation.id}/access_tokens", body)
        token: str = answer.json()["token"]
        return token

    def bot(self, body: Any = None) -> Client:
        """The App on octo, its token narrowed to what `body` says."""
        return Client(self.hub.api_url, self.bot_token(body))

    def pushed_branch(self, name: str = "selfcode/issue-1") -> str:
        """A branch with one commit on top of main."""
        head = self.repository.head()
        return self.repository.commit({"adder.py": "def add(a, b):\n    return a + b\n"}, branch=name, parent=head)


def signed(app: App, **claims: Any) -> str:
    """An App's JWT; `claims` replace the right ones."""
    now = int(time.time())
    return jwt.encode({"iat": now - 60, "exp": now + 300, "iss": str(app.id)} | claims, app.private_key, "RS256")


@dataclass(frozen=True)
class Git:
    """The git program in a folder, without anybody's configuration."""

    folder: Path

    def __call__(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "bot",
            "GIT_AUTHOR_EMAIL": "bot@example.com",
            "GIT_COMMITTER_NAME": "bot",
            "GIT_COMMITTER_EMAIL": "bot@example.com",
        }
        return subprocess.run(
            ["git", *arguments], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )

    def commit(self, path: str, content: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        self("add", "--all")
        self("commit", "-q", "-m", f"Change {path}")


def with_token(url: str, token: str) -> str:
    return url.replace("://", f"://x-access-token:{token}@")

"""A hub with one repository, and a mirror of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.repository import Credentials, Mirror
from bot.repository.git import EMPTY_TREE, run_git
from bot.repository.trees import tree_with
from sandbox.contract import File
from tests.repository.hub import TOKEN, Hub, serving

NOON = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Origin:
    """The remote's side: a bare repository that commits can be put into."""

    path: Path
    url: str

    def commit(
        self,
        files: Mapping[str, File | bytes | None],
        *,
        branch: str = "main",
        onto: str | None = None,
        email: str = "ann@example.com",
    ) -> str:
        """Commit files onto a branch of the remote, as somebody else."""
        self._ensure_empty_tree()
        parent = onto or self.head(branch)
        tree = tree_with(self.path, parent or EMPTY_TREE, {path: _file(file) for path, file in files.items()})
        sha = Mirror(self.path).commit(
            tree,
            parents=[parent] if parent else [],
            message="A commit",
            author_name="Ann",
            author_email=email,
            when=NOON,
        )
        run_git(["update-ref", f"refs/heads/{branch}", sha], repository=self.path)
        return sha

    def head(self, branch: str) -> str | None:
        return Mirror(self.path).head(branch)

    def delete(self, branch: str) -> None:
        run_git(["update-ref", "-d", f"refs/heads/{branch}"], repository=self.path)

    def hook(self, name: str, script: str) -> None:
        folder = self.path / "hooks"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)

    def _ensure_empty_tree(self) -> None:
        run_git(["hash-object", "-w", "-t", "tree", "--stdin"], repository=self.path)


def _file(file: File | bytes | None) -> File | None:
    return File(file) if isinstance(file, bytes) else file


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    with serving(Hub(tmp_path / "hub")) as served:
        yield served


@pytest.fixture
def origin(hub: Hub) -> Origin:
    """A remote repository without a commit."""
    return Origin(hub.create(), hub.url_of())


@pytest.fixture
def credentials(hub: Hub) -> Credentials:
    return Credentials(hub.url, TOKEN)


@pytest.fixture
def mirror(tmp_path: Path) -> Mirror:
    """A mirror that nothing was fetched into."""
    return Mirror(tmp_path / "mirrors" / "7.git")


@dataclass(frozen=True)
class Bench:
    """A local bare repository to make trees and changes in, without a remote."""

    mirror: Mirror
    origin: Origin

    def tree(self, files: Mapping[str, File | bytes]) -> str:
        return self.mirror.tree_with(EMPTY_TREE, {path: _file(file) for path, file in files.items()} | {})

    def roundtrip(self, base: str, tree: str) -> str:
        return self.mirror.apply(base, self.mirror.change(base, tree).patch)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    path = tmp_path / "bench.git"
    run_git(["init", "--quiet", "--bare", "--template=", "--", str(path)])
    run_git(["hash-object", "-w", "-t", "tree", "--stdin"], repository=path)
    return Bench(Mirror(path), Origin(path, str(path)))

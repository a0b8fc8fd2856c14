"""Which environment is wanted: what it is made of, and the name that follows from that."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from sandbox.containers.images import Image
from sandbox.contract import Limits
from sandbox.setup.shelf import REPOSITORY

_LAYOUT = "2"
"""Changes when images are made in another way: those made before are not found again."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A base image after a repository's setup, which runs on `archive`, within `limits`, until `stop` says so."""

    base: Image
    repository_id: int
    setup: str
    archive: bytes = field(repr=False)
    declared: Mapping[str, bytes] = field(repr=False)
    secrets: Mapping[str, bytes] = field(repr=False)
    directory: str
    limits: Limits
    stop: Callable[[], bool]

    @property
    def key(self) -> str:
        return cache_key(
            base_id=self.base.id,
            repository_id=self.repository_id,
            setup=self.setup,
            declared=self.declared,
            directory=self.directory,
            secret_names=self.secrets,
        )

    @property
    def tag(self) -> str:
        return f"{self.repository_id}-{self.key[:24]}"

    @property
    def builder(self) -> str:
        """The name of the one container on an engine that makes it."""
        return f"{REPOSITORY}-{self.tag}"


def cache_key(
    *,
    base_id: str,
    repository_id: int,
    setup: str,
    declared: Mapping[str, bytes],
    directory: str = ".",
    secret_names: Iterable[str] = (),
) -> str:
    """One text for one environment: each part counts, and no two ways of cutting them are the same."""
    names = sorted(secret_names)
    parts = [_LAYOUT, base_id, str(repository_id), setup, directory, str(len(names)), *names]
    texts = [part.encode("utf-8", "surrogateescape") for part in parts]
    for path in sorted(declared):
        texts += [path.encode("utf-8", "surrogateescape"), declared[path]]
    digest = hashlib.sha256()
    for text in texts:
        digest.update(f"{len(text)}:".encode() + text)
    return digest.hexdigest()

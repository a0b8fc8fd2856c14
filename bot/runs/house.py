"""What the story of a run needs around it: given once, by `wire`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot.agent import Agent
from bot.errors import Refused
from bot.records import Caps, GitHub, RepositoryRef, StopCheck
from bot.repository import Mirror
from bot.runs.solving import Author
from bot.runs.store import Store
from sandbox import Limits, Sandbox

MANIFESTS = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "requirements-dev.txt",
    "uv.lock",
    "poetry.lock",
    "package.json",
    "package-lock.json",
    "Cargo.toml",
    "Cargo.lock",
    "go.mod",
    "go.sum",
)
"""The files whose content a prepared image depends on, where the repository does not say."""


def declared_files(mirror: Mirror, treeish: str) -> Mapping[str, bytes]:
    """Those of `MANIFESTS` that the tree holds."""
    return {path: data for path in MANIFESTS if (data := mirror.read(treeish, path)) is not None}


@dataclass(frozen=True, slots=True)
class Setup:
    """What a prepared image is made from: the repository's setup text, and its files on the default branch."""

    repository_id: int
    image: str
    setup: str
    archive: bytes
    declared: Mapping[str, bytes]


class SetupBroken(Refused):
    """The repository's set-up command failed on its default branch; the text ends with its output."""


PrepareImage = Callable[[Setup, StopCheck], str | None]
"""The image to run in; None where the backend has none. Raises `SetupBroken` where the set-up fails."""


@dataclass(frozen=True, slots=True)
class House:
    """Everything that outlives a run.

    `agent_for` takes a model's name. `images` and `models` are what repositories may choose among. `day_usd_*` are the
    budgets of a day, 0 for none.
    """

    store: Store
    github: GitHub
    sandbox: Sandbox
    prepare_image: PrepareImage
    agent_for: Callable[[str], Agent]
    home: Path
    author: Author
    label: str
    min_permission: str
    model: str
    models: tuple[str, ...]
    image: str
    images: tuple[str, ...]
    caps: Caps
    limits: Limits
    day_usd_repository: float
    day_usd_installation: float
    ca_bundle: Path | None = None
    dry_run: bool = False
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def mirror_path(self, ref: RepositoryRef) -> Path:
        """Where the repository's mirror is: by ids, so that a rename does not matter."""
        return self.home / "mirrors" / f"{ref.installation_id}-{ref.id}.git"

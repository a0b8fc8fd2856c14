"""What the story of a run needs around it: given once, by `wire`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from bot.agent import Agent, Model
from bot.errors import Refused
from bot.proof import FileKind, kind_of
from bot.records import Caps, GitHub, ImageIdentity, Inbox, RepositoryRef, StopCheck, TestPlan
from bot.repository import Mirror, RepositoryConfig
from bot.runs.lanes import Places
from bot.runs.solving import Author
from bot.runs.store import Store
from bot.seen.counting import Counts, Uncounted
from sandbox import Limits, Sandbox


def declared_files(mirror: Mirror, treeish: str, directory: str = ".") -> Mapping[str, bytes]:
    """The files that a prepared image depends on: manifests, locks and build files at the top and below `directory`.

    What else setup was found from is in its text.
    """
    below = "" if directory == "." else f"{directory}/"
    paths = [path for path in mirror.entries(treeish) if kind_of(path) is FileKind.DEPENDENCY]
    near = [path for path in paths if path.startswith(below) or "/" not in path][:_DECLARED_AT_MOST]
    return {path: data for path in near if (data := mirror.read(treeish, path)) is not None}


_DECLARED_AT_MOST = 500


def is_allowed(image: str, patterns: Sequence[str]) -> bool:
    """Whether an image is among those that the operator names; `*` in a pattern stands for anything."""
    return any(fnmatchcase(image, pattern) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class Setup:
    """What a prepared image is made from: the repository's setup text, and its files on the default branch.

    `repository` is its full name, by which the operator names secrets; "" for one that is not on a server.
    """

    repository_id: int
    repository: str
    image: str
    setup: str
    archive: bytes
    declared: Mapping[str, bytes]
    directory: str


def setup_for(
    plan: TestPlan, mirror: Mirror, treeish: str, *, image: str, repository_id: int, repository: str
) -> Setup:
    """What the plan's environment is made from, with the tree's files."""
    return Setup(
        repository_id=repository_id,
        repository=repository,
        image=image,
        setup=plan.setup,
        archive=mirror.archive(treeish),
        declared=declared_files(mirror, treeish, plan.directory),
        directory=plan.directory,
    )


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the tests run in. `image` is None where the backend has none.

    `blocked` are the hosts that setup asked for and was refused, each in a line that says what would allow it.
    `identity` is what a proof names the image by.
    """

    image: str | None
    blocked: tuple[str, ...] = ()
    identity: ImageIdentity = field(default_factory=ImageIdentity)


class SetupBroken(Refused):
    """The repository's set-up command failed on its default branch; the text ends with its output.

    `blocked` are as in `Prepared`.
    """

    def __init__(self, text: str, *, blocked: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.blocked = blocked


PrepareImage = Callable[[Setup, StopCheck], Prepared]
"""The image to run in, found or made. Raises `SetupBroken` where the set-up fails."""


@dataclass(frozen=True, slots=True)
class Crew:
    """Who works on an issue: the model, its critic ("" for none), and how many candidates an iteration draws."""

    model: str
    critic: str = ""
    candidates: int = 1


def crew_for(config: RepositoryConfig, own: Crew, models: Sequence[str]) -> Crew:
    """Who works: as the repository chose, else as the operator did. Raises `Refused` for what is not allowed."""
    crew = Crew(
        model=config.model or own.model,
        critic=own.critic if config.critic is None else config.critic_or_none,
        candidates=config.candidates(own.candidates),
    )
    for role, wanted in (("model", crew.model), ("critic", crew.critic)):
        if wanted not in ("", own.model, own.critic, *models):
            raise Refused(f"The {role} `{wanted}` is not among those that the operator allows (SELFCODE_MODELS).")
    return crew


AgentFor = Callable[[Crew, Callable[[Model], Model]], Agent]
"""Who works as this crew, each model through what is put in its place."""


@dataclass(frozen=True, slots=True)
class House:
    """Everything that outlives a run.

    `crew` is the operator's. `images` and `models` are what repositories may choose among. `day_usd_*` are the budgets
    of a day, 0 for none. `acceptance_tests` is a folder with hidden tests in OWNER/REPO. `trusted_bots` may ask like
    people. `counts` counts, for figures. `pages` is the address that pages about runs are below, "" where nobody is to
    be led there.
    """

    store: Store
    inbox: Inbox
    github: GitHub
    sandbox: Sandbox
    prepare_image: PrepareImage
    agent_for: AgentFor
    home: Path
    author: Author
    label: str
    min_permission: str
    crew: Crew
    models: tuple[str, ...]
    image: str
    images: tuple[str, ...]
    caps: Caps
    limits: Limits
    places: Places
    day_usd_repository: float
    day_usd_installation: float
    ca_bundle: Path | None = None
    acceptance_tests: Path | None = None
    dry_run: bool = False
    secrets: tuple[str, ...] = field(default=(), repr=False)
    trusted_bots: frozenset[str] = frozenset()
    counts: Counts = field(default_factory=Uncounted)
    pages: str = ""

    def mirror_path(self, ref: RepositoryRef) -> Path:
        """Where the repository's mirror is: by ids, so that a rename does not matter."""
        return self.home / "mirrors" / f"{ref.installation_id}-{ref.id}.git"

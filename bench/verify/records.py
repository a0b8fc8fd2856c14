"""What is measured, as `fixes.toml` says it, and what came of it."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

FIXES = Path(__file__).with_name("fixes.toml")
_Sha = Annotated[str, Field(pattern=r"[0-9a-f]{40}")]


class Language(StrEnum):
    """Whose package manager brings what the tests need."""

    PYTHON = "python"
    NODE = "node"


class Break(StrEnum):
    """What is done to a fix before it is verified. NONE: it stays as its people made it."""

    NONE = "as it is"
    TEST_DELETED = "test deleted"
    TEST_LOOSENED = "test loosened"
    HUNK_REVERTED = "hunk reverted"


class Fix(BaseModel):
    """One commit of a project's history and the one before it. `about` is said in our own words."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    base: _Sha
    head: _Sha
    about: str


class Project(BaseModel):
    """A project and how its tests are run. `{environment}` in a command is the folder that `setup` installed into.

    `source` and `tests` are folders (`lib/`) or beginnings of paths. Where there is a `build`, base and head are given
    a `.github/selfcode.yml` with both commands, as an owner would commit it: `verify` has no option for a build. `note`
    says what differs from the project's own way to run its tests, and why.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=r"[a-z0-9-]+")]
    repository: str
    language: Language
    source: tuple[str, ...]
    tests: tuple[str, ...]
    packages: tuple[str, ...]
    test: str
    build: str = ""
    note: str = ""
    fix: tuple[Fix, ...] = ()


class Collection(BaseModel):
    """All projects, and by what they were chosen: the newest `each` fixes before `until` that the rule takes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    until: date
    each: int
    project: tuple[Project, ...]

    def named(self, names: Sequence[str]) -> tuple[Project, ...]:
        """The projects of these names, all where there are none. Raises `ValueError` for a name that is not there."""
        if unknown := set(names) - {project.name for project in self.project}:
            raise ValueError(f"no such project: {', '.join(sorted(unknown))}")
        return tuple(project for project in self.project if not names or project.name in names)


def read_collection(path: Path = FIXES) -> Collection:
    """What the file says."""
    return Collection.model_validate(tomllib.loads(path.read_text("utf-8")))


class Spot(BaseModel):
    """Changed lines of the fix's head: a hunk as a verification names it, or what a revert took back."""

    model_config = ConfigDict(frozen=True)

    path: str
    start: int
    lines: int

    def touches(self, other: "Spot") -> bool:
        """Whether the two are one, or overlap."""
        is_apart = self.start > other.start + other.lines or other.start > self.start + self.lines
        return self.path == other.path and not is_apart


class Verified(BaseModel):
    """One verification. `answer` is what `selfcode verify --json` printed; None where it printed nothing, or where
    there was nothing to break; then `trouble` says why. `spot`: which hunk was reverted.
    """

    model_config = ConfigDict(frozen=True)

    project: str
    head: str
    how: Break
    seconds: float
    answer: dict[str, Any] | None = None
    trouble: str = ""
    spot: Spot | None = None

    @property
    def outcome(self) -> str:
        return str(self.answer["outcome"]) if self.answer else ""


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to verify."""

    project: Project
    fix: Fix
    how: Break


def cases(projects: Sequence[Project], breaks: Sequence[Break]) -> tuple[Case, ...]:
    """Every fix in every way: as they are first, then each project's first fix in all ways, then the second.

    So what was done before a cut shows of all projects and of all ways.
    """
    deepest = max((len(project.fix) for project in projects), default=0)
    rounds = [(how, number) for number in range(deepest) for how in breaks]
    rounds.sort(key=lambda each: each[0] is not Break.NONE)
    return tuple(
        Case(project, project.fix[number], how)
        for how, number in rounds
        for project in projects
        if number < len(project.fix)
    )

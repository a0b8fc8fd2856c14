"""What a run has found out, as values: kept in the store by the step that finds it, read there by all later ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

from bot.errors import Refused
from bot.proof import Plant
from bot.records import (
    Answer,
    Caps,
    Change,
    ImageIdentity,
    IssueRef,
    Progress,
    Proof,
    RepositoryInfo,
    SolvedConflict,
    StopCheck,
    Task,
    TestPlan,
    TestReport,
    Trigger,
    dump,
    load,
)
from bot.repository import Credentials, GitFailed, Mirror, RepositoryConfig, read_config
from bot.runs.branch import Footing, Joined
from bot.runs.ground import Ground
from bot.runs.house import Crew, House, crew_for
from bot.runs.patience import Outage
from bot.runs.requests import Reviewed
from bot.runs.solving import Baseline

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answers:
    """What the model said to the requests of a review."""

    given: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class SolvedConflicts:
    """What became of the conflicts that the run was to solve."""

    each: tuple[SolvedConflict, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """One run, as far as its steps have come. Nothing is remembered here: a restarted worker knows as much.

    A value that may be None is so until it is found out; any other one is there once the step that finds it was done.
    """

    house: House
    run_id: str

    def learn(self, **found: Any) -> None:
        """Keep what a step found out: records, numbers, text."""
        kept = {name: dump(value) if is_dataclass(value) else value for name, value in found.items()}
        self.house.store.learn(self.run_id, **kept)

    # --- From the beginning on

    @property
    def trigger(self) -> Trigger:
        return self.house.store.run(self.run_id).trigger

    @property
    def started_at(self) -> float:
        """Seconds since the epoch."""
        return self.house.store.run(self.run_id).started_at

    @property
    def at(self) -> IssueRef:
        return self.trigger.issue

    @property
    def progress(self) -> Progress:
        """The agent's state as last kept, with what it goes on from."""
        kept, answers = self.house.store.progress(self.run_id), self._record_or_none("answers", Answers)
        start = self._record_or_none("start", Change) or Change()
        return replace(kept, start=start, answers=answers.given if answers else ())

    def keep(self, progress: Progress) -> None:
        """Keep the agent's state."""
        if progress.answers:
            self.learn(answers=Answers(progress.answers))
        self.house.store.keep_progress(self.run_id, progress)

    @property
    def comment_id(self) -> int | None:
        """The run's one comment."""
        found: int | None = self.facts.get("comment_id")
        return found

    @property
    def outage(self) -> Outage | None:
        """The service that the run waits for, or has just come back to try again."""
        return self._record_or_none("outage", Outage)

    # --- What was admitted

    @property
    def is_admitted(self) -> bool:
        return "task" in self.facts

    @property
    def task(self) -> Task:
        return self._record("task", Task)

    @property
    def reviewed(self) -> Reviewed | None:
        """The review that the run is for."""
        return self._record_or_none("reviewed", Reviewed)

    @property
    def info(self) -> RepositoryInfo:
        return self._record("info", RepositoryInfo)

    @property
    def mirror(self) -> Mirror:
        return Mirror(self.house.mirror_path(self.at.repository))

    def credentials(self) -> Credentials:
        """For git, with a fresh token each time."""
        return Credentials(self.info.clone_url, self.house.github.git_token(self.at.repository))

    # --- The base and what the repository says there

    @property
    def base(self) -> str:
        found: str = self.facts["base"]
        return found

    @property
    def footing(self) -> Footing:
        """What the run goes on from."""
        return self._record("footing", Footing)

    @property
    def footing_or_none(self) -> Footing | None:
        return self._record_or_none("footing", Footing)

    @property
    def config(self) -> RepositoryConfig:
        """The repository's configuration at the base commit. Raises `Refused` where it is wrong."""
        return _config_at(self.mirror, self.base)

    @property
    def caps(self) -> Caps:
        return self.config.lowered(self.house.caps)

    @property
    def crew(self) -> Crew:
        """Who works: as the repository chose, else as the operator did. Raises `Refused` for what is not allowed."""
        return crew_for(self.config, self.house.crew, self.house.models)

    @property
    def shown_caps(self) -> Caps:
        """The limits as people are told them: the operator's where the repository's are not known, or wrong."""
        return self._unless_refused(lambda: self.caps, self.house.caps)

    @property
    def shown_crew(self) -> Crew:
        """Who works, as people are told it, likewise."""
        return self._unless_refused(lambda: self.crew, self.house.crew)

    @property
    def plan(self) -> TestPlan:
        return self._record("plan", TestPlan)

    def ground(self, stop: StopCheck) -> Ground:
        """What the work and its proof stand on."""
        return Ground(
            mirror=self.mirror,
            base=self.base,
            plan=self.plan,
            sandbox=self.house.sandbox,
            image=self.facts.get("image"),
            limits=self.house.limits,
            stop=stop,
            identity=self._record_or_none("image_identity", ImageIdentity) or ImageIdentity(),
            places=self.house.places,
        )

    @property
    def baseline(self) -> Baseline:
        planted = self.facts["plant"]
        return Baseline(
            self._record("baseline", TestReport),
            load(Plant, planted) if planted else None,
            tuple(self.facts.get("byproducts", ())),
            self.facts.get("versions", {}),
        )

    # --- What came of it

    @property
    def commits(self) -> tuple[str, ...]:
        """The commits that the run has made."""
        return tuple(self.facts.get("commits", ()))

    @property
    def joined(self) -> Joined | None:
        """What joins the run's work with what people pushed meanwhile, where they did."""
        return self._record_or_none("joined", Joined)

    @property
    def solved(self) -> tuple[SolvedConflict, ...]:
        """The conflicts that the run has solved."""
        found = self._record_or_none("solved", SolvedConflicts)
        return found.each if found else ()

    @property
    def proof(self) -> Proof | None:
        return self._record_or_none("proof", Proof)

    @property
    def plan_or_none(self) -> TestPlan | None:
        return self._record_or_none("plan", TestPlan)

    @property
    def report_or_none(self) -> TestReport | None:
        """The baseline's report."""
        return self._record_or_none("baseline", TestReport)

    @property
    def facts(self) -> Mapping[str, Any]:
        """All that the steps kept, as it was kept."""
        return self.house.store.facts(self.run_id)

    def _record(self, name: str, kind: type[T]) -> T:
        return load(kind, self.facts[name])

    def _record_or_none(self, name: str, kind: type[T]) -> T | None:
        text = self.facts.get(name)
        return load(kind, text) if text else None

    def _unless_refused(self, read: Callable[[], T], default: T) -> T:
        try:
            return read() if "base" in self.facts else default
        except (Refused, GitFailed):  # or the mirror, which is a cache, is gone
            return default


@lru_cache(maxsize=256)
def _config_at(mirror: Mirror, commit: str) -> RepositoryConfig:
    """A commit says the same for ever."""
    return read_config(lambda path: mirror.read(commit, path))

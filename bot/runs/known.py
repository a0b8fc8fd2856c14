"""What a run has found out, as values: kept in the store by the step that finds it, read there by all later ones."""

from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from typing import Any, TypeVar

from bot.errors import Refused
from bot.proof import Plant
from bot.records import (
    Caps,
    IssueRef,
    Outcome,
    Progress,
    Proof,
    RepositoryInfo,
    RunResult,
    StopCheck,
    Task,
    TestPlan,
    TestReport,
    Trigger,
    dump,
    load,
)
from bot.repository import Credentials, Mirror, RepositoryConfig, read_config
from bot.runs.ground import Ground
from bot.runs.house import House
from bot.runs.solving import Baseline

T = TypeVar("T")


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
        """The agent's state as last kept."""
        return self.house.store.progress(self.run_id)

    @property
    def comment_id(self) -> int | None:
        """The run's one comment."""
        found: int | None = self._facts.get("comment_id")
        return found

    # --- What was admitted

    @property
    def is_admitted(self) -> bool:
        return "task" in self._facts

    @property
    def task(self) -> Task:
        return self._record("task", Task)

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
        found: str = self._facts["base"]
        return found

    @property
    def config(self) -> RepositoryConfig:
        """The repository's configuration at the base commit. Raises `Refused` where it is wrong."""
        mirror, base = self.mirror, self.base
        return read_config(lambda path: mirror.read(base, path))

    @property
    def caps(self) -> Caps:
        return self.config.lowered(self.house.caps)

    @property
    def model(self) -> str:
        """The model that the repository chose, else the operator's. Raises `Refused` for one that is not allowed."""
        wanted = self.config.model or self.house.model
        if wanted not in (self.house.model, *self.house.models):
            raise Refused(f"The model `{wanted}` is not among those that the operator allows (SELFCODE_MODELS).")
        return wanted

    @property
    def shown_caps(self) -> Caps:
        """The limits as people are told them: the operator's where the repository's are not known, or wrong."""
        return self._unless_refused(lambda: self.caps, self.house.caps)

    @property
    def shown_model(self) -> str:
        """The model as people are told it, likewise."""
        return self._unless_refused(lambda: self.model, self.house.model)

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
            image=self._facts.get("image"),
            limits=self.house.limits,
            stop=stop,
        )

    @property
    def baseline(self) -> Baseline:
        planted = self._facts["plant"]
        return Baseline(
            self._record("baseline", TestReport),
            load(Plant, planted) if planted else None,
            tuple(self._facts.get("byproducts", ())),
        )

    # --- What came of it

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

    def result(self, outcome: Outcome, reason: str) -> RunResult:
        """All that there is to say by now."""
        facts = self._facts
        return RunResult(
            outcome=outcome,
            reason=reason,
            plan=self.plan_or_none,
            baseline=self.report_or_none,
            progress=self.progress,
            proof=self.proof,
            base_sha=facts.get("base", ""),
            head_sha=facts.get("head_sha", ""),
            model=self.shown_model,
            sandbox=self.house.sandbox.name,
            pull_request=facts.get("pull_request"),
            blocked=tuple(facts.get("blocked", ())),
        )

    @property
    def _facts(self) -> dict[str, Any]:
        return self.house.store.facts(self.run_id)

    def _record(self, name: str, kind: type[T]) -> T:
        return load(kind, self._facts[name])

    def _record_or_none(self, name: str, kind: type[T]) -> T | None:
        text = self._facts.get(name)
        return load(kind, text) if text else None

    def _unless_refused(self, read: Callable[[], T], default: T) -> T:
        try:
            return read() if "base" in self._facts else default
        except Refused:
            return default

"""What a run has found out, as values: kept in the store by the step that finds it, read there by all later ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any, TypeVar

from bot.errors import Refused
from bot.proof import Plant
from bot.records import (
    Caps,
    ImageIdentity,
    IssueRef,
    Iteration,
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
    TriggerKind,
    dump,
    load,
)
from bot.repository import Credentials, Mirror, RepositoryConfig, read_config
from bot.runs.asked import asked_about, note_on
from bot.runs.ground import Ground
from bot.runs.hidden import hidden_tests_for
from bot.runs.house import Crew, House, crew_for
from bot.runs.solving import Baseline, Job
from bot.runs.store import WORK, RunRow

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
            image=self._facts.get("image"),
            limits=self.house.limits,
            stop=stop,
            identity=self._record_or_none("image_identity", ImageIdentity) or ImageIdentity(),
        )

    @property
    def baseline(self) -> Baseline:
        planted = self._facts["plant"]
        return Baseline(
            self._record("baseline", TestReport),
            load(Plant, planted) if planted else None,
            tuple(self._facts.get("byproducts", ())),
            self._facts.get("versions", {}),
        )

    @property
    def job(self) -> Job:
        """What is to be done. Raises `Unavailable` where the operator's acceptance tests can't be read."""
        earlier = self._asked_before
        return Job(
            task=self.task,
            caps=self.caps,
            baseline=self.baseline,
            reproduce=self.config.reproduce,
            hidden=hidden_tests_for(self.house.acceptance_tests, self.at.repository.full_name),
            notes=(note_on(earlier[0]),) if earlier and self.task.hint else (),
        )

    @property
    def to_take_up(self) -> tuple[Iteration, str] | None:
        """The test that a person let stand by a retry without a word, and the base that it was written on."""
        return None if self.task.hint else self._asked_before

    @property
    def _asked_before(self) -> tuple[Iteration, str] | None:
        """The test that a person was asked about, where this run is the answer."""
        if self.trigger.kind is not TriggerKind.RETRY:
            return None
        runs = self.house.store.runs_of(self.at.repository.id, self.at.number)
        earlier = _before(self.run_id, runs)
        asked = asked_about(self.house.store.progress(earlier.id)) if earlier else None
        if earlier is None or asked is None or earlier.outcome is not Outcome.NEEDS_INFORMATION:
            return None
        return asked, str(self.house.store.facts(earlier.id).get("base", ""))

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
            model=self.shown_crew.model,
            critic=self.shown_crew.critic,
            sandbox=self.house.sandbox.name,
            pull_request=facts.get("pull_request"),
            blocked=tuple(facts.get("blocked", ())),
            not_ready=facts.get("not_ready", ""),
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


def _before(run_id: str, runs: Sequence[RunRow]) -> RunRow | None:
    """The run of work on the issue before this one."""
    work = [run for run in runs if run.trigger.kind in WORK]
    place = next((place for place, run in enumerate(work) if run.id == run_id), 0)
    return work[place - 1] if place else None

"""One go at one issue in a repository on this machine, without GitHub: what `selfcode run` does, and a backtest."""

import hashlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from bot.errors import Gone, Refused, Stopped, Unavailable
from bot.proof import HiddenTests, what_is_broken
from bot.records import (
    Caps,
    Iteration,
    Outcome,
    Progress,
    Proof,
    Reproduce,
    RunResult,
    StopCheck,
    Task,
    TestPlan,
    dump,
)
from bot.repository import Mirror, RepositoryConfig, find, read_config
from bot.repository.export import git_directory
from bot.runs import solving
from bot.runs.asked import asked_about, note_on
from bot.runs.commits import Words, commit_change, subject_of
from bot.runs.doctor import Given, plan_of
from bot.runs.ground import Ground
from bot.runs.house import AgentFor, Crew, PrepareImage, SetupBroken, crew_for, setup_for
from bot.runs.lanes import Places
from bot.runs.provenance import with_head
from bot.runs.solving import Author, Job
from bot.runs.sources import key_of
from bot.writing.report import markdown_report
from sandbox import Limits, Sandbox

Ask = Callable[[Iteration], str | None]
"""Asks a person about a test: "" lets it stand, words are the hint for another one, None is no answer."""


@dataclass(frozen=True, slots=True)
class Local:
    """What a local run is made with. `given` and `reproduce` override what the repository says.

    `models` are those that the repository may choose its critic among. `ask` is None where nobody can be asked.
    """

    repository: Path
    task: Task
    agent_for: AgentFor
    crew: Crew
    models: tuple[str, ...]
    sandbox: Sandbox
    prepare_image: PrepareImage
    image: str
    caps: Caps
    limits: Limits
    places: Places
    author: Author
    stop: StopCheck
    tell: Callable[[str], None]
    given: Given = field(default_factory=Given)
    reproduce: Reproduce | None = None
    hidden: HiddenTests | None = None
    ask: Ask | None = None
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class LocalResult:
    """How it ended; the branch, where there is one; the folder with report and trace."""

    result: RunResult
    branch: str
    folder: Path


def run_locally(local: Local) -> LocalResult:
    """Work on the commit that is checked out; what is not committed is not seen. Raises `Refused` for bad input."""
    with tempfile.TemporaryDirectory(prefix="selfcode-") as folder:
        mirror = Mirror(Path(folder) / "mirror.git")
        url = str(local.repository.resolve())
        try:
            base = mirror.fetch_branch(url, "HEAD", stop=local.stop)
        except Gone as gone:
            raise Refused(
                f"{local.repository} is not the top folder of a git repository: name that with --repo."
            ) from gone
        if base is None:
            raise Refused(f"{local.repository} has no commit yet: commit something first.")
        result = solve_in(local, mirror, base)
        branch = ""
        if result.head_sha:
            branch = mirror.export_branch(local.repository, result.head_sha, branch_name(local.task))
        return LocalResult(result, branch, _keep(local, result))


def kept_folder(repository: Path, run: str) -> Path:
    """Where report and trace of a local run lie: beside the git data. Raises `Refused` where there is no repository."""
    return git_directory(repository) / "selfcode" / run


def branch_name(task: Task) -> str:
    """The branch of a local run, by the task's words; a further run of the same task gets a number behind it."""
    words = f"{task.title}\0{task.body}".encode()
    return f"selfcode/run-{hashlib.sha256(words).hexdigest()[:10]}"


@dataclass
class _SoFar:
    """What a run has come to, however it is cut off."""

    baseline: solving.Baseline | None = None
    progress: Progress = field(default_factory=Progress)
    proof: Proof | None = None
    head: str = ""
    blocked: tuple[str, ...] = ()
    crew: Crew | None = None


def solve_in(local: Local, mirror: Mirror, base: str) -> RunResult:
    """The run itself, in a mirror that holds the base: up to what would be published, which stays in the mirror.

    Raises `Refused` where it is not known how the tests are run.
    """
    config, given = read_config(lambda path: mirror.read(base, path)), local.given
    directory = given.directory or config.directory
    plan = plan_of(config, find(lambda path: mirror.read(base, path), mirror.entries(base), directory=directory), given)
    if plan is None:
        raise Refused("There is no test command: give one with --test, or put `test:` into .github/selfcode.yml.")
    so_far = _SoFar()
    try:
        outcome, reason = _solve(local, mirror, base, config=config, plan=plan, so_far=so_far)
    except Refused as refusal:
        outcome, reason = Outcome.REFUSED, str(refusal)
    except Stopped:
        outcome, reason = Outcome.STOPPED, "it was interrupted"
    except Unavailable as away:
        outcome, reason = Outcome.ERROR, str(away)
    return RunResult(
        outcome=outcome,
        reason=reason,
        plan=plan,
        baseline=so_far.baseline.report if so_far.baseline else None,
        progress=so_far.progress,
        proof=so_far.proof,
        base_sha=base,
        head_sha=so_far.head,
        model=local.crew.model,
        critic=so_far.crew.critic if so_far.crew else local.crew.critic,
        sandbox=local.sandbox.name,
        blocked=so_far.blocked,
    )


def _solve(
    local: Local, mirror: Mirror, base: str, *, config: RepositoryConfig, plan: TestPlan, so_far: _SoFar
) -> tuple[Outcome, str]:
    local.tell(f"tests: {plan.test}" + (f" (guessed from {plan.guessed_from})" if plan.guessed_from else ""))
    try:
        image, key = plan.image or local.image, key_of(str(local.repository.resolve()))
        setup = setup_for(plan, mirror, base, image=image, repository_id=key, repository="")
        prepared = local.prepare_image(setup, local.stop)
    except SetupBroken as broken:
        return Outcome.BASELINE_BROKEN, str(broken)
    so_far.blocked = prepared.blocked
    if plan.setup and prepared.image is None:
        local.tell(f"setup is not run in this sandbox ({local.sandbox.name}): what tests need has to be installed here")
    ground = Ground(
        mirror,
        base,
        plan,
        local.sandbox,
        prepared.image,
        local.limits,
        local.stop,
        identity=prepared.identity,
        places=local.places,
    )
    so_far.baseline = baseline = solving.take_baseline(ground)
    unusable = what_is_broken(baseline.report, build=plan.build)
    local.tell(unusable or f"on the base: {baseline.report.counts}")
    if unusable:
        return Outcome.BASELINE_BROKEN, unusable
    so_far.crew = crew_for(config.model_copy(update={"model": None}), local.crew, local.models)
    reproduce = local.reproduce or config.reproduce
    job = Job(local.task, config.lowered(local.caps), baseline, reproduce, local.hidden)
    _iterate(local, ground, job, so_far.crew, so_far)
    if solving.needs_proof(so_far.progress):
        solving.refuse_forbidden(ground, so_far.progress, protect=config.protect, secrets=local.secrets)
        local.tell("proving the change in clean workspaces")
        so_far.proof = solving.take_proof(ground, so_far.progress, baseline, local.hidden, minutes=job.caps.minutes)
    outcome, reason = solving.outcome_of(so_far.progress, so_far.proof)
    if outcome in (Outcome.PROVEN, Outcome.UNPROVEN):
        words = Words(subject_of(local.task), local.author, datetime.now(UTC))
        so_far.head = commit_change(mirror, base, ground.tree(so_far.progress.change), words)[-1]
        so_far.proof = so_far.proof and with_head(so_far.proof, so_far.head)
    return outcome, reason


def _iterate(local: Local, ground: Ground, job: Job, crew: Crew, so_far: _SoFar) -> None:
    """Iteration after iteration; where a person is asked about the test and says another one, from the beginning."""
    agent = local.agent_for(crew, lambda model: model)
    while True:
        while so_far.progress.verdict is None:
            so_far.progress = solving.iterate(ground, agent, job, so_far.progress, tell=local.tell)
        asked = asked_about(so_far.progress)
        answer = local.ask(asked) if asked is not None and local.ask is not None else None
        if asked is None or answer is None:
            return
        if answer:
            job = replace(job, task=replace(local.task, hint=answer), notes=(note_on(asked),))
            so_far.progress = Progress(spend=so_far.progress.spend)
        else:
            so_far.progress = replace(so_far.progress, verdict=None, why="")


def _keep(local: Local, result: RunResult) -> Path:
    """Write report, patch and trace beside the repository's git data, where no commit takes them along."""
    run = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    folder = kept_folder(local.repository, run)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.md").write_text(markdown_report(result, local.task, run_id=run), encoding="utf-8")
    (folder / "trace.json").write_text(dump(result), encoding="utf-8")
    if result.progress.change.patch:
        (folder / "change.patch").write_text(result.progress.change.patch, encoding="utf-8")
    return folder

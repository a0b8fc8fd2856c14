"""Settings in, connected objects out: the only place that knows every room."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from bot.agent import Agent, Dialect, OpenAIModel, Prices, run_agent, run_agent_with_tests
from bot.agent.probing import Habits, Remembered
from bot.demo.show import run_demo
from bot.errors import ConfigError, Gone, Refused, Stopped, Unavailable
from bot.github.app import GitHubApp
from bot.records import Examination, Outcome, Reproduce, StopCheck, Task
from bot.repository import Credentials
from bot.runs.doctor import Given, Means, sandbox_alone
from bot.runs.habits import SqlHabits
from bot.runs.hidden import hidden_tests_in
from bot.runs.house import Crew, House, Prepared, PrepareImage, Setup, SetupBroken
from bot.runs.local import Ask, Local, LocalResult
from bot.runs.solving import Author
from bot.runs.sources import Remote, examine_folder, examine_remote, folder_of, is_full_name
from bot.runs.store import SqlInbox, Store
from bot.runs.tables import connect, migrate
from bot.runs.traces import trace_in_file, trace_in_store
from bot.runs.worker import BEAT, Worker
from bot.settings import Settings
from bot.web.app import create_app
from bot.writing.outcomes import title
from bot.writing.trace import Trace
from sandbox import Ending, Limits, Sandbox, SandboxError, SandboxUnavailable, backends
from sandbox.contract import MEBIBYTE
from sandbox.docker import DockerSandbox
from sandbox.environments import Environments, SetupFailed
from sandbox.setup.way_out import WayOut

if TYPE_CHECKING:
    from flask import Flask

BEAT_STALE_S = 30.0
SOLVE_CANDIDATES = 2
"""Programs drawn in an iteration of `selfcode solve` where the operator says nothing."""


def sandbox_of(settings: Settings) -> Sandbox:
    """The sandbox that the operator chose; nothing is connected to yet. Raises `ConfigError` where there is none."""
    try:
        return backends.make(settings.sandbox, sandbox_options(settings))
    except SandboxUnavailable as problem:
        raise ConfigError(f"SELFCODE_SANDBOX: {problem}") from problem


def sandbox_options(settings: Settings) -> backends.Options:
    """What the operator says of sandboxes, whichever is used."""
    return backends.Options(
        owner=settings.owner_tag,
        image=settings.sandbox_image,
        docker_host=settings.docker_host,
        runtime=settings.sandbox_runtime,
        readable=settings.sandbox_paths,
    )


def image_preparer(settings: Settings, sandbox: Sandbox) -> PrepareImage:
    """What makes prepared images for the sandbox; a backend without images has none, and runs no set-up."""
    if not isinstance(sandbox, DockerSandbox):
        return lambda _setup, _stop: Prepared(None)
    way_out = WayOut(hosts=settings.setup_hosts, networks=settings.setup_networks, ca_bundle=settings.ca_bundle)
    environments = Environments(sandbox, way_out=way_out, disk_bytes=int(settings.sandbox_disk_gb * 1e9))

    def prepare(setup: Setup, stop: StopCheck) -> Prepared:
        try:
            made = environments.prepare(
                base_image=setup.image,
                repository_id=setup.repository_id,
                setup=setup.setup,
                archive=setup.archive,
                declared=setup.declared,
                directory=setup.directory,
                secrets=setup_secrets(settings, setup.repository),
                limits=limits_of(settings),
                stop=stop,
            )
        except SetupFailed as failed:
            if failed.ending is Ending.STOPPED:
                raise Stopped from failed
            blocked = tuple(str(denial) for denial in failed.denied)
            why = str(failed).removeprefix("setup failed: ")
            raise SetupBroken(f"The set-up command failed: {why}\n{failed.output}", blocked=blocked) from failed
        except SandboxError as failure:
            raise Unavailable(f"the sandbox failed: {failure}") from failure
        return Prepared(made.name, tuple(str(denial) for denial in made.denied))

    return prepare


def setup_secrets(settings: Settings, repository: str) -> Mapping[str, bytes]:
    """What the operator keeps for a repository's setup: the files of the folder OWNER/REPO, by name."""
    if settings.setup_secrets is None or not repository:
        return {}
    if {".", ".."} & set(repository.split("/")):
        return {}
    folder = settings.setup_secrets / repository
    try:
        return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}
    except FileNotFoundError:
        return {}
    except OSError as problem:
        raise Unavailable(f"SELFCODE_SETUP_SECRETS: {problem}") from problem


def limits_of(settings: Settings) -> Limits:
    """What the code of a run may use."""
    return Limits(
        wall_s=settings.test_seconds,
        memory_bytes=settings.sandbox_memory_mb * MEBIBYTE,
        cpus=settings.sandbox_cpus,
    )


def agents_of(settings: Settings, habits: Habits | None = None) -> Callable[[Crew], Agent]:
    """Agents by who works: one a thread, so that what a server has told of itself is remembered."""
    kept = threading.local()
    remembered = Remembered() if habits is None else habits

    def agent_for(crew: Crew) -> Agent:
        agents: dict[Crew, Agent] = kept.__dict__.setdefault("agents", {})
        if crew not in agents:
            agents[crew] = Agent(
                model_of(settings, crew.model),
                dialect=Dialect(settings.dialect),
                critic=model_of(settings, crew.critic) if crew.critic else None,
                candidates=crew.candidates,
                at_once=settings.candidates_at_once,
                habits=remembered,
            )
        return agents[crew]

    return agent_for


def crew_of(settings: Settings) -> Crew:
    """Who works where a repository does not choose."""
    return Crew(settings.model, settings.critic_model, settings.candidates or 1)


def model_of(settings: Settings, name: str) -> OpenAIModel:
    """A model by its name, at the operator's endpoint. Raises `ConfigError` where a key is missing."""
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    prices = {price.model: Prices(price.input_usd, price.output_usd, price.cached_usd) for price in settings.prices}
    return OpenAIModel(
        name,
        base_url=settings.openai_base_url,
        api_key=key,
        prices=prices.get(name),
        window_tokens=settings.window_tokens if name == settings.model else None,
    )


def github_of(settings: Settings) -> GitHubApp:
    """The GitHub App. Raises `ConfigError` where it is not set up."""
    settings.require_app()
    if settings.app_id is None:
        raise ConfigError("SELFCODE_APP_ID is not set")
    return GitHubApp(
        app_id=settings.app_id,
        private_key=settings.key_text(),
        api_url=settings.github_api_url,
        ca_bundle=str(settings.ca_bundle) if settings.ca_bundle else None,
        seconds_between_writes=settings.seconds_between_writes,
    )


def require_usable(settings: Settings) -> None:
    """Raise `ConfigError` for what can be seen to be wrong without asking anybody."""
    github_of(settings)
    model_of(settings, settings.model)


def database_of(settings: Settings) -> Engine:
    """The database of inbox and runs, with every table in place."""
    try:
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as problem:
        raise ConfigError(f"SELFCODE_HOME: the folder can't be used: {problem}") from problem
    engine = connect(settings.database)
    try:
        migrate(engine)
    except SQLAlchemyError as problem:
        raise ConfigError(f"SELFCODE_DATABASE_URL: the database can't be used: {problem}") from problem
    return engine


def house_of(settings: Settings, github: GitHubApp, engine: Engine) -> House:
    """Everything that a run needs around it."""
    sandbox = sandbox_of(settings)
    slug = github.app_slug()
    return House(
        store=Store(engine),
        github=github,
        sandbox=sandbox,
        prepare_image=image_preparer(settings, sandbox),
        agent_for=agents_of(settings, SqlHabits(engine)),
        home=settings.home,
        author=Author(f"{slug}[bot]", f"{settings.app_id}+{slug}[bot]@users.noreply.github.com"),
        label=settings.label,
        min_permission=settings.min_permission,
        crew=crew_of(settings),
        models=settings.models,
        image=settings.sandbox_image,
        images=settings.images,
        caps=settings.caps,
        limits=limits_of(settings),
        day_usd_repository=settings.day_usd_repository,
        day_usd_installation=settings.day_usd_installation,
        ca_bundle=settings.ca_bundle,
        acceptance_tests=settings.acceptance_tests,
        dry_run=settings.dry_run,
        secrets=settings.secrets(),
    )


def worker_of(settings: Settings) -> Worker:
    """The worker process. Raises `ConfigError` for settings that can't work, before anything is taken on."""
    github = github_of(settings)
    model_of(settings, settings.model)
    house = house_of(settings, github, database_of(settings))
    owners = settings.allowed_owners or [github.owner_login()]
    return Worker(
        house=house,
        steps_url=settings.workflow_database,
        allowed_owners=frozenset(owner.lower() for owner in owners),
        runs_at_once=settings.runs_at_once,
    )


def web_app(settings: Settings) -> "Flask":
    """The web application of one process."""
    settings.require_app()
    secret = settings.webhook_secret.get_secret_value() if settings.webhook_secret else ""
    engine = database_of(settings)
    return create_app(
        webhook_secret=secret,
        label=settings.label,
        bot_login=f"{settings.app_slug}[bot]",
        inbox=SqlInbox(engine),
        ready=Readiness(settings, engine),
    )


@dataclass(frozen=True, slots=True)
class Readiness:
    """What keeps the service from working, in words for the operator."""

    settings: Settings
    engine: Engine

    def __call__(self) -> Sequence[str]:
        return [problem for problem in (self._database(), self._worker()) if problem]

    def _database(self) -> str:
        try:
            with self.engine.connect() as connection:
                connection.execute(text("select 1"))
        except SQLAlchemyError as problem:
            return f"the database does not answer: {problem}"
        return ""

    def _worker(self) -> str:
        """What the worker of this home says of itself: it knows the sandbox, which the web processes need not reach."""
        try:
            beat = self.settings.home / BEAT
            if time.time() - beat.stat().st_mtime < BEAT_STALE_S:
                return beat.read_text(encoding="utf-8")
        except FileNotFoundError:
            pass
        return "no worker is running: start `selfcode worker`"


def local_of(
    settings: Settings,
    repository: Path,
    task: Task,
    *,
    test: str,
    reproduce: Reproduce | None,
    acceptance_tests: Path | None,
    ask: Ask | None,
    stop: StopCheck,
    tell: Callable[[str], None],
) -> Local:
    """A local run. Raises `ConfigError` where the sandbox does not answer, with what can be done."""
    hidden = hidden_tests_in(acceptance_tests) if acceptance_tests else None
    if acceptance_tests and hidden is None:
        raise ConfigError(f"--acceptance-tests: there is no file in {acceptance_tests}")
    sandbox = answering_sandbox(settings)
    return Local(
        repository=repository,
        task=task,
        agent_for=agents_of(settings),
        crew=crew_of(settings),
        models=settings.models,
        sandbox=sandbox,
        prepare_image=image_preparer(settings, sandbox),
        image=settings.sandbox_image,
        caps=settings.caps,
        limits=limits_of(settings),
        author=Author("selfcode", "selfcode@localhost"),
        stop=stop,
        tell=tell,
        test=test,
        reproduce=reproduce,
        hidden=hidden,
        ask=ask,
        secrets=settings.secrets(),
    )


def trace_named(settings: Settings, name: str) -> Trace:
    """The trace of a run by the beginning of its id, or of a file or folder. Raises `Refused` where there is none."""
    path = Path(name)
    if path.exists():
        return trace_in_file(path)
    if settings.database_url is None and not (settings.home / "selfcode.sqlite").exists():
        raise Refused(f"There is no run {name}: {settings.home} holds no database, and there is no such file.")
    return trace_in_store(Store(database_of(settings)), name)


def doctor_of(
    settings: Settings, target: str | None, given: Given, *, stop: StopCheck, tell: Callable[[str], None]
) -> Examination:
    """What `selfcode doctor` finds of a folder or of OWNER/REPO; without a target of the sandbox alone.

    Raises `ConfigError` where the sandbox does not answer, `Refused` where the target can't be had.
    """
    if target is None:
        return sandbox_alone(sandbox_of(settings))
    source = remote_of(settings, target) if is_full_name(target) else folder_of(target)
    sandbox = answering_sandbox(settings)
    means = Means(
        sandbox=sandbox,
        prepare_image=image_preparer(settings, sandbox),
        image=settings.sandbox_image,
        images=settings.images,
        limits=limits_of(settings),
        stop=stop,
        any_image=not isinstance(source, Remote),
        has_images=isinstance(sandbox, DockerSandbox),
    )
    about = sandbox.check()
    if isinstance(source, Remote):
        return examine_remote(means, source, given, about=about, tell=tell)
    return examine_folder(means, source, given, about=about, tell=tell)


def remote_of(settings: Settings, full_name: str) -> Remote:
    """A repository on GitHub: through the App where it is set up, else as everybody sees it."""
    if settings.app_id is None:
        return Remote(full_name, f"{settings.web_address}/{full_name}.git", ca_bundle=settings.ca_bundle)
    github = github_of(settings)
    try:
        info = github.find(full_name)
        token = github.git_token(info.ref)
    except Gone as gone:
        raise Refused(f"{full_name} can't be had: the App is not installed on it, or there is none ({gone}).") from gone
    return Remote(
        info.ref.full_name, info.clone_url, info.ref.id, Credentials(info.clone_url, token), settings.ca_bundle
    )


def answering_sandbox(settings: Settings) -> Sandbox:
    """The sandbox, seen to answer. Raises `ConfigError` where it does not: nothing weaker is taken in its place."""
    sandbox = sandbox_of(settings)
    try:
        sandbox.check()
    except SandboxUnavailable as problem:
        raise ConfigError(
            f"{problem}\nWithout an engine: `--sandbox bubblewrap` (SELFCODE_SANDBOX=bubblewrap), with what is "
            "installed on this machine; or, for code that you trust, `--sandbox process`."
        ) from problem
    return sandbox


def local_summary(done: LocalResult) -> dict[str, object]:
    """What `selfcode run --json` prints."""
    result = done.result
    return {
        "outcome": str(result.outcome),
        "reason": result.reason,
        "branch": done.branch or None,
        "base": result.base_sha,
        "head": result.head_sha or None,
        "iterations": len(result.progress.iterations),
        "tokens": result.progress.spend.tokens,
        "cached_tokens": result.progress.spend.cached_tokens,
        "cost_usd": result.progress.spend.cost_usd,
        "critic_tokens": result.progress.spend.critic_tokens,
        "critic_cost_usd": result.progress.spend.critic_cost_usd,
        "doubts": result.progress.doubts,
        "evidence": asdict(result.proof.evidence) if result.proof else None,
        "missing": list(result.proof.missing) if result.proof else [],
        "report": str(done.folder / "report.md"),
        "patch": result.progress.change.patch,
    }


def solve(
    settings: Settings,
    task: str,
    tests: str | None,
    *,
    own_tests: bool,
    max_iterations: int,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """The agent alone, on one script; with tests of its own where none are given. `tell`: a line for each iteration."""
    given: dict[str, Any] = {
        "max_iterations": max_iterations,
        "model": model_of(settings, settings.model),
        "sandbox": answering_sandbox(settings),
        "candidates": settings.candidates or SOLVE_CANDIDATES,
        "at_once": settings.candidates_at_once,
        "tell": tell,
    }
    if tests is None:
        critic = model_of(settings, settings.critic_model) if settings.critic_model else None
        return run_agent(task, generate_tests=own_tests, critic=critic, **given)
    return run_agent_with_tests(task, tests, **given)


def demo(
    settings: Settings, environment: Mapping[str, str], *, keep: bool, as_json: bool, say: Callable[[str], None]
) -> int:
    """The demo, in the strongest sandbox that this machine has. Returns the exit code."""
    sandbox, notes = _sandbox_of_the_demo(settings, say, named=bool(environment.get("SELFCODE_SANDBOX")))
    return run_demo(
        environ=environment,
        sandbox=sandbox,
        notes=notes,
        titles={title(outcome): str(outcome) for outcome in Outcome},
        settings={"SELFCODE_SECONDS_BETWEEN_WRITES": "0"},
        as_json=as_json,
        keep=keep,
    )


def _sandbox_of_the_demo(settings: Settings, say: Callable[[str], None], *, named: bool) -> tuple[str, list[str]]:
    """The backend's name, and what is to be said of it: the one that was named, or the strongest that answers.

    Raises `ConfigError` where the one that was named does not answer.
    """
    if named:
        return settings.sandbox, _what_is_not_held(answering_sandbox(settings))
    notes: list[str] = []
    for name in backends.STRONGEST_FIRST:
        sandbox = backends.make(name, sandbox_options(settings))
        try:
            _with_its_image(sandbox, settings.sandbox_image, say)
            return name, [*notes, f"Sandbox: {sandbox.check()}.", *_what_is_not_held(sandbox)]
        except SandboxError as problem:
            notes.append(f"No {name} sandbox: {problem}.")
    return "process", [*notes, "The demo's own code therefore runs as a plain process of yours, which is no isolation."]


def _with_its_image(sandbox: Sandbox, image: str, say: Callable[[str], None]) -> None:
    if isinstance(sandbox, DockerSandbox) and sandbox.images.find(image) is None:
        say(f"Building the image {image} that code runs in, once; this may take some minutes.")
        sandbox.images.build_default(image)


def _what_is_not_held(sandbox: Sandbox) -> list[str]:
    return [f"Not held here: {guarantee} ({reason})." for guarantee, reason in sandbox.unheld.items()]

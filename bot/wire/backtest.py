"""What `selfcode backtest` does again, with what, and where its results lie."""

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

from bot import backtest
from bot.backtest import LAST, Bot, Means, Wanted
from bot.errors import Refused, Stopped, Unavailable
from bot.records import Backtest, PastFix, StopCheck
from bot.repository import Mirror
from bot.repository.export import git_directory
from bot.repository.folder import is_git_repository
from bot.repository.revisions import range_of
from bot.runs.doctor import Given
from bot.runs.sources import folder_of, head_of, is_full_name
from bot.settings import Settings
from bot.wire.doctor import means_of, remote_of
from bot.wire.models import agents_of, crew_of, model_of
from bot.writing.backtest_page import page
from bot.writing.backtest_pictures import pictures_of
from bot.writing.backtest_report import markdown_report
from bot.writing.masking import mask_secrets

CLONE = "repository.git"
REPORT, PAGE = "report.md", "report.html"


@dataclass(frozen=True, slots=True)
class Asked:
    """A backtest as it was asked for. `target` is a folder or OWNER/REPO, "" where `tasks` are taken instead.

    `bots` are models with their settings, or players; `check` is without any. `jobs` None: the operator's number.
    """

    target: str = ""
    tasks: Path | None = None
    last: int = LAST
    span: str = ""
    bots: tuple[str, ...] = ()
    check: bool = False
    budget_usd: float | None = None
    jobs: int | None = None
    out: Path | None = None
    export: Path | None = None
    given: Given = field(default_factory=Given)


@dataclass(frozen=True, slots=True)
class Made:
    """What came of it, and the folder with report, results and traces."""

    backtest: Backtest
    folder: Path

    @property
    def files(self) -> dict[str, str]:
        """The paths of what people read, by what it is."""
        return {name: str(self.folder / file) for name, file in (("report", REPORT), ("page", PAGE))}


def backtest_of(settings: Settings, asked: Asked, *, stop: StopCheck, tell: Callable[[str], None]) -> Made:
    """Find past fixes, check them, have every bot do them again, and write the report, however it was ended.

    Raises: `ConfigError` where a key is missing or the sandbox does not answer; `Refused` for what can't be done
    again; `Unavailable`.
    """
    bots = tuple(_bots(settings, asked))
    if asked.span:
        range_of(asked.span)  # said now, and not once all was cloned
    is_remote = asked.tasks is None and is_full_name(asked.target)
    folder = _folder(settings, asked, is_remote=is_remote)
    means = _means(settings, stop=stop, is_remote=is_remote)
    wanted = Wanted(
        name=asked.target or str(asked.tasks),
        folder=folder,
        tasks=asked.tasks,
        last=asked.last,
        span=asked.span,
        bots=bots,
        budget_usd=asked.budget_usd,
        jobs=asked.jobs or settings.runs_at_once,
        given=asked.given,
    )
    if is_remote:
        wanted = _cloned(settings, wanted, stop=stop, tell=tell)
    elif asked.tasks is None:
        here = folder_of(asked.target)
        wanted = replace(wanted, repository=here, name=here.resolve().name)
    made = (backtest.run if bots else backtest.look)(wanted, means, tell=tell)
    _keep(folder, made, settings.secrets())
    if asked.export is not None:
        count = backtest.export(wanted, made, asked.export, tell=tell)
        tell(f"written as tasks below {asked.export}: {count}")
    return Made(made, folder)


def _bots(settings: Settings, asked: Asked) -> Iterator[Bot]:
    """Who is tried. What is wrong with one is said now, and not once the fixes were checked."""
    names = () if asked.check else asked.bots or (settings.model,)
    seen: set[str] = set()
    for text in names:
        bot = backtest.bot_named(text)
        if bot.name in seen:
            raise Refused(f"`{bot.name}` is asked for twice.")
        seen.add(bot.name)
        for model in filter(None, (bot.model, bot.critic)):
            model_of(settings, model)
        yield bot


def _means(settings: Settings, *, stop: StopCheck, is_remote: bool) -> Means:
    return Means(
        sight=means_of(settings, stop=stop, any_image=not is_remote),
        agent_for=agents_of(settings),
        crew=crew_of(settings),
        models=settings.models,
        caps=settings.caps,
        has_price=lambda name: model_of(settings, name).has_price,
        version=version("selfcode"),
        secrets=settings.secrets(),
    )


def _folder(settings: Settings, asked: Asked, *, is_remote: bool) -> Path:
    """Where results lie: as asked, else beside the repository's git data, else in the operator's home."""
    if asked.out is not None:
        return asked.out
    if asked.tasks is not None:
        path = str(asked.tasks.resolve())
        key = hashlib.sha256(os.fsencode(path)).hexdigest()[:10]
        return settings.home / "backtests" / f"{asked.tasks.resolve().name}-{key}"
    if is_remote:
        owner, _, name = asked.target.partition("/")
        return settings.home / "backtests" / owner / name
    folder = folder_of(asked.target)
    if not is_git_repository(folder):
        raise Refused(f"{folder} is not the top folder of a git repository: name that one.")
    return git_directory(folder) / "selfcode" / "backtest"


def _cloned(settings: Settings, wanted: Wanted, *, stop: StopCheck, tell: Callable[[str], None]) -> Wanted:
    """With the repository brought here, and with its merged pull requests where the App can ask for them."""
    remote = remote_of(settings, wanted.name)
    clone = Mirror(wanted.folder / CLONE)
    tell(f"cloning {remote.clone_url}")
    if wanted.span:  # which may name other branches
        clone.update(remote.clone_url, credentials=remote.credentials, ca_bundle=remote.ca_bundle, stop=stop)
    clone.stand_at(head_of(remote, clone, stop=stop))
    here = replace(wanted, repository=clone.path, name=remote.full_name)
    if remote.key is None:
        tell(_AS_EVERYBODY)
        return here
    return replace(here, pulls=_pulls(settings, remote.full_name, stop=stop, tell=tell))


_AS_EVERYBODY = (
    "note: without the App's credentials no issue is read: commits that change source and tests are taken, with their "
    "messages. SELFCODE_APP_ID and its key let merged pull requests be taken, with the issues that they close."
)


def _pulls(settings: Settings, full_name: str, *, stop: StopCheck, tell: Callable[[str], None]) -> Iterator[PastFix]:
    """What was merged and closes an issue, newest first. Raises `Stopped`: there may be many that nobody wants."""
    from bot.wire.app import github_of  # noqa: PLC0415 - not needed where nothing is asked of GitHub

    github = github_of(settings)
    info = github.find(full_name)
    tell(f"asking GitHub for pull requests that were merged into {info.default_branch} and close an issue")
    for fix in github.past_fixes(info.ref, info.default_branch):
        if stop():
            raise Stopped
        yield fix


def _keep(folder: Path, made: Backtest, secrets: tuple[str, ...]) -> None:
    """Write the report in both forms, with its pictures. Raises `Unavailable` where it can't be."""
    files = {REPORT: markdown_report(made), PAGE: page(made), **pictures_of(made)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(mask_secrets(text, secrets), encoding="utf-8")
    except OSError as problem:
        raise Unavailable(f"the report can't be written to {folder}: {problem}") from problem

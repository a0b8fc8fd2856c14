"""Setting the stage of the demo: the server with its repository and App, the model, the bot, the issue."""

import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests

from bot.demo import sample
from bot.demo.bot_process import BotProcess, NotReady, free_port, running
from bot.demo.handles import IssueHandle, RepositoryHandle
from bot.demo.hub import Hub
from bot.demo.kept import HOME, PREFIX
from bot.demo.recorded import RecordedModel
from bot.demo.state import App
from bot.demo.telling import Teller
from bot.demo.watching import Watch

OWNER, NAME = "octo-demo", "lapse"
REPORTER, MAINTAINER = "ada", "mona"
LABEL = "selfcode"
RECORDED = "recorded replies"
"""The model's name for people, where it is none."""
_READY_S = 180.0
_FROM_THE_CALLER = ("SELFCODE_MODEL", "SELFCODE_SANDBOX_IMAGE", "SELFCODE_CA_BUNDLE")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What demo is wanted; the parameters of `run_demo`."""

    environ: Mapping[str, str]
    sandbox: str
    notes: Sequence[str]
    titles: Mapping[str, str]
    argv: Sequence[str]
    settings: Mapping[str, str]
    directory: Path | None


@dataclass(slots=True)
class Stage:
    """Everything that runs during the demo."""

    hub: Hub
    app: App
    repository: RepositoryHandle
    issue: IssueHandle
    bot: BotProcess
    home: Path
    watch: Watch
    model: str
    sandbox: str
    teller: Teller
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Since the bot was started."""
        return time.monotonic() - self.began


def set_up(open_things: ExitStack, wanted: Wanted, teller: Teller) -> Stage:
    """Start everything, each to be ended with `open_things`, and write the issue. Raises `NotReady`."""
    for note in wanted.notes:
        teller.say(note, style="yellow")
    folder = _folder(open_things, wanted.directory)
    hub = open_things.enter_context(Hub(folder / "repositories"))
    model, model_settings = _model(open_things, wanted.environ, teller)
    hub.create_user(OWNER)
    repository = hub.create_repository(f"{OWNER}/{NAME}", sample.files(), roles={MAINTAINER: "write"})
    app = hub.create_app(owner=OWNER, callback_urls=("https://selfcode.example.com/auth/callback",))
    port = free_port()
    own = {"SELFCODE_HOME": str(folder / HOME), "SELFCODE_SANDBOX": wanted.sandbox, "SELFCODE_PORT": str(port)}
    teller.now("the demo is set up")
    environment = {**_environment(wanted.environ, hub, app), **own, **model_settings, **wanted.settings}
    began = time.monotonic()
    bot = open_things.enter_context(running(wanted.argv, environment, port=port, log=folder / "bot.log"))
    teller.say(f"A GitHub-shaped server is at {hub.base_url}, the bot at {bot.url}. Sandbox: {wanted.sandbox}.")
    teller.now("the bot starts")
    _until_ready(bot, teller)
    hub.set_webhook(app, f"{bot.url}/webhook")
    hub.install(app, OWNER)
    hub.wait_for_deliveries()
    issue = _write_issue(hub, repository)
    watch = Watch(hub, app, repository, issue, wanted.titles)
    return Stage(hub, app, repository, issue, bot, folder / HOME, watch, model, wanted.sandbox, teller, began)


def _folder(open_things: ExitStack, directory: Path | None) -> Path:
    if directory is None:
        return Path(open_things.enter_context(tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)))
    directory.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="demo-", dir=directory)).resolve()


def _model(open_things: ExitStack, environ: Mapping[str, str], teller: Teller) -> tuple[str, dict[str, str]]:
    """The model's name for people, and the settings that lead the bot to it."""
    given = {name: environ[name] for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL") if environ.get(name)}
    if given:
        where = environ.get("OPENAI_BASE_URL") or "OpenAI"
        name = environ.get("SELFCODE_MODEL") or "the default model"
        teller.say(
            f"Model: {name} at {where}. Its replies are its own; the pull request may come out unproven or not at all."
        )
        return name, given
    played = open_things.enter_context(RecordedModel(sample.RECORDING, delay_s=0.3))
    teller.say(
        "Model: recorded replies, played over the real protocol. To see a real model at work, set OPENAI_API_KEY or"
        " OPENAI_BASE_URL, and SELFCODE_MODEL.",
        style="yellow",
    )
    return RECORDED, {
        "OPENAI_BASE_URL": played.base_url,
        "OPENAI_API_KEY": "recorded",
        "SELFCODE_MODEL": played.model,
    }


def _environment(environ: Mapping[str, str], hub: Hub, app: App) -> dict[str, str]:
    """The bot's environment: the caller's without settings of another installation, and loopback by no proxy."""
    ours = {
        name: value
        for name, value in environ.items()
        if not name.startswith(("SELFCODE_", "OPENAI_")) or name in _FROM_THE_CALLER
    }
    direct = ",".join(filter(None, (environ.get("NO_PROXY") or environ.get("no_proxy"), "127.0.0.1", "localhost")))
    return ours | {
        "NO_PROXY": direct,
        "no_proxy": direct,
        "PYTHONUNBUFFERED": "1",
        "SELFCODE_ALLOWED_OWNERS": OWNER,
        "SELFCODE_APP_ID": str(app.id),
        "SELFCODE_CLIENT_ID": app.client_id,
        "SELFCODE_CLIENT_SECRET": app.client_secret,
        "SELFCODE_GITHUB_API_URL": hub.api_url,
        "SELFCODE_HOST": "127.0.0.1",
        "SELFCODE_LABEL": LABEL,
        "SELFCODE_PRIVATE_KEY": app.private_key,
        "SELFCODE_WEBHOOK_SECRET": app.webhook_secret,
    }


def _until_ready(bot: BotProcess, teller: Teller) -> None:
    try:
        bot.wait_until_ready(_READY_S)
    except NotReady as problem:
        teller.say(f"{problem}. Its log:\n\n{bot.last_words()}", style="red")
        raise


def _write_issue(hub: Hub, repository: RepositoryHandle) -> IssueHandle:
    """Write the issue through the API, as anybody would."""
    text = sample.issue()
    ask(hub, REPORTER, "POST", f"/repos/{repository.full_name}/issues", {"title": text.title, "body": text.body})
    return repository.issues[-1]


def ask(hub: Hub, login: str, method: str, path: str, body: Any) -> None:
    """One request to the API by a person with a token."""
    headers = {"Authorization": f"Bearer {hub.token(login)}", "X-GitHub-Api-Version": "2022-11-28"}
    with requests.Session() as session:
        session.trust_env = False
        session.request(method, hub.api_url + path, json=body, headers=headers, timeout=30).raise_for_status()

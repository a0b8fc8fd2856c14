"""The demo: a GitHub-shaped server, a sample repository with a bug, and the bot as a real process on one issue."""

import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

from bot.demo.bot_process import NotReady
from bot.demo.closing import report
from bot.demo.stage import LABEL, MAINTAINER, REPORTER, Stage, Wanted, ask, set_up
from bot.demo.telling import Teller
from bot.demo.watching import Ending

TITLES: Mapping[str, str] = {"Proven": "proven", "Unproven": "unproven"}
"""How a result's first line names the outcome, by default; the command passes the whole list."""

SERVE = (sys.executable, "-P", "-m", "bot.cli", "serve")
_LOOK_S = 0.2


def run_demo(
    *,
    environ: Mapping[str, str],
    sandbox: str,
    notes: Sequence[str] = (),
    titles: Mapping[str, str] = TITLES,
    argv: Sequence[str] = SERVE,
    settings: Mapping[str, str] | None = None,
    as_json: bool = False,
    keep: bool = False,
    directory: Path | None = None,
    timeout_s: float = 900.0,
) -> int:
    """Show one issue becoming a pull request; return 0 only if the pull request was proven.

    `argv` starts the bot; `sandbox` is the backend that it is told to use, `notes` are said first. `titles` tell how
    the bot's results name each outcome. `settings` are added to the bot's environment. With `keep` everything goes on
    running until Ctrl-C. Repositories, the bot's log and its home are kept in a new folder below `directory`, or
    nowhere. Without `OPENAI_API_KEY` and `OPENAI_BASE_URL` in `environ` the model's replies are recorded ones.
    """
    teller = Teller(sys.stderr if as_json else sys.stdout)
    wanted = Wanted(environ, sandbox, notes, titles, argv, settings or {}, directory)
    with _interruptible(), ExitStack() as open_things:
        try:
            stage = set_up(open_things, wanted, teller)
            proven = report(stage, _play(stage, timeout_s), as_json=as_json)
            if keep:
                _keep(stage)
            else:
                _say_where(stage, kept=directory is not None)
        except NotReady:
            return 1
        except KeyboardInterrupt:
            teller.say("Interrupted; everything is being ended.")
            return 130
        return 0 if proven else 1


def _play(stage: Stage, timeout_s: float) -> Ending:
    """Label the issue, and tell what happens until the run has ended."""
    stage.teller.say(f"{REPORTER} wrote {stage.issue.url}: {stage.issue.title}")
    path = f"/repos/{stage.repository.full_name}/issues/{stage.issue.number}/labels"
    ask(stage.hub, MAINTAINER, "POST", path, {"labels": [LABEL]})
    stage.teller.happened(stage.seconds, f"{MAINTAINER} labels the issue {LABEL!r}", style="bold")
    deadline = time.monotonic() + timeout_s
    while True:
        ending = stage.watch.ending()
        for line in stage.watch.new():
            stage.teller.happened(stage.seconds, line)
        if ending is not None:
            return ending
        if stage.bot.exit_code is not None:
            return _early_end(stage, f"the bot ended with exit code {stage.bot.exit_code} in the middle of the run")
        if time.monotonic() > deadline:
            return _early_end(stage, f"there was no result within {timeout_s:g} s")
        time.sleep(_LOOK_S)


def _early_end(stage: Stage, reason: str) -> Ending:
    stage.teller.say(f"{reason}. The bot's log:\n\n{stage.bot.last_words()}", style="red")
    return Ending("error", reason)


def _say_where(stage: Stage, *, kept: bool) -> None:
    """Say how to look further, once the server is gone."""
    if kept:
        stage.teller.say(f"The repository: {stage.repository.directory}\nThe bot's log: {stage.bot.log}")
    else:
        stage.teller.say(
            "To look at the pages and to clone the branch: `selfcode demo --keep` (.venv/bin/selfcode in a checkout)."
        )


def _keep(stage: Stage) -> None:
    """Leave everything running until somebody ends it."""
    pull = stage.watch.pull
    stage.teller.heading("Where to look")
    stage.teller.say(f" {stage.issue.url}")
    if pull is not None:
        stage.teller.say(f" {pull.url}\n git clone --branch {pull.head} {stage.repository.clone_url}")
    stage.teller.say(f" the bot's log: {stage.bot.log}\n\nCtrl-C ends the server and the bot.")
    while stage.bot.exit_code is None:
        for line in stage.watch.new():
            stage.teller.happened(stage.seconds, line)
        time.sleep(_LOOK_S)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let SIGTERM end the demo as Ctrl-C does, so that nothing stays behind."""

    def interrupt(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

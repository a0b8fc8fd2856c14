"""The demo: a GitHub-shaped server, a sample repository with a bug, and the bot as a real process on one issue."""

import shlex
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

from bot.demo.bot_process import NotReady
from bot.demo.closing import report
from bot.demo.stage import LABEL, MAINTAINER, OWNER, RECORDED, REPORTER, Stage, Wanted, ask, set_up
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
            with teller.showing("the demo is set up"):
                stage = set_up(open_things, wanted, teller)
                ending = _play(stage, timeout_s)
            proven = report(stage, ending, as_json=as_json)
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
            "The server is gone, and `selfcode verify` has nothing to fetch from it any more. To prove it again, to"
            f" look at the pages, to clone the branch and to say something there: `{_command()} demo --keep`."
        )


def _keep(stage: Stage) -> None:
    """Leave everything running until somebody ends it."""
    stage.teller.heading("Where to look")
    for line in where_to_look(stage):
        stage.teller.verbatim(line)
    while stage.bot.exit_code is None:
        for line in stage.watch.new():
            stage.teller.happened(stage.seconds, line)
        time.sleep(_LOOK_S)


def where_to_look(stage: Stage) -> Iterator[str]:
    """Pages, and commands to paste, for whoever looks around while all of it goes on running."""
    pull, run, selfcode = stage.watch.pull, stage.watch.run_id, _command()
    if run:
        yield f" the run, step by step: {stage.bot.url}/runs/{run}"
        yield f"   (you look at it as the operator; {stage.bot.url}/sign-in shows it to {OWNER} or {REPORTER})"
    yield f" the issue: {stage.issue.url}"
    if pull is not None:
        yield f" the pull request: {pull.url}"
        yield f" git clone --branch {pull.head} {stage.repository.clone_url}"
    yield f" the bot's log: {stage.bot.log}"
    yield "\nTo say something there, use the form at the end of those pages: a comment “/selfcode status”, a review."
    if stage.model == RECORDED:
        yield (
            "The recorded replies tell this one story: what is asked for after it is taken up and answered, but the"
            " change stays as it is. With a model of yours (OPENAI_BASE_URL or OPENAI_API_KEY) it goes on from there."
        )
    yield "\nIn another terminal:\n"
    named = {"SELFCODE_HOME": str(stage.home), "SELFCODE_GITHUB_API_URL": stage.hub.api_url}
    named["SELFCODE_SANDBOX"] = stage.sandbox
    yield f" export {' '.join(f'{name}={shlex.quote(value)}' for name, value in named.items())}"
    yield f" {selfcode} runs"
    if run:
        yield f" {selfcode} trace {run}"
    if pull is not None:
        yield f" {selfcode} verify {shlex.quote(f'{stage.repository.full_name}#{pull.number}')}"
    yield "\nCtrl-C ends the server and the bot."


def _command() -> str:
    """The command as it was called, where it is not found by its name alone."""
    called = Path(sys.argv[0])
    is_found = called.name != "selfcode" or shutil.which("selfcode") is not None
    return "selfcode" if is_found else shlex.quote(str(called.resolve()))


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

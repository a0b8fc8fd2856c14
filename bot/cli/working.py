"""The commands that have a model work: `run`, `solve`."""

import json
import re
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import click

from bot.cli.answering import answering_errors, say, say_what_is_not_isolated, settings_of, until_told_to_end
from bot.cli.options import AS_JSON, SANDBOX
from bot.cli.waiting import shown
from bot.errors import ConfigError
from bot.records import Iteration, Outcome, Reproduce, Task
from bot.writing.masking import mask_secrets

GOOD = (Outcome.PROVEN, Outcome.NOTHING_TO_DO)

HOW_TO_GO_ON = """\
The test is in the report. To have another one, say in the issue what it should show; to go on without anybody's word
on it, run it with --reproduce first."""
TO_ANSWER = "To answer here, run it at a terminal."

_LIKE_A_PATH = re.compile(r"\S+\.(md|txt|rst|markdown)|[./~]\S*/\S*")


@click.command()
@click.option("--repo", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".", show_default=True)
@click.option(
    "--issue", required=True, help="The issue: its text, or a file that holds it. The first line is its title."
)
@click.option("--test", default="", help="The test command (default: what the repository says, or a guess).")
@click.option("--model", default="", help="The model's name (default: SELFCODE_MODEL).")
@SANDBOX
@click.option(
    "--reproduce",
    type=click.Choice([str(each) for each in Reproduce]),
    help="The test that shows the issue: before the change, with it, with your word on it, or none.",
)
@click.option(
    "--acceptance-tests",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder with tests, by their paths in the repository, that the model never sees and that must pass.",
)
@AS_JSON
@answering_errors
def run(
    *,
    repo: Path,
    issue: str,
    test: str,
    model: str,
    sandbox: str | None,
    reproduce: str | None,
    acceptance_tests: Path | None,
    as_json: bool,
) -> int:
    """Solve an issue in a local repository: a branch with its commits, and a report with the proof."""
    from bot.runs.local import run_locally  # noqa: PLC0415
    from bot.wire.commands import local_of, local_summary  # noqa: PLC0415
    from bot.writing.report import terminal_report  # noqa: PLC0415

    settings = settings_of(SELFCODE_MODEL=model, SELFCODE_SANDBOX=sandbox)
    until = until_told_to_end()
    say_what_is_not_isolated(settings)
    with shown(say, "asking the sandbox") as tell:
        local = local_of(
            settings,
            repo,
            task_of(issue),
            test=test,
            reproduce=Reproduce(reproduce) if reproduce else None,
            acceptance_tests=acceptance_tests,
            ask=partial(_ask_about, tell.paused) if sys.stdin.isatty() else None,
            stop=until.is_set,
            tell=tell,
        )
        done = run_locally(local)
    click.echo(terminal_report(done.result), err=True)
    if done.result.outcome is Outcome.NEEDS_INFORMATION:
        say(HOW_TO_GO_ON if local.ask else f"{HOW_TO_GO_ON} {TO_ANSWER}")
    if done.branch:
        say(f"branch: {done.branch}")
    say(f"report: {done.folder / 'report.md'}")
    if as_json:
        click.echo(json.dumps(local_summary(done)))
    return 0 if done.result.outcome in GOOD else 1


@click.command()
@click.argument("task", metavar="TASK_OR_FILE")
@click.option("--tests", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A file of hidden tests.")
@click.option("--model", default="", help="The model's name (default: SELFCODE_MODEL).")
@SANDBOX
@click.option(
    "--generate-tests/--no-generate-tests",
    "own_tests",
    default=None,
    help="Test by the task's own examples, else by tests that the model writes first (default: without --tests).",
)
@click.option("--max-iterations", type=click.IntRange(min=1), default=5, show_default=True)
@click.option("--trace", type=click.Path(dir_okay=False, path_type=Path), help="Write all that happened to this file.")
@AS_JSON
@answering_errors
def solve(
    *,
    task: str,
    tests: Path | None,
    model: str,
    sandbox: str | None,
    own_tests: bool | None,
    max_iterations: int,
    trace: Path | None,
    as_json: bool,
) -> int:
    """Write a script for a task, run it, and iterate until it runs and the tests pass: yours, or the model's own."""
    from bot.wire.commands import solve as solve_alone  # noqa: PLC0415

    if tests and own_tests:
        raise ConfigError("--tests and --generate-tests exclude each other")
    settings = settings_of(SELFCODE_MODEL=model, SELFCODE_SANDBOX=sandbox)
    text, hidden = _text_or_file(task), _read(tests) if tests else None
    if not text.strip():
        raise ConfigError("the task is empty: give its text, or a file that holds it")
    say_what_is_not_isolated(settings)
    if trace:
        _write(trace, "")
    with shown(say, "asking the model") as tell:
        solved = solve_alone(
            settings, text, hidden, own_tests=own_tests is not False, max_iterations=max_iterations, tell=tell
        )
    outcome = "solved" if solved["success"] else "unsolved"
    say(f"{outcome} after {solved['iterations']} iteration{'s' if solved['iterations'] != 1 else ''}")
    if solved["checked"]:
        say(solved["checked"])
    told = json.dumps({"outcome": outcome, "task": text, **solved})
    if trace:
        _write(trace, mask_secrets(told, settings.secrets()))
    del solved["calls"]
    click.echo(json.dumps({"outcome": outcome, **solved}) if as_json else solved["code"])
    return 0 if solved["success"] else 1


def task_of(issue: str) -> Task:
    """The issue as a task: its first line is the title, Markdown's heading marks taken off."""
    title, _, body = _text_or_file(issue).strip().partition("\n")
    if not title.strip("# "):
        raise ConfigError("the issue is empty: give its text, or a file that holds it")
    return Task(title=title.lstrip("# ").strip(), body=body.strip())


def _text_or_file(given: str) -> str:
    if "\n" in given or len(given) > 1000:
        return given
    if Path(given).is_file():
        return _read(Path(given))
    if _LIKE_A_PATH.fullmatch(given):
        raise ConfigError(f"there is no file {given}; a text that only looks like a path needs a second word")
    return given


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ConfigError(f"{path} can't be read as UTF-8 text: {problem}") from problem


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise ConfigError(f"{path} can't be written: {problem}") from problem


def _ask_about(showing_nothing: Callable[[], AbstractContextManager[None]], asked: Iteration) -> str | None:
    """Show the test at the terminal and ask for a word on it: "" lets it stand, words have it written anew."""
    from bot.writing.safe import clean  # noqa: PLC0415

    with showing_nothing():
        say(f"\n{clean(asked.change.patch)}\nThis test fails on the base. Does it say what the issue says?")
        try:
            answer: str = click.prompt("y, n, or what it should say", err=True)
        except click.Abort:
            return None
    match answer.strip().lower():
        case "y" | "yes":
            return ""
        case "n" | "no":
            return None
        case _:
            return answer.strip()

"""The command that tries the bot on a repository's own past: `backtest`."""

import json
from pathlib import Path

import click

from bot.cli.answering import (
    INTERRUPTED,
    answering_errors,
    say,
    say_what_is_not_isolated,
    settings_of,
    until_told_to_end,
)
from bot.cli.options import AS_JSON, how_it_is_tested
from bot.cli.waiting import shown
from bot.errors import ConfigError
from bot.writing.masking import mask_secrets

GOOD = ("done", "checked")


@click.command()
@click.argument("target", metavar="[PATH|OWNER/REPO]", required=False)
@click.option("--last", type=click.IntRange(min=1), help="The newest so many fixes that can be asked for again.  [10]")
@click.option("--range", "span", default="", help="All fixes in a range of commits, A..B, in place of the newest.")
@click.option(
    "--model",
    "models",
    multiple=True,
    help="Whom to try, again for each: MODEL, `MODEL;reproduce=off;iterations=3;critic=OTHER`, or what costs nothing: "
    "`oracle`, `saboteur:tests`, `saboteur:special`, `saboteur:input`, `saboteur:nothing`, "
    "`saboteur:asserts-nothing`.  [SELFCODE_MODEL]",
)
@click.option("--check", is_flag=True, help="Only find fixes and check them: no model is asked.")
@click.option(
    "--budget", type=click.FloatRange(min=0, min_open=True), help="USD that all models together may cost at most."
)
@click.option("--jobs", type=click.IntRange(min=1), help="How many at the same time.  [SELFCODE_RUNS_AT_ONCE]")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="The folder for report and results.")
@click.option(
    "--tasks",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder with tasks, in place of a repository.",
)
@click.option(
    "--export", type=click.Path(file_okay=False, path_type=Path), help="Write what can be asked for again as tasks."
)
@how_it_is_tested(who_says="each base says")
@AS_JSON
@answering_errors
def backtest(
    *,
    target: str | None,
    last: int | None,
    span: str,
    models: tuple[str, ...],
    check: bool,
    budget: float | None,
    jobs: int | None,
    out: Path | None,
    tasks: Path | None,
    export: Path | None,
    test: str,
    build: str | None,
    directory: str,
    image: str,
    sandbox: str | None,
    as_json: bool,
) -> int:
    """Try it on your own past: do merged fixes again with their tests hidden, and judge by these.

    Run again, it goes on where it was ended. Fixes are merged pull requests with the issue that they close, where the
    App is installed on OWNER/REPO; else commits that change source and tests, with what gives the answer away taken
    out of their messages.
    """
    from bot.backtest import LAST  # noqa: PLC0415 - commands load what they need
    from bot.runs.doctor import Given  # noqa: PLC0415
    from bot.wire.backtest import Asked, backtest_of  # noqa: PLC0415
    from bot.writing.backtest import outcome_of, summary, terminal_text  # noqa: PLC0415

    _require_one_source(target, tasks, last=last, span=span)
    if check and (models or budget is not None):
        raise ConfigError("--check asks no model: leave --model and --budget out")
    settings = settings_of(SELFCODE_SANDBOX=sandbox)
    until = until_told_to_end()
    say_what_is_not_isolated(settings)
    asked = Asked(
        target=target or "",
        tasks=tasks,
        last=last or LAST,
        span=span,
        bots=models,
        check=check,
        budget_usd=budget,
        jobs=jobs,
        out=out,
        export=export,
        given=Given(test=test, build=build, directory=directory, image=image),
    )
    with shown(lambda text: say(mask_secrets(text, settings.secrets())), "asking the sandbox") as tell:
        made = backtest_of(settings, asked, stop=until.is_set, tell=tell)
    click.echo(mask_secrets(terminal_text(made.backtest), settings.secrets()), err=as_json)
    for name, path in made.files.items():
        say(f"{name}: {path}")
    if as_json:
        click.echo(mask_secrets(json.dumps(summary(made.backtest, made.files)), settings.secrets()))
    if until.is_set():
        return INTERRUPTED
    return 0 if outcome_of(made.backtest) in GOOD else 1


def _require_one_source(target: str | None, tasks: Path | None, *, last: int | None, span: str) -> None:
    if target is None and tasks is None:
        raise click.UsageError("Of which repository? Say PATH or OWNER/REPO, or --tasks FOLDER.")
    if target is not None and tasks is not None:
        raise click.UsageError("Say PATH or OWNER/REPO, or --tasks FOLDER, not both.")
    if span and (last is not None or tasks is not None):
        raise click.UsageError("--range takes all fixes of a range of a repository: leave --last and --tasks out.")

"""The commands about what is kept: `purge`."""

import json
from dataclasses import asdict
from functools import partial
from math import isfinite

import click

from bot.cli.answering import answering_errors, say, settings_of
from bot.cli.options import AS_JSON


@click.command()
@click.argument("repository", required=False, metavar="[OWNER/REPO]")
@click.option("--installation", type=int, metavar="N", help="All of an installation of the App, by its number.")
@click.option(
    "--older-than", type=click.FloatRange(min=0), metavar="DAYS", help="Of all repositories, what ended longer ago."
)
@AS_JSON
@answering_errors
def purge(*, repository: str | None, installation: int | None, older_than: float | None, as_json: bool) -> int:
    """Forget what is kept: all of a repository or an installation, or what is old. It can't be undone.

    Runs, traces, requests and notes go, with mirrors and prepared images. What is at work is stopped, and goes as soon
    as it has ended: a worker sees to that. Nothing changes on GitHub, and the App stays where it is installed.
    """
    from bot.wire.purging import purge_installation, purge_older, purge_repository  # noqa: PLC0415

    if [repository, installation, older_than].count(None) != 2:
        raise click.UsageError("Say one of: OWNER/REPO, --installation N, --older-than DAYS.")
    if older_than is not None and not isfinite(older_than):
        raise click.UsageError("--older-than takes a number of days.")
    settings = settings_of()
    if repository is not None:
        forget = partial(purge_repository, settings, repository, say)
    elif installation is not None:
        forget = partial(purge_installation, settings, installation, say)
    else:
        forget = partial(purge_older, settings, older_than or 0.0, say)
    gone = forget()
    if as_json:
        click.echo(json.dumps({"outcome": "forgotten", **asdict(gone)}))
    say(f"Forgotten: {gone.runs} runs, {gone.requests} requests.")
    if gone.at_work:
        say(f"{gone.at_work} runs were asked to stop; a worker forgets them within a minute of their end.")
    return 0

"""The `selfcode` command."""

import click

from bot.cli.judging import doctor, verify
from bot.cli.keeping import purge
from bot.cli.looking import runs, trace
from bot.cli.queueing import queue
from bot.cli.servers import demo, serve, web, worker
from bot.cli.trying import backtest
from bot.cli.working import run, solve


def main() -> None:
    """Run the command line."""
    commands.main(prog_name="selfcode")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="selfcode")
def commands() -> None:
    """Turn labelled issues into pull requests that carry their proof."""


for command in (serve, web, worker, run, solve, runs, trace, doctor, verify, backtest, queue, purge, demo):
    commands.add_command(command)

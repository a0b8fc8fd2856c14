"""The commands that look at runs: `runs`, `trace`."""

import json
import sys
import time
from datetime import UTC, datetime

import click

from bot.cli.answering import INTERRUPTED, answering_errors, settings_of
from bot.cli.options import AS_JSON
from bot.cli.waiting import shown
from bot.errors import Refused
from bot.records import Outcome, RunChoice, RunState
from bot.settings import Settings
from bot.writing.masking import mask_secrets

STATES = {"working": RunState.WORKING, "held": RunState.HELD, "ended": RunState.ENDED}


@click.command()
@click.option("--state", type=click.Choice(list(STATES)), help="How they stand; held: they wait for a service.")
@click.option("--outcome", type=click.Choice([str(each) for each in Outcome]), help="How they ended.")
@click.option("--repository", default="", metavar="OWNER/REPO", help="Of one repository.")
@click.option("--who", default="", metavar="LOGIN", help="That somebody asked for.")
@click.option(
    "--since", type=click.DateTime(["%Y-%m-%d"]), metavar="YYYY-MM-DD", help="That began since a day, in UTC."
)
@click.option("--all", "facts", is_flag=True, help="Those too that nobody asked for: they look after pull requests.")
@click.option("-n", "limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="How many.")
@AS_JSON
@answering_errors
def runs(
    *,
    state: str | None,
    outcome: str | None,
    repository: str,
    who: str,
    since: datetime | None,
    facts: bool,
    limit: int,
    as_json: bool,
) -> int:
    """List runs across repositories, the newest first: how each stands, for whom, what it has cost.

    `selfcode trace RUN` shows one of them, or follows it.
    """
    from bot.wire.looking import runs_of  # noqa: PLC0415 - commands load what they need
    from bot.writing.run_list import runs_object, runs_table  # noqa: PLC0415

    settings = settings_of()
    choice = RunChoice(
        state=STATES[state] if state else None,
        outcome=Outcome(outcome) if outcome else None,
        repository=repository,
        who=who.removeprefix("@"),
        since=since.replace(tzinfo=UTC).timestamp() if since else None,
        facts=facts,
        limit=limit,
    )
    listed = runs_of(settings, choice)
    text = json.dumps(runs_object(listed), ensure_ascii=False) if as_json else runs_table(listed)
    click.echo(mask_secrets(text, settings.secrets()))
    return 0


@click.command()
@click.argument("name", metavar="RUN")
@click.option("--prompts", is_flag=True, help="Print the messages as the model saw them, and its replies.")
@click.option("--call", "only", type=click.IntRange(min=1), help="Only the call with this number.")
@click.option(
    "--follow/--no-follow",
    default=None,
    help="Follow a run that has not ended (default: unless --prompts, --call or --json is given).",
)
@AS_JSON
@answering_errors
def trace(*, name: str, prompts: bool, only: int | None, follow: bool | None, as_json: bool) -> int:
    """Show what a run asked its model, call by call, and what came of it; follow one that has not ended.

    RUN is a run's id or its beginning, the id or the folder of what `selfcode run` wrote, or a file of
    `selfcode solve --trace`. Following ends with the run; Ctrl-C leaves it, and the run goes on.
    """
    from bot.wire.commands import trace_named, trace_on_disk  # noqa: PLC0415
    from bot.writing.trace import trace_object, trace_text  # noqa: PLC0415

    settings = settings_of()
    wants_to_follow = not (prompts or only or as_json) if follow is None else follow
    if wants_to_follow and trace_on_disk(name) is None and not _follow_to_its_end(settings, name, quietly=as_json):
        return INTERRUPTED
    found = trace_named(settings, name)
    if only is not None and only not in {call.number for call in found.calls}:
        raise Refused(f"There is no call {only}: the trace has {sum(1 for _ in found.calls)}.")
    if as_json:
        text = json.dumps(trace_object(found, prompts=prompts, only=only), ensure_ascii=False)
    else:
        text = trace_text(found, prompts=prompts, only=only)
    click.echo(mask_secrets(text, settings.secrets()))
    return 0


def _follow_to_its_end(settings: Settings, name: str, *, quietly: bool) -> bool:
    """Tell what happens in the run until it ends, on stdout, or on stderr to leave that to a program.

    False where somebody left before.
    """
    from bot.wire.database import has_database  # noqa: PLC0415
    from bot.wire.looking import followed  # noqa: PLC0415
    from bot.writing.following import Following  # noqa: PLC0415

    if not has_database(settings):
        return True

    def say(text: str) -> None:
        click.echo(mask_secrets(text, settings.secrets()), err=quietly)

    lines, stream = Following(), sys.stderr if quietly else sys.stdout
    with followed(settings, name) as run:
        if run.is_over:
            return True
        try:
            with shown(say, f"run {run.run_id}", stream) as tell:
                for happened in run.happenings(time.sleep, tell):
                    if line := lines.line(happened):
                        tell(line)
        except KeyboardInterrupt:
            return False
    say("")
    return True

"""`selfcode queue`: what waits and what is at work, and the operator's word on it."""

import json
from dataclasses import asdict

import click

from bot.cli.answering import answering_errors, say, settings_of
from bot.cli.options import AS_JSON
from bot.writing.masking import mask_secrets


@click.group(invoke_without_command=True)
@click.option("--all", "whole", is_flag=True, help="Show all that waits, however much it is.")
@AS_JSON
@click.pass_context
def queue(context: click.Context, *, whole: bool, as_json: bool) -> None:
    """Show what waits, what is at work and what ended last; or, by a command, change it.

    What is asked for here is done by the workers, wherever they run: within a second, or as soon as one is there.
    """
    if context.invoked_subcommand is None:
        _show(whole=whole, as_json=as_json)


@answering_errors
def _show(*, whole: bool, as_json: bool) -> int:
    from bot.wire.queueing import queue_of  # noqa: PLC0415 - commands load what they need
    from bot.writing.queue import MANY, queue_table  # noqa: PLC0415

    settings = settings_of()
    view = queue_of(settings)
    if as_json:
        shown = json.dumps({"outcome": "shown", **asdict(view)}, ensure_ascii=False)
    else:
        shown = queue_table(view, many=len(view.waiting) if whole else MANY)
    click.echo(mask_secrets(shown, settings.secrets()))
    return 0


@queue.command()
@click.argument("name", metavar="KEY|RUN")
@AS_JSON
@answering_errors
def cancel(*, name: str, as_json: bool) -> int:
    """Drop what waits, or stop what is at work: by a request's key, or a run's id or its beginning.

    The issue is told by the worker, as when somebody comments `/selfcode stop`.
    """
    from bot.wire.queueing import cancel as ask  # noqa: PLC0415

    run_id = ask(settings_of(), name)
    return _done(as_json, "cancelled", f"{run_id} is cancelled: a worker tells the issue.", run=run_id)


@queue.command()
@click.argument("run", metavar="RUN")
@AS_JSON
@answering_errors
def retry(*, run: str, as_json: bool) -> int:
    """Do an ended run again, as `/selfcode retry` does: by its id or its beginning. Asked twice, it is done once."""
    from bot.wire.queueing import retry as ask  # noqa: PLC0415

    retried = ask(settings_of(), run)
    said = "is in the queue" if retried.is_new else "was asked for before"
    return _done(as_json, "queued" if retried.is_new else "known", f"{retried.run_id} {said}.", run=retried.run_id)


@queue.command()
@AS_JSON
@answering_errors
def pause(*, as_json: bool) -> int:
    """Let nothing new begin. What is at work goes on, deliveries are taken, people are answered."""
    from bot.wire.queueing import pause as ask  # noqa: PLC0415

    is_new = ask(settings_of())
    return _done(as_json, "paused", "Nothing new begins." if is_new else "It was paused already.")


@queue.command()
@AS_JSON
@answering_errors
def resume(*, as_json: bool) -> int:
    """Let runs begin again; workers that drain, and have not ended yet, take runs on again, too."""
    from bot.wire.queueing import resume as ask  # noqa: PLC0415

    was_held = ask(settings_of())
    return _done(as_json, "resumed", "Runs begin again." if was_held else "Nothing was paused.")


@queue.command()
@click.argument("worker", required=False)
@AS_JSON
@answering_errors
def drain(*, worker: str | None, as_json: bool) -> int:
    """Let a worker, by its name in `selfcode queue`, take nothing on and end with the last of its runs; or all."""
    from bot.wire.queueing import drain as ask  # noqa: PLC0415

    names = ask(settings_of(), worker)
    return _done(as_json, "draining", f"{', '.join(names)}: ends once its runs have.", workers=names)


def _done(as_json: bool, outcome: str, words: str, **more: object) -> int:
    if as_json:
        click.echo(json.dumps({"outcome": outcome, **more}))
    say(words)
    return 0

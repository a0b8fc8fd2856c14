"""The commands that serve: `serve`, `web`, `worker`; and the demo, which shows them at work."""

import os

import click

from bot.cli.answering import answering_errors, end_at_once, log_to_stderr, say, settings_of, until_told_to_end
from bot.cli.options import AS_JSON


@click.command()
@answering_errors
def serve() -> int:
    """Run the web server and a worker, each as a process of its own; without an App, first the page that creates it."""
    from bot.serving import serve as keep_running  # noqa: PLC0415 - commands load what they need
    from bot.wire.usable import require_usable  # noqa: PLC0415

    settings, until = settings_of(), until_told_to_end()
    if not settings.names_an_app:
        from bot.wire.creating import create_app_by_clicking  # noqa: PLC0415

        if not create_app_by_clicking(settings, say, until):
            return 0
        settings = settings_of()
    require_usable(settings)
    log_to_stderr(settings)
    return keep_running(until)


@click.command()
@answering_errors
def web() -> None:
    """Run the web server alone: it takes deliveries and enqueues what they ask for."""
    from bot.serving import end_with_parent  # noqa: PLC0415
    from bot.web.serve import serve as serve_web  # noqa: PLC0415
    from bot.wire.web import await_database, web_app  # noqa: PLC0415

    settings = settings_of()
    settings.require_app()
    log_to_stderr(settings)
    end_with_parent()
    await_database(settings, until_told_to_end().wait).dispose()
    end_at_once()
    serve_web(
        lambda: web_app(settings),
        host=settings.host,
        port=settings.port,
        workers=settings.web_processes,
        max_requests=settings.web_max_requests,
    )


@click.command()
@answering_errors
def worker() -> None:
    """Run a worker alone: it does what was enqueued."""
    from bot.serving import end_with_parent  # noqa: PLC0415
    from bot.wire.service import worker_of  # noqa: PLC0415
    from bot.wire.usable import require_usable  # noqa: PLC0415
    from bot.wire.watching import figures_of, watched  # noqa: PLC0415

    settings = settings_of()
    require_usable(settings)
    log_to_stderr(settings)
    end_with_parent()
    figures, until = figures_of(settings), until_told_to_end()
    with watched(settings, figures):
        worker_of(settings, figures, until.wait).work(until)


@click.command()
@click.option("--keep", is_flag=True, help="Leave everything running at the end, to look around.")
@AS_JSON
@answering_errors
def demo(*, keep: bool, as_json: bool) -> int:
    """Show the main job, end to end, on this machine: no account, no key."""
    from bot.wire.demonstration import demo as show  # noqa: PLC0415

    return show(settings_of(), os.environ, keep=keep, as_json=as_json, say=say)

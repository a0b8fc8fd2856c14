"""The commands that judge a repository without a model: `doctor`, `verify`."""

import json
import os
from collections.abc import Mapping, Sequence

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
from bot.records import Check, Checkup, Health, Outcome
from bot.settings import Settings
from bot.writing.masking import mask_secrets

ACCEPTED_HERE = "--accept-tests"
"""Who accepted what the change does to existing tests, where nobody's login is known."""

EXAMINED = {Health.HEALTHY: 0, Health.UNHEALTHY: 1, Health.INTERRUPTED: INTERRUPTED}
"""The exit code of an examination."""


@click.command()
@click.argument("target", metavar="[PATH|OWNER/REPO]", required=False)
@how_it_is_tested(who_says="the repository says")
@AS_JSON
@answering_errors
def doctor(
    *,
    target: str | None,
    test: str,
    build: str | None,
    directory: str,
    image: str,
    sandbox: str | None,
    as_json: bool,
) -> int:
    """Examine a repository: do its tests run here, offline, and do they show a fault in its source?

    Prints the .github/selfcode.yml to commit. Without a repository, examines what selfcode itself needs here: settings,
    the App and what it may do, clock, webhook, sandbox, disk, database and model, which is asked once.
    """
    settings = _settings_to_examine(sandbox, alone=target is None, as_json=as_json)
    if settings is None:
        return 1
    given = {"--test": test, "--build": build, "--directory": directory, "--image": image}
    if target is not None:
        return _examine(settings, target, given, as_json=as_json)
    if for_a_repository := [name for name, value in given.items() if value]:
        raise click.UsageError(f"{', '.join(for_a_repository)}: of which repository? Say PATH or OWNER/REPO.")
    return _check_up(settings, as_json=as_json)


def _settings_to_examine(sandbox: str | None, *, alone: bool, as_json: bool) -> Settings | None:
    """The settings; without a repository, that they can't be read is one finding: it is told, and there are none."""
    try:
        return settings_of(SELFCODE_SANDBOX=sandbox)
    except ConfigError as problem:
        if not alone:
            raise
        from bot.wire.checkup import unreadable  # noqa: PLC0415 - commands load what they need
        from bot.writing.checkup import check_text  # noqa: PLC0415

        found = unreadable(problem)
        say(check_text(found))
        _tell_of_checkup(Checkup((found,)), as_json=as_json, secrets=())
        return None


def _check_up(settings: Settings, *, as_json: bool) -> int:
    from bot.wire.checkup import checkup_of  # noqa: PLC0415
    from bot.writing.checkup import check_text  # noqa: PLC0415

    until, checks = until_told_to_end(), list[Check]()
    with shown(lambda _: None, "settings") as looking_at:
        for check in checkup_of(settings, os.environ, stop=until.is_set, tell=looking_at):
            checks.append(check)
            looking_at(check.part)
            say(mask_secrets(check_text(check), settings.secrets()))
    if until.is_set():
        return INTERRUPTED
    found = Checkup(tuple(checks))
    _tell_of_checkup(found, as_json=as_json, secrets=settings.secrets())
    return 0 if found.is_healthy else 1


def _tell_of_checkup(found: Checkup, *, as_json: bool, secrets: Sequence[str]) -> None:
    """What the checks come to, which were told one by one."""
    from bot.writing.checkup import headline, summary  # noqa: PLC0415

    say(headline(found))
    if as_json:
        click.echo(mask_secrets(json.dumps(summary(found), ensure_ascii=False), secrets))


def _examine(settings: Settings, target: str, options: Mapping[str, str | None], *, as_json: bool) -> int:
    from bot.runs.doctor import Given  # noqa: PLC0415
    from bot.wire.doctor import doctor_of  # noqa: PLC0415
    from bot.writing.configuration import is_complete, recommended  # noqa: PLC0415
    from bot.writing.doctor_terminal import summary, terminal_report  # noqa: PLC0415

    until = until_told_to_end()
    given = Given(
        test=options["--test"] or "",
        build=options["--build"],
        directory=options["--directory"] or "",
        image=options["--image"] or "",
    )
    with shown(say, "asking the sandbox") as tell:
        found = doctor_of(settings, target, given, stop=until.is_set, tell=tell)
    click.echo(mask_secrets(terminal_report(found), settings.secrets()), err=True)
    if as_json:
        click.echo(mask_secrets(json.dumps(summary(found)), settings.secrets()))
    elif configuration := recommended(found):
        say(f".github/selfcode.yml {'says all of it' if is_complete(found) else 'to commit'}:")
        click.echo(mask_secrets(configuration, settings.secrets()), nl=False)
    return EXAMINED[found.health]


@click.command()
@click.argument("target", metavar="PATH|OWNER/REPO#N|URL")
@click.argument("span", metavar="[BASE..HEAD]", required=False)
@how_it_is_tested(who_says="the base says")
@click.option("--accept-tests", is_flag=True, help="Let stand what the change does to existing tests.")
@AS_JSON
@answering_errors
def verify(
    *,
    target: str,
    span: str | None,
    test: str,
    build: str | None,
    directory: str,
    image: str,
    sandbox: str | None,
    accept_tests: bool,
    as_json: bool,
) -> int:
    """Do the proof of a change again, from nothing but the repository: a range of commits, or a pull request.

    What decides (test command, environment, baseline) is of the base commit, never of the change. BASE...HEAD is what
    HEAD has since it left BASE.
    """
    from bot.runs.doctor import Given  # noqa: PLC0415
    from bot.wire.verification import verify_pull, verify_range  # noqa: PLC0415
    from bot.writing.verification import summary, terminal_text  # noqa: PLC0415

    settings = settings_of(SELFCODE_SANDBOX=sandbox)
    until = until_told_to_end()
    say_what_is_not_isolated(settings)
    given = Given(test=test, build=build, directory=directory, image=image)
    accepted_by = ACCEPTED_HERE if accept_tests else ""
    if span is None:
        done = verify_pull(settings, target, given, accepted_by=accepted_by, stop=until.is_set, tell=say)
    else:
        done = verify_range(settings, target, span, given, accepted_by=accepted_by, stop=until.is_set, tell=say)
    click.echo(mask_secrets(terminal_text(done), settings.secrets()), err=as_json)
    if as_json:
        click.echo(mask_secrets(json.dumps(summary(done)), settings.secrets()))
    return 0 if done.result.outcome is Outcome.PROVEN else 1

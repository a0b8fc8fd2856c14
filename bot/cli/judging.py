"""The commands that judge a repository without a model: `doctor`, `verify`."""

import json

import click

from bot.cli.answering import answering_errors, say, say_what_is_not_isolated, settings_of, until_told_to_end
from bot.records import Health, Outcome
from bot.writing.masking import mask_secrets
from sandbox import backends

ACCEPTED_HERE = "--accept-tests"
"""Who accepted what the change does to existing tests, where nobody's login is known."""

EXAMINED = {Health.HEALTHY: 0, Health.UNHEALTHY: 1, Health.INTERRUPTED: 130}
"""The exit code of an examination; 130 is what shells give what was ended by Ctrl-C."""


@click.command()
@click.argument("target", metavar="[PATH|OWNER/REPO]", required=False)
@click.option("--test", default="", help="The test command (default: what the repository says, or what is found out).")
@click.option("--build", default=None, help="The build command before each run of the tests ('': none).")
@click.option("--directory", default="", help="The project's folder in the repository.")
@click.option("--image", default="", help="The image that the tests run in (default: SELFCODE_SANDBOX_IMAGE).")
@click.option("--sandbox", type=click.Choice(backends.names()), help="Where code runs (default: SELFCODE_SANDBOX).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
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

    Prints the .github/selfcode.yml to commit. Without a repository, examines the sandbox alone.
    """
    from bot.runs.doctor import Given  # noqa: PLC0415
    from bot.wire.doctor import doctor_of  # noqa: PLC0415
    from bot.writing.configuration import is_complete, recommended  # noqa: PLC0415
    from bot.writing.doctor_terminal import summary, terminal_report  # noqa: PLC0415

    settings = settings_of(SELFCODE_SANDBOX=sandbox)
    until = until_told_to_end()
    given = Given(test=test, build=build, directory=directory, image=image)
    found = doctor_of(settings, target, given, stop=until.is_set, tell=say)
    click.echo(mask_secrets(terminal_report(found), settings.secrets()), err=True)
    if as_json:
        click.echo(mask_secrets(json.dumps(summary(found)), settings.secrets()))
    elif configuration := recommended(found) if target else "":
        say(f".github/selfcode.yml {'says all of it' if is_complete(found) else 'to commit'}:")
        click.echo(mask_secrets(configuration, settings.secrets()), nl=False)
    return EXAMINED[found.health]


@click.command()
@click.argument("target", metavar="PATH|OWNER/REPO#N|URL")
@click.argument("span", metavar="[BASE..HEAD]", required=False)
@click.option("--test", default="", help="The test command (default: what the base says, or what is found out).")
@click.option("--build", default=None, help="The build command before each run of the tests ('': none).")
@click.option("--directory", default="", help="The project's folder in the repository.")
@click.option("--image", default="", help="The image that the tests run in (default: SELFCODE_SANDBOX_IMAGE).")
@click.option("--sandbox", type=click.Choice(backends.names()), help="Where code runs (default: SELFCODE_SANDBOX).")
@click.option("--accept-tests", is_flag=True, help="Let stand what the change does to existing tests.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
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

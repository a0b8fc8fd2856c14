"""Options that several commands have."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from sandbox import backends

Command = TypeVar("Command", bound=Callable[..., Any])

AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
SANDBOX = click.option(
    "--sandbox", type=click.Choice(backends.names()), help="Where code runs (default: SELFCODE_SANDBOX)."
)
_BUILD = click.option("--build", default=None, help="The build command before each run of the tests ('': none).")
_DIRECTORY = click.option("--directory", default="", help="The project's folder in the repository.")
_IMAGE = click.option("--image", default="", help="The image that the tests run in (default: SELFCODE_SANDBOX_IMAGE).")


def how_it_is_tested(*, who_says: str) -> Callable[[Command], Command]:
    """How a repository's tests are run, and where; `who_says` names what says it where nobody does here."""
    test = click.option(
        "--test", default="", help=f"The test command (default: what {who_says}, or what is found out)."
    )

    def with_options(command: Command) -> Command:
        for option in (SANDBOX, _IMAGE, _DIRECTORY, _BUILD, test):
            command = option(command)
        return command

    return with_options

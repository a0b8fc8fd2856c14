"""Creating the App on GitHub."""

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class WantedApp:
    """What the operator says of the App to create.

    `organization` is "" for the person who is signed in. `address` is where GitHub reaches us, without a slash at its
    end; None where it can't.
    """

    name: str
    organization: str = ""
    address: str | None = None


@dataclass(frozen=True, slots=True)
class NewApp:
    """An App that was just created, with all its secrets: GitHub tells them once."""

    id: int
    slug: str
    owner: str
    html_url: str
    private_key: str = field(repr=False)
    webhook_secret: str = field(repr=False)
    client_id: str
    client_secret: str = field(repr=False)


class Registrar(Protocol):
    """GitHub, where an App is created."""

    def created_with(self, code: str) -> NewApp:
        """The App that a code stands for, which is good once and for an hour.

        Raises `Gone` where it is no longer good, `Unavailable` where GitHub is away: then it is good still.
        """
        ...

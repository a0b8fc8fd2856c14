"""Errors, named for who must act on them. Anything else that is raised is a bug."""

from dataclasses import dataclass


class ConfigError(Exception):
    """The operator must act: a setting is missing or wrong. The text names every bad setting and what to do."""


@dataclass
class DeliveryRejected(Exception):
    """The sender must act: the webhook delivery is answered with `status` (4xx) and nothing is stored."""

    status: int
    reason: str

    def __str__(self) -> str:
        return self.reason


class Refused(Exception):
    """The user must act: the text is the comment that we post. Never retried."""


class Gone(Exception):
    """What we wanted to act on is no longer there (deleted, transferred, uninstalled, access removed)."""


@dataclass
class Unavailable(Exception):
    """Time must act: a service failed or asked us to wait; `retry_after_s` says for how long, where it said so.

    `passes` is False where waiting won't help before the operator has acted (no quota, a refused key). `briefly`: a
    minute is worth waiting for it, and no longer, as nothing is lost where the run ends.
    """

    reason: str
    retry_after_s: float | None = None
    passes: bool = True
    briefly: bool = False

    def __str__(self) -> str:
        return self.reason


class Stopped(Exception):
    """A person ended the run. Raised where work is abandoned; becomes the outcome `stopped`."""

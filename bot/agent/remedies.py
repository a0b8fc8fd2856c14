"""What can be done about an error of a model server. Values, decided in `openai_errors`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Drop:
    """Send the request again without this parameter; `always` where it is the parameter, and not its value."""

    parameter: str
    always: bool = True


@dataclass(frozen=True, slots=True)
class Rename:
    """Send the request again with this parameter under its other name."""

    parameter: str
    to: str


@dataclass(frozen=True, slots=True)
class Lower:
    """Send the request again with this limit; `always` where it is the model's own, whatever the prompt's length.

    `window` is the model's, where the message tells.
    """

    limit: int
    always: bool
    window: int | None = None


@dataclass(frozen=True, slots=True)
class NoTools:
    """The server or the model takes no tools."""

    reason: str


@dataclass(frozen=True, slots=True)
class NoSchema:
    """The server or the model constrains no reply to a schema, or not to this one."""

    reason: str


@dataclass(frozen=True, slots=True)
class TooLong:
    """The prompt does not fit the model's window, which `window` is where the message tells."""

    reason: str
    window: int | None = None


@dataclass(frozen=True, slots=True)
class BadCall:
    """The model wrote a tool call that the server can't read: a bad reply, and no failure of the service."""

    reason: str


@dataclass(frozen=True, slots=True)
class Filtered:
    """The provider does not let this prompt through."""

    reason: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Try again later, after `retry_after_s` where the server said so."""

    reason: str
    retry_after_s: float | None


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Nothing that we can do helps; the reason is for the operator."""

    reason: str


Remedy = Drop | Rename | Lower | NoTools | NoSchema | TooLong | BadCall | Filtered | Wait | GiveUp

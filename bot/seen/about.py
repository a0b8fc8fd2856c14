"""What is being worked on: bound where work begins, and part of every log line that is written meanwhile."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

from bot.records import Trigger

Value = str | int

FIELDS = ("delivery", "installation", "repository", "issue", "run", "iteration")
"""What a line may say that it is about, in this order. `repository` is OWNER/NAME, `issue` a number in it."""

_bound: ContextVar[Mapping[str, Value]] = ContextVar("selfcode_about", default=MappingProxyType({}))


@contextmanager
def about(**fields: Value | None) -> Iterator[None]:
    """Bind these of `FIELDS` beside what is bound already; None, "" and 0 bind nothing.

    A thread that is started has nothing bound, unless it is made to run in a copy of the starter's context.
    """
    token = _bound.set({**_bound.get(), **{name: value for name, value in fields.items() if value}})
    try:
        yield
    finally:
        _bound.reset(token)


def bound() -> Mapping[str, Value]:
    """What is bound here and now."""
    return _bound.get()


def of_trigger(trigger: Trigger) -> Mapping[str, Value]:
    """What a trigger is about."""
    repository = trigger.issue.repository
    return {
        "delivery": trigger.delivery_id,
        "installation": repository.installation_id,
        "repository": repository.full_name if repository.id else "",
        "issue": trigger.issue.number,
    }

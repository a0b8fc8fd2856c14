"""Who looks at the pages, and what they may see and do there."""

from collections.abc import Callable
from dataclasses import dataclass, field

from flask import Request

from bot.records import OPERATOR, Person
from bot.web.loopback import is_local


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who looks: the operator sees and may do all, others what they may in repositories, by their ids."""

    person: Person
    is_operator: bool = False
    reads: frozenset[int] = field(default=frozenset(), repr=False)
    writes: frozenset[int] = field(default=frozenset(), repr=False)
    is_signed_in: bool = False

    @property
    def among(self) -> frozenset[int] | None:
        """The repositories whose runs they see; None for all."""
        return None if self.is_operator else self.reads | self.writes

    def may_read(self, repository_id: int) -> bool:
        return self.is_operator or repository_id in self.reads or repository_id in self.writes

    def may_write(self, repository_id: int) -> bool:
        return self.is_operator or repository_id in self.writes


Recognize = Callable[[Request], Visitor | None]
"""Who a request is from; None is somebody to whom there is nothing here."""


def operator_here(request: Request) -> Visitor | None:
    """The operator, by being on this machine."""
    return Visitor(OPERATOR, is_operator=True) if is_local(request) else None

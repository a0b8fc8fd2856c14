"""A GitHub that keeps deliveries, and takes few requests at a time. It holds what was delivered, page by page."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bot.errors import Unavailable
from bot.records import (
    DeliveryAttempt,
    DeliveryPage,
    Installed,
    IssueRef,
    LabelledIssue,
    Labelling,
    RepositoryRef,
)

PAGE = 100


@dataclass
class Archive:
    """Every so many requests one is refused. Ids count from 1; what is added is the newest."""

    refuses_every: int
    sent: list[tuple[DeliveryAttempt, bytes]] = field(default_factory=list)
    requests: int = 0
    bodies: list[int] = field(default_factory=list)

    def add(self, event: str, action: str, body: object, *, at: float) -> None:
        number = len(self.sent) + 1
        attempt = DeliveryAttempt(number, f"guid-{number}", event, action, at, was_taken=False)
        self.sent.append((attempt, json.dumps(body).encode()))

    def deliveries(self, cursor: str | None = None) -> DeliveryPage:
        self._take()
        before = len(self.sent) if cursor is None else int(cursor)
        oldest = max(before - PAGE, 0)
        shown = tuple(attempt for attempt, _ in reversed(self.sent[oldest:before]))
        return DeliveryPage(shown, str(oldest) if oldest else None)

    def body(self, attempt_id: int) -> bytes:
        self._take()
        self.bodies.append(attempt_id)
        return self.sent[attempt_id - 1][1]

    def _take(self) -> None:
        self.requests += 1
        if self.requests % self.refuses_every == 0:
            raise Unavailable("GitHub asks us to wait")

    def installations(self) -> Sequence[Installed]:
        return ()

    def sees(self, repository: RepositoryRef) -> bool:
        return True

    def labelled(self, installation: Installed, label: str, *, since: float) -> Iterator[LabelledIssue]:
        return iter(())

    def labelling(self, at: IssueRef, label: str) -> Labelling | None:
        return None

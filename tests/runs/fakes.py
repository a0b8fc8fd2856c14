"""A starter that records which runs it was asked to start, and a clock that moves when it is told to."""

from dataclasses import dataclass, field


@dataclass
class RecordingStarter:
    """Knows which runs were started, in their order."""

    started: list[str] = field(default_factory=list)

    def start(self, run_id: str) -> None:
        self.started.append(run_id)


@dataclass
class Clock:
    """A clock that moves when it is told to."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now

"""A starter that records which runs it was asked to start, and a clock that moves when it is told to."""

from dataclasses import dataclass, field


@dataclass
class RecordingStarter:
    """Knows which runs were started, in their order; `broken` is an engine that does not take them."""

    started: list[str] = field(default_factory=list)
    broken: bool = False
    broken_off: set[str] = field(default_factory=set)

    def start(self, run_id: str) -> None:
        if self.broken:
            raise RuntimeError("the engine does not start it")
        self.started.append(run_id)
        self.broken_off.discard(run_id)

    def is_to_start_again(self, run_id: str) -> bool:
        return run_id in self.broken_off


@dataclass
class Clock:
    """A clock that moves when it is told to."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now

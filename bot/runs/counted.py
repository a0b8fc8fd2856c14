"""A sandbox whose failures are counted, in its place: nobody else need know that they are."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from bot.seen.counting import Counts
from sandbox import Limits, Sandbox, SandboxError, SandboxUnavailable, Workspace, WorkspaceFull
from sandbox.contract import Capacity, Guarantee, ImageGone
from sandbox.environments import SetupFailed


@dataclass(frozen=True, slots=True)
class CountedSandbox:
    """A `Sandbox`. What fails in a workspace while it is open is counted once, as it leaves it."""

    sandbox: Sandbox
    counts: Counts

    @property
    def name(self) -> str:
        return self.sandbox.name

    @property
    def isolated(self) -> bool:
        return self.sandbox.isolated

    @property
    def unheld(self) -> Mapping[Guarantee, str]:
        return self.sandbox.unheld

    def check(self) -> str:
        return self.sandbox.check()

    def capacity(self) -> Capacity:
        return self.sandbox.capacity()

    def remove_leftovers(self) -> int:
        return self.sandbox.remove_leftovers()

    @contextmanager
    def open(self, *, image: str | None = None, limits: Limits | None = None) -> Iterator[Workspace]:
        with counting_failures(self.counts), self.sandbox.open(image=image, limits=limits) as workspace:
            yield workspace


@contextmanager
def counting_failures(counts: Counts) -> Iterator[None]:
    """Count a failure of the sandbox that passes through here: a setup that fails is its repository's."""
    try:
        yield
    except SetupFailed:
        raise
    except SandboxError as failure:
        counts.sandbox_failed(_how(failure))
        raise


def _how(failure: SandboxError) -> str:
    match failure:
        case WorkspaceFull():
            return "full"
        case ImageGone():
            return "image_gone"
        case SandboxUnavailable():
            return "unavailable"
        case _:
            return "failed"

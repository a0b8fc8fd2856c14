"""What forgets: for the worker, and for `selfcode purge`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from sqlalchemy import Engine

from bot.errors import Unavailable
from bot.runs.housekeeping import Housekeeping
from bot.runs.old_steps import forget_steps
from bot.settings import Settings
from bot.wire.sandboxes import sandbox_of
from sandbox import SandboxError
from sandbox.docker import DockerSandbox
from sandbox.environments import Environments
from sandbox.setup.way_out import WayOut

DAY_S = 86_400.0


def housekeeping_of(settings: Settings, engine: Engine, is_ours: Callable[[], bool] = lambda: True) -> Housekeeping:
    """Housekeeping over this home and its database; `is_ours` says whether the database is this worker's to tidy."""
    return Housekeeping(
        engine=engine,
        forget_steps=partial(forget_steps, settings.workflow_database),
        mirrors=settings.home / "mirrors",
        tidy_images=lambda is_known: _tidy(settings, is_known),
        retention_s=settings.retention_days * DAY_S,
        is_ours=is_ours,
    )


def remove_images(settings: Settings, repository_id: int) -> None:
    """Remove every prepared image of a repository from this machine's engine. Raises `Unavailable`."""
    with _environments(settings) as environments:
        if environments is not None:
            environments.remove_repository(repository_id)


def _tidy(settings: Settings, is_known: Callable[[int], bool]) -> None:
    with _environments(settings) as environments:
        if environments is not None:
            environments.tidy(is_known)


@contextmanager
def _environments(settings: Settings) -> Iterator[Environments | None]:
    """The prepared images; None where the sandbox has none."""
    sandbox = sandbox_of(settings)
    if not isinstance(sandbox, DockerSandbox):
        yield None
        return
    try:
        yield Environments(sandbox, way_out=WayOut(), disk_bytes=int(settings.sandbox_disk_gb * 1e9))
    except SandboxError as failure:
        raise Unavailable(f"the sandbox failed: {failure}") from failure
    finally:
        sandbox.close()

"""Prepared images: a base image after a repository's setup commands, made once and found again by content."""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from sandbox.containers.builders import BeingMade
from sandbox.containers.images import LEFT_LABEL, Image
from sandbox.containers.workspace import SetupWorkspace
from sandbox.contract import CLEAN_ENVIRONMENT, Ending, ExecutionResult, Limits, SandboxError
from sandbox.docker import DockerSandbox
from sandbox.setup.egress import Denial
from sandbox.setup.layer import LayerWatch
from sandbox.setup.left import ARCHIVE, LEFT, keep, welcome
from sandbox.setup.setup_secrets import masked, objection, place
from sandbox.setup.shelf import REPOSITORY, Shelf
from sandbox.setup.wanted import Wanted
from sandbox.setup.way_out import Route, WayOut

_DENIED_LABEL = "selfcode.denied"
"""On an image: the hosts that its setup could not reach, as JSON."""

_DAY_S = 24 * 3600.0
_WEEK_S = 7 * _DAY_S
_DISK_BYTES = 20 * 10**9
_SETUP_BYTES = 8 * 10**9
_POLL_S = 0.25
_START_S = 60.0
_COMMIT_S = 900.0
"""How long a setup's container may be there beyond the time that its commands have."""
_DENIED_KEPT = 50
_DENIED_TOLD = 10
_LINE = 500
_PREFIX = "selfcode: "
"""Of our own lines in setup's output."""


class SetupFailed(SandboxError):
    """The repository's setup commands failed: `output` says why, to whoever wrote them.

    Where hosts were `denied`, the text names them with what would open them, to the operator.
    """

    def __init__(
        self, result: ExecutionResult, output: str, *, denied: Iterable[Denial] = (), reason: str | None = None
    ) -> None:
        self.exit_code = result.exit_code
        self.ending = result.ending
        self.output = output
        self.denied: Sequence[Denial] = tuple(denied)
        told = map(str, self.denied[:_DENIED_TOLD])
        super().__init__("\n".join([f"setup failed: {reason or _how(result, output)}", *told]))


@dataclass(frozen=True, slots=True)
class PreparedImage:
    """An image to open workspaces on. `output` is what setup wrote, empty where nothing ran.

    `denied` is where setup wanted to go and could not, when the image was made.
    """

    name: str
    is_cached: bool
    output: str
    duration_s: float
    denied: Sequence[Denial] = ()


class Environments:
    """Makes and keeps prepared images. Threads may share one, and any number of processes one engine.

    Setup runs as root in a container whose only network is `way_out`, and may write `setup_bytes` outside of the
    workspace. All prepared images of the engine are kept within `disk_bytes`, but for those in use.
    """

    def __init__(
        self,
        sandbox: DockerSandbox,
        *,
        way_out: WayOut,
        max_age_s: float = _WEEK_S,
        disk_bytes: int = _DISK_BYTES,
        setup_bytes: int = _SETUP_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._sandbox = sandbox
        self._way_out = way_out
        self._setup_bytes = min(setup_bytes, disk_bytes)
        self._shelf = Shelf(sandbox.images, disk_bytes=disk_bytes, max_age_s=max_age_s, clock=clock)

    def prepare(
        self,
        *,
        base_image: str,
        repository_id: int,
        setup: str,
        archive: bytes,
        declared: Mapping[str, bytes],
        limits: Limits,
        secrets: Mapping[str, bytes] | None = None,
        directory: str = ".",
        stop: Callable[[], bool] | None = None,
    ) -> PreparedImage:
        """The base image after `setup`, which runs in `directory` of a workspace with `archive` in it; without setup,
        the base image.

        What setup leaves in the workspace beside the archive's files is there again in each workspace on the image.
        An image made before is taken when base image, repository, setup text, directory, `declared` files and the names
        of the secrets are the same, and it is not too old. Where another thread, process or machine is making it, that
        is waited for. Each of `secrets` is a file /run/secrets/NAME for as long as setup runs.

        Raises `SetupFailed`, `SandboxUnavailable`.
        """
        base = self._sandbox.images.required(base_image)
        if not setup.strip():
            return PreparedImage(base_image, is_cached=True, output="", duration_s=0.0)
        wanted = Wanted(
            base=base,
            repository_id=repository_id,
            setup=setup,
            archive=archive,
            declared=declared,
            limits=limits,
            secrets=secrets or {},
            directory=directory,
            stop=stop or (lambda: False),
        )
        while (found := self._found(wanted) or self._made(wanted)) is None:
            self._wait(wanted)
        return found

    def remove_repository(self, repository_id: int) -> int:
        """Remove every prepared image of a repository, and say how many. Raises `SandboxError` where one is in use."""
        return self._shelf.remove_repository(repository_id)

    def tidy(self, is_known: Callable[[int], bool]) -> None:
        """Remove what is too old or too much, and what was made for a repository that is not known any more.

        Raises `SandboxUnavailable`.
        """
        self._shelf.remove_unknown(is_known, unused_s=_DAY_S)
        self._shelf.make_room()

    def _found(self, wanted: Wanted) -> PreparedImage | None:
        image = self._shelf.find(wanted.tag)
        if image is None:
            return None
        return PreparedImage(image.name, is_cached=True, output="", duration_s=0.0, denied=_denied(image))

    def _made(self, wanted: Wanted) -> PreparedImage | None:
        """The image, made now; None where it is being made by another."""
        try:
            with self._sandbox.setup(image=wanted.base.id, limits=wanted.limits, name=wanted.builder) as workspace:
                return self._found(wanted) or self._make(wanted, workspace)
        except BeingMade:
            return None

    def _wait(self, wanted: Wanted) -> None:
        """Until the one that makes it has ended, by itself, by dying or because it takes impossibly long."""
        builders = self._sandbox.builders
        waited_for, since = None, time.monotonic()
        while (builder := builders.find(wanted.builder)) is not None:
            if builder != waited_for:
                waited_for, since = builder, time.monotonic()
            if wanted.stop():
                raise SetupFailed(_ended(Ending.STOPPED, None), "")
            if time.monotonic() - since > (wanted.limits.wall_s + _COMMIT_S if builder.is_running else _START_S):
                builders.end(builder)
            time.sleep(_POLL_S)

    def _make(self, wanted: Wanted, workspace: SetupWorkspace) -> PreparedImage:
        started = time.monotonic()
        self._shelf.make_room()
        workspace.put(wanted.archive)
        welcome(workspace)
        place(workspace, wanted.secrets)
        with self._way_out.open(workspace) as route:
            output = self._run(wanted, workspace, route)
            denied = _told(route.denied, wanted)
        labels = {
            **self._shelf.labels(key=wanted.key, repository_id=wanted.repository_id, base=wanted.base),
            _DENIED_LABEL: json.dumps([asdict(denial) for denial in denied]),
        }
        if keep(workspace, wanted.archive):
            labels[LEFT_LABEL] = LEFT
        if (reason := objection(workspace, wanted.secrets, left=ARCHIVE)) is not None:
            raise SetupFailed(_ended(Ending.EXITED, 0), output, denied=denied, reason=reason)
        old = self._sandbox.images.find(f"{REPOSITORY}:{wanted.tag}")
        name = workspace.commit(repository=REPOSITORY, tag=wanted.tag, labels=labels)
        if old is not None:
            self._shelf.remove_replaced(wanted.tag, old)
        self._shelf.make_room()
        duration_s = time.monotonic() - started
        return PreparedImage(name, is_cached=False, output=output, duration_s=duration_s, denied=denied)

    def _run(self, wanted: Wanted, workspace: SetupWorkspace, route: Route) -> str:
        """What setup wrote. Raises `SetupFailed`."""

        def measure() -> int:
            return self._sandbox.builders.written_bytes(wanted.builder)

        with LayerWatch(measure, limit_bytes=self._setup_bytes) as watch:
            result = workspace.run(
                ["sh", "-e", "-c", wanted.setup],
                env={**_MANNERS, **route.env},
                directory=wanted.directory,
                stop=lambda: watch.exceeded or wanted.stop(),
            )
        output = masked(result.stdout + result.stderr, wanted.secrets.values())
        denied = _told(route.denied, wanted)
        output += f"{_PREFIX}{route.problem}\n" if route.problem else ""
        if watch.exceeded or (result.exit_code == 0 and watch.check()):
            reason = f"it has written more than {self._setup_bytes} bytes outside the workspace"
            raise SetupFailed(replace(result, ending=Ending.OUTPUT_LIMIT), output, denied=denied, reason=reason)
        if result.exit_code != 0:
            raise SetupFailed(result, output, denied=denied)
        return output


_MANNERS: Mapping[str, str] = {
    **CLEAN_ENVIRONMENT,
    "DEBIAN_FRONTEND": "noninteractive",
    "PIP_BREAK_SYSTEM_PACKAGES": "1",  # the container is thrown away: it is nobody's system
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_CACHE_DIR": "1",
    "PIP_ROOT_USER_ACTION": "ignore",
    "npm_config_cache": "/tmp/npm",  # noqa: S108 - the container's
    "npm_config_update_notifier": "false",
}
"""What package managers find in a setup's environment beside the way out."""


def _how(result: ExecutionResult, output: str) -> str:
    how = f"exit code {result.exit_code}" if result.ending is Ending.EXITED else result.ending.value
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith(_PREFIX)]
    return f"{how}: {(said or lines or ['no output'])[-1][:_LINE]}"


def _told(denied: Iterable[Denial], wanted: Wanted) -> Sequence[Denial]:
    """Each denial once, at most as many as a label should hold, and no secret in them."""

    def hidden(text: str) -> str:
        return masked(text, wanted.secrets.values())

    told = (
        replace(one, host=hidden(one.host), reason=hidden(one.reason), remedy=one.remedy and hidden(one.remedy))
        for one in denied
    )
    return tuple(dict.fromkeys(told))[:_DENIED_KEPT]


def _denied(image: Image) -> Sequence[Denial]:
    return tuple(Denial(**found) for found in json.loads(image.labels.get(_DENIED_LABEL, "[]")))


def _ended(ending: Ending, exit_code: int | None) -> ExecutionResult:
    return ExecutionResult(exit_code, stdout="", stderr="", ending=ending, truncated=False, duration_s=0.0)

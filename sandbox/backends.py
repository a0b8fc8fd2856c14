"""Backends by their names: those that come along, and those that other packages bring.

A package brings one by an entry point of the group `selfcode.sandboxes`: its name is what `SELFCODE_SANDBOX` says, its
object takes `Options` and returns a `Sandbox`. docs/sandboxes.md has an example.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from sandbox.contract import Sandbox, SandboxUnavailable

GROUP = "selfcode.sandboxes"

STRONGEST_FIRST = ("docker", "bubblewrap")
"""What holds against code that nobody vouches for."""


@dataclass(frozen=True, slots=True)
class Options:
    """What an operator may say of a sandbox; each backend takes what concerns it.

    `owner` marks what the sandbox makes, so that its next process finds it again. `image` is the default image,
    `docker_host` where the engine listens (default: as Docker's own client finds it), `runtime` the name of another OCI
    runtime that the engine knows. `readable` are folders of the host that backends without images show read-only.
    """

    owner: str
    image: str
    docker_host: str | None = None
    runtime: str | None = None
    readable: Sequence[Path] = ()


Make = Callable[[Options], Sandbox]


def names() -> Sequence[str]:
    """Every backend that can be named here, those that come along first."""
    return tuple(dict.fromkeys((*_OWN, *(found.name for found in entry_points(group=GROUP)))))


def make(name: str, options: Options) -> Sandbox:
    """The backend of this name; nothing is connected to yet. Raises `SandboxUnavailable` where there is none."""
    if name in _OWN:
        return _OWN[name](options)
    for found in entry_points(group=GROUP):
        if found.name == name:
            return _loaded(found.load, options, name)
    raise SandboxUnavailable(f"there is no sandbox {name!r}: choose one of {', '.join(names())}")


def strongest(options: Options) -> Sandbox:
    """The strongest that answers, never `process`. Raises `SandboxUnavailable` with what keeps each from answering."""
    problems = []
    for name in STRONGEST_FIRST:
        sandbox = make(name, options)
        try:
            sandbox.check()
        except SandboxUnavailable as problem:
            problems.append(f"{name}: {problem}")
        else:
            return sandbox
    raise SandboxUnavailable("no sandbox answers.\n" + "\n".join(problems))


def _loaded(load: Callable[[], Make], options: Options, name: str) -> Sandbox:
    try:
        return load()(options)
    except (ImportError, AttributeError) as problem:
        raise SandboxUnavailable(f"the sandbox {name!r} can't be loaded: {problem}") from problem


def _docker(options: Options) -> Sandbox:
    from sandbox.docker import DockerSandbox  # noqa: PLC0415 - the Docker client is slow to import, often not needed

    return DockerSandbox(
        image=options.image, docker_host=options.docker_host, owner=options.owner, runtime=options.runtime
    )


def _bubblewrap(options: Options) -> Sandbox:
    from sandbox.bubblewrap import BubblewrapSandbox  # noqa: PLC0415

    return BubblewrapSandbox(owner=options.owner, readable=options.readable)


def _process(_: Options) -> Sandbox:
    from sandbox.process import ProcessSandbox  # noqa: PLC0415

    return ProcessSandbox()


_OWN: Mapping[str, Make] = {"docker": _docker, "bubblewrap": _bubblewrap, "process": _process}

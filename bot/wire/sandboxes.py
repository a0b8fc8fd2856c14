"""The sandbox that the operator chose, its images, and what the code in it may use."""

from collections.abc import Mapping

from bot.errors import ConfigError, Stopped, Unavailable
from bot.records import ImageIdentity, StopCheck
from bot.runs.counted import counting_failures
from bot.runs.house import Prepared, PrepareImage, Setup, SetupBroken
from bot.seen.counting import Counts, Uncounted
from bot.settings import Settings
from sandbox import Ending, Limits, Sandbox, SandboxError, SandboxUnavailable, backends
from sandbox.contract import MEBIBYTE
from sandbox.docker import DockerSandbox
from sandbox.environments import Environments, SetupFailed
from sandbox.resident.host import NotShown
from sandbox.setup.way_out import WayOut


def sandbox_of(settings: Settings) -> Sandbox:
    """The sandbox that the operator chose; nothing is connected to yet. Raises `ConfigError` where there is none."""
    try:
        return backends.make(settings.sandbox, sandbox_options(settings))
    except SandboxUnavailable as problem:
        raise ConfigError(f"SELFCODE_SANDBOX: {problem}") from problem


def answering_sandbox(settings: Settings) -> Sandbox:
    """The sandbox, seen to answer. Raises `ConfigError` where it does not: nothing weaker is taken in its place."""
    sandbox = sandbox_of(settings)
    try:
        sandbox.check()
    except NotShown as problem:
        raise ConfigError(f"SELFCODE_SANDBOX_PATHS: {problem}") from problem
    except SandboxUnavailable as problem:
        raise ConfigError(
            f"{problem}\nWithout an engine: `--sandbox bubblewrap` (SELFCODE_SANDBOX=bubblewrap), with what is "
            "installed on this machine; or, for code that you trust, `--sandbox process`."
        ) from problem
    return sandbox


def sandbox_options(settings: Settings) -> backends.Options:
    """What the operator says of sandboxes, whichever is used."""
    return backends.Options(
        owner=settings.owner_tag,
        image=settings.sandbox_image,
        docker_host=settings.docker_host,
        runtime=settings.sandbox_runtime,
        readable=settings.sandbox_paths,
    )


def image_preparer(settings: Settings, sandbox: Sandbox, counts: Counts | None = None) -> PrepareImage:
    """What makes prepared images for the sandbox; a backend without images has none, and runs no set-up."""
    if not isinstance(sandbox, DockerSandbox):
        return lambda _setup, _stop: Prepared(None)
    way_out = WayOut(hosts=settings.setup_hosts, networks=settings.setup_networks, ca_bundle=settings.ca_bundle)
    environments = Environments(sandbox, way_out=way_out, disk_bytes=int(settings.sandbox_disk_gb * 1e9))

    def prepare(setup: Setup, stop: StopCheck) -> Prepared:
        try:
            with counting_failures(counts or Uncounted()):
                made = environments.prepare(
                    base_image=setup.image,
                    repository_id=setup.repository_id,
                    setup=setup.setup,
                    archive=setup.archive,
                    declared=setup.declared,
                    directory=setup.directory,
                    secrets=setup_secrets(settings, setup.repository),
                    limits=limits_of(settings),
                    stop=stop,
                )
        except SetupFailed as failed:
            if failed.ending is Ending.STOPPED:
                raise Stopped from failed
            blocked = tuple(str(denial) for denial in failed.denied)
            why = str(failed).removeprefix("setup failed: ")
            raise SetupBroken(f"The set-up command failed: {why}\n{failed.output}", blocked=blocked) from failed
        except SandboxError as failure:
            raise Unavailable(f"the sandbox failed: {failure}", briefly=True) from failure
        identity = identity_of(sandbox, made.name, setup.image)
        return Prepared(made.name, tuple(str(denial) for denial in made.denied), identity)

    return prepare


def identity_of(sandbox: DockerSandbox, image: str, base: str) -> ImageIdentity:
    """The image and its base by name and digest, as the engine has them now; "" for one that has just gone."""
    found = {name: sandbox.images.find(name) for name in (image, base)}
    digests = {name: each.id if each else "" for name, each in found.items()}
    return ImageIdentity(image, digests[image], base, digests[base])


def setup_secrets(settings: Settings, repository: str) -> Mapping[str, bytes]:
    """What the operator keeps for a repository's setup: the files of the folder OWNER/REPO, by name."""
    if settings.setup_secrets is None or not repository:
        return {}
    if {".", ".."} & set(repository.split("/")):
        return {}
    folder = settings.setup_secrets / repository
    try:
        return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}
    except FileNotFoundError:
        return {}
    except OSError as problem:
        raise Unavailable(f"SELFCODE_SETUP_SECRETS: {problem}") from problem


def limits_of(settings: Settings) -> Limits:
    """What the code of a run may use."""
    return Limits(
        wall_s=settings.test_seconds,
        memory_bytes=settings.sandbox_memory_mb * MEBIBYTE,
        cpus=settings.sandbox_cpus,
    )

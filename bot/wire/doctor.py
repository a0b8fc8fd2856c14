"""What `selfcode doctor` examines, and with what."""

from collections.abc import Callable

from bot.errors import Gone, Refused
from bot.records import Examination, StopCheck
from bot.repository import Credentials
from bot.runs.doctor import Given, Means
from bot.runs.lanes import places_of
from bot.runs.sources import Remote, examine_folder, examine_remote, folder_of, is_full_name
from bot.settings import Settings
from bot.wire.sandboxes import answering_sandbox, image_preparer, limits_of
from sandbox.docker import DockerSandbox


def doctor_of(
    settings: Settings, target: str, given: Given, *, stop: StopCheck, tell: Callable[[str], None]
) -> Examination:
    """What `selfcode doctor` finds of a folder or of OWNER/REPO.

    Raises `ConfigError` where the sandbox does not answer, `Refused` where the target can't be had.
    """
    source = remote_of(settings, target) if is_full_name(target) else folder_of(target)
    means = means_of(settings, stop=stop, any_image=not isinstance(source, Remote))
    about = means.sandbox.check()
    if isinstance(source, Remote):
        return examine_remote(means, source, given, about=about, tell=tell)
    return examine_folder(means, source, given, about=about, tell=tell)


def means_of(settings: Settings, *, stop: StopCheck, any_image: bool) -> Means:
    """What a repository is examined with. Raises `ConfigError` where the sandbox does not answer."""
    sandbox = answering_sandbox(settings)
    return Means(
        sandbox=sandbox,
        prepare_image=image_preparer(settings, sandbox),
        image=settings.sandbox_image,
        images=settings.images,
        limits=limits_of(settings),
        stop=stop,
        any_image=any_image,
        has_images=isinstance(sandbox, DockerSandbox),
        places=places_of(sandbox, limits_of(settings)),
    )


def remote_of(settings: Settings, full_name: str) -> Remote:
    """A repository on GitHub: through the App where it is set up, else as everybody sees it."""
    if settings.app_id is None:
        return Remote(full_name, f"{settings.web_address}/{full_name}.git", ca_bundle=settings.ca_bundle)
    from bot.wire.app import github_of  # noqa: PLC0415 - not needed where nothing is asked of GitHub

    github = github_of(settings)
    try:
        info = github.find(full_name)
        token = github.git_token(info.ref)
    except Gone as gone:
        raise Refused(f"{full_name} can't be had: the App is not installed on it, or there is none ({gone}).") from gone
    return Remote(
        info.ref.full_name, info.clone_url, info.ref.id, Credentials(info.clone_url, token), settings.ca_bundle
    )

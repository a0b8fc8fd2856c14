"""`selfcode doctor` without a repository: whether all that has to work does, each thing by itself."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain

from bot.app_file import FILE, others_can_read
from bot.errors import ConfigError, Gone, Refused, Unavailable
from bot.records import Check, CheckState, StopCheck
from bot.settings import Settings
from bot.wire.checkup_app import Look, looks_at_app
from bot.wire.checkup_here import looks_here
from sandbox import SandboxError

SETTINGS = "settings"
OURS_ALONE = frozenset({"SELFCODE_SERVED_BY"})


def checkup_of(
    settings: Settings, environment: Mapping[str, str], *, stop: StopCheck, tell: Callable[[str], None]
) -> Iterator[Check]:
    """Each check once it is made. What can't be looked at is told as such, and keeps nothing else from being looked at.

    `tell` is told what is looked at next.
    """
    first: Look = SETTINGS, partial(_settings, settings, environment)
    looks: Iterable[Look] = chain([first], looks_at_app(settings), looks_here(settings, stop))
    for part, look in looks:
        if stop():
            return
        tell(part)
        yield from _looked(part, look)


def unreadable(problem: ConfigError) -> Check:
    """What there is to say where the settings can't even be read."""
    return Check(SETTINGS, CheckState.BAD, str(problem))


def _looked(part: str, look: Callable[[], Iterable[Check]]) -> Iterator[Check]:
    try:
        yield from look()
    except (ConfigError, Refused, SandboxError) as problem:
        yield Check(part, CheckState.BAD, str(problem))
    except (Unavailable, Gone) as away:
        yield Check(part, CheckState.UNKNOWN, str(away))
    except Exception as bug:  # noqa: BLE001 - each look is by itself, whatever happens to another
        yield Check(part, CheckState.UNKNOWN, f"could not be looked at: {type(bug).__name__}: {bug}")


def _settings(settings: Settings, environment: Mapping[str, str]) -> Iterator[Check]:
    known = {str(field.validation_alias) for field in Settings.model_fields.values()} | OURS_ALONE
    said = sorted(name for name, value in environment.items() if value.strip() and name in known)
    unknown = sorted(name for name in environment if name.startswith("SELFCODE_") and name not in known)
    words = f"{len(said)} set in the environment; the home is {settings.home}"
    yield Check(SETTINGS, CheckState.GOOD, f"{words}. {settings.app_note}" if settings.app_note else words)
    for name in unknown:
        yield Check(SETTINGS, CheckState.NOTED, f"{name} is no setting: nothing reads it", f"unset {name}")
    path = settings.home / FILE
    if path.is_file() and others_can_read(path):
        words = f"others on this machine can read {path}, which holds the App's key"
        yield Check(SETTINGS, CheckState.BAD, words, f"chmod 600 {path}")

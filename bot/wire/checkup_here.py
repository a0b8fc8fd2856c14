"""What a checkup looks at on this machine, and of the model."""

import os
import shutil
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from bot.app_file import require_writable
from bot.errors import Stopped, Unavailable
from bot.records import Check, CheckState, StopCheck
from bot.runs.database import connect
from bot.runs.probing import try_to_keep
from bot.runs.schema import NEWEST, schema_of
from bot.runs.space import space_problem
from bot.settings import Settings
from bot.wire.checkup_app import Look
from bot.wire.database import has_database
from bot.wire.models import model_of
from bot.wire.sandboxes import sandbox_of
from sandbox import SandboxUnavailable
from sandbox.docker import DockerSandbox

SANDBOX, IMAGE, DISK, DATABASE, MODEL = "sandbox", "image", "disk", "database", "model"
MODEL_PATIENCE_S = 90.0
BRIEF_S = 0.1
"""Whoever looks waits: what is away for longer is told as being away."""


def looks_here(settings: Settings, stop: StopCheck) -> Iterator[Look]:
    """One look a part; at each model one."""
    yield SANDBOX, partial(_sandbox, settings)
    yield IMAGE, partial(_image, settings)
    yield DISK, partial(_disk, settings)
    yield DATABASE, partial(_database, settings)
    for name in dict.fromkeys((settings.model, settings.critic_model)):
        if name:
            yield MODEL, partial(_model, settings, name, stop)


def _sandbox(settings: Settings) -> Iterator[Check]:
    sandbox = sandbox_of(settings)
    try:
        about = sandbox.check()
    except SandboxUnavailable as problem:
        mend = "start the Docker engine, or export SELFCODE_SANDBOX=bubblewrap" if sandbox.name == "docker" else ""
        yield Check(SANDBOX, CheckState.BAD, f"{sandbox.name}: {problem}", mend)
        return
    yield Check(SANDBOX, CheckState.GOOD, f"{sandbox.name}: {about}")
    for guarantee, reason in sandbox.unheld.items():
        yield Check(SANDBOX, CheckState.NOTED, f"{sandbox.name} does not hold: {guarantee} ({reason})")


def _image(settings: Settings) -> Iterator[Check]:
    sandbox = sandbox_of(settings)
    if not isinstance(sandbox, DockerSandbox):
        yield Check(IMAGE, CheckState.GOOD, f"{sandbox.name} needs none")
        return
    try:
        found = sandbox.images.find(settings.sandbox_image)
    except SandboxUnavailable as away:
        yield Check(IMAGE, CheckState.UNKNOWN, str(away))
        return
    if found is None:
        mend = f"docker build -t {settings.sandbox_image} sandbox/"
        yield Check(IMAGE, CheckState.BAD, f"the engine has no image {settings.sandbox_image}", mend)
        return
    yield Check(IMAGE, CheckState.GOOD, f"{settings.sandbox_image} is there")


def _disk(settings: Settings) -> Iterator[Check]:
    folder = _nearest(settings.home)
    if problem := space_problem((folder,)):
        yield Check(DISK, CheckState.BAD, problem, f"make room at {folder}, or move SELFCODE_HOME")
        return
    free_gb = shutil.disk_usage(folder).free / 1e9
    yield Check(DISK, CheckState.GOOD, f"{free_gb:.1f} GB are left at {folder}")


def _nearest(folder: Path) -> Path:
    """The folder, or of those above it the first that is there."""
    return next(each for each in (folder, *folder.absolute().parents) if each.is_dir())


def _database(settings: Settings) -> Iterator[Check]:
    if not has_database(settings):
        if settings.home.exists():
            require_writable(settings.home)
        elif not os.access(_nearest(settings.home), os.W_OK | os.X_OK):
            yield Check(
                DATABASE, CheckState.BAD, f"{settings.home} can't be made: {_nearest(settings.home)} is not ours"
            )
            return
        yield Check(DATABASE, CheckState.GOOD, f"none yet: it is made at the first start, in {settings.home}")
        return
    engine = connect(settings.database)
    where = engine.url.render_as_string(hide_password=True)
    try:
        found = schema_of(engine)
        if found == NEWEST:
            try_to_keep(engine)
            yield Check(DATABASE, CheckState.GOOD, f"{where}: schema {found}, and takes what is to be kept")
        elif found is not None and found > NEWEST:
            words = f"{where}: schema {found} is of a newer selfcode; this one knows {NEWEST} at most"
            yield Check(DATABASE, CheckState.BAD, words, "install the newer version again")
        else:
            words = f"{where}: schema {found or 'none'}; it becomes {NEWEST} at the next start"
            yield Check(DATABASE, CheckState.NOTED, words)
    except Unavailable as problem:
        yield Check(DATABASE, CheckState.BAD, f"{where}: {problem}", f"ls -l {settings.home}")
    except SQLAlchemyError as problem:
        yield Check(DATABASE, CheckState.BAD, f"{where} can't be reached: {str(problem).partition(' (Background')[0]}")
    finally:
        engine.dispose()


def _model(settings: Settings, name: str, stop: StopCheck) -> Iterator[Check]:
    """By one real call, or two where the model thinks for long."""
    from bot.agent.probing import probe  # noqa: PLC0415 - not needed where the settings are wrong already

    model = model_of(settings, name, backoff_s=BRIEF_S)
    until = time.monotonic() + MODEL_PATIENCE_S
    where = f"{name} at {model.endpoint}"
    try:
        found = probe(model, lambda: stop() or time.monotonic() > until)
    except Stopped:
        if stop():
            return
        words = f"{where} has not answered within {MODEL_PATIENCE_S:.0f} s"
        yield Check(MODEL, CheckState.BAD, words, f"curl {model.endpoint}/models")
        return
    except Unavailable as away:
        yield Check(MODEL, CheckState.BAD, f"{where}: {away}", f"curl {model.endpoint}/models")
        return
    tokens = sum(call.usage.prompt_tokens + call.usage.completion_tokens for call in found.calls)
    costs = [call.usage.cost_usd for call in found.calls]
    dialect = settings.dialect if settings.dialect != "auto" else str(found.dialect)
    took_s = sum(call.duration_s for call in found.calls)
    yield Check(MODEL, CheckState.GOOD, f"{where} answers ({tokens} tokens, {took_s:.1f} s); dialect {dialect}")
    if not found.is_certain:
        yield Check(MODEL, CheckState.NOTED, f"{name}: its reply says nothing of the dialect; `fenced` for now")
    if model.window_tokens is None:
        words = f"{name}: the server does not say how large its window is"
        yield Check(MODEL, CheckState.NOTED, words, "export SELFCODE_WINDOW_TOKENS=…")
    else:
        yield Check(MODEL, CheckState.GOOD, f"{name}: a window of {model.window_tokens:,} tokens")
    if None in costs:
        words = f"{name}: its price is not known, so that limits in USD don't bind: tokens do"
        yield Check(MODEL, CheckState.NOTED, words, f"export SELFCODE_PRICES={name}=INPUT/OUTPUT")
    else:
        paid = sum(cost for cost in costs if cost is not None)
        yield Check(MODEL, CheckState.GOOD, f"{name}: its price is known; these calls cost {paid:.6f} USD")

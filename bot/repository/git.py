"""The one door to the git program: argument lists, a clean environment, hooks and helpers off, a time limit."""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from bot.errors import ConfigError, Stopped, Unavailable
from bot.records import StopCheck
from bot.repository.askpass import Credentials, prepare
from bot.repository.complaints import failure, scrubbed

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
POLL_S = 0.2

_CONFIG: Mapping[str, str] = {
    "advice.detachedHead": "false",
    "advice.pushUpdateRejected": "false",
    "attr.tree": EMPTY_TREE,  # newer gits read a bare repository's attributes from HEAD; ours has no say in them
    "color.ui": "false",
    "commit.gpgSign": "false",
    "core.attributesFile": "/dev/null",
    "core.autocrlf": "false",
    "core.excludesFile": "/dev/null",
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.quotePath": "true",
    "core.sshCommand": "false",
    "credential.helper": "",
    "fetch.recurseSubmodules": "false",
    "gc.auto": "0",
    "http.followRedirects": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "60",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "protocol.ext.allow": "never",
    "protocol.file.allow": "always",
    "protocol.http.allow": "always",
    "protocol.https.allow": "always",
    "push.followTags": "false",
    "push.gpgSign": "false",
    "submodule.recurse": "false",
}


@dataclass(frozen=True, slots=True)
class Access:
    """How a remote is reached, and when to give up."""

    credentials: Credentials | None = None
    ca_bundle: Path | None = None
    stop: StopCheck | None = None
    timeout_s: float = 900.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What one git call needs beyond its arguments.

    `owned_by_others` are folders that git may work in although another user owns them. `keep_open` are descriptors
    that the child inherits: a lock is held for as long as git lives, even where we die first.
    """

    config: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    owned_by_others: Sequence[Path] = ()
    keep_open: Sequence[int] = ()


def run_git(
    arguments: Sequence[str],
    *,
    repository: Path | None = None,
    stdin: bytes = b"",
    access: Access | None = None,
    surroundings: Surroundings | None = None,
) -> bytes:
    """Run git to its end and return its stdout.

    `repository` is a git directory (not a checkout). The program runs in an empty folder, so that no relative path
    means anything.

    Raises: `Unavailable` (network, 5xx, the time limit), `Gone` (no such repository, access removed), `Stopped`, and
    `GitFailed` for all else, each with git's own words, scrubbed.
    """
    access = access or Access()
    surroundings = surroundings or Surroundings()
    secrets = (access.credentials.token,) if access.credentials else ()
    with tempfile.TemporaryDirectory(prefix="selfcode-git-") as name, _readable(stdin) as given:
        private = Path(name)
        (private / "empty").mkdir()
        process = _started(
            ["git", *_options(repository, access, surroundings), *arguments],
            environment=_environment(private, access, surroundings),
            folder=private / "empty",
            stdin=given,
            keep_open=surroundings.keep_open,
        )
        exit_code, stdout, stderr = _ended(process, access)
    if exit_code:
        raise failure(arguments[0], exit_code, stdout, scrubbed(stderr.decode("utf-8", "replace"), secrets))
    return stdout


def _options(repository: Path | None, access: Access, surroundings: Surroundings) -> Iterator[str]:
    if repository is not None:
        yield f"--git-dir={repository}"
    config = dict(_CONFIG)
    if access.ca_bundle is not None:
        config["http.sslCAInfo"] = str(access.ca_bundle)
    for key, value in {**config, **surroundings.config}.items():
        yield from ("-c", f"{key}={value}")
    for folder in (*surroundings.owned_by_others, *((repository,) if repository else ())):
        yield from ("-c", f"safe.directory={folder}")


def _environment(private: Path, access: Access, surroundings: Surroundings) -> dict[str, str]:
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(private / "empty"),
        "LC_ALL": "C",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": _global_config(private, surroundings.owned_by_others),
        "GIT_EDITOR": "true",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "false",
    }
    if access.credentials is not None:
        environment |= prepare(access.credentials, private)
    return environment | dict(surroundings.environment)


def _global_config(private: Path, folders: Sequence[Path]) -> str:
    """Where git's children look up the folders of other owners, for `-c` does not reach them.

    Source: git's environment.c, `local_repo_env`.
    """
    if not folders:
        return "/dev/null"
    config = private / "config"
    quoted = (str(folder).replace("\\", "\\\\").replace('"', '\\"') for folder in folders)
    config.write_text("[safe]\n" + "".join(f'\tdirectory = "{folder}"\n' for folder in quoted), encoding="utf-8")
    return str(config)


@contextlib.contextmanager
def _readable(data: bytes) -> Iterator[IO[bytes]]:
    """The data as an open file, and no pipe: `communicate`, called again after its time, would send no more of it."""
    with tempfile.TemporaryFile(prefix="selfcode-git-") as file:
        file.write(data)
        file.seek(0)
        yield file


def _started(
    command: Sequence[str], *, environment: Mapping[str, str], folder: Path, stdin: IO[bytes], keep_open: Sequence[int]
) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=pipe,
            stderr=pipe,
            env=environment,
            cwd=folder,
            pass_fds=keep_open,
            start_new_session=True,
        )
    except FileNotFoundError as missing:
        raise ConfigError("The program `git` is not installed or not on PATH.") from missing


def _ended(process: subprocess.Popen[bytes], access: Access) -> tuple[int, bytes, bytes]:
    with process:
        try:
            stdout, stderr = _communicate(process, time.monotonic() + access.timeout_s, access)
        except BaseException:
            _end(process)
            raise
    return process.returncode, stdout, stderr


def _communicate(process: subprocess.Popen[bytes], deadline: float, access: Access) -> tuple[bytes, bytes]:
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=POLL_S)
        if access.stop is not None and access.stop():
            raise Stopped
        if time.monotonic() > deadline:
            raise Unavailable(f"git did not end within {access.timeout_s:.0f} s")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git and its helpers (git-remote-https, index-pack), which share its process group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()

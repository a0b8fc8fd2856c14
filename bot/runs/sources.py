"""Where an examination has its repository from: a folder on this machine, or a repository on GitHub."""

import hashlib
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bot.errors import Gone, Refused, Stopped, Unavailable
from bot.records import Examination, StopCheck
from bot.repository import Credentials, Mirror
from bot.repository.config import BYTES_AT_MOST, PATHS
from bot.repository.folder import is_git_repository, take_in
from bot.runs.doctor import Given, Means, Patient, examine, interrupted, sandbox_facts

FULL_NAME = r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}"
"""OWNER/REPO, as a pattern."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository on a server. `key` is its number where the App knows it; else it is without `credentials`."""

    full_name: str
    clone_url: str
    key: int | None = None
    credentials: Credentials | None = None
    ca_bundle: Path | None = None


def examine_folder(means: Means, folder: Path, given: Given, *, about: str, tell: Callable[[str], None]) -> Examination:
    """Examine a folder on this machine. Raises `Refused` for one that can't be, `Unavailable`; a stop is a trouble."""
    begun = Examination(repository=str(folder), sandbox=sandbox_facts(means.sandbox, about))
    return _examined(means, begun, lambda mirror: from_folder(folder, mirror, begun, stop=means.stop), given, tell)


def examine_remote(
    means: Means, remote: Remote, given: Given, *, about: str, tell: Callable[[str], None]
) -> Examination:
    """Examine the default branch of a repository on a server. Raises as `examine_folder`."""
    begun = Examination(repository=remote.full_name, sandbox=sandbox_facts(means.sandbox, about))
    tell(f"cloning {remote.clone_url}")
    return _examined(means, begun, lambda mirror: from_remote(remote, mirror, begun, stop=means.stop), given, tell)


def _examined(
    means: Means,
    begun: Examination,
    take: Callable[[Mirror], tuple[Patient, Examination]],
    given: Given,
    tell: Callable[[str], None],
) -> Examination:
    with _mirror() as mirror:
        try:
            patient, known = take(mirror)
        except Stopped:
            return interrupted(begun)
        return examine(means, patient, known, given, tell=tell)


@contextmanager
def _mirror() -> Iterator[Mirror]:
    """A mirror for one examination."""
    with tempfile.TemporaryDirectory(prefix="selfcode-") as folder:
        yield Mirror(Path(folder) / "mirror.git")


def is_full_name(target: str) -> bool:
    """Whether this is OWNER/REPO, and no folder here."""
    return not Path(target).exists() and re.fullmatch(FULL_NAME, target) is not None


def folder_of(target: str) -> Path:
    """The folder that was named. Raises `Refused` where it is neither one nor OWNER/REPO."""
    folder = Path(target)
    if not folder.is_dir():
        raise Refused(f"{target} is neither a folder here nor OWNER/REPO.")
    return folder


def key_of(name: str) -> int:
    """A number for what has none on a server, under which its images are found again."""
    return int(hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:32], 16)


def from_folder(folder: Path, mirror: Mirror, known: Examination, *, stop: StopCheck) -> tuple[Patient, Examination]:
    """The commit that is checked out, or all files where the folder is no git repository. Raises `Refused`."""
    key = key_of(str(folder.resolve()))
    if not is_git_repository(folder):
        taken = take_in(mirror, folder)
        return Patient(mirror, taken.tree, key), replace(known, left_out=taken.left_out)
    try:
        commit = mirror.fetch_branch(str(folder.resolve()), "HEAD", stop=stop)
    except Gone as gone:
        raise Refused(f"{folder} can't be read as a git repository: {gone}") from gone
    if commit is None:
        raise Refused(f"{folder} has no commit yet: commit something first.")
    notes = tuple(
        f"`{path}` here is not as it is in the commit: what is not committed is not looked at."
        for path in PATHS
        if (folder / ".git").exists() and _lines(mirror.read(commit, path)) != _lines(_read(folder / path))
    )
    return Patient(mirror, commit, key), replace(known, commit=commit, notes=notes)


def _read(file: Path) -> bytes | None:
    """As much of the file as a configuration may have, and a little more; None where there is none."""
    try:
        if not file.is_file():
            return None
        with file.open("rb") as opened:
            return opened.read(BYTES_AT_MOST + 1)
    except OSError:
        return None


def _lines(data: bytes | None) -> list[bytes] | None:
    """Without their ends: git may write others in a folder than it keeps."""
    return None if data is None else data[: BYTES_AT_MOST + 1].splitlines()


def from_remote(remote: Remote, mirror: Mirror, known: Examination, *, stop: StopCheck) -> tuple[Patient, Examination]:
    """The head of the default branch, cloned. Raises `Refused` where it can't be had, `Unavailable`."""
    commit = head_of(remote, mirror, stop=stop)
    key = key_of(remote.clone_url) if remote.key is None else remote.key
    return Patient(mirror, commit, key, name=remote.full_name), replace(known, commit=commit)


def head_of(remote: Remote, mirror: Mirror, *, stop: StopCheck) -> str:
    """The head of the default branch, brought here with its history. Raises as `from_remote`."""
    try:
        commit = mirror.fetch_branch(
            remote.clone_url, "HEAD", credentials=remote.credentials, ca_bundle=remote.ca_bundle, stop=stop
        )
    except Gone as gone:
        raise Refused(f"{remote.full_name} can't be had from {remote.clone_url}. {_why_not(remote)}") from gone
    except Unavailable as away:
        raise Unavailable(f"{remote.full_name} can't be had from {remote.clone_url}: {away}") from away
    if commit is None:
        raise Refused(f"{remote.full_name} has no commit yet.")
    return commit


def _why_not(remote: Remote) -> str:
    if remote.credentials is None:
        return "There is no such public repository; for a private one, install the App on it and set SELFCODE_APP_ID."
    return "It is gone, or the App may no longer read it."

"""The bare mirror of one repository: what is known of its remote, and every object of ours on the way there."""

import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.records import Change, ChangedFile, StopCheck
from bot.repository import changes, history, merging, objects, remote, trees
from bot.repository.askpass import Credentials
from bot.repository.complaints import GitFailed
from bot.repository.export import export
from bot.repository.git import Access, Surroundings, run_git
from bot.repository.history import Commit, Written
from bot.repository.locking import locked
from bot.repository.merging import Merge
from bot.repository.naming import ref_for, staging_ref
from bot.repository.objects import Entry
from sandbox.contract import File

_SEEN = "refs/selfcode/seen"


@dataclass(frozen=True, slots=True)
class Mirror:
    """A bare repository at `path`, made on the first `update`. A cache: it may be deleted between runs.

    Safe in many threads and processes at once: refs are written under a file lock beside it, objects need none.
    A `treeish` is a commit's or tree's object id. Paths are text with `surrogateescape`.

    Every method raises `GitFailed` where the repository itself is broken; what reaches out raises `Unavailable`,
    `Gone` and `Stopped` too.
    """

    path: Path

    # --- The remote

    def update(
        self,
        url: str,
        *,
        credentials: Credentials | None = None,
        ca_bundle: Path | None = None,
        stop: StopCheck | None = None,
    ) -> None:
        """Bring every branch up to date; branches that are gone go here too. A broken mirror is made anew."""
        access = Access(credentials, ca_bundle, stop)
        with self._locked(stop) as lock:
            try:
                self._ensure()
                _fetch_all(self.path, url, access, lock)
            except GitFailed:
                self._renew(url, access, lock)

    def fetch_branch(
        self,
        url: str,
        branch: str,
        *,
        credentials: Credentials | None = None,
        ca_bundle: Path | None = None,
        stop: StopCheck | None = None,
    ) -> str | None:
        """The commit that the remote's branch is at now, brought here; None where the remote has no such branch.

        `HEAD` stands for what is checked out there.
        """
        source = "HEAD" if branch == "HEAD" else ref_for(branch)
        target = f"{_SEEN}/HEAD" if branch == "HEAD" else source
        with self._locked(stop) as lock:
            self._ensure()
            return remote.fetch(self.path, url, source, target, access=Access(credentials, ca_bundle, stop), lock=lock)

    def fetch_pull(
        self,
        url: str,
        number: int,
        *,
        credentials: Credentials | None = None,
        ca_bundle: Path | None = None,
        stop: StopCheck | None = None,
    ) -> str | None:
        """The commit that a pull request's head is at now, brought here, from a fork too; None where there is none."""
        source, target = f"refs/pull/{number}/head", f"{_SEEN}/pull/{number}"
        with self._locked(stop) as lock:
            self._ensure()
            return remote.fetch(self.path, url, source, target, access=Access(credentials, ca_bundle, stop), lock=lock)

    def fetch_commit(
        self,
        url: str,
        sha: str,
        *,
        depth: int | None = None,
        credentials: Credentials | None = None,
        ca_bundle: Path | None = None,
        stop: StopCheck | None = None,
    ) -> None:
        """Bring one commit here by its id, with all that it holds; `depth` 1 is the commit without its history."""
        with self._locked(stop) as lock:
            self._ensure()
            access = Access(credentials, ca_bundle, stop)
            remote.fetch(self.path, url, sha, f"{_SEEN}/commit/{sha}", access=access, lock=lock, depth=depth)

    def push(
        self,
        url: str,
        sha: str,
        branch: str,
        *,
        expect: str | None,
        credentials: Credentials | None = None,
        ca_bundle: Path | None = None,
        stop: StopCheck | None = None,
    ) -> None:
        """Put the remote's branch at `sha` if it is at `expect` (None: not there). Done already is done.

        Raises: `Moved` where it is elsewhere; `Refused` with the server's rule where it says no.
        """
        remote.push(self.path, url, sha, branch, expect=expect, access=Access(credentials, ca_bundle, stop))

    def stage(
        self,
        url: str,
        sha: str,
        name: str,
        *,
        credentials: Credentials | None = None,
        ca_bundle: Path | None = None,
        stop: StopCheck | None = None,
    ) -> None:
        """Bring a commit and all that it holds to the remote, as no branch: under a ref of ours of that name.

        What was there by the name is replaced. Raises: `Refused` with the server's rule where it says no.
        """
        access = Access(credentials, ca_bundle, stop)
        remote.stage(self.path, url, sha, staging_ref(name), access=access)

    def unstage(
        self,
        url: str,
        name: str,
        *,
        credentials: Credentials | None = None,
        ca_bundle: Path | None = None,
        stop: StopCheck | None = None,
    ) -> None:
        """Take such a ref off the remote. Gone already is done. Raises: `Refused`."""
        remote.unstage(self.path, url, staging_ref(name), access=Access(credentials, ca_bundle, stop))

    def delete_branch(
        self,
        url: str,
        branch: str,
        *,
        expect: str,
        credentials: Credentials | None = None,
        ca_bundle: Path | None = None,
        stop: StopCheck | None = None,
    ) -> None:
        """Delete the remote's branch if it is at `expect`. Gone already is done. Raises: `Moved`, `Refused`."""
        remote.delete(self.path, url, branch, expect=expect, access=Access(credentials, ca_bundle, stop))

    def export_branch(self, target: Path, sha: str, branch: str) -> str:
        """Bring a commit as a branch into a person's local repository, with hooks off, and say as which.

        A branch that is there is never moved: the next free name is taken, `branch-2` and on.
        """
        with self._locked(None):
            return export(self.path, target, sha, branch)

    # --- What is here

    def stand_at(self, sha: str) -> None:
        """Have its own `HEAD` at a commit, so that it can be read as any repository on this machine."""
        with self._locked(None):
            run_git(["update-ref", "--no-deref", "HEAD", objects.checked(sha)], repository=self.path)

    def prepare(self) -> None:
        """Make it, empty, where there is none yet: for files that come from no remote."""
        with self._locked(None):
            self._ensure()

    def head(self, branch: str) -> str | None:
        """The branch's commit as of the last update."""
        if not self.path.exists():
            return None
        return remote.local(self.path, ref_for(branch))

    @property
    def is_empty(self) -> bool:
        """Whether the remote had no branch at the last update."""
        if not self.path.exists():
            return True
        return not run_git(["for-each-ref", "--count=1", "refs/heads/"], repository=self.path)

    def has(self, sha: str) -> bool:
        """Whether the commit or tree is here."""
        return self.path.exists() and remote.is_here(self.path, sha)

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` holds everything of `older`."""
        return remote.is_ancestor(self.path, older, newer)

    def merge_base(self, one: str, other: str) -> str | None:
        """The commit where two parted; None where they have none in common."""
        return remote.merge_base(self.path, one, other)

    def commits(self, base: str, head: str) -> tuple[Commit, ...]:
        """The commits of `head` that `base` does not hold, oldest first, at most a thousand."""
        return history.commits(self.path, base, head)

    def written(self, head: str, *, besides: Sequence[str]) -> tuple[Written, ...]:
        """The few commits of `head` that none of those besides holds, parents first."""
        return history.written(self.path, head, besides=besides)

    def entries(self, treeish: str) -> Mapping[str, Entry]:
        """Every file by path, submodules included."""
        return objects.entries(self.path, treeish)

    def read(self, treeish: str, path: str) -> bytes | None:
        """A file's exact bytes (a symbolic link's target); None where there is no such file."""
        return objects.read(self.path, treeish, path)

    def archive(self, treeish: str) -> bytes:
        """A tar archive of the exact bytes; submodules are empty folders."""
        return objects.archive(self.path, treeish)

    def changed_files(self, base: str, tree: str) -> tuple[ChangedFile, ...]:
        """Every file that differs; a rename is one that went and one that came."""
        return changes.changed_files(self.path, base, tree)

    def change(self, base: str, tree: str, *, left_out: Iterable[str] = ()) -> Change:
        """What differs, as a patch in text that `apply` turns into the same tree, whatever bytes the files hold."""
        return changes.change_between(self.path, base, tree, left_out=left_out)

    # --- What is made here

    def apply(self, base: str, patch: str) -> str:
        """The tree that a patch makes of `base`. Raises: `Refused` where it does not fit."""
        return changes.apply(self.path, base, patch)

    def tree_with(self, base: str, files: Mapping[str, File | None]) -> str:
        """The tree that `base` becomes with these files put in, or taken out where None."""
        return trees.tree_with(self.path, base, files)

    def tree_of(self, base: str, tree: str, keep: Callable[[str], bool]) -> str:
        """`base` with only those differences of `tree` whose path is kept: how one change becomes two commits."""
        return trees.tree_of(self.path, base, tree, keep)

    def merge(self, ours: str, theirs: str, *, stop: StopCheck | None = None) -> Merge:
        """Two commits that have one in common, brought together as a tree. Raises: `Unavailable`."""
        return merging.merge(self.path, ours, theirs, stop=stop)

    def commit(
        self,
        tree: str,
        *,
        parents: Sequence[str],
        message: str,
        author_name: str,
        author_email: str,
        when: datetime,
    ) -> str:
        """Write a commit; the same arguments give the same id."""
        return trees.commit(
            self.path,
            tree,
            parents=parents,
            message=message,
            author_name=author_name,
            author_email=author_email,
            when=when,
        )

    # --- The folder

    @contextmanager
    def _locked(self, stop: StopCheck | None) -> Iterator[int]:
        with locked(self.path.with_name(self.path.name + ".lock"), stop=stop) as lock:
            yield lock

    def _ensure(self) -> None:
        if self.path.exists():
            for stale in _stale_locks(self.path):
                stale.unlink(missing_ok=True)
            return
        with self._being_made() as made:
            made.rename(self.path)

    def _renew(self, url: str, access: Access, lock: int) -> None:
        """Fetch everything into a new repository, then put it into the old one's place."""
        with self._being_made() as made:
            _fetch_all(made, url, access, lock)
            if self.path.exists():
                self.path.rename(made.with_name("broken"))
            made.rename(self.path)

    @contextmanager
    def _being_made(self) -> Iterator[Path]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{self.path.name}-", dir=self.path.parent))
        try:
            made = folder / "new"
            run_git(["init", "--quiet", "--bare", "--template=", "--", str(made)])
            yield made
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _fetch_all(repository: Path, url: str, access: Access, lock: int) -> None:
    run_git(
        ["fetch", *remote.FETCH, "--prune", "--", remote.checked(url), "+refs/heads/*:refs/heads/*"],
        repository=repository,
        access=access,
        surroundings=Surroundings(owned_by_others=remote.folders(url), keep_open=(lock,)),
    )
    run_git(["for-each-ref", "--format=%(objecttype)", "refs/heads/"], repository=repository)


def _stale_locks(repository: Path) -> Iterator[Path]:
    """Lock files that a killed git left: whoever writes refs holds our lock, and we hold it now."""
    yield from (path for path in repository.glob("*.lock") if re.fullmatch(r"[\w-]+\.lock", path.name))
    yield from (repository / "refs").rglob("*.lock")

"""The stand-in's bare repositories, through the git program: making them, and reading what was pushed.

The demo is a program of its own, apart from the bot's door to git.
"""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_UPDATE_HOOK = """#!/bin/sh
[ -z "$HUB_RULES" ] || exec "$HUB_PYTHON" -I "$HUB_PUSH_RULES" "$@"
"""

_CONFIGURATION = """[http]
\treceivepack = true
[uploadpack]
\tallowAnySHA1InWant = true
[gc]
\tauto = 0
"""
_COMMIT_FORMAT = "%H%x1f%T%x1f%P%x1f%an%x1f%ae%x1f%cI%x1f%B%x1e"


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of a pull request."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author_name: str
    author_email: str
    date: str
    message: str


@dataclass(frozen=True, slots=True)
class FileStat:
    """How much of one file a change touches. `status` is added, modified or removed."""

    path: str
    additions: int
    deletions: int
    status: str
    sha: str


def environment(home: Path) -> dict[str, str]:
    """What git is given: nobody's configuration, no questions."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
    }


_MONA = {
    "GIT_AUTHOR_NAME": "Mona",
    "GIT_AUTHOR_EMAIL": "mona@example.com",
    "GIT_COMMITTER_NAME": "Mona",
    "GIT_COMMITTER_EMAIL": "mona@example.com",
}


def run(directory: Path, *arguments: str, data: bytes | None = None, as_mona: bool = True) -> bytes:
    """Run git in a repository. Raises `CalledProcessError` where it fails."""
    command = ["git", "-c", "safe.directory=*", "-C", str(directory), *arguments]
    given = environment(directory) | (_MONA if as_mona else {})
    done = subprocess.run(command, input=data, capture_output=True, check=True, env=given)
    return done.stdout


def _text(directory: Path, *arguments: str) -> str:
    return run(directory, *arguments).decode("utf-8", "replace").strip()


def create(directory: Path, default_branch: str) -> None:
    """Make an empty bare repository that takes pushes over HTTP."""
    directory.mkdir(parents=True)
    run(directory, "init", "--quiet", "--bare", "--template=", f"--initial-branch={default_branch}")
    with (directory / "config").open("a") as config:
        config.write(_CONFIGURATION)
    hook = directory / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(_UPDATE_HOOK)
    hook.chmod(0o755)


def take_over(directory: Path, source: Path) -> None:
    """Fill a repository with the branches and tags of another, bare or not."""
    run(directory, "fetch", "--quiet", str(source.resolve()), "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")


def folder_files(folder: Path) -> dict[str, bytes]:
    """The files of a plain folder by their relative path, `.git` left out."""
    files = sorted(
        path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts
    )
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def commit(
    directory: Path,
    branch: str,
    files: Mapping[str, bytes | str | None],
    message: str,
    *,
    parent: str | None = None,
    by: str = "Mona",
) -> str:
    """Commit files on top of a branch (or of `parent`); None deletes one. Returns the commit's sha."""
    on_top_of = parent or head(directory, branch)
    who = f"committer {by} <{by.lower()}@example.com> now"
    lines = [f"commit refs/heads/{branch}", who, _data(message.encode())]
    stream = "\n".join(lines).encode() + b"\n"
    if on_top_of:
        stream += f"from {on_top_of}\n".encode()
    for path, content in files.items():
        if content is None:
            stream += f"D {path}\n".encode()
            continue
        data = content.encode() if isinstance(content, str) else content
        stream += f"M 100644 inline {path}\n".encode() + f"data {len(data)}\n".encode() + data + b"\n"
    run(directory, "fast-import", "--quiet", "--force", "--date-format=now", data=stream + b"\ndone\n")
    return head(directory, branch) or ""


def head(directory: Path, branch: str) -> str | None:
    """The commit that a branch points to; None where there is no such branch."""
    return resolve(directory, f"refs/heads/{branch}")


def resolve(directory: Path, revision: str) -> str | None:
    """The commit behind a sha, branch or tag; None where there is none."""
    found = _text(directory, "for-each-ref", "--format=%(objectname)", revision) if revision.startswith("refs/") else ""
    if found or revision.startswith("refs/"):
        return found or None
    try:
        return (
            _text(directory, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}") or None
        )
    except subprocess.CalledProcessError:
        return None


def branches(directory: Path) -> tuple[str, ...]:
    """The names of all branches."""
    return tuple(_text(directory, "for-each-ref", "--format=%(refname:strip=2)", "refs/heads").split())


def refs(directory: Path) -> frozenset[str]:
    """The names of all refs, without `refs/`."""
    return frozenset(_text(directory, "for-each-ref", "--format=%(refname:strip=1)").split())


def heads(directory: Path) -> dict[str, str]:
    """All branches with their commits."""
    rows = _text(directory, "for-each-ref", "--format=%(refname:strip=2) %(objectname)", "refs/heads").splitlines()
    return dict(tuple(row.rsplit(" ", 1)) for row in rows)  # type: ignore[misc]


def rename_branch(directory: Path, old: str, new: str) -> None:
    """Give a branch another name; HEAD follows it."""
    run(directory, "branch", "-m", old, new)


def point(directory: Path, reference: str, sha: str) -> None:
    """Let a ref of any kind point to a commit."""
    run(directory, "update-ref", reference, sha)


def delete_branch(directory: Path, branch: str) -> None:
    """Delete a branch that is there."""
    run(directory, "update-ref", "-d", f"refs/heads/{branch}")


def commits(directory: Path, base: str, tip: str) -> tuple[Commit, ...]:
    """The commits that `tip` has and `base` lacks, oldest first."""
    span = f"{base}..{tip}"
    log = run(directory, "log", "--reverse", "--topo-order", f"--format={_COMMIT_FORMAT}", span)
    found = log.decode(errors="replace")
    return tuple(_commit(record.strip("\n")) for record in found.split("\x1e") if record.strip())


def history(directory: Path, sha: str, at_most: int = 100) -> tuple[str, ...]:
    """A commit and those before it, newest first."""
    return tuple(_text(directory, "rev-list", "--topo-order", f"--max-count={at_most}", sha).split())


def one_commit(directory: Path, sha: str) -> Commit:
    """A commit by its sha."""
    found = run(directory, "show", "--no-patch", f"--format={_COMMIT_FORMAT}", sha).decode(errors="replace")
    return _commit(found.strip("\n\x1e"))


def kind(directory: Path, sha: str) -> str:
    """What an object is: blob, tree, commit or tag; "" where there is none."""
    said = run(directory, "cat-file", "--batch-check", data=f"{sha.partition(chr(10))[0]}\n".encode()).decode().split()
    return said[1] if len(said) == 3 and said[0] == sha else ""


def holds(directory: Path, newer: str, older: str) -> bool:
    """Whether a commit has another one in its history."""
    return not _text(directory, "rev-list", "--max-count=1", older, f"^{newer}")


def signatures(directory: Path, sha: str) -> tuple[dict[str, str], dict[str, str]]:
    """Who wrote a commit and who committed it, each with when."""
    told = _text(directory, "show", "--no-patch", "--format=%an%x1f%ae%x1f%aI%x1f%cn%x1f%ce%x1f%cI", sha).split("\x1f")
    names = ("name", "email", "date")
    return dict(zip(names, told[:3], strict=True)), dict(zip(names, told[3:], strict=True))


def blob_id(directory: Path, revision: str, path: str) -> str:
    """The id of a file's content at a commit or branch."""
    return _text(directory, "rev-parse", f"{revision}:{path}")


def _commit(record: str) -> Commit:
    sha, tree, parents, name, email, date, message = record.split("\x1f")
    return Commit(sha, tree, tuple(parents.split()), name, email, date, message.strip("\n"))


def diffstat(directory: Path, base: str, tip: str) -> tuple[FileStat, ...]:
    """What changed on `tip` since it left `base`, file by file; renames are shown as removed and added."""
    span = f"{base}...{tip}"
    numbers = run(directory, "diff", "--no-renames", "--numstat", "-z", span).decode(errors="replace")
    raw = run(directory, "diff", "--no-renames", "--raw", "--no-abbrev", "-z", span).decode(errors="replace")
    fields = raw.split("\0")
    kinds = {path: entry.split() for entry, path in zip(fields[::2], fields[1::2], strict=False)}
    return tuple(_file_stat(line, kinds) for line in numbers.split("\0") if line)


def _file_stat(line: str, kinds: Mapping[str, list[str]]) -> FileStat:
    added, removed, path = line.split("\t", 2)
    entry = kinds[path]
    status = {"A": "added", "D": "removed"}.get(entry[4], "modified")
    sha = entry[2] if status == "removed" else entry[3]
    return FileStat(path, int(added) if added != "-" else 0, int(removed) if removed != "-" else 0, status, sha)


def diff(directory: Path, base: str, tip: str, *paths: str) -> str:
    """The change since `tip` left `base`, as a unified diff."""
    return run(directory, "diff", "--no-renames", f"{base}...{tip}", "--", *paths).decode(errors="replace")


def tree(directory: Path, revision: str) -> dict[str, str]:
    """Every path of a commit, with its mode."""
    found = run(directory, "ls-tree", "-r", "-z", "--full-tree", revision).decode(errors="replace")
    entries = [entry.split("\t", 1) for entry in found.split("\0") if entry]
    return {path: meta.split()[0] for meta, path in entries}


def file(directory: Path, revision: str, path: str) -> bytes | None:
    """A file's bytes at a commit or branch; None where there is none."""
    try:
        return run(directory, "cat-file", "blob", f"{revision}:{path}")
    except subprocess.CalledProcessError:
        return None


def _data(content: bytes) -> str:
    return f"data {len(content)}\n{content.decode()}"

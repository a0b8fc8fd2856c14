"""What a new repository or a new App begins with."""

from collections.abc import Mapping
from pathlib import Path

from bot.demo import git
from bot.demo.state import Repository


def fill(repository: Repository, source: Mapping[str, bytes | str] | Path | None) -> None:
    """Fill a new repository from files by path, a plain folder, or a git repository; None leaves it empty."""
    match source:
        case None:
            return
        case Path() if (source / ".git").exists() or (source / "HEAD").exists():
            git.take_over(repository.directory, source)
        case Path():
            git.commit(repository.directory, repository.default_branch, git.folder_files(source), "First commit")
        case _:
            git.commit(repository.directory, repository.default_branch, source, "First commit")

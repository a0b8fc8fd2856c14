import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.demo.handles import IssueHandle, RepositoryHandle
from bot.demo.recorded import Recording
from tests.story import recordings
from tests.story.town import Town, town


@pytest.fixture(scope="package")
def shared_town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """One town for the stories that leave it as they found it; each brings a repository of its own.

    It is gone when the stories are over: its processes look for work several times a second.
    """
    with town(tmp_path_factory.mktemp("town"), settings={"SELFCODE_RUNS_AT_ONCE": "3"}) as built:
        yield built


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path


Case = Callable[..., tuple[RepositoryHandle, IssueHandle]]
_numbers = itertools.count(1)


@pytest.fixture(scope="package")
def a_case(shared_town: Town) -> Case:
    """Makes a repository with an unlabelled issue, and what the model will reply to it, in the shared town."""

    def make(
        played: Callable[[str], Recording] = recordings.right_at_once,
        *,
        files: dict[str, bytes] | None = None,
        title: str = recordings.TITLE,
        body: str = recordings.BODY,
        default_branch: str = "main",
    ) -> tuple[RepositoryHandle, IssueHandle]:
        number = next(_numbers)
        match = f"case-{number:04d}"
        shared_town.model.recordings = (*shared_town.model.recordings, played(match))
        made = shared_town.repository(
            f"octo/case-{number}",
            recordings.files() if files is None else files,
            default_branch=default_branch,
        )
        return made, made.open_issue(title, f"{body}\n\n({match})", by="eve")

    return make

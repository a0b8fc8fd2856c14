"""Pull requests on a served GitHub, as the two commits that their proof is of."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.demo.handles import RepositoryHandle
from bot.demo.hub import Hub
from bot.errors import Refused
from bot.records import PullRequest
from bot.repository import Mirror
from bot.runs.sources import Remote
from bot.runs.subjects import PullSource, from_pull
from bot.runs.verifying import Subject


class Scene:
    """A public repository with one pull request, whose branch left `main` a commit ago."""

    def __init__(self, hub: Hub, folder: Path) -> None:
        self.hub = hub
        self.mirror = Mirror(folder / "mirror.git")
        self.repository: RepositoryHandle = hub.create_repository("octo/cat", {"a": "1"})
        self.fork = self.repository.commit({"b": "1"})
        self.head = self.repository.commit({"a": "2"}, branch="fix", parent=self.fork)
        self.main = self.repository.commit({"b": "2"})
        self.number = self.repository.open_pull("fix", by="octo", title="Fix").number

    @property
    def remote(self) -> Remote:
        return Remote("octo/cat", self.repository.clone_url, self.repository.id)

    def pull(self, **changed: str) -> PullRequest:
        found = self.repository.pull(self.number)
        pull = PullRequest(self.number, found.url, found.state, found.is_draft, found.head_sha, "main", found.base_sha)
        return replace(pull, **changed)  # type: ignore[arg-type]

    def subject(self, pull: PullRequest | None, number: int | None = None) -> Subject:
        source = PullSource(self.remote, number or self.number, pull)
        return from_pull(source, self.mirror, stop=lambda: False)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with Hub(tmp_path / "hub") as hub:
        yield Scene(hub, tmp_path)


def test_a_pull_request_is_judged_from_where_it_left_its_base(scene: Scene) -> None:
    found = scene.subject(scene.pull(base_sha=scene.main))

    assert (found.base, found.head) == (scene.fork, scene.head)
    assert (found.key, found.name) == (scene.repository.id, "octo/cat")


def test_its_branch_need_not_be_in_the_repository(scene: Scene) -> None:
    scene.repository.delete_branch("fix")

    found = scene.subject(scene.pull())

    assert scene.pull().state == "closed"
    assert (found.base, found.head) == (scene.fork, scene.head)


def test_its_head_is_the_newest_push(scene: Scene) -> None:
    newer = scene.repository.commit({"a": "3"}, branch="fix")

    assert scene.subject(scene.pull()).head == newer


def test_one_that_was_merged_is_judged_by_the_base_as_it_was(scene: Scene) -> None:
    scene.repository.commit({"c": "1"}, branch="main", parent=scene.head)

    found = scene.subject(scene.pull(state="merged", base_sha=scene.main))

    assert (found.base, found.head) == (scene.fork, scene.head)


def test_without_the_app_it_is_judged_by_the_default_branch(scene: Scene) -> None:
    found = scene.subject(None)

    assert (found.base, found.head) == (scene.fork, scene.head)


def test_one_whose_base_holds_all_of_it_names_the_way_out(scene: Scene) -> None:
    scene.repository.commit({"c": "1"}, branch="main", parent=scene.head)

    with pytest.raises(Refused, match=r"holds all of it already.*BASE\.\.HEAD"):
        scene.subject(None)


def test_one_into_a_branch_beside_the_default_one_gets_no_secrets_of_the_operator(scene: Scene) -> None:
    side = scene.repository.commit({"side": "1"}, branch="side", parent=scene.fork)
    head = scene.repository.commit({"a": "9"}, branch="fix", parent=side)

    found = scene.subject(scene.pull(base="side", base_sha=side))

    assert (found.base, found.head) == (side, head)
    assert found.name == ""


def test_a_pull_request_that_there_is_not_is_refused(scene: Scene) -> None:
    with pytest.raises(Refused, match="octo/cat has no pull request 77"):
        scene.subject(None, number=77)


def test_a_repository_that_there_is_not_is_refused(scene: Scene) -> None:
    source = PullSource(replace(scene.remote, clone_url=f"{scene.hub.base_url}/octo/nothing.git"), 1)

    with pytest.raises(Refused, match="can't be had"):
        from_pull(source, scene.mirror, stop=lambda: False)

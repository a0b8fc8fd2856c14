"""Commits that GitHub writes for us: what they hold, whether they are verified, and what is waited for."""

import pytest

from bot.demo import git
from bot.demo.hub import Hub
from bot.demo.state import App
from bot.errors import Gone, Refused
from bot.records import MadeCommit, RepositoryRef
from tests.github.stages import HubStage, Stage, a_door

NOWHERE = "0123456789" * 4


def created(stage: HubStage, message: str = "Fix it\n\nSigned-off-by: x <x@y.example>") -> MadeCommit:
    """A commit on top of main that holds what main does."""
    head = stage.repository.head() or ""
    tree = git.one_commit(stage.repository.directory, head).tree
    return stage.github.create_commit(stage.ref, tree=tree, parents=[head], message=message)


def test_a_commit_holds_what_was_said_and_is_verified(scene: HubStage) -> None:
    made = created(scene)

    written = git.one_commit(scene.repository.directory, made.sha)
    assert (made.is_verified, made.reason) == (True, "valid")
    assert written.parents == (scene.repository.head(),)
    assert written.message == "Fix it\n\nSigned-off-by: x <x@y.example>"
    assert scene.github.signs_commits()
    (asked,) = [found for found in scene.hub.calls_by("selfcode[bot]") if found.path.endswith("/git/commits")][-1:]
    assert set(asked.json) == {"message", "tree", "parents"}


def test_a_commit_by_either_hand_is_a_new_one_each_time_and_tells_whether_it_is_verified(stage: Stage) -> None:
    if isinstance(stage, HubStage):
        one, other = created(stage, "One"), created(stage, "Other")
    else:
        create = stage.github.create_commit
        one, other = (create(stage.ref, tree=NOWHERE, parents=[], message=words) for words in ("One", "Other"))

    assert one.sha != other.sha
    assert one.is_verified
    assert len(one.sha) == 40


def test_a_commit_in_a_repository_that_nobody_knows_is_gone(stage: Stage) -> None:
    unknown = RepositoryRef(stage.ref.installation_id, 999_999, "octo", "nothing")

    with pytest.raises(Gone):
        stage.github.create_commit(unknown, tree=NOWHERE, parents=[], message="x")


def test_what_was_pushed_a_moment_ago_is_waited_for(scene: HubStage) -> None:
    missing = {"message": "Tree SHA does not exist"}
    scene.hub.fail_next("POST", "/git/commits$", 422, missing, times=2)

    made = created(scene)

    assert made.is_verified
    assert scene.slept == [1.0, 3.0]


def test_a_tree_that_is_not_there_is_refused_in_githubs_words(scene: HubStage) -> None:
    with pytest.raises(Refused, match="write the commit: Tree SHA does not exist"):
        scene.github.create_commit(scene.ref, tree=NOWHERE, parents=[], message="x")


def test_a_server_that_does_not_sign_is_told_of_once_and_not_asked_again_for_a_day(
    hub: Hub, app: App, scene: HubStage, caplog: pytest.LogCaptureFixture
) -> None:
    now = [1_800_000_000.0]
    scene.github = a_door(hub, app, [], clock=lambda: now[0])
    hub.world.signs_commits = False
    try:
        made = [created(scene), created(scene)]
    finally:
        hub.world.signs_commits = True

    assert [(each.is_verified, each.reason) for each in made] == [(False, "unsigned")] * 2
    assert [said for said in caplog.messages if "signs no commits" in said] == caplog.messages[:1]
    assert not scene.github.signs_commits()
    now[0] += 86_401
    assert scene.github.signs_commits()

"""Merged pull requests and what they close, asked of the stand-in over HTTP."""

import pytest

from bot.demo.handles import PullHandle
from bot.errors import Refused, Unavailable
from bot.records import FixSource, PastFix
from tests.github.stages import HubStage


def merged(scene: HubStage, branch: str, body: str, *, method: str = "squash") -> PullHandle:
    scene.push(branch, f"x = {len(branch)}  # {branch}\n")
    pull = scene.repository.open_pull(title=f"Mend it on {branch}", head=branch, base="main", body=body, by="alice")
    pull.merge(by="alice", method=method)
    return pull


def found(scene: HubStage) -> list[PastFix]:
    return list(scene.github.past_fixes(scene.ref, "main"))


def test_a_merged_pull_request_is_told_with_the_words_of_the_issue_that_it_closes(scene: HubStage) -> None:
    issue = scene.open_issue("It breaks at night", "Every night at two.")
    before = scene.repository.head()
    pull = merged(scene, "mend", f"Fixes #{issue.number}")

    (fix,) = found(scene)

    assert (fix.title, fix.body) == ("It breaks at night", "Every night at two.")
    assert (fix.id, fix.name, fix.source) == (f"pull-{pull.number}", f"#{pull.number}", FixSource.PULL_REQUEST)
    assert fix.head == scene.repository.head() != before
    assert fix.url.endswith(f"/{scene.repository.full_name}/pull/{pull.number}")
    assert fix.at > 0


def test_what_closes_nothing_is_open_or_went_into_another_branch_is_none(scene: HubStage) -> None:
    issue = scene.open_issue()
    merged(scene, "closes-nothing", "A cleaning up.")
    scene.push("open", "x = 2\n")
    scene.open_pull("open", "main", f"Fixes #{issue.number}", by="alice")
    stable = scene.repository.commit({"b.py": "y = 1\n"}, branch="stable", parent=scene.repository.head())
    scene.repository.commit({"b.py": "y = 2\n"}, branch="to-stable", parent=stable)
    elsewhere = scene.repository.open_pull(
        title="Port", head="to-stable", base="stable", body=f"Fixes #{issue.number}", by="alice"
    )
    elsewhere.merge(by="alice", method="squash")

    assert found(scene) == []


def test_the_words_are_those_from_before_the_pull_request(scene: HubStage) -> None:
    issue = scene.open_issue("It braeks", "At night.")
    scene.hub.advance(minutes=5)
    scene.issue(issue).edit(title="It breaks", body="Every night.", by="alice")
    scene.hub.advance(minutes=5)
    scene.push("mend", "x = 2\n")
    pull = scene.repository.open_pull(title="Mend", head="mend", base="main", body=f"Fixes #{issue.number}", by="alice")
    scene.hub.advance(minutes=5)
    scene.issue(issue).edit(title="Off by one in a.py", body="It was `x`, see the fix.", by="alice")
    pull.merge(by="alice", method="squash")

    (fix,) = found(scene)

    assert (fix.title, fix.body) == ("It breaks", "Every night.")


def test_an_issue_that_was_opened_after_its_fix_is_left_out(scene: HubStage) -> None:
    scene.push("mend", "x = 2\n")
    pull = scene.repository.open_pull(title="Mend", head="mend", base="main", body="", by="alice")
    scene.hub.advance(minutes=5)
    issue = scene.open_issue("What the pull request mends")
    pull.edit(body=f"Fixes #{issue.number}", by="alice")
    pull.merge(by="alice", method="squash")

    assert found(scene) == []


def test_several_issues_are_told_after_each_other(scene: HubStage) -> None:
    first, second = scene.open_issue("One", "First."), scene.open_issue("Two", "Second.")
    merged(scene, "both", f"Fixes #{second.number}, fixes #{first.number}")

    (fix,) = found(scene)

    assert (fix.title, fix.body) == ("One", "First.\n\nTwo\n\nSecond.")


def test_the_base_of_a_rebase_is_what_was_there_before_all_of_its_commits(scene: HubStage) -> None:
    issue = scene.open_issue()
    before = scene.repository.head()
    first = scene.repository.commit({"a.py": "x = 2\n"}, branch="mend", parent=before, message="Test it")
    scene.repository.commit({"b.py": "y = 2\n"}, branch="mend", parent=first, message="Mend it")
    pull = scene.repository.open_pull(title="Mend", head="mend", base="main", body=f"Fixes #{issue.number}", by="alice")
    pull.merge(by="alice", method="rebase")

    (fix,) = found(scene)

    assert fix.base == before


@pytest.mark.parametrize("method", ["merge", "squash"])
def test_the_base_of_other_merges_is_left_to_be_their_first_parent(scene: HubStage, method: str) -> None:
    issue = scene.open_issue()
    merged(scene, "mend", f"Fixes #{issue.number}", method=method)

    (fix,) = found(scene)

    assert fix.base == ""


def test_pages_are_turned_as_far_as_they_are_wanted_the_newest_first(scene: HubStage) -> None:
    issue = scene.open_issue()
    pulls = [merged(scene, f"mend-{number}", f"Fixes #{issue.number}") for number in range(22)]
    asked = len([each for each in scene.hub.requests if each.path.endswith("/graphql")])

    fixes = scene.github.past_fixes(scene.ref, "main")
    newest = [next(fixes) for _ in range(20)]
    pages = len([each for each in scene.hub.requests if each.path.endswith("/graphql")]) - asked
    rest = list(fixes)

    assert [each.name for each in (*newest, *rest)] == [f"#{pull.number}" for pull in reversed(pulls)]
    assert pages == 1


def test_github_is_waited_for_or_said_to_be_away(scene: HubStage) -> None:
    scene.hub.fail_next("POST", "/graphql", 502, {"message": "Server Error"})
    assert found(scene) == []

    for _ in range(3):
        scene.hub.fail_next("POST", "/graphql", 502, {"message": "Server Error"})
    with pytest.raises(Unavailable):
        found(scene)


def test_a_lacking_permission_is_named(scene: HubStage) -> None:
    scene.installation.permissions.pop("pull_requests")

    with pytest.raises(Refused, match="pull_requests: read"):
        found(scene)

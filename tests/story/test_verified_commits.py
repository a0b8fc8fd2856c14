"""Commits that GitHub verifies: where signatures are wanted, over a connection that drops, and where they lack."""

import pytest

from bot.records import Outcome
from bot.runs.store import RunRow
from tests.story import recordings
from tests.story.conftest import Case
from tests.story.town import BOT, Town


def test_a_repository_that_wants_signatures_gets_a_pull_request_of_verified_commits(
    shared_town: Town, a_case: Case
) -> None:
    repository, issue = a_case()
    repository.require_signatures()
    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)

    (pull,) = repository.pulls
    assert [repository.is_verified(commit.sha) for commit in pull.commits] == [True, True]
    assert [commit.author_name for commit in pull.commits] == [BOT, BOT]
    assert all("Co-authored-by: ada <" in commit.message for commit in pull.commits)
    assert [check.conclusion for check in pull.checks] == ["success"]
    assert pull.head_sha in pull.body
    assert repository.refs == {"heads/main", f"heads/{pull.head}", f"pull/{pull.number}/head"}


@pytest.mark.parametrize("after_effect", [True, False])
def test_a_connection_that_drops_in_the_middle_doubles_nothing(
    shared_town: Town, a_case: Case, *, after_effect: bool
) -> None:
    repository, issue = a_case()
    shared_town.hub.fail_next("POST", f"{repository.full_name}/git/commits$", 0, after_effect=after_effect)
    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)

    (pull,) = repository.pulls
    assert len(pull.commits) == 2
    assert all(repository.is_verified(commit.sha) for commit in pull.commits)
    assert not [ref for ref in repository.refs if ref.startswith("selfcode/")]


def test_a_rule_that_the_bots_own_commits_break_is_told_in_its_words_and_not_tried_again(
    shared_town: Town, a_case: Case
) -> None:
    files = recordings.files()
    configured = files.get(".github/selfcode.yml", b"") + b"verified_commits: false\n"
    repository, issue = a_case(files={**files, ".github/selfcode.yml": configured})
    repository.require_signatures("selfcode/*")
    issue.label("selfcode", by="ada")

    run: RunRow = shared_town.wait_for_outcome(repository, issue, Outcome.REFUSED)

    assert "GH013" in (run.reason or "")
    assert "must have verified signatures" in shared_town.said(issue)[0].body
    assert repository.pulls == ()
    assert repository.branches == ("main",)

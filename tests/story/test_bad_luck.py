"""What goes wrong around a run that nobody is to blame for."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from bot.demo.handles import IssueHandle, RepositoryHandle
from bot.records import Outcome
from tests.story import recordings
from tests.story.conftest import Case
from tests.story.town import BOT, Town, town

Mishap = Callable[[RepositoryHandle, IssueHandle], object]


def after_the_baseline(built: Town, repository: RepositoryHandle, issue: IssueHandle, mishap: Mishap) -> None:
    """Start a run, and let something happen while it is at the tests."""
    issue.label("selfcode", by="ada")
    built.wait_for("the baseline", lambda: [said for said in built.said(issue) if "untouched" in said.body])
    mishap(repository, issue)


def test_a_deleted_progress_comment_does_not_swallow_the_result(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()

    def deletes(_: RepositoryHandle, at: IssueHandle) -> None:
        for said in shared_town.said(at):
            at.delete_comment(said, by="ada")

    after_the_baseline(shared_town, repository, issue, deletes)

    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (result,) = shared_town.said(issue)
    assert "Proven" in result.body.splitlines()[0]


def test_a_label_taken_off_and_put_on_again_at_once_starts_again(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()

    def wavers(_: RepositoryHandle, at: IssueHandle) -> None:
        time.sleep(1.1)  # GitHub's clock knows seconds: within one, the label would be the same event
        at.unlabel("selfcode", by="ada")
        at.label("selfcode", by="ada")

    after_the_baseline(shared_town, repository, issue, wavers)

    run = shared_town.wait_for_end(repository, issue, runs=2)
    assert run.outcome is Outcome.PROVEN, run.reason
    assert shared_town.runs(repository, issue)[0].outcome is Outcome.STOPPED
    assert len(repository.pulls) == 1


def test_a_repository_that_is_renamed_in_the_middle_of_a_run_gets_its_pull_request(
    shared_town: Town, a_case: Case
) -> None:
    repository, issue = a_case()

    after_the_baseline(shared_town, repository, issue, lambda renamed, _: renamed.rename("renamed"))

    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    assert len(repository.pulls) == 1


def test_a_repository_that_another_account_has_in_the_middle_of_a_run_gets_its_pull_request_there(
    shared_town: Town, a_case: Case
) -> None:
    repository, issue = a_case()
    shared_town.hub.install(shared_town.app, "globex")

    after_the_baseline(shared_town, repository, issue, lambda given, _: given.transfer("globex"))

    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (pull,) = repository.pulls
    assert len(pull.comments_by(BOT)) == 1
    assert len(shared_town.said(issue)) == 1


WRITES = {
    "POST": ("issues/[0-9]+/comments$", "pulls$", "check-runs$", "git-receive-pack$"),
    "PATCH": ("issues/comments/[0-9]+$",),
}


@pytest.mark.parametrize("after_effect", [False, True], ids=["before", "after"])
def test_a_connection_that_breaks_around_each_write_leaves_exactly_one_of_each(
    shared_town: Town, a_case: Case, after_effect: bool
) -> None:
    repository, issue = a_case()
    for method, paths in WRITES.items():
        for path in paths:
            at = rf"{repository.full_name}(\.git)?/{path}"
            shared_town.hub.fail_next(method, at, 0, after_effect=after_effect)

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (pull,) = repository.pulls
    assert len(shared_town.said(issue)) == 1
    assert len(pull.comments_by(BOT)) == 1
    assert len(pull.checks) == 1
    assert len(pull.commits) == 2


def test_a_worker_that_is_killed_again_and_again_does_everything_once(tmp_path: Path) -> None:
    with town(tmp_path, recordings.wrong_then_right(), commands=("web", "worker")) as built:
        repository = built.repository("octo/calc", recordings.files())
        issue = repository.open_issue(recordings.TITLE, recordings.BODY, by="ada")
        issue.label("selfcode", by="ada")
        for what, seen in _SEEN.items():
            built.wait_for(what, partial(seen, repository, issue))
            built.bot.kill("worker")
            built.bot.start("worker")

        built.wait_for_outcome(repository, issue, Outcome.PROVEN)
        (pull,) = repository.pulls
        assert len(built.said(issue)) == 1
        assert len(pull.comments_by(BOT)) == 1
        assert len(pull.checks) == 1
        assert len(pull.commits) == 2


_SEEN: dict[str, Mishap] = {
    "progress": lambda _, issue: issue.comments_by(BOT),
    "pull request": lambda repository, _: repository.pulls,
    "log": lambda repository, _: repository.pulls[0].comments_by(BOT),
}

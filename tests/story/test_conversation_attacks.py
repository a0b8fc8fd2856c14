"""What a run is for goes away while the model thinks: it ends, and leaves nothing in the repository."""

import itertools
from collections.abc import Callable

import pytest

from bot.demo.handles import IssueHandle, RepositoryHandle
from bot.records import Outcome
from bot.runs.store import RunRow
from tests.story import recordings
from tests.story.conftest import Case
from tests.story.town import Town

Leaving = Callable[[Town, RepositoryHandle, IssueHandle], object]

_numbers = itertools.count(1)


def _transferred(town: Town, _: RepositoryHandle, issue: IssueHandle) -> None:
    there = town.hub.create_repository(f"octo/elsewhere-{next(_numbers)}", recordings.files())
    issue.transfer(there, by="ada")


def _taken_away(town: Town, repository: RepositoryHandle, _: IssueHandle) -> None:
    for installation in list(town.hub.world.installations.values()):
        if installation.covers(repository.state_of):
            town.hub.select(installation, repository, added=False)


WAYS: dict[str, Leaving] = {
    "the issue is deleted": lambda _town, _repository, issue: issue.delete(by="ada"),
    "the issue is transferred": _transferred,
    "the repository is deleted": lambda _town, repository, _issue: repository.delete(),
    "the app may see the repository no more": _taken_away,
}


@pytest.mark.parametrize("leave", WAYS.values(), ids=WAYS.keys())
def test_a_run_ends_without_a_branch_when(shared_town: Town, a_case: Case, leave: Leaving) -> None:
    repository, issue = a_case()

    run = _in_mid_reply(shared_town, repository, issue, lambda: leave(shared_town, repository, issue))

    assert run.outcome is Outcome.STOPPED, f"{run.reason}\n{shared_town.log()[-4000:]}"
    assert (repository.branches, repository.pulls) == (("main",), ())


def test_a_repository_that_is_archived_in_mid_reply_gets_nothing(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()

    run = _in_mid_reply(shared_town, repository, issue, repository.archive)

    assert run.outcome is Outcome.REFUSED, f"{run.reason}\n{shared_town.log()[-4000:]}"
    assert run.reason is not None
    assert "archived" in run.reason
    assert (repository.branches, repository.pulls) == (("main",), ())


def test_a_branch_deleted_in_mid_reply_ends_the_run_and_is_not_made_anew(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()
    issue.label("selfcode", by="ada")
    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (pull,) = repository.pulls
    words = f"{repository.full_name}: say what it does"
    shared_town.will_reply(f"{recordings.DOCUMENTED}\n{recordings.finish('It says it.')}", to=words)
    calls = len(shared_town.model.calls)
    shared_town.model.hold()

    pull.comment(f"/selfcode retry {words}", by="ada")
    try:
        assert shared_town.model.wait_for_calls(calls + 1, timeout_s=120), shared_town.log()[-4000:]
        pull.delete_branch(by="ada")
        run = shared_town.wait_for_end(repository, issue, runs=2)
    finally:
        shared_town.model.release()

    assert run.outcome is Outcome.STOPPED, f"{run.reason}\n{shared_town.log()[-4000:]}"
    assert (repository.branches, [each.state for each in repository.pulls]) == (("main",), ["closed"])


def _in_mid_reply(town: Town, repository: RepositoryHandle, issue: IssueHandle, happen: Callable[[], object]) -> RunRow:
    """The issue's run, at whose model's first reply something happens, once it has ended."""
    calls = len(town.model.calls)
    town.model.hold()
    issue.label("selfcode", by="ada")
    try:
        assert town.model.wait_for_calls(calls + 1, timeout_s=120), town.log()[-4000:]
        happen()
        town.hub.wait_for_deliveries()
    finally:
        town.model.release()
    return town.wait_for_end(repository, issue)

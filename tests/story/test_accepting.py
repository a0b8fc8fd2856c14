"""Altered tests, and pushes by people: what becomes of a proof that is there already."""

import pytest

from bot.demo.handles import IssueHandle, PullHandle, RepositoryHandle
from bot.demo.recorded import Recording
from bot.records import Outcome
from tests.demo import published
from tests.story import recordings
from tests.story.conftest import Case
from tests.story.town import BOT, Town

LOOSER_TEST = """\
```python path=test_calc.py
from unittest import TestCase

from calc import add


class TestAdd(TestCase):
    def test_add(self):
        assert add(1, 2) > 0
```
"""


def altering(match: str = recordings.TITLE) -> Recording:
    """A right test and a right fix, and an existing test that is loosened on the way."""
    change = f"{recordings.RIGHT_FIX}\n{LOOSER_TEST}\n{recordings.finish('add() adds as it is.')}"
    return recordings.recording(
        f"{recordings.NEW_TEST}\n{recordings.finish('A test for the sign.')}", change, change, change, match=match
    )


Altered = tuple[RepositoryHandle, IssueHandle, PullHandle]


@pytest.fixture
def altered(shared_town: Town, a_case: Case) -> Altered:
    """An issue whose draft pull request lacks a person's word on a test that it loosens."""
    repository, issue = a_case(altering)
    issue.label("selfcode", by="ada")
    shared_town.wait_for_outcome(repository, issue, Outcome.UNPROVEN)
    (pull,) = repository.pulls
    assert pull.is_draft
    assert "Existing tests were altered" in pull.body
    return repository, issue, pull


def test_who_may_write_accepts_altered_tests_and_the_draft_becomes_ready(shared_town: Town, altered: Altered) -> None:
    repository, issue, pull = altered

    comment = pull.comment("/selfcode accept-tests", by="ada")

    run = shared_town.wait_for_end(repository, issue, runs=2)
    assert run.outcome is Outcome.PROVEN, run.reason
    assert not pull.is_draft
    assert pull.body.startswith("✅ **Proven**")
    assert "accepted by `ada`" in pull.body
    assert [check.conclusion for check in pull.checks][-1] == "success"
    assert [(found.user.login, found.content) for found in comment.reactions] == [(BOT, "eyes")]
    answer = pull.comments_by(BOT)[-1].body
    assert "is accepted by `ada`" in answer
    assert f"Ready for your review: #{pull.number}" in answer
    assert "Proven" in shared_town.said(issue)[0].body.splitlines()[0]


def test_a_persons_push_makes_the_proof_stale_and_re_run_renews_it(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()
    issue.label("selfcode", by="ada")
    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (pull,) = repository.pulls
    proven = pull.head_sha
    said_by = [comment.body for comment in pull.comments]

    more = recordings.TESTS.decode().replace("test_add", "test_more").replace("add(1, 2) == 3", "add(0, 0) == 0")
    theirs = _push(repository, pull, {"test_more.py": more})

    shared_town.wait_for_end(repository, issue, runs=2)
    assert pull.body.startswith(f"⚠️ **Stale**: the proof below is of `{proven[:10]}`")
    (check,) = pull.checks
    assert (check.conclusion, check.title) == (
        "neutral",
        f"Stale: the proof is for {proven[:10]}; {theirs[:10]} is not proven",
    )

    pull.rerun(by="ada")

    run = shared_town.wait_for_end(repository, issue, runs=3)
    assert run.outcome is Outcome.PROVEN, run.reason
    assert pull.body.startswith("✅ **Proven**")
    assert theirs in pull.body
    assert pull.checks[-1].conclusion == "success"
    assert pull.head_sha == theirs
    assert [comment.body for comment in pull.comments] == said_by
    published.check_all(shared_town.hub)


def test_what_a_person_pushed_is_judged_like_all_else(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()
    issue.label("selfcode", by="ada")
    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (pull,) = repository.pulls
    _push(repository, pull, {"test_calc.py": recordings.TESTS.decode().replace("assert add(1, 2) == 3", "pass")})
    shared_town.wait_for_end(repository, issue, runs=2)
    pull.rerun(by="ada")
    run = shared_town.wait_for_end(repository, issue, runs=3)
    assert run.outcome is Outcome.UNPROVEN
    assert "Existing tests were altered" in pull.body
    assert any(each["path"] == "test_calc.py" for each in pull.checks[-1].annotations)

    pull.comment("/selfcode accept-tests", by="ada")

    run = shared_town.wait_for_end(repository, issue, runs=4)
    assert run.outcome is Outcome.PROVEN, run.reason
    assert "accepted by `ada`" in pull.body


def test_a_command_on_another_pull_request_is_answered_there(shared_town: Town, a_case: Case) -> None:
    repository, _ = a_case()
    repository.commit({"more.py": "x = 1\n"}, branch="mine", parent=repository.head(), by="ada")
    other = _open(repository)

    other.comment("/selfcode retry", by="ada")

    (answer,) = shared_town.wait_for("the answer", lambda: other.comments_by(BOT))
    assert "on selfcode's own pull requests: this is another one" in answer.body


def test_commands_on_our_pull_request_are_meant_for_its_issue(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()
    issue.label("selfcode", by="ada")
    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (pull,) = repository.pulls

    pull.comment("/selfcode retry\nPlease keep the API.", by="ada")

    shared_town.wait_for_end(repository, issue, runs=2)
    assert "Please keep the API." in str(shared_town.model.calls[-1].request["messages"])


def _push(repository: RepositoryHandle, pull: PullHandle, files: dict[str, bytes | str | None]) -> str:
    return repository.commit(files, branch=pull.head, parent=pull.head_sha, by="ada")


def _open(repository: RepositoryHandle) -> PullHandle:
    return repository.open_pull("mine", by="ada", title="Mine")

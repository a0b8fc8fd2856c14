"""A label goes in, a pull request comes out: through real HTTP, git, processes and a model server."""

from dataclasses import dataclass

import pytest

from bot.demo.handles import IssueHandle, PullHandle, RepositoryHandle
from bot.records import Outcome
from tests.demo import published
from tests.story import recordings
from tests.story.conftest import Case
from tests.story.town import BOT, Town

WEIRD_TITLE = 'x"; touch $HOME/pwned; echo "$GITHUB_TOKEN $(id) --upload-pack=x @{ ~^: [x] a..b .lock 😊 @ada fixes #1'
HOSTILE = {
    ".husky/pre-commit": b"#!/bin/sh\nexit 1\n",
    ".husky/pre-push": b"#!/bin/sh\nenv > $HOME/pwned\n",
    ".gitattributes": b"* filter=x\n*.bin filter=lfs diff=lfs merge=lfs\n",
    "big.bin": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
}
MEDDLING = b"""\
import os
from pathlib import Path

print(dict(os.environ))
Path('left.txt').write_text('x')
Path('.cache').mkdir(exist_ok=True)
"""


@dataclass(frozen=True, slots=True)
class Story:
    """One that is over, for several tests to look at. `base` is the repository's head before it."""

    repository: RepositoryHandle
    issue: IssueHandle
    base: str | None

    @property
    def pull(self) -> PullHandle:
        (pull,) = self.repository.pulls
        return pull


def told(town: Town, case: tuple[RepositoryHandle, IssueHandle]) -> Story:
    """The story of a labelled issue, to its proven end."""
    repository, issue = case
    base = repository.head()
    issue.label("selfcode", by="ada")
    town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    return Story(repository, issue, base)


@pytest.fixture(scope="module")
def usual(shared_town: Town, a_case: Case) -> Story:
    return told(shared_town, a_case(recordings.wrong_then_right, files=recordings.files() | recordings.FOR_PYTEST))


@pytest.fixture(scope="module")
def strange(shared_town: Town, a_case: Case) -> Story:
    """A title full of tricks, a default branch of another name, hooks and filters in the repository."""
    files = recordings.files() | HOSTILE
    return told(shared_town, a_case(title=WEIRD_TITLE, default_branch="redhat-3.17", files=files))


@pytest.fixture(scope="module")
def meddled(shared_town: Town, a_case: Case) -> Story:
    """The repository's tests print their environment and leave files behind."""
    files = recordings.files(conftest_py=MEDDLING) | recordings.FOR_PYTEST
    return told(shared_town, a_case(recordings.wrong_then_right, files=files))


def test_a_labelled_issue_becomes_a_proven_pull_request(usual: Story) -> None:
    pull, issue = usual.pull, usual.issue

    assert pull.state == "open"
    assert not pull.is_draft
    assert pull.head == f"selfcode/issue-{issue.number}"
    assert [commit.message.splitlines()[0] for commit in pull.commits] == [
        f"Test: {recordings.TITLE} (#{issue.number})",
        f"{recordings.TITLE} (#{issue.number})",
    ]
    assert {file.path for file in pull.files} == {"calc.py", "test_negative.py"}
    assert pull.file("calc.py") == recordings.FIXED
    assert pull.file("test_calc.py") == recordings.TESTS
    assert usual.repository.head() == usual.base
    assert f"Closes #{issue.number}" in pull.body
    assert "test_negative.py::TestSign::test_add_keeps_the_sign_of_a_negative_number" in pull.body
    assert [check.conclusion for check in pull.checks] == ["success"]


def test_people_see_eyes_one_comment_that_becomes_the_result_and_the_log_on_the_pull_request(
    shared_town: Town, usual: Story
) -> None:
    (result,) = shared_town.said(usual.issue)
    (log,) = usual.pull.comments_by(BOT)

    assert (BOT, "eyes") in usual.issue.reactions
    assert "Proven" in result.body.splitlines()[0]
    assert f"#{usual.pull.number}" in result.body
    assert "3 iterations" in log.body
    assert "add() negates." in log.body
    assert "1 passed, 1 failed" in log.body


def test_an_issue_opened_with_the_label_and_labelled_a_moment_later_is_one_run(shared_town: Town, a_case: Case) -> None:
    repository, _ = a_case()

    issue = repository.open_issue(recordings.TITLE, recordings.BODY, by="ada", labels=("selfcode",))

    shared_town.wait_for_end(repository, issue)
    about_it = [sent for sent in shared_town.hub.deliveries if sent.payload.get("issue", {}).get("id") == issue.id]
    assert {sent.action for sent in about_it} >= {"opened", "labeled"}
    assert len(shared_town.runs(repository, issue)) == 1


def test_a_redelivered_label_starts_no_second_run(shared_town: Town, usual: Story) -> None:
    labelled = [
        delivery
        for delivery in shared_town.hub.deliveries
        if delivery.event == "issues"
        and delivery.payload["action"] == "labeled"
        and delivery.payload["repository"]["id"] == usual.repository.id
    ]

    shared_town.hub.redeliver(labelled[-1])
    shared_town.hub.wait_for_deliveries()

    assert len(shared_town.runs(usual.repository, usual.issue)) == 1
    assert len(usual.repository.pulls) == 1


def test_a_title_full_of_tricks_is_only_text(shared_town: Town, strange: Story) -> None:
    assert "touch $HOME/pwned" in strange.pull.title
    assert "touch $HOME/pwned" in strange.pull.commits[0].message
    assert not (shared_town.home / "pwned").exists()


def test_the_default_branch_is_whatever_the_repository_says(strange: Story) -> None:
    assert strange.pull.pull.base == "redhat-3.17"


def test_hooks_and_filters_that_the_repository_brings_are_not_run(shared_town: Town, strange: Story) -> None:
    assert strange.pull.file("big.bin") == HOSTILE["big.bin"]
    assert not (shared_town.home / "pwned").exists()


def test_what_running_the_tests_leaves_behind_is_not_in_the_pull_request(meddled: Story) -> None:
    assert {file.path for file in meddled.pull.files} == {"calc.py", "test_negative.py"}


def test_no_secret_is_anywhere_to_be_seen(shared_town: Town, meddled: Story) -> None:
    seen = _everything_said(meddled.repository, meddled.issue) + shared_town.log()

    secrets = ("sk-a-key", "a secret of the tests", "PRIVATE KEY", "ghs_", "x-access-token:")
    assert [secret for secret in secrets if secret in seen] == []


@pytest.mark.usefixtures("usual")
def test_what_is_asked_answered_and_delivered_has_the_shape_that_github_published(shared_town: Town) -> None:
    published.check_all(shared_town.hub)


def _everything_said(repository: RepositoryHandle, issue: IssueHandle) -> str:
    comments = [comment.body for at in (issue, *repository.pulls) for comment in at.comments]
    pulls = [f"{pull.title}{pull.body}{pull.diff}" for pull in repository.pulls]
    return "\n".join([*comments, *pulls, *(f"{check.title} {check.summary}" for check in repository.check_runs)])

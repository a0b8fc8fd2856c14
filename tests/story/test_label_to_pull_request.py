"""A label goes in, a pull request comes out: through real HTTP, git, processes and a model server."""

from bot.demo.handles import IssueHandle, RepositoryHandle
from bot.records import Outcome
from tests.demo import published
from tests.story import recordings
from tests.story.conftest import Case
from tests.story.town import BOT, Town

WEIRD_TITLE = 'x"; touch $HOME/pwned; echo "$GITHUB_TOKEN $(id) --upload-pack=x @{ ~^: [x] a..b .lock 😊 @ada fixes #1'


def test_a_labelled_issue_becomes_a_proven_pull_request(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case(recordings.wrong_then_right)
    base = repository.head()

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (pull,) = repository.pulls
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
    assert repository.head() == base
    assert f"Closes #{issue.number}" in pull.body
    assert "test_negative.py::test_add_keeps_the_sign_of_a_negative_number" in pull.body
    assert [check.conclusion for check in pull.checks] == ["success"]


def test_people_see_eyes_one_comment_that_becomes_the_result_and_the_log_on_the_pull_request(
    shared_town: Town, a_case: Case
) -> None:
    repository, issue = a_case(recordings.wrong_then_right)

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (pull,) = repository.pulls
    (result,) = shared_town.said(issue)
    (log,) = pull.comments_by(BOT)
    assert (BOT, "eyes") in issue.reactions
    assert "Proven" in result.body.splitlines()[0]
    assert f"#{pull.number}" in result.body
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


def test_a_redelivered_label_starts_no_second_run(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()
    issue.label("selfcode", by="ada")
    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    labelled = [
        delivery
        for delivery in shared_town.hub.deliveries
        if delivery.event == "issues"
        and delivery.payload["action"] == "labeled"
        and delivery.payload["repository"]["id"] == repository.id
    ]

    shared_town.hub.redeliver(labelled[-1])
    shared_town.hub.wait_for_deliveries()

    assert len(shared_town.runs(repository, issue)) == 1
    assert len(repository.pulls) == 1


def test_a_title_full_of_tricks_is_only_text(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case(title=WEIRD_TITLE)

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (pull,) = repository.pulls
    assert "touch $HOME/pwned" in pull.title
    assert "touch $HOME/pwned" in pull.commits[0].message
    assert not (shared_town.home / "pwned").exists()


def test_the_default_branch_is_whatever_the_repository_says(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case(default_branch="redhat-3.17")

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (pull,) = repository.pulls
    assert pull.pull.base == "redhat-3.17"


def test_hooks_and_filters_that_the_repository_brings_are_not_run(shared_town: Town, a_case: Case) -> None:
    hostile = {
        ".husky/pre-commit": b"#!/bin/sh\nexit 1\n",
        ".husky/pre-push": b"#!/bin/sh\nenv > $HOME/pwned\n",
        ".gitattributes": b"* filter=x\n*.bin filter=lfs diff=lfs merge=lfs\n",
        "big.bin": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    }
    repository, issue = a_case(files=recordings.files() | hostile)

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (pull,) = repository.pulls
    assert pull.file("big.bin") == hostile["big.bin"]
    assert not (shared_town.home / "pwned").exists()


def test_what_running_the_tests_leaves_behind_is_not_in_the_pull_request(shared_town: Town, a_case: Case) -> None:
    litter = b"from pathlib import Path\n\nPath('left.txt').write_text('x')\nPath('.cache').mkdir(exist_ok=True)\n"
    repository, issue = a_case(recordings.wrong_then_right, files=recordings.files(conftest_py=litter))

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (pull,) = repository.pulls
    assert {file.path for file in pull.files} == {"calc.py", "test_negative.py"}


def test_no_secret_is_anywhere_to_be_seen(shared_town: Town, a_case: Case) -> None:
    nosy = b"import os\n\nprint(dict(os.environ))\n"
    repository, issue = a_case(recordings.wrong_then_right, files=recordings.files(conftest_py=nosy))

    issue.label("selfcode", by="ada")

    shared_town.wait_for_end(repository, issue)
    seen = _everything_said(repository, issue) + shared_town.log()
    secrets = ("sk-a-key", "a secret of the tests", "PRIVATE KEY", "ghs_", "x-access-token:")
    assert [secret for secret in secrets if secret in seen] == []


def test_what_is_asked_answered_and_delivered_has_the_shape_that_github_published(
    shared_town: Town, a_case: Case
) -> None:
    repository, issue = a_case(recordings.wrong_then_right)
    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)

    published.check_all(shared_town.hub)


def _everything_said(repository: RepositoryHandle, issue: IssueHandle) -> str:
    comments = [comment.body for at in (issue, *repository.pulls) for comment in at.comments]
    pulls = [f"{pull.title}{pull.body}{pull.diff}" for pull in repository.pulls]
    return "\n".join([*comments, *pulls, *(f"{check.title} {check.summary}" for check in repository.check_runs)])

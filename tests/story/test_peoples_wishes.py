"""What people do with a pull request, or from a branch of our name, is theirs."""

from collections.abc import Callable
from typing import Any

from bot.demo.handles import IssueHandle, RepositoryHandle
from bot.records import Outcome
from tests.story import recordings
from tests.story.town import Town

Case = Callable[..., tuple[RepositoryHandle, IssueHandle]]


def documented(town: Town, repository: RepositoryHandle) -> str:
    """Words that have the model document the function."""
    words = f"{repository.full_name}: say what it does"
    town.will_reply(f"{recordings.DOCUMENTED}\n{recordings.finish('It says it.')}", to=words)
    return words


def test_a_follow_up_undoes_nothing_that_people_did_to_the_pull_request_and_touches_no_other(
    shared_town: Town, a_case: Case
) -> None:
    settings: dict[str, Any] = {"files": recordings.files()}
    settings["files"][".github/selfcode.yml"] = recordings.CONFIGURATION + b"reviewers: [ada]\nlabels: [bug]\n"
    repository, issue = a_case(**settings)
    issue.label("selfcode", by="ada")
    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (pull,) = repository.pulls
    for branch in ("develop", "release-1"):
        repository.commit({"x": "y"}, f"Begin {branch}", branch=branch, parent=repository.head(), by="ada")
    backport = repository.open_pull(title="Backport", head=pull.head, base="release-1", body="by hand", by="ada")
    pull.retarget("develop", by="ada")
    pull.edit(by="ada", title="feat: keep the sign", body=f"{pull.body}\n\n- [x] checked by hand by ada\n")
    pull.unlabel("bug", by="ada")
    pull.review(by="ada", state="approved", body="ok")
    pull.set_draft(draft=True, by="ada")
    head = pull.head_sha

    pull.comment(f"/selfcode retry {documented(shared_town, repository)}", by="ada")
    run = shared_town.wait_for_end(repository, issue, runs=2)

    assert (run.outcome, pull.head_sha != head) == (Outcome.PROVEN, True), run.reason
    assert (pull.pull.base, pull.title, pull.is_draft) == ("develop", "feat: keep the sign", True)
    assert (list(pull.labels), list(pull.reviewers)) == ([], [])
    assert pull.body.startswith("✅ **Proven**")
    assert pull.body.endswith("- [x] checked by hand by ada")
    assert "A person made it a draft, and so it is left." in shared_town.said(issue)[-1].body
    assert (backport.title, backport.pull.base, backport.body) == ("Backport", "release-1", "by hand")


def test_a_persons_own_pull_request_from_a_branch_of_our_name_is_neither_pushed_to_nor_described(
    shared_town: Town, a_case: Case
) -> None:
    repository, issue = a_case()
    branch = f"selfcode/issue-{issue.number}"
    mine = {"calc.py": "def add(a, b):\n    return (a + b)\n"}
    head = repository.commit(mine, "My own fix", branch=branch, parent=repository.head(), by="ada")
    own = repository.open_pull(title="My own fix", head=branch, base="main", body="I did this by hand.", by="ada")

    issue.label("selfcode", by="ada")
    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)

    ours = next(pull for pull in repository.pulls if pull.number != own.number)
    assert (own.head_sha, own.title, own.body) == (head, "My own fix", "I did this by hand.")
    assert ours.head == f"{branch}-2"

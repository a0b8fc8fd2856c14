"""Pull requests and check runs as GitHub keeps them."""

import pytest

from tests.demo.clients import Client, Scene

REPO = "/repos/octo/adder"
TEXT = {"title": "Add", "body": "Closes #1", "head": "selfcode/issue-1", "base": "main"}


@pytest.fixture
def bot(scene: Scene) -> Client:
    return scene.bot()


def test_a_pull_request_shows_what_its_branch_adds(scene: Scene, bot: Client) -> None:
    sha = scene.pushed_branch()

    answer = bot.post(f"{REPO}/pulls", TEXT | {"draft": True})

    [pull] = scene.repository.pulls
    assert answer.status_code == 201
    assert (answer.json()["commits"], answer.json()["changed_files"], answer.json()["additions"]) == (1, 1, 1)
    assert (pull.title, pull.body, pull.is_draft, pull.head_sha) == ("Add", "Closes #1", True, sha)
    assert [commit.sha for commit in pull.commits] == [sha]
    assert pull.file("adder.py") == b"def add(a, b):\n    return a + b\n"
    assert "+    return a + b" in pull.diff


def test_a_second_pull_request_for_the_branch_is_422(scene: Scene, bot: Client) -> None:
    scene.pushed_branch()
    bot.post(f"{REPO}/pulls", TEXT)

    answer = bot.post(f"{REPO}/pulls", TEXT)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["message"] == "A pull request already exists for octo:selfcode/issue-1."


def test_a_branch_without_commits_of_its_own_is_422(scene: Scene, bot: Client) -> None:
    scene.repository.commit({}, branch="selfcode/issue-1", parent=scene.repository.head())
    scene.repository.commit({}, branch="main", parent=scene.repository.head("selfcode/issue-1"))

    answer = bot.post(f"{REPO}/pulls", TEXT)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["message"] == "No commits between main and selfcode/issue-1"


@pytest.mark.parametrize(("field", "value"), [("head", "nowhere"), ("base", "nowhere"), ("title", "")])
def test_a_pull_request_from_or_to_nowhere_is_422(scene: Scene, bot: Client, field: str, value: str) -> None:
    scene.pushed_branch()

    answer = bot.post(f"{REPO}/pulls", TEXT | {field: value})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


def test_a_pull_request_follows_its_branch(scene: Scene, bot: Client) -> None:
    scene.pushed_branch()
    number = bot.post(f"{REPO}/pulls", TEXT).json()["number"]

    sha = scene.repository.commit({"more.py": "x = 1\n"}, branch="selfcode/issue-1")

    assert bot.get(f"{REPO}/pulls/{number}").json()["head"]["sha"] == sha


def test_a_pull_request_whose_branch_is_deleted_is_closed_and_stays_so(scene: Scene, bot: Client) -> None:
    scene.pushed_branch()
    number = bot.post(f"{REPO}/pulls", TEXT).json()["number"]

    scene.repository.delete_branch("selfcode/issue-1")

    assert scene.repository.pulls[0].state == "closed"
    assert bot.patch(f"{REPO}/pulls/{number}", {"state": "open"}).status_code == 422


@pytest.mark.parametrize("head", ["octo:selfcode/issue-1", "OCTO:selfcode/issue-1"])
def test_the_list_is_filtered_by_owner_and_branch(scene: Scene, bot: Client, head: str) -> None:
    scene.pushed_branch()
    bot.post(f"{REPO}/pulls", TEXT)

    assert len(bot.get(f"{REPO}/pulls?head={head}&state=open").json()) == 1
    assert bot.get(f"{REPO}/pulls?head=octo:other&state=open").json() == []
    assert bot.get(f"{REPO}/pulls?head={head}&state=closed").json() == []


@pytest.mark.parametrize("reviewer", ["selfcode[bot]", "ada"], ids=["the author", "a stranger"])
def test_one_unfit_reviewer_refuses_them_all(scene: Scene, bot: Client, reviewer: str) -> None:
    scene.pushed_branch()
    number = bot.post(f"{REPO}/pulls", TEXT).json()["number"]

    answer = bot.post(f"{REPO}/pulls/{number}/requested_reviewers", {"reviewers": ["mona", reviewer]})

    assert answer.status_code == 422
    assert scene.repository.pulls[0].reviewers == ()


def test_a_check_run_belongs_to_a_commit_and_to_its_app(scene: Scene, bot: Client) -> None:
    sha = scene.pushed_branch()
    bot.post(f"{REPO}/pulls", TEXT)
    output = {"title": "Proven", "summary": "One test"}
    run = {"name": "selfcode", "head_sha": sha, "status": "completed", "conclusion": "success", "output": output}

    number = bot.post(f"{REPO}/check-runs", run).json()["id"]
    bot.patch(f"{REPO}/check-runs/{number}", {"conclusion": "neutral"})

    [check] = scene.repository.pulls[0].checks
    assert (check.name, check.conclusion, check.title) == ("selfcode", "neutral", "Proven")
    assert bot.get(f"{REPO}/commits/{sha}/check-runs?check_name=other").json()["total_count"] == 0


def test_a_check_run_on_a_commit_that_is_not_there_is_422(bot: Client) -> None:
    assert bot.post(f"{REPO}/check-runs", {"name": "selfcode", "head_sha": "0" * 40}).status_code == 422


@pytest.mark.parametrize("part", ["summary", "text"])
def test_a_check_runs_text_has_a_limit(scene: Scene, bot: Client, part: str) -> None:
    output = {"title": "Proven", "summary": "One test"} | {part: "x" * 65_536}

    answer = bot.post(f"{REPO}/check-runs", {"name": "x", "head_sha": scene.repository.head(), "output": output})

    assert answer.status_code == 422

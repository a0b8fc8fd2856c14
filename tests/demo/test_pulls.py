"""Pull requests and check runs as GitHub keeps them."""

from typing import Any

import pytest

from tests.demo import published
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


# --- Drafts: what the REST API leaves to GraphQL

READY = "mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } } }"


def graph(scene: Scene, token: str, node_id: str, query: str = READY) -> dict[str, Any]:
    url = scene.hub.api_url.removesuffix("/v3")
    answer = Client(url, token).post("/graphql", {"query": query, "variables": {"id": node_id}})
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def test_a_draft_is_marked_as_ready_by_graphql_and_told(scene: Scene, bot: Client) -> None:
    scene.pushed_branch()
    node_id = bot.post(f"{REPO}/pulls", TEXT | {"draft": True}).json()["node_id"]

    answer = graph(scene, bot.token, node_id)

    assert answer == {"data": {"markPullRequestReadyForReview": {"pullRequest": {"isDraft": False}}}}
    assert not scene.repository.pulls[0].is_draft
    assert (scene.hub.deliveries[-1].event, scene.hub.deliveries[-1].action) == ("pull_request", "ready_for_review")


DRAFT = "mutation($id: ID!) { convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { isDraft } } }"


def test_a_pull_request_is_made_a_draft_by_graphql_and_told(scene: Scene, bot: Client) -> None:
    scene.pushed_branch()
    node_id = bot.post(f"{REPO}/pulls", TEXT).json()["node_id"]

    answer = graph(scene, bot.token, node_id, DRAFT)

    assert answer == {"data": {"convertPullRequestToDraft": {"pullRequest": {"isDraft": True}}}}
    assert (scene.hub.deliveries[-1].event, scene.hub.deliveries[-1].action) == ("pull_request", "converted_to_draft")


def test_where_an_account_has_no_drafts_none_is_made(scene: Scene, bot: Client) -> None:
    scene.pushed_branch()
    scene.repository.rules.drafts = False
    node_id = bot.post(f"{REPO}/pulls", TEXT).json()["node_id"]

    (error,) = graph(scene, bot.token, node_id, DRAFT)["errors"]

    assert (error["type"], error["message"].endswith(" to draft.")) == ("FORBIDDEN", True)
    assert not scene.repository.pulls[0].is_draft


def test_graphql_says_no_with_the_status_200(scene: Scene, bot: Client) -> None:
    scene.pushed_branch()
    node_id = bot.post(f"{REPO}/pulls", TEXT | {"draft": True}).json()["node_id"]
    reader = scene.bot_token({"permissions": {"pull_requests": "read"}})

    refused = [
        graph(scene, reader, node_id),
        graph(scene, bot.token, "nothing"),
        graph(scene, bot.token, node_id, "mutation { deleteEverything }"),
    ]

    assert [answer["errors"][0].get("type") for answer in refused] == ["FORBIDDEN", "NOT_FOUND", None]
    assert refused[-1]["errors"][0]["extensions"]["code"] == "undefinedField"
    assert scene.repository.pulls[0].is_draft


# --- Check runs that are asked for again, and annotated


def a_run(sha: str, **changed: Any) -> dict[str, Any]:
    output = {"title": "Proven", "summary": "One test"}
    return {"name": "selfcode", "head_sha": sha, "conclusion": "neutral", "output": output} | changed


def test_of_check_runs_of_one_name_the_newest_is_listed(scene: Scene, bot: Client) -> None:
    sha = scene.pushed_branch()
    bot.post(f"{REPO}/check-runs", a_run(sha))
    newest = bot.post(f"{REPO}/check-runs", a_run(sha)).json()["id"]

    listed = bot.get(f"{REPO}/commits/{sha}/check-runs?check_name=selfcode").json()["check_runs"]
    every = bot.get(f"{REPO}/commits/{sha}/check-runs?filter=all").json()["check_runs"]

    assert [run["id"] for run in listed] == [newest]
    assert len(every) == 2


def test_annotations_of_an_update_are_added_to_those_that_are_there(scene: Scene, bot: Client) -> None:
    sha = scene.pushed_branch()
    remark = {"path": "adder.py", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "Look."}
    output = {"title": "Proven", "summary": "One test", "annotations": [remark]}
    number = bot.post(f"{REPO}/check-runs", a_run(sha, output=output)).json()["id"]

    answer = bot.patch(f"{REPO}/check-runs/{number}", {"output": output})

    assert answer.json()["output"]["annotations_count"] == 2


@pytest.mark.parametrize(
    "wrong", [{"path": ""}, {"message": ""}, {"annotation_level": "error"}, {"end_line": 0}, {"title": "t" * 256}]
)
def test_an_annotation_that_says_too_little_or_too_much_is_422(
    scene: Scene, bot: Client, wrong: dict[str, Any]
) -> None:
    sha = scene.pushed_branch()
    remark = {"path": "adder.py", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "Look."}
    output = {"title": "Proven", "summary": "One test", "annotations": [remark | wrong]}

    assert bot.post(f"{REPO}/check-runs", a_run(sha, output=output)).status_code == 422


def test_re_run_is_told_to_the_app_with_the_branch(scene: Scene, bot: Client) -> None:
    sha = scene.pushed_branch()
    bot.post(f"{REPO}/pulls", TEXT)
    bot.post(f"{REPO}/check-runs", a_run(sha))

    scene.repository.pulls[0].rerun(by="mona")

    sent = scene.hub.deliveries[-1]
    published.check_delivery(sent.event, sent.payload)
    assert (sent.event, sent.action) == ("check_run", "rerequested")
    assert sent.payload["check_run"]["check_suite"]["head_branch"] == "selfcode/issue-1"


def test_one_that_goes_the_same_way_keeps_another_from_being_sent_there_or_opened_again(
    scene: Scene, bot: Client
) -> None:
    scene.pushed_branch()
    scene.repository.commit({"x": "y"}, branch="develop", parent=scene.repository.head())
    closed = bot.post(f"{REPO}/pulls", TEXT).json()["number"]
    bot.patch(f"{REPO}/pulls/{closed}", {"state": "closed"})
    elsewhere = bot.post(f"{REPO}/pulls", TEXT | {"base": "develop"}).json()["number"]
    bot.post(f"{REPO}/pulls", TEXT)

    answers = [
        bot.patch(f"{REPO}/pulls/{elsewhere}", {"base": "main"}),
        bot.patch(f"{REPO}/pulls/{closed}", {"state": "open"}),
    ]

    said = [(answer.status_code, answer.json()["errors"][0]["message"]) for answer in answers]
    assert said == [(422, "A pull request already exists for octo:selfcode/issue-1.")] * 2

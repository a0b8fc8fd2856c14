"""The stand-in is not our imagination: what it answers and delivers has the shape that GitHub published."""

from dataclasses import replace

import pytest

from tests.demo import published
from tests.demo.clients import Client, Scene

REPO = "/repos/octo/adder"
TEXT = {"title": "Add", "body": "Closes #1", "base": "main"}


def every_operation(scene: Scene, version: str) -> None:
    """Use every operation of the hub once, refusals among them."""
    person, app, bot = (
        replace(client, version=version) for client in (scene.person("mona"), scene.as_app(), scene.bot())
    )
    issue = person.post(f"{REPO}/issues", {"title": "Sum is wrong", "body": "It subtracts.", "labels": ["bug"]})
    assert issue.status_code == 201
    sha = scene.pushed_branch()
    _as_app(scene, app)
    _about_issues(person, bot)
    _about_pulls(bot, sha)
    _about_reviews(scene, person, bot)
    _about_checks(scene, bot, sha)
    _about_git(bot, sha)
    _about_merging(scene, person)
    _refusals(person, app, bot)


def _as_app(scene: Scene, app: Client) -> None:
    number = scene.installation.id
    app.get("/app")
    app.get("/app/installations")
    app.get(f"/app/installations/{number}")
    app.post(f"/app/installations/{number}/access_tokens", {"repository_ids": [scene.repository.id]})
    app.get(f"{REPO}/installation")
    app.get("/users/octo/installation")
    app.ask("PUT", f"/app/installations/{number}/suspended")
    app.delete(f"/app/installations/{number}/suspended")
    app.get("/app/hook/deliveries")


def _about_git(bot: Client, sha: str) -> None:
    tree = bot.get(f"{REPO}/git/commits/{sha}").json()["tree"]["sha"]
    made = bot.post(f"{REPO}/git/commits", {"message": "Again", "tree": tree, "parents": [sha]}).json()["sha"]
    bot.post(f"{REPO}/git/commits", {"message": "Again", "tree": made, "parents": [sha]})
    bot.post(f"{REPO}/git/refs", {"ref": "refs/heads/again", "sha": sha})
    bot.patch(f"{REPO}/git/refs/heads/again", {"sha": made})
    bot.patch(f"{REPO}/git/refs/heads/again", {"sha": sha})
    bot.get(f"{REPO}/commits/{made}")


def _about_issues(person: Client, bot: Client) -> None:
    comment = bot.post(f"{REPO}/issues/1/comments", {"body": "On it."}).json()["id"]
    for path in ("", "/issues/1", "/issues", "/labels", "/issues/1/labels", "/issues/1/comments", "/labels/bug"):
        bot.get(f"{REPO}{path}")
    bot.get(f"{REPO}/issues/comments/{comment}")
    bot.patch(f"{REPO}/issues/comments/{comment}", {"body": "Done."})
    for where in ("issues/1", f"issues/comments/{comment}"):
        bot.post(f"{REPO}/{where}/reactions", {"content": "eyes"})
        bot.post(f"{REPO}/{where}/reactions", {"content": "eyes"})
        bot.get(f"{REPO}/{where}/reactions")
    bot.post(f"{REPO}/labels", {"name": "selfcode", "color": "0e8a16", "description": "For the bot"})
    person.post(f"{REPO}/issues/1/labels", {"labels": ["selfcode"]})
    person.post(f"{REPO}/issues/1/labels", ["help wanted"])
    person.delete(f"{REPO}/issues/1/labels/selfcode")
    person.patch(f"{REPO}/issues/1", {"title": "The sum is wrong", "state": "closed", "state_reason": "completed"})
    person.patch(f"{REPO}/issues/1", {"state": "open"})
    person.delete(f"{REPO}/issues/comments/{comment}")
    person.ask("PUT", f"{REPO}/issues/1/lock", {"lock_reason": "resolved"})
    person.delete(f"{REPO}/issues/1/lock")
    bot.get(f"{REPO}/collaborators/mona/permission")
    bot.get("/installation/repositories")
    bot.get("/users/mona")
    bot.get("/rate_limit")
    bot.get("/meta")
    person.get("/user")


def _about_pulls(bot: Client, sha: str) -> None:
    text = {"title": "Add", "body": "Closes #1", "head": "selfcode/issue-1", "base": "main", "draft": True}
    number = bot.post(f"{REPO}/pulls", text).json()["number"]
    bot.get(f"{REPO}/pulls?head=octo:selfcode/issue-1&state=open")
    bot.get(f"{REPO}/pulls/{number}")
    bot.get(f"{REPO}/issues/{number}")
    bot.post(f"{REPO}/issues/{number}/comments", {"body": "The log."})
    bot.post(f"{REPO}/issues/{number}/labels", {"labels": ["bug"]})
    bot.patch(f"{REPO}/pulls/{number}", {"title": "Add, not subtract", "body": "Closes #1."})
    bot.get(f"{REPO}/pulls/{number}/commits")
    bot.get(f"{REPO}/pulls/{number}/files")
    bot.post(f"{REPO}/pulls/{number}/requested_reviewers", {"reviewers": ["mona"]})
    bot.patch(f"{REPO}/pulls/{number}", {"state": "closed"})
    bot.patch(f"{REPO}/pulls/{number}", {"state": "open"})
    output = {"title": "Proven", "summary": "2 tests fail without this change"}
    run = {"name": "selfcode", "head_sha": sha, "status": "completed", "conclusion": "success", "output": output}
    check = bot.post(f"{REPO}/check-runs", run).json()["id"]
    bot.post(f"{REPO}/check-runs", {"name": "slow", "head_sha": sha, "status": "in_progress"})
    bot.get(f"{REPO}/check-runs/{check}")
    bot.patch(f"{REPO}/check-runs/{check}", {"status": "completed", "conclusion": "neutral"})
    bot.get(f"{REPO}/commits/{sha}/check-runs")
    bot.get(f"{REPO}/commits/{sha}")
    bot.get(f"{REPO}/git/ref/heads/selfcode/issue-1")
    bot.get(f"{REPO}/contents/adder.py?ref=main")
    bot.delete(f"{REPO}/git/refs/heads/selfcode/issue-1")


def _about_reviews(scene: Scene, person: Client, bot: Client) -> None:
    scene.pushed_branch("selfcode/issue-2")
    number = bot.post(f"{REPO}/pulls", TEXT | {"head": "selfcode/issue-2"}).json()["number"]
    remark = {"path": "adder.py", "line": 2, "side": "RIGHT", "body": "Why plus?"}
    wanted = {"event": "REQUEST_CHANGES", "body": "Not yet.", "comments": [remark]}
    review = person.post(f"{REPO}/pulls/{number}/reviews", wanted).json()["id"]
    comment = person.get(f"{REPO}/pulls/{number}/reviews/{review}/comments").json()[0]["id"]
    bot.get(f"{REPO}/pulls/{number}/reviews")
    bot.get(f"{REPO}/pulls/{number}/reviews/{review}")
    bot.get(f"{REPO}/pulls/{number}/comments")
    bot.get(f"{REPO}/pulls/comments/{comment}")
    answer = bot.post(f"{REPO}/pulls/{number}/comments/{comment}/replies", {"body": "Because."}).json()["id"]
    bot.post(f"{REPO}/pulls/{number}/comments/{answer}/replies", {"body": "And?"})
    bot.post(f"{REPO}/pulls/comments/{comment}/reactions", {"content": "eyes"})
    bot.get(f"{REPO}/pulls/comments/{comment}/reactions")
    bot.patch(f"{REPO}/pulls/comments/{answer}", {"body": "For it adds."})
    bot.delete(f"{REPO}/pulls/comments/{answer}")
    alone = {"path": "adder.py", "line": 2, "body": "One more.", "commit_id": scene.repository.head("selfcode/issue-2")}
    person.post(f"{REPO}/pulls/{number}/comments", alone)
    person.post(f"{REPO}/pulls/{number}/comments", alone | {"in_reply_to": comment})
    person.ask("PUT", f"{REPO}/pulls/{number}/reviews/{review}", {"body": "Not like this."})
    person.ask("PUT", f"{REPO}/pulls/{number}/reviews/{review}/dismissals", {"message": "Never mind."})
    pending = person.post(f"{REPO}/pulls/{number}/reviews", {"body": "Later."}).json()["id"]
    person.post(f"{REPO}/pulls/{number}/reviews/{pending}/events", {"event": "COMMENT"})
    pending = person.post(f"{REPO}/pulls/{number}/reviews", {"body": "Never."}).json()["id"]
    person.delete(f"{REPO}/pulls/{number}/reviews/{pending}")
    bot.post(f"{REPO}/pulls/{number}/requested_reviewers", {"reviewers": ["mona"]})
    bot.get(f"{REPO}/pulls/{number}/requested_reviewers")
    bot.ask("DELETE", f"{REPO}/pulls/{number}/requested_reviewers", {"reviewers": ["mona"]})


def _about_checks(scene: Scene, bot: Client, sha: str) -> None:
    run = scene.repository.check(sha, "tests", "failure", log="1 failed\n", summary="1 test failed")
    bot.get(f"{REPO}/commits/{sha}/check-runs?status=completed")
    bot.get(f"{REPO}/actions/jobs/{run.id}")
    bot.get(f"{REPO}/actions/jobs/{run.id}/logs")
    remark = {"path": "adder.py", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "No."}
    output = {"title": "Lint", "summary": "1 error", "annotations": [remark]}
    fields = {"name": "lint", "head_sha": sha, "conclusion": "failure", "output": output}
    number = bot.post(f"{REPO}/check-runs", fields).json()["id"]
    bot.get(f"{REPO}/check-runs/{number}/annotations")


def _about_merging(scene: Scene, person: Client) -> None:
    scene.repository.commit({"more.py": "x = 1\n"}, branch="more", parent=scene.repository.head())
    number = scene.repository.open_pull("more", by="mona").number
    person.get(f"{REPO}/branches/more")
    person.post(f"{REPO}/branches/more/rename", {"new_name": "much-more"})
    scene.repository.commit({"most.py": "x = 1\n"}, branch="most", parent=scene.repository.head())
    number = scene.repository.open_pull("most", by="mona").number
    person.get(f"{REPO}/pulls/{number}/merge")
    person.ask("PUT", f"{REPO}/pulls/{number}/merge", {"merge_method": "squash", "commit_title": "Most"})
    person.get(f"{REPO}/pulls/{number}/merge")
    person.ask("PUT", f"{REPO}/pulls/{number}/merge", {})
    person.get(f"{REPO}/pulls/{number}")


def _refusals(person: Client, app: Client, bot: Client) -> None:
    replace(bot, token="ghs_wrong").get(REPO)
    replace(bot, token="").post(f"{REPO}/issues", {"title": "Who am I?"})
    app.get("/app/installations/999999")
    bot.get(f"{REPO}/issues/999")
    bot.post(f"{REPO}/labels", {"name": "selfcode"})
    bot.get(f"{REPO}/collaborators/nobody-here/permission")
    bot.post(f"{REPO}/pulls", {"title": "Again", "head": "nowhere", "base": "main"})
    person.post(f"{REPO}/issues/1/comments", {"body": "x" * 65_537})
    person.post(f"{REPO}/check-runs", {"name": "mine", "head_sha": "0" * 40})


@pytest.mark.parametrize("version", ["2022-11-28", "2026-03-10"])
def test_every_answer_and_every_delivery_has_the_shape_that_github_published(scene: Scene, version: str) -> None:
    scene.app.events += ("label", "push")

    every_operation(scene, version)

    assert {sent.event for sent in scene.hub.deliveries} == {
        "installation",
        "issues",
        "issue_comment",
        "label",
        "pull_request",
        "pull_request_review",
        "pull_request_review_comment",
        "check_run",
        "check_suite",
        "push",
    }
    published.check_all(scene.hub)


def test_the_events_of_an_installations_life_have_the_shape_that_github_published(scene: Scene) -> None:
    hub = scene.hub
    other = hub.create_repository("octo/other")

    hub.select(scene.installation, other, added=False)
    hub.select(scene.installation, other)
    hub.suspend(scene.installation)
    hub.unsuspend(scene.installation)
    hub.uninstall(scene.installation)
    hub.set_webhook(scene.app, "http://127.0.0.1:9/nobody-listens")

    told = [(sent.event, sent.action) for sent in hub.deliveries]
    assert told == [
        ("installation", "created"),
        ("installation_repositories", "removed"),
        ("installation_repositories", "added"),
        ("installation", "suspend"),
        ("installation", "unsuspend"),
        ("installation", "deleted"),
        ("ping", None),
    ]
    published.check_all(hub)


def test_what_can_happen_to_a_pull_request_is_told_as_github_tells_it(scene: Scene) -> None:
    scene.app.events += ("pull_request_review_thread", "repository", "push")
    scene.pushed_branch()
    pull = scene.repository.open_pull("selfcode/issue-1", by="mona", draft=True)
    pull.set_draft(draft=False, by="mona")
    scene.repository.give_role("ada", "write")
    pull.request_review("ada", by="mona")
    thread = pull.review(by="ada", comments=[("adder.py", 2, "Why?")], body="").threads[0]
    thread.reply("So.", by="mona")
    thread.edit(thread.comments[0], "Why so?", by="ada")
    thread.resolve(by="mona")
    thread.resolve(by="mona", resolved=False)
    thread.delete(thread.comments[1], by="mona")
    pull.reviews[0].edit("No.", by="ada")
    pull.reviews[0].dismiss(by="mona")
    pull.lock()
    pull.unlock()
    scene.repository.rename_branch("main", "trunk")
    pull.merge(by="mona")

    published.check_all(scene.hub)


def test_what_can_happen_to_a_repository_and_its_issues_is_told_as_github_tells_it(scene: Scene) -> None:
    scene.app.events += ("repository",)
    there = scene.hub.create_repository("octo/there")
    moved, deleted = (scene.repository.open_issue("It breaks", by="mona") for _ in range(2))
    moved.comment("Me too", by="ada")
    moved.transfer(there, by="mona")
    deleted.lock(by="mona")
    deleted.delete(by="mona")
    scene.repository.set_private(private=True)
    scene.repository.rename("summer")
    scene.repository.archive()
    scene.repository.delete()

    told = [f"{sent.event}.{sent.action}" for sent in scene.hub.deliveries]
    assert "issues.transferred" in told
    assert told[-3:] == ["repository.renamed", "repository.archived", "repository.deleted"]
    published.check_all(scene.hub)


def test_a_push_to_a_pull_requests_branch_is_told_as_github_tells_it(scene: Scene) -> None:
    scene.pushed_branch()
    scene.person("mona").post(f"{REPO}/pulls", {"title": "Add", "head": "selfcode/issue-1", "base": "main"})

    scene.repository.commit({"more.py": "x = 1\n"}, branch="selfcode/issue-1", by="mona")

    assert scene.hub.deliveries[-1].action == "synchronize"
    published.check_all(scene.hub)


# --- The check itself


def test_an_answer_that_lacks_a_field_is_found(scene: Scene) -> None:
    answer = [*scene.bot().get(f"{REPO}/labels").json(), {"id": 1, "name": "half a label"}]

    with pytest.raises(AssertionError, match="node_id"):
        published.check_answer("GET", f"{REPO}/labels", 200, answer)


def test_an_answer_with_a_field_that_github_does_not_have_is_found(scene: Scene) -> None:
    answer = scene.bot().get(f"{REPO}/collaborators/mona/permission").json() | {"is_admin": False}

    with pytest.raises(AssertionError, match="is_admin"):
        published.check_answer("GET", f"{REPO}/collaborators/mona/permission", 200, answer)


def test_a_number_where_github_has_text_is_found(scene: Scene) -> None:
    answer = scene.bot().get(f"{REPO}/collaborators/mona/permission").json() | {"role_name": 3}

    with pytest.raises(AssertionError, match="role_name"):
        published.check_answer("GET", f"{REPO}/collaborators/mona/permission", 200, answer)


def test_a_misspelt_field_of_a_request_is_found() -> None:
    with pytest.raises(AssertionError, match="titel"):
        published.check_request("PATCH", f"{REPO}/pulls/1", {"titel": "Add"})


def test_a_request_without_a_field_that_must_be_there_is_found() -> None:
    with pytest.raises(AssertionError, match="base"):
        published.check_request("POST", f"{REPO}/pulls", {"title": "Add", "head": "selfcode/issue-1"})


def test_an_operation_that_github_does_not_have_is_found() -> None:
    with pytest.raises(AssertionError, match="no such operation"):
        published.check_request("POST", f"{REPO}/issues/1/confetti", {})


def test_a_delivery_without_its_issue_is_found(scene: Scene) -> None:
    scene.repository.open_issue("Sum is wrong", by="mona")
    payload = {key: value for key, value in scene.hub.deliveries[-1].payload.items() if key != "issue"}

    with pytest.raises(AssertionError, match="issue"):
        published.check_delivery("issues", payload)


def test_a_path_by_the_repositorys_number_is_the_same_operation() -> None:
    assert (
        published.operation_for("GET", "/repositories/7/issues/1").template
        == "/repos/{owner}/{repo}/issues/{issue_number}"
    )

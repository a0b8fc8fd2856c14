"""JSON as GitHub writes it: check runs, their suites, and jobs of Actions."""

from collections.abc import Mapping
from typing import Any

from bot.demo import git, shapes
from bot.demo.shapes import Json, moment, node_id
from bot.demo.state import CheckRun, CheckSuite, Repository
from bot.demo.world import World


def check_run(world: World, of: CheckRun, home: Repository) -> Json:
    """A check run as the API answers it."""
    url = f"{world.api_url}/repos/{home.full_name}/check-runs/{of.id}"
    return {
        "id": of.id,
        "node_id": node_id("CheckRun", of.id),
        "name": of.name,
        "head_sha": of.head_sha,
        "external_id": of.external_id,
        "url": url,
        "html_url": f"{world.base_url}/{home.full_name}/runs/{of.id}",
        "details_url": of.details_url,
        "status": of.status,
        "conclusion": of.conclusion,
        "started_at": moment(of.started_at),
        "completed_at": moment(of.completed_at),
        "output": {
            "title": of.title,
            "summary": of.summary,
            "text": of.text,
            "annotations_count": len(of.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": of.suite.id},
        "app": shapes.app(world, of.app),
        "pull_requests": _pulls(world, of.head_sha, home),
    }


def check_run_told(world: World, of: CheckRun, home: Repository) -> Json:
    """A check run as deliveries show it: with the branch that its suite is of."""
    run = check_run(world, of, home)
    told = _suite(world, of.suite, home) | {
        "status": of.status,
        "conclusion": of.conclusion,
        "pull_requests": run["pull_requests"],
        "app": run["app"],
    }
    return run | {"check_suite": told, "details_url": run["details_url"] or run["html_url"]}


def check_suite_told(world: World, of: CheckSuite, home: Repository) -> Json:
    """A check suite as deliveries show it."""
    runs = latest(home, of)
    status, conclusion = conclusion_of(runs)
    commit = git.one_commit(home.directory, of.head_sha)
    who = {"name": commit.author_name, "email": commit.author_email}
    return _suite(world, of, home) | {
        "status": status,
        "conclusion": conclusion,
        "pull_requests": _pulls(world, of.head_sha, home),
        "app": shapes.app(world, of.app),
        "rerequestable": True,
        "runs_rerequestable": True,
        "latest_check_runs_count": len(runs),
        "check_runs_url": f"{world.api_url}/repos/{home.full_name}/check-suites/{of.id}/check-runs",
        "head_commit": {
            "id": commit.sha,
            "tree_id": commit.tree,
            "message": commit.message,
            "timestamp": commit.date,
            "author": who,
            "committer": who,
        },
    }


def latest(home: Repository, suite: CheckSuite) -> list[CheckRun]:
    """The newest run of each name in a suite."""
    return list({run.name: run for run in home.check_runs if run.suite is suite}.values())


def conclusion_of(runs: list[CheckRun]) -> tuple[str, str | None]:
    """Status and conclusion of a suite with these runs: the worst of theirs."""
    if not runs:
        return "queued", None
    if any(run.status != "completed" for run in runs):
        return "in_progress", None
    found = {run.conclusion for run in runs}
    return "completed", next((worst for worst in _WORST if worst in found), "success")


def annotation(world: World, of: Mapping[str, Any], run: CheckRun, home: Repository) -> Json:
    """What a check run says of some lines."""
    where = f"{home.full_name}/blob/{run.head_sha}/{of['path']}"
    told = {name: of.get(name) for name in ("start_column", "end_column", "title", "raw_details")}
    given = {name: of[name] for name in ("path", "start_line", "end_line", "annotation_level", "message")}
    return given | told | {"blob_href": f"{world.base_url}/{where}"}


def job(world: World, of: CheckRun, home: Repository) -> Json:
    """A job of Actions, which is a check run seen from the other side."""
    api, web = f"{world.api_url}/repos/{home.full_name}", f"{world.base_url}/{home.full_name}"
    return {
        "id": of.id,
        "run_id": of.suite.id,
        "run_url": f"{api}/actions/runs/{of.suite.id}",
        "node_id": node_id("CheckRun", of.id),
        "head_sha": of.head_sha,
        "url": f"{api}/actions/jobs/{of.id}",
        "html_url": f"{web}/actions/runs/{of.suite.id}/job/{of.id}",
        "status": of.status,
        "conclusion": of.conclusion,
        "created_at": moment(of.started_at),
        "started_at": moment(of.started_at),
        "completed_at": moment(of.completed_at),
        "name": of.name,
        "steps": [],
        "check_run_url": f"{api}/check-runs/{of.id}",
        "labels": ["ubuntu-latest"],
        "runner_id": None,
        "runner_name": None,
        "runner_group_id": None,
        "runner_group_name": None,
        "workflow_name": "CI",
        "head_branch": of.suite.branch,
    }


_WORST = ("failure", "timed_out", "cancelled", "action_required", "neutral", "skipped", "success")


def _pulls(world: World, head_sha: str, home: Repository) -> list[Json]:
    """The open pull requests whose head the commit is."""
    return [
        {
            "id": issue.pull.id,
            "number": issue.number,
            "url": f"{world.api_url}/repos/{home.full_name}/pulls/{issue.number}",
            "head": _side(world, home, issue.pull.head, issue.pull.head_sha),
            "base": _side(world, home, issue.pull.base, issue.pull.base_sha),
        }
        for issue in home.issues.values()
        if issue.pull and issue.state == "open" and issue.pull.head_sha == head_sha
    ]


def _side(world: World, home: Repository, branch: str, sha: str) -> Json:
    repository = {"id": home.id, "url": f"{world.api_url}/repos/{home.full_name}", "name": home.name}
    return {"ref": branch, "sha": sha, "repo": repository}


def _suite(world: World, of: CheckSuite, home: Repository) -> Json:
    return {
        "id": of.id,
        "node_id": node_id("CheckSuite", of.id),
        "head_branch": of.branch,
        "head_sha": of.head_sha,
        "url": f"{world.api_url}/repos/{home.full_name}/check-suites/{of.id}",
        "before": None,
        "after": of.head_sha,
        "created_at": moment(of.created_at),
        "updated_at": moment(of.updated_at),
    }

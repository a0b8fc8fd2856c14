"""The end of the demo: the pull request as people and programs read it."""

import json
import sys
from typing import Any

from bot.demo.handles import PullHandle
from bot.demo.stage import Stage
from bot.demo.watching import Ending


def report(stage: Stage, ending: Ending, *, as_json: bool) -> bool:
    """Print what came of it. True where the hub holds a proven pull request, ready for review."""
    pull = stage.watch.pull
    proven = ending.outcome == "proven" and pull is not None and _is_ready(pull)
    outcome = "error" if ending.outcome == "proven" and not proven else ending.outcome
    if pull is not None:
        _show_pull(stage, pull)
    else:
        for comment in stage.issue.comments_by(stage.app.bot.login):
            stage.teller.markdown(comment.body)
    stage.teller.say(
        f"\nOutcome: {outcome}, after {stage.seconds:.1f} s.", style="bold green" if proven else "bold red"
    )
    if as_json:
        json.dump(_as_object(stage, outcome, ending, pull), sys.stdout, indent=2, ensure_ascii=False)
        sys.stdout.write("\n")
        sys.stdout.flush()
    return proven


def _is_ready(pull: PullHandle) -> bool:
    checks = [check.conclusion for check in pull.checks]
    return pull.is_open and not pull.is_draft and checks == ["success"]


def _show_pull(stage: Stage, pull: PullHandle) -> None:
    teller = stage.teller
    teller.heading(f"Pull request #{pull.number}: {pull.title}")
    teller.markdown(pull.body)
    for comment in pull.comments_by(stage.app.bot.login):
        teller.heading("Comment by the bot")
        teller.markdown(comment.body)
    teller.heading("The change")
    for commit in pull.commits:
        teller.say(f" {commit.sha[:10]} {commit.message.partition(chr(10))[0]}")
    teller.diffstat(pull.files)


def _as_object(stage: Stage, outcome: str, ending: Ending, pull: PullHandle | None) -> dict[str, Any]:
    return {
        "outcome": outcome,
        "result": ending.line,
        "seconds": round(stage.seconds, 1),
        "model": stage.model,
        "sandbox": stage.sandbox,
        "issue": {
            "url": stage.issue.url,
            "title": stage.issue.title,
            "comments": [{"by": found.author.login, "body": found.body} for found in stage.issue.comments],
        },
        "pull_request": None if pull is None else _pull_object(pull),
    }


def _pull_object(pull: PullHandle) -> dict[str, Any]:
    return {
        "number": pull.number,
        "url": pull.url,
        "title": pull.title,
        "body": pull.body,
        "state": pull.state,
        "draft": pull.is_draft,
        "branch": pull.head,
        "base_sha": pull.base_sha,
        "head_sha": pull.head_sha,
        "commits": [{"sha": commit.sha, "message": commit.message} for commit in pull.commits],
        "files": [
            {"path": file.path, "status": file.status, "additions": file.additions, "deletions": file.deletions}
            for file in pull.files
        ],
        "comments": [{"by": found.author.login, "body": found.body} for found in pull.comments],
        "checks": [{"name": check.name, "conclusion": check.conclusion, "title": check.title} for check in pull.checks],
        "diff": pull.diff,
    }

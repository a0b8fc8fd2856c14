"""Pull requests and check runs: each looked for before it is made."""

import logging
from collections.abc import Callable
from typing import Any

from bot import records
from bot.errors import Gone, Refused, Unavailable
from bot.github import answers
from bot.github.answers import Pull, read
from bot.github.conversation import cut
from bot.github.failures import Invalid
from bot.github.place import Place
from bot.records import PullRequestText, RepositoryRef

log = logging.getLogger(__name__)

CHECK = "selfcode"
SUMMARY_LIMIT = 65_535
"""Characters. Source: https://docs.github.com/en/rest/checks/runs#create-a-check-run"""
TITLE_LIMIT = 256


def find(place: Place, ref: RepositoryRef, branch: str) -> Pull | None:
    """The open pull request from our branch, else the newest.

    GitHub's filter compares owners by letter case, and ignores what it does not understand: hence the second look.
    """
    listed = place.pages("pulls", Pull, head=f"{place.owner}:{branch}", state="all", sort="created", direction="desc")
    ours = [found for found in listed if found.head.ref == branch and found.head.repo and found.head.repo.id == ref.id]
    return next((found for found in ours if found.state == "open"), ours[0] if ours else None)


def publish(place: Place, ref: RepositoryRef, branch: str, base: str, text: PullRequestText) -> Pull:
    """Open the pull request or bring the open one up to date; then what may fail: labels, reviewers.

    Whether it is a draft stays as it was opened: GitHub's REST API can't change it.
    """
    existing = find(place, ref, branch)
    if existing is not None and existing.state == "open":
        pull = _update(place, existing, base, text)
    else:
        pull = _open(place, ref, branch, base, text)
    _decorate(place, pull, text)
    return pull


def as_record(pull: Pull) -> records.PullRequest:
    """In our own words; one that is merged is not closed."""
    return records.PullRequest(
        number=pull.number,
        url=pull.html_url,
        state="merged" if pull.merged_at else pull.state,
        is_draft=pull.draft,
        head_sha=pull.head.sha,
    )


def set_check(place: Place, head_sha: str, *, app_id: int, conclusion: str, title: str, summary: str) -> None:
    """Set our one check run on the commit."""
    output = {"title": title[:TITLE_LIMIT], "summary": summary[:SUMMARY_LIMIT]}
    body = {"name": CHECK, "status": "completed", "conclusion": conclusion, "output": output}
    answer = place.get(f"commits/{head_sha}/check-runs", check_name=CHECK, app_id=app_id, per_page=100)
    for run in read(answers.CheckRuns, answer).check_runs:
        if run.name == CHECK and run.app is not None and run.app.id == app_id:
            place.patch(f"check-runs/{run.id}", body)
            return
    place.post("check-runs", body | {"head_sha": head_sha})


def _open(place: Place, ref: RepositoryRef, branch: str, base: str, text: PullRequestText) -> Pull:
    wanted = {"title": text.title[:TITLE_LIMIT], "head": branch, "base": base, "body": text.body, "draft": text.draft}
    try:
        return read(Pull, _insist(place.post, "pulls", wanted))
    except Invalid as invalid:
        other = find(place, ref, branch) if invalid.says("already exists") else None
        if other is None or other.state != "open":
            raise
        return _update(place, other, base, text)


def _update(place: Place, pull: Pull, base: str, text: PullRequestText) -> Pull:
    wanted = {"title": text.title[:TITLE_LIMIT], "body": text.body} | ({} if pull.base.ref == base else {"base": base})
    if (pull.title, pull.body, pull.base.ref) == (wanted["title"], wanted["body"], base):
        return pull
    return read(Pull, _insist(place.patch, f"pulls/{pull.number}", wanted))


def _insist(send: Callable[[str, dict[str, Any]], Any], path: str, wanted: dict[str, Any]) -> Any:
    """Send; and again with less where GitHub finds the body too long or has no drafts here."""
    try:
        return send(path, wanted)
    except Invalid as invalid:
        less = dict(wanted)
        if invalid.says("too long"):
            less["body"] = cut(wanted["body"])
        elif invalid.says("draft"):
            less["draft"] = False
        if less == wanted:
            raise
        return _insist(send, path, less)


def _decorate(place: Place, pull: Pull, text: PullRequestText) -> None:
    """Labels and reviewers, those that are not there yet. Reviewers one by one: GitHub takes all of a list or none."""
    there = {label.name.casefold() for label in pull.labels}
    labels = [label for label in text.labels if label.casefold() not in there]
    if labels:
        _try(place, f"issues/{pull.number}/labels", {"labels": labels})
    asked = {account.login.casefold() for account in pull.requested_reviewers}
    for reviewer in text.reviewers:
        if reviewer.casefold() not in asked:
            _try(place, f"pulls/{pull.number}/requested_reviewers", {"reviewers": [reviewer]})


def _try(place: Place, path: str, body: dict[str, Any]) -> None:
    try:
        place.post(path, body)
    except (Refused, Gone, Unavailable) as failure:
        log.warning("%s %s left out: %s", place.full_name, path, failure)

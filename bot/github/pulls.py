"""Pull requests and check runs: each looked for before it is made."""

import hashlib
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from bot import records
from bot.errors import Gone, Refused, Unavailable
from bot.github import answers
from bot.github.answers import Pull, read
from bot.github.conversation import cut
from bot.github.failures import Invalid
from bot.github.place import Place
from bot.records import ANNOTATIONS_AT_MOST, Annotation, PullRequestText, RepositoryRef

log = logging.getLogger(__name__)

CHECK = "selfcode"
SUMMARY_LIMIT = 65_535
"""Characters. Source: https://docs.github.com/en/rest/checks/runs#create-a-check-run"""
TITLE_LIMIT = 256
_ANNOTATION_TITLE_LIMIT = 255
_MESSAGE_LIMIT = 64_000
"""Bytes; GitHub says 64 KB. Source: https://docs.github.com/en/rest/checks/runs#create-a-check-run"""


def find(place: Place, ref: RepositoryRef, branch: str) -> Pull | None:
    """The open pull request from our branch, else the newest.

    GitHub's filter compares owners by letter case, and ignores what it does not understand: hence the second look.
    """
    listed = place.pages("pulls", Pull, head=f"{place.owner}:{branch}", state="all", sort="created", direction="desc")
    ours = [found for found in listed if found.head.ref == branch and found.head.repo and found.head.repo.id == ref.id]
    return next((found for found in ours if found.state == "open"), ours[0] if ours else None)


def numbered(place: Place, number: int) -> Pull:
    """The pull request of this number, from a fork too."""
    return read(Pull, place.get(f"pulls/{number}"))


def publish(place: Place, ref: RepositoryRef, branch: str, base: str, text: PullRequestText) -> Pull:
    """Open the pull request or bring the open one up to date; then what may fail: labels, reviewers.

    Whether it is a draft stays as it was opened, until `mark_ready`.
    """
    existing = find(place, ref, branch)
    if existing is not None and existing.state == "open":
        pull = _update(place, existing, base, text)
    else:
        pull = _open(place, ref, branch, base, text)
    _decorate(place, pull, text)
    return pull


def describe(place: Place, number: int, body: str) -> None:
    """Give a pull request another body."""
    _insist(place.patch, f"pulls/{number}", {"body": body})


def as_record(pull: Pull) -> records.PullRequest:
    """In our own words; one that is merged is not closed."""
    return records.PullRequest(
        number=pull.number,
        url=pull.html_url,
        state="merged" if pull.merged_at else pull.state,
        is_draft=pull.draft,
        head_sha=pull.head.sha,
        base=pull.base.ref,
        base_sha=pull.base.sha,
    )


def mark_ready(place: Place, number: int) -> None:
    """Make a draft ready for review: GraphQL alone can."""
    pull = read(Pull, place.get(f"pulls/{number}"))
    if pull.draft:
        place.mutate(_READY, id=pull.node_id)


_READY = """
mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } } }
"""
"""Source: https://docs.github.com/en/graphql/reference/mutations#markpullrequestreadyforreview"""


@dataclass(frozen=True, slots=True)
class Said:
    """What a check run is to say."""

    conclusion: str
    title: str
    summary: str
    annotations: tuple[Annotation, ...] = ()

    @property
    def output(self) -> dict[str, Any]:
        output: dict[str, Any] = {"title": self.title[:TITLE_LIMIT], "summary": self.summary[:SUMMARY_LIMIT]}
        shown = [_annotation(each) for each in self.annotations[:ANNOTATIONS_AT_MOST]]
        return output | ({"annotations": shown} if shown else {})

    @property
    def key(self) -> str:
        """The same for the same words: by it a check run that says them already is known."""
        return hashlib.sha256(json.dumps([self.conclusion, self.output]).encode()).hexdigest()[:32]


def set_check(place: Place, head_sha: str, said: Said, *, app_id: int) -> None:
    """Set our check run on the commit: the newest of ours is the one that counts.

    GitHub adds the annotations of an update to those that are there: so where there are some, another check run of the
    same name takes the old one's place.
    """
    answer = place.get(f"commits/{head_sha}/check-runs", check_name=CHECK, app_id=app_id, per_page=100)
    ours = [run for run in read(answers.CheckRuns, answer).check_runs if run.name == CHECK and _is_by(run, app_id)]
    newest = max(ours, key=lambda run: run.id, default=None)
    if newest is None or (newest.output.annotations_count and newest.external_id != said.key):
        _say(place.post, "check-runs", said, head_sha=head_sha)
    elif newest.external_id != said.key:
        _say(place.patch, f"check-runs/{newest.id}", said)


def _say(send: Callable[[str, dict[str, Any]], Any], path: str, said: Said, **more: str) -> None:
    """Send; and again without annotations where GitHub does not take them: the summary has all of it in short."""
    body = {"name": CHECK, "status": "completed", "conclusion": said.conclusion, "external_id": said.key, **more}
    try:
        send(path, body | {"output": said.output})
    except Invalid as invalid:
        if not said.annotations:
            raise
        log.warning("annotations left out: %s", invalid)
        send(path, body | {"output": replace(said, annotations=()).output})


def _is_by(run: answers.CheckRun, app_id: int) -> bool:
    return run.app is not None and run.app.id == app_id


def _annotation(each: Annotation) -> dict[str, Any]:
    return {
        "path": each.path,
        "start_line": each.start_line,
        "end_line": each.end_line,
        "annotation_level": str(each.level),
        "title": each.title[:_ANNOTATION_TITLE_LIMIT],
        "message": each.message.encode()[:_MESSAGE_LIMIT].decode(errors="ignore"),
    }


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

"""Pull requests: each looked for before it is opened."""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bot import records
from bot.errors import Gone, Refused, Unavailable
from bot.github.answers import Pull, read
from bot.github.conversation import cut
from bot.github.failures import Invalid
from bot.github.place import Place
from bot.records import MergeState, PullRequestText, RepositoryRef

log = logging.getLogger(__name__)

TITLE_LIMIT = 256


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


def numbered_record(pull: Pull) -> records.PullRequest:
    """A pull request that was asked for alone, with what GitHub has found out about merging it."""
    found = as_record(pull)
    return replace(found, merge_state=_MERGE_STATES[pull.mergeable]) if found.state == "open" else found


_MERGE_STATES = {True: MergeState.CLEAN, False: MergeState.CONFLICTING, None: MergeState.UNKNOWN}


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

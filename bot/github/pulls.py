"""Pull requests: each looked for before it is opened, and ours told from other people's."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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


def listed(place: Place, ref: RepositoryRef, branch: str) -> Sequence[Pull]:
    """All pull requests from a branch of the repository, the newest first.

    GitHub's filter compares owners by letter case, and ignores what it does not understand: hence the second look.
    """
    found = place.pages("pulls", Pull, head=f"{place.owner}:{branch}", state="all", sort="created", direction="desc")
    return [pull for pull in found if pull.head.ref == branch and pull.head.repo and pull.head.repo.id == ref.id]


def numbered(place: Place, number: int) -> Pull:
    """The pull request of this number, from a fork too."""
    return read(Pull, place.get(f"pulls/{number}"))


@dataclass(frozen=True, slots=True)
class Wanted:
    """A pull request that is to be opened by `own_login`, with what it is to say."""

    branch: str
    base: str
    text: PullRequestText
    own_login: str


def publish(place: Place, ref: RepositoryRef, wanted: Wanted) -> Pull:
    """Open the pull request, unless an earlier try did; then what may fail: labels, reviewers.

    What is open already is left as it is: people may have made it theirs since.
    """
    pull = _ours(place, ref, wanted) or _open(place, ref, wanted)
    _decorate(place, pull, wanted.text)
    return pull


def describe(place: Place, number: int, body: str) -> None:
    """Give a pull request another body."""
    _insist(place.patch, f"pulls/{number}", {"body": body})


def numbered_record(pull: Pull, own_login: str) -> records.PullRequest:
    """A pull request that was asked for alone, with what GitHub has found out about merging it."""
    found = as_record(pull, own_login)
    return replace(found, merge_state=_MERGE_STATES[pull.mergeable]) if found.state == "open" else found


_MERGE_STATES = {True: MergeState.CLEAN, False: MergeState.CONFLICTING, None: MergeState.UNKNOWN}


def as_record(pull: Pull, own_login: str) -> records.PullRequest:
    """In our own words; one that is merged is not closed."""
    return records.PullRequest(
        number=pull.number,
        url=pull.html_url,
        state="merged" if pull.merged_at else pull.state,
        is_draft=pull.draft,
        head_sha=pull.head.sha,
        base=pull.base.ref,
        base_sha=pull.base.sha,
        body=pull.body,
        is_ours=_is_by(pull, own_login),
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


def make_draft(place: Place, number: int) -> None:
    """Make a pull request a draft again: GraphQL alone can. One that is answers with nothing."""
    pull = read(Pull, place.get(f"pulls/{number}"))
    if not pull.draft:
        place.mutate(_DRAFT, id=pull.node_id)


_DRAFT = """
mutation($id: ID!) { convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { isDraft } } }
"""
"""Source: https://docs.github.com/en/graphql/reference/mutations#convertpullrequesttodraft"""


def _is_by(pull: Pull, login: str) -> bool:
    return pull.user.login.casefold() == login.casefold()


def _ours(place: Place, ref: RepositoryRef, wanted: Wanted) -> Pull | None:
    """The newest one of ours that is open, whichever base people have given it since."""
    found = listed(place, ref, wanted.branch)
    return next((pull for pull in found if pull.state == "open" and _is_by(pull, wanted.own_login)), None)


def _open(place: Place, ref: RepositoryRef, wanted: Wanted) -> Pull:
    text = wanted.text
    said = {"title": text.title[:TITLE_LIMIT], "body": text.body, "draft": text.draft}
    try:
        return read(Pull, _insist(place.post, "pulls", {**said, "head": wanted.branch, "base": wanted.base}))
    except Invalid as invalid:
        ours = _ours(place, ref, wanted) if invalid.says("already exists") else None
        if ours is None:
            raise
        return ours


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

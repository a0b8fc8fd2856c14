"""Issues and what is said on them."""

from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from bot import records
from bot.errors import Gone
from bot.github import answers
from bot.github.answers import read
from bot.github.failures import Invalid
from bot.github.place import Place
from bot.records import Subject, SubjectKind

CUT_TO = 60_000
"""Characters that are kept of a text that GitHub calls too long; its limits are 65,536 and more."""
CLOCKS_APART = timedelta(minutes=5)
_IN_GRAPHQL = {"eyes": "EYES", "-1": "THUMBS_DOWN", "confused": "CONFUSED"}
_ADD_REACTION = """\
mutation($id: ID!, $content: ReactionContent!) {
  addReaction(input: {subjectId: $id, content: $content}) { reaction { content } }
}"""
"""Source: https://docs.github.com/en/graphql/reference/mutations#addreaction"""
CUT = "\n\n… the rest was too long for GitHub."


def issue(place: Place, number: int) -> records.Issue:
    """An issue as it is now; a pull request too."""
    found = read(answers.Issue, place.get(f"issues/{number}"))
    return records.Issue(
        title=found.title,
        body=found.body,
        author=found.user.person(),
        is_open=found.state == "open",
        labels=tuple(label.name for label in found.labels),
        is_pull_request=found.pull_request is not None,
        is_locked=found.locked,
    )


def comments(place: Place, number: int, *, since: str = "") -> tuple[records.Comment, ...]:
    """All comments, oldest first, as GitHub lists them; or those that were written or changed since then."""
    limits = {"since": _a_while_before(since)} if since else {}
    return tuple(
        records.Comment(found.id, found.user.person(), found.body, found.created_at)
        for found in place.pages(f"issues/{number}/comments", answers.Comment, **limits)
    )


def post(place: Place, number: int, body: str, *, marker: str, own_login: str, since: str = "") -> int:
    """Comment, unless a comment of ours holds the marker already; other people's markers do not count.

    Of what was said before `since` nothing is read: in a long conversation that is a page for each hundred comments.
    """
    for found in comments(place, number, since=since):
        if marker in found.body and found.author.login.casefold() == own_login.casefold():
            return found.id
    marked = body if marker in body else f"{body}\n{marker}"
    try:
        answer = place.post(f"issues/{number}/comments", {"body": marked})
    except Invalid as invalid:
        if not invalid.says("too long"):
            raise
        answer = place.post(f"issues/{number}/comments", {"body": f"{cut(body)}\n{marker}"})
    return read(answers.Identified, answer).id


def _a_while_before(moment: str) -> str:
    """Not all clocks of GitHub's show the same."""
    return f"{datetime.fromisoformat(moment).astimezone(UTC) - CLOCKS_APART:%Y-%m-%dT%H:%M:%SZ}"


def edit(place: Place, comment_id: int, body: str) -> None:
    """Put another text in the place of a comment's."""
    try:
        place.patch(f"issues/comments/{comment_id}", {"body": body})
    except Invalid as invalid:
        if not invalid.says("too long"):
            raise
        place.patch(f"issues/comments/{comment_id}", {"body": cut(body)})


def react(place: Place, number: int, reaction: str, subject: Subject | None) -> None:
    """GitHub takes the same reaction twice as once."""
    match subject:
        case None:
            place.post(f"issues/{number}/reactions", {"content": reaction})
        case Subject(kind=SubjectKind.ISSUE_COMMENT, id=comment_id):
            place.post(f"issues/comments/{comment_id}/reactions", {"content": reaction})
        case Subject(kind=SubjectKind.REVIEW_COMMENT, id=comment_id):
            place.post(f"pulls/comments/{comment_id}/reactions", {"content": reaction})
        case Subject(kind=SubjectKind.REVIEW, node_id=node_id):
            place.mutate(_ADD_REACTION, id=node_id, content=_IN_GRAPHQL[reaction])


def permission(place: Place, login: str) -> str:
    """The role by its true name; a custom role by the role that it was made from; none for whom GitHub doesn't know.

    Raises `Gone` where it is the repository that is not there: that says nothing of the person.
    """
    try:
        answer = place.get(f"collaborators/{quote(login, safe='')}/permission")
    except Gone as gone:
        if _NO_USER not in str(gone):
            raise
        return "none"
    found = read(answers.Permission, answer)
    return found.role_name if found.role_name in records.PERMISSIONS else found.permission


_NO_USER = "is not a user"
"""What GitHub says of a name that is nobody's, or no person's; of a repository that is gone it says “Not Found”."""


def ensure_label(place: Place, name: str) -> None:
    """Create the label that starts runs, unless it is there in any letter case."""
    try:
        place.get(f"labels/{quote(name, safe='')}")
    except Gone:
        try:
            place.post("labels", {"name": name, "color": "5319e7", "description": "Asks selfcode for a pull request"})
        except Invalid as invalid:
            if not invalid.says("already_exists"):
                raise


def cut(text: str) -> str:
    """The text's head, within every limit that GitHub has been seen to have."""
    return text[:CUT_TO] + CUT

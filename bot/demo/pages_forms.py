"""Forms on the page of an issue or pull request: what the people of the demo say and do there, without a token."""

from collections.abc import Iterator
from hmac import compare_digest
from ipaddress import ip_address
from urllib.parse import urlsplit

from flask import Flask, Response, request

from bot.demo import access, pulling, reviewing
from bot.demo.access import ON_ISSUES, User
from bot.demo.answers import ApiError
from bot.demo.changes import Changes
from bot.demo.markup import escape
from bot.demo.state import ROLES, Account, Issue, Repository
from bot.demo.world import World

PEOPLE_AT_MOST = 50
_REVIEWS = {"approve": "APPROVE", "request changes": "REQUEST_CHANGES", "review": "COMMENT"}
_STATES = {"close": "closed", "reopen": "open"}


class Forms:
    """What the forms ask for. Anybody can be chosen: this server knows no passwords, and listens on loopback alone."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._world = changes.world

    def hang_up(self, app: Flask) -> None:
        for kind in ("issues", "pull"):
            path = f"/<owner:owner>/<name>/{kind}/<int:number>"
            app.add_url_rule(path, f"forms{path}", self.take, methods=["POST"])

    def take(self, owner: str, name: str, number: int) -> Response:
        """Do what a button asks for, and show the page again. Raises as the API does, 403 for a form that is not ours.

        What somebody may not do by the API, they may not do here.
        """
        _require_own_form(self._world)
        issue = self._world.issue(self._world.repository(owner, name), number)
        self._do(issue, User(self._world.account(request.form.get("by", ""))), request.form.get("do", ""))
        return Response(status=303, headers={"Location": request.path})

    def _do(self, issue: Issue, who: User, what: str) -> None:
        text = request.form.get("text", "").replace("\r\n", "\n").strip()
        by, home = who.account, issue.repository
        access.readable(self._world, who, home.owner.login, home.name)
        match what:
            case "comment":
                access.require_unlocked(who, issue)
                self._changes.comment(issue, by, access.require_field({"body": text}, "IssueComment", "body"))
            case "label" | "unlabel":
                access.require(who, home, ON_ISSUES, "write", role="triage")
                label = access.require_field(request.form, "Label", "label").strip()
                (self._changes.add_label if what == "label" else self._changes.remove_label)(issue, by, label)
            case "close" | "reopen":
                access.require(who, home, ON_ISSUES, "write", role="read" if by is issue.author else "triage")
                self._set_state(issue, by, _STATES[what])
            case "approve" | "request changes" | "review" if issue.pull:
                self._review(issue, by, _REVIEWS[what], text)
            case _:
                raise ApiError(422, f"There is nothing like {what!r} to be done here.")

    def _set_state(self, issue: Issue, by: Account, state: str) -> None:
        if issue.pull:
            pulling.set_state(self._changes, issue, by, state)
        else:
            self._changes.set_state(issue, by, state)

    def _review(self, issue: Issue, by: Account, event: str, text: str) -> None:
        review = reviewing.start(self._changes, issue, by, body=text)
        try:
            reviewing.submit(self._changes, issue, review, event)
        except ApiError:
            reviewing.discard(issue, review)
            raise


def forms(world: World, issue: Issue) -> str:
    """The form below a conversation: who speaks, what they say, and a button for each thing that can be done."""
    labels = "".join(f'<option value="{escape(label.name)}">' for label in issue.repository.labels)
    buttons = "".join(f'<button name="do" value="{what}">{words}</button> ' for what, words in _buttons(issue))
    return (
        '<form method="post"><h2>Say or do something here</h2>'
        f'<input type="hidden" name="form_token" value="{escape(world.form_token)}">'
        f'<p><label>As <select name="by">{"".join(_people(world, issue.repository))}</select></label></p>'
        '<p><label>Text<br><textarea name="text" rows="5"></textarea></label></p>'
        f"<p>{buttons}</p>"
        '<p><label>Label <input name="label" value="selfcode" list="labels"></label> '
        f'<datalist id="labels">{labels}</datalist>'
        '<button name="do" value="label">Add</button> <button name="do" value="unlabel">Remove</button></p></form>'
    )


def _buttons(issue: Issue) -> Iterator[tuple[str, str]]:
    yield "comment", "Comment"
    if issue.pull:
        yield from (("approve", "Approve"), ("request changes", "Request changes"), ("review", "Review"))
    yield ("close", "Close") if issue.state == "open" else ("reopen", "Reopen")


def _people(world: World, home: Repository) -> Iterator[str]:
    """Those who can be chosen, who may write first, each with what they are here."""
    found = [each for each in world.accounts.values() if each.kind == "User" and home.role(each) != "none"]
    found.sort(key=lambda each: (home.role_name(each) != "write", -ROLES.index(home.role(each))))
    for each in found[:PEOPLE_AT_MOST]:
        login = escape(each.login)
        yield f'<option value="{login}">{login} ({escape(home.role_name(each))})</option>'


def _require_own_form(world: World) -> None:
    """Raise 403 unless the form is one of our pages', by a name of this machine that no other site can have."""
    known, given = world.form_token, request.form.get("form_token", "")
    is_ours = compare_digest(known.encode(), given.encode())
    if not is_ours or not _is_loopback(request.host) or request.headers.get("Sec-Fetch-Site") == "cross-site":
        raise ApiError(403, "This form is not one of ours, or of before a restart: open the page again.")


def _is_loopback(host: str) -> bool:
    name = urlsplit(f"//{host}").hostname or ""
    try:
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False

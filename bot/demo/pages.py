"""Web pages for the people who run the demo: issues, pull requests and files, to look at with a browser."""

from flask import Flask, Response

from bot.demo import git
from bot.demo.answers import Moved, not_found
from bot.demo.markup import coloured, escape, page, said
from bot.demo.pages_forms import forms
from bot.demo.pages_talk import checks, conversation
from bot.demo.state import Issue, Repository
from bot.demo.world import World


class Pages:
    """The pages. What is private is not shown."""

    def __init__(self, world: World) -> None:
        self._world = world

    def hang_up(self, app: Flask) -> None:
        for path, shown in (
            ("/", self.home),
            ("/<owner:owner>/<name>", self.repository),
            ("/<owner:owner>/<name>/issues/<int:number>", self.issue),
            ("/<owner:owner>/<name>/pull/<int:number>", self.issue),
            ("/<owner:owner>/<name>/pull/<int:number>.diff", self.diff),
            ("/<owner:owner>/<name>/blob/<revision>/<path:path>", self.blob),
        ):
            app.add_url_rule(path, f"pages{path}", shown, methods=["GET"])

    def home(self) -> Response:
        shown = [found for found in self._world.repositories.values() if not found.private]
        items = [f'<li><a href="/{escape(found.full_name)}">{escape(found.full_name)}</a></li>' for found in shown]
        return page("Repositories", f"<ul>{''.join(items)}</ul>")

    def repository(self, owner: str, name: str) -> Response:
        found = self._public(owner, name)
        issues = sorted(found.issues.values(), key=lambda issue: -issue.number)
        rows = [
            f'<li><a href="{_path(issue)}">{escape(issue.title)}</a> '
            f'<span class="quiet">{_kind(issue)} #{issue.number}, {_state(issue)}</span></li>'
            for issue in issues
            if not issue.deleted
        ]
        paths = git.tree(found.directory, found.default_branch) if git.branches(found.directory) else {}
        blob = f"/{escape(found.full_name)}/blob/{escape(found.default_branch)}"
        files = [f'<li><a href="{blob}/{escape(path)}">{escape(path)}</a></li>' for path in paths]
        clone = f"<p><code>git clone {escape(self._world.base_url)}/{escape(found.full_name)}.git</code></p>"
        listing = f"<h2>Issues and pull requests</h2><ul>{''.join(rows)}</ul><h2>Files</h2><ul>{''.join(files)}</ul>"
        return page(found.full_name, clone + listing)

    def issue(self, owner: str, name: str, number: int) -> Response:
        home = self._public(owner, name)
        issue = self._world.issue(home, number)
        labels = " ".join(f'<span class="label">{escape(label.name)}</span>' for label in issue.labels)
        parts = [f'<nav><a href="/{escape(home.full_name)}">{escape(home.full_name)}</a></nav>']
        parts.append(f'<p class="quiet">#{issue.number} · {_state(issue)} {labels}</p>')
        parts.append(said(issue.author.login, issue.body or ""))
        parts.extend(conversation(issue))
        if issue.pull:
            parts.append(checks(home, issue.pull))
            parts.append(f"<h2>Commits</h2>{_commits(home, issue)}<h2>Changes</h2>{_diff(home, issue)}")
        parts.append(forms(self._world, issue))
        return page(issue.title, "".join(parts))

    def diff(self, owner: str, name: str, number: int) -> Response:
        home = self._public(owner, name)
        _, pull = self._world.pull(home, number)
        text = git.diff(home.directory, pull.base_sha, pull.head_sha)
        return Response(text, content_type="text/plain; charset=utf-8")

    def blob(self, owner: str, name: str, revision: str, path: str) -> Response:
        data = git.file(self._public(owner, name).directory, revision, path)
        if data is None:
            raise not_found()
        return page(path, f"<pre>{escape(data.decode('utf-8', 'replace'))}</pre>")

    def _public(self, owner: str, name: str) -> Repository:
        try:
            found = self._world.repository(owner, name)
        except Moved as moved:
            found = self._world.repositories[int(moved.url.rpartition("/")[2])]
        if found.private:
            raise not_found()
        return found


def _commits(home: Repository, issue: Issue) -> str:
    assert issue.pull
    found = git.commits(home.directory, issue.pull.base_sha, issue.pull.head_sha)
    items = [
        f"<li><code>{commit.sha[:10]}</code> {escape(commit.message.partition(chr(10))[0])}</li>" for commit in found
    ]
    return f"<ol>{''.join(items)}</ol>"


def _diff(home: Repository, issue: Issue) -> str:
    assert issue.pull
    return coloured(git.diff(home.directory, issue.pull.base_sha, issue.pull.head_sha))


def _state(issue: Issue) -> str:
    if issue.pull and issue.pull.draft and issue.state == "open":
        return "draft"
    return "merged" if issue.pull and issue.pull.merged_at else issue.state


def _kind(issue: Issue) -> str:
    return "pull request" if issue.pull else "issue"


def _path(issue: Issue) -> str:
    return f"/{escape(issue.repository.full_name)}/{'pull' if issue.pull else 'issues'}/{issue.number}"

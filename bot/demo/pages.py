"""Web pages for the people who run the demo: issues, pull requests and files, to look at with a browser."""

import html
import re
from collections.abc import Sequence
from typing import Any

from flask import Flask, Response
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from bot.demo import git
from bot.demo.answers import Moved, not_found
from bot.demo.state import Comment, Issue, Repository, World

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1f2328;background:#fff}
article{border:1px solid #d1d9e0;border-radius:6px;margin:1rem 0}article>header{background:#f6f8fa;padding:.4rem 1rem;
border-bottom:1px solid #d1d9e0}article>div{padding:.2rem 1rem;overflow-wrap:anywhere}pre{background:#f6f8fa;
padding:1rem;overflow:auto;border-radius:6px;overflow-wrap:normal}code{font:85% ui-monospace,monospace;
white-space:break-spaces}pre code{white-space:pre}table{border-collapse:collapse;display:block;width:max-content;
max-width:100%;overflow:auto;overflow-wrap:normal}td code{white-space:nowrap}details,table{margin:.6rem 0}
blockquote{margin:.6rem 0;padding-left:1rem;border-left:.25rem solid #d1d9e0}
td,th{border:1px solid #d1d9e0;padding:.3rem .7rem}.label{background:#ddf4ff;border-radius:1rem;padding:.1rem .6rem}
nav,.quiet{color:#59636e}ins{background:#dafbe1;text-decoration:none}del{background:#ffebe9;text-decoration:none}
@media (prefers-color-scheme:dark){body{background:#0d1117;color:#f0f6fc}article>header,pre{background:#151b23}
a{color:#4493f8}article,article>header,td,th{border-color:#3d444d}.label{background:#0c2d6b}
ins{background:#12361f}del{background:#47191f}}
"""
_SAFE_TAG = re.compile(r"<(/?)(details|summary|br|sub|sup|kbd)(\s+open)?\s*/?>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class Pages:
    """The pages, read-only. What is private is not shown."""

    def __init__(self, world: World) -> None:
        self._world = world

    def hang_up(self, app: Flask) -> None:
        for path, page in (
            ("/", self.home),
            ("/<owner:owner>/<name>", self.repository),
            ("/<owner:owner>/<name>/issues/<int:number>", self.issue),
            ("/<owner:owner>/<name>/pull/<int:number>", self.issue),
            ("/<owner:owner>/<name>/pull/<int:number>.diff", self.diff),
            ("/<owner:owner>/<name>/blob/<revision>/<path:path>", self.blob),
        ):
            app.add_url_rule(path, f"pages{path}", page, methods=["GET"])

    def home(self) -> Response:
        shown = [found for found in self._world.repositories.values() if not found.private]
        items = [f'<li><a href="/{_e(found.full_name)}">{_e(found.full_name)}</a></li>' for found in shown]
        return _page("Repositories", f"<ul>{''.join(items)}</ul>")

    def repository(self, owner: str, name: str) -> Response:
        found = self._public(owner, name)
        issues = sorted(found.issues.values(), key=lambda issue: -issue.number)
        rows = [
            f'<li><a href="{_path(issue)}">{_e(issue.title)}</a> '
            f'<span class="quiet">{_kind(issue)} #{issue.number}, {_state(issue)}</span></li>'
            for issue in issues
            if not issue.deleted
        ]
        paths = git.tree(found.directory, found.default_branch) if git.branches(found.directory) else {}
        blob = f"/{_e(found.full_name)}/blob/{_e(found.default_branch)}"
        files = [f'<li><a href="{blob}/{_e(path)}">{_e(path)}</a></li>' for path in paths]
        clone = f"<p><code>git clone {_e(self._world.base_url)}/{_e(found.full_name)}.git</code></p>"
        listing = f"<h2>Issues and pull requests</h2><ul>{''.join(rows)}</ul><h2>Files</h2><ul>{''.join(files)}</ul>"
        return _page(found.full_name, clone + listing)

    def issue(self, owner: str, name: str, number: int) -> Response:
        home = self._public(owner, name)
        issue = self._world.issue(home, number)
        labels = " ".join(f'<span class="label">{_e(label.name)}</span>' for label in issue.labels)
        parts = [f'<nav><a href="/{_e(home.full_name)}">{_e(home.full_name)}</a></nav>']
        parts.append(f'<p class="quiet">#{issue.number} · {_state(issue)} {labels}</p>')
        parts.append(_said(issue.author.login, issue.body or ""))
        parts.extend(_comment(comment) for comment in issue.comments)
        if issue.pull:
            parts.append(f"<h2>Commits</h2>{_commits(home, issue)}<h2>Changes</h2>{_diff(home, issue)}")
        return _page(issue.title, "".join(parts))

    def diff(self, owner: str, name: str, number: int) -> Response:
        home = self._public(owner, name)
        _, pull = self._world.pull(home, number)
        text = git.diff(home.directory, pull.base_sha, pull.head_sha)
        return Response(text, content_type="text/plain; charset=utf-8")

    def blob(self, owner: str, name: str, revision: str, path: str) -> Response:
        data = git.file(self._public(owner, name).directory, revision, path)
        if data is None:
            raise not_found()
        return _page(path, f"<pre>{_e(data.decode('utf-8', 'replace'))}</pre>")

    def _public(self, owner: str, name: str) -> Repository:
        try:
            found = self._world.repository(owner, name)
        except Moved as moved:
            found = self._world.repositories[int(moved.url.rpartition("/")[2])]
        if found.private:
            raise not_found()
        return found


def markdown(text: str) -> str:
    """Markdown as HTML, each line of a paragraph on its own, as GitHub shows issues and pull requests.

    Of raw HTML only folding and a few harmless tags stay; comments vanish, the rest is text.
    """
    parser = MarkdownIt("commonmark", {"breaks": True}).enable(["table", "strikethrough"])
    parser.add_render_rule("html_block", _safe_html)
    parser.add_render_rule("html_inline", _safe_html)
    return str(parser.render(text))


def _safe_html(_: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    content = _COMMENT.sub("", tokens[index].content)
    shown, last = [], 0
    for tag in _SAFE_TAG.finditer(content):
        shown.append(_e(content[last : tag.start()]))
        shown.append(f"<{tag[1]}{tag[2].lower()}{' open' if tag[3] else ''}>")
        last = tag.end()
    return "".join(shown) + _e(content[last:])


def _comment(comment: Comment) -> str:
    return _said(comment.author.login, comment.body)


def _said(login: str, text: str) -> str:
    return f"<article><header><b>{_e(login)}</b></header><div>{markdown(text)}</div></article>"


def _commits(home: Repository, issue: Issue) -> str:
    assert issue.pull
    found = git.commits(home.directory, issue.pull.base_sha, issue.pull.head_sha)
    items = [f"<li><code>{commit.sha[:10]}</code> {_e(commit.message.partition(chr(10))[0])}</li>" for commit in found]
    return f"<ol>{''.join(items)}</ol>"


def _diff(home: Repository, issue: Issue) -> str:
    assert issue.pull
    lines = git.diff(home.directory, issue.pull.base_sha, issue.pull.head_sha).splitlines()
    return f"<pre>{chr(10).join(map(_coloured, lines))}</pre>"


def _coloured(line: str) -> str:
    tag = {"+": "ins", "-": "del"}.get(line[:1])
    return f"<{tag}>{_e(line)}</{tag}>" if tag else _e(line)


def _state(issue: Issue) -> str:
    if issue.pull and issue.pull.draft and issue.state == "open":
        return "draft"
    return "merged" if issue.pull and issue.pull.merged_at else issue.state


def _kind(issue: Issue) -> str:
    return "pull request" if issue.pull else "issue"


def _path(issue: Issue) -> str:
    return f"/{_e(issue.repository.full_name)}/{'pull' if issue.pull else 'issues'}/{issue.number}"


def _page(title: str, body: str) -> Response:
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{_e(title)}</title>'
    shown = f"<body><h1>{_e(title)}</h1>{body}</body>"
    text = f'<!doctype html><html lang="en"><head>{head}<style>{_STYLE}</style></head>{shown}</html>'
    answer = Response(text, content_type="text/html; charset=utf-8")
    answer.headers["Content-Security-Policy"] = _POLICY
    return answer


def _e(text: str) -> str:
    return html.escape(text)

"""HTML for the pages of the stand-in: Markdown as GitHub shows it, and what stands around it."""

import html
import re
from collections.abc import Sequence
from typing import Any

from flask import Response
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1f2328;background:#fff}
article{border:1px solid #d1d9e0;border-radius:6px;margin:1rem 0}article>header{background:#f6f8fa;padding:.4rem 1rem;
border-bottom:1px solid #d1d9e0}article>div{padding:.2rem 1rem;overflow-wrap:anywhere}pre{background:#f6f8fa;
padding:1rem;overflow:auto;border-radius:6px;overflow-wrap:normal}code{font:85% ui-monospace,monospace;
white-space:break-spaces}pre code{white-space:pre}table{border-collapse:collapse;display:block;width:max-content;
max-width:100%;overflow:auto;overflow-wrap:normal}td code{white-space:nowrap}details,table{margin:.6rem 0}
textarea{width:100%;box-sizing:border-box;font:inherit}button,select,input{font:inherit}
blockquote{margin:.6rem 0;padding-left:1rem;border-left:.25rem solid #d1d9e0}
td,th{border:1px solid #d1d9e0;padding:.3rem .7rem}.label{background:#ddf4ff;border-radius:1rem;padding:.1rem .6rem}
nav,.quiet{color:#59636e}.thread{margin-left:1.5rem}.thread .label{font-size:80%}
ins{background:#dafbe1;text-decoration:none}del{background:#ffebe9;text-decoration:none}
@media (prefers-color-scheme:dark){body{background:#0d1117;color:#f0f6fc}article>header,pre{background:#151b23}
a{color:#4493f8}nav,.quiet{color:#9198a1}article,article>header,td,th{border-color:#3d444d}.label{background:#0c2d6b}
ins{background:#12361f}del{background:#47191f}}
"""
_SAFE_TAG = re.compile(r"<(/?)(details|summary|br|sub|sup|kbd)(\s+open)?\s*/?>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


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
        shown.append(escape(content[last : tag.start()]))
        shown.append(f"<{tag[1]}{tag[2].lower()}{' open' if tag[3] else ''}>")
        last = tag.end()
    return "".join(shown) + escape(content[last:])


def coloured(diff: str) -> str:
    """A diff, its lines coloured."""
    return f"<pre>{chr(10).join(map(_coloured, diff.splitlines()))}</pre>"


def _coloured(line: str) -> str:
    tag = {"+": "ins", "-": "del"}.get(line[:1])
    return f"<{tag}>{escape(line)}</{tag}>" if tag else escape(line)


def said(who: str, text: str, *, note: str = "", after: str = "") -> str:
    """What somebody wrote; `note` stands beside the name, `after` is HTML that follows the text."""
    beside = f' <span class="quiet">{escape(note)}</span>' if note else ""
    header = f"<header><b>{escape(who)}</b>{beside}</header>"
    return f"<article>{header}<div>{markdown(text)}{after}</div></article>"


def page(title: str, body: str) -> Response:
    """A whole page, which may load nothing from anywhere."""
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    shown = f"<body><h1>{escape(title)}</h1>{body}</body>"
    text = f'<!doctype html><html lang="en"><head>{head}<style>{_STYLE}</style></head>{shown}</html>'
    answer = Response(text, content_type="text/html; charset=utf-8")
    answer.headers["Content-Security-Policy"] = _POLICY
    return answer


def escape(text: str) -> str:
    """Text as HTML."""
    return html.escape(text)

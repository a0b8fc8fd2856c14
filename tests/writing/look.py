"""Every comment, pull request and check as one page to look at in a browser: bright and dark, wide and narrow.

    python -m tests.writing.look [FOLDER]        # .cache/look by default

It writes `index.html`, which needs no network, and each text as Markdown, to be pasted where GitHub shows its preview.
A chart stands in the page as its source: GitHub draws it, this page does not. `backtest.html` is a page of a backtest
as `selfcode backtest` writes it, `backtest.md` the same as Markdown.
"""

import argparse
import html
import re
import sys
from pathlib import Path

from markdown_it import MarkdownIt

from bot.writing.backtest_page import page as backtest_page
from bot.writing.backtest_pictures import pictures_of
from bot.writing.backtest_report import markdown_report
from tests.writing.backtests import a_large_one
from tests.writing.gallery import pieces

_GITHUB = MarkdownIt("commonmark", {"html": True, "breaks": True}).enable(["table", "strikethrough"])
_COMMIT = re.compile(r"(?<![\w>])([0-9a-f]{7})[0-9a-f]{33}(?!\w)")

STYLE = """
body { margin: 0; font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif }
.bright { --page: #fff; --ink: #1f2328; --dim: #59636e; --edge: #d1d9e0; --back: #f6f8fa; --link: #0969da }
.dark { --page: #0d1117; --ink: #f0f6fc; --dim: #9198a1; --edge: #3d444d; --back: #151b23; --link: #4493f8 }
section { display: flex; gap: 24px; padding: 16px; align-items: flex-start; background: var(--page); color: var(--ink) }
article { border: 1px solid var(--edge); border-radius: 6px; padding: 0 16px; width: 880px; overflow: hidden }
article.narrow { width: 330px }
h2 { margin: 0; padding: 24px 16px 0 } a { color: var(--link); text-decoration: none }
blockquote { margin: 0 0 16px; padding: 0 1em; color: var(--dim); border-left: .25em solid var(--edge) }
table { border-collapse: collapse; display: block; overflow: auto; margin-bottom: 16px }
td, th { border: 1px solid var(--edge); padding: 6px 13px } tr:nth-child(2n) { background: var(--back) }
code { background: var(--back); border-radius: 6px; padding: .2em .4em; font-size: 85% }
pre { background: var(--back); border-radius: 6px; padding: 16px; overflow: auto } pre code { padding: 0 }
details, p, ul, ol { margin: 0 0 16px } article > :first-child { margin-top: 16px }
"""


def page() -> str:
    """The page whole."""
    shown = "\n".join(f"<h2>{html.escape(name)}</h2>\n{_twice(text)}" for name, text in pieces().items())
    return f"<!doctype html>\n<meta charset=utf-8>\n<title>selfcode</title>\n<style>{STYLE}</style>\n{shown}\n"


def _twice(text: str) -> str:
    body = _COMMIT.sub(r'<a href="#"><code>\1</code></a>', _GITHUB.render(text))
    both = f"<article>{body}</article><article class=narrow>{body}</article>"
    return "\n".join(f"<section class={scheme}>{both}</section>" for scheme in ("bright", "dark"))


def backtest_files() -> dict[str, str]:
    """The report of a backtest by the names of its files."""
    made = a_large_one()
    return {"backtest.html": backtest_page(made), "backtest.md": markdown_report(made), **pictures_of(made)}


def main(folder: Path) -> None:
    """Write the page and the texts."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pieces().items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "index.html").write_text(page(), encoding="utf-8")
    for name, text in backtest_files().items():
        (folder / name).write_text(text, encoding="utf-8")
    sys.stdout.write(f"{folder / 'index.html'}\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.writing.look", description="Every text on one page.")
    parser.add_argument("folder", type=Path, nargs="?", default=Path(".cache/look"), help="where it is written")
    main(parser.parse_args().folder)

"""`make docs`: the site is whole, is what GitHub shows, and asks no other host for anything."""

import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from manual.links import ROOT, pages
from manual.site import FROM_THE_TOP, moved, nested

ALIKE = ("table", "tr", "pre", "li", "h1", "h2", "h3", "h4")
FETCHED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}


class Found(HTMLParser):
    """The tags of a page, and what a browser fetches for it without being asked."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.fetched: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.fetched += [value or "" for name, value in attrs if FETCHED.get(tag) == name]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (built.returncode, built.stderr) == (0, "")
    return folder


def test_every_page_is_there_and_has_what_github_shows(site: Path) -> None:
    for path, text in pages().items():
        name = FROM_THE_TOP.get(path) or path.removeprefix("docs/")
        page = (site / name.replace(".md", ".html")).read_text(encoding="utf-8")
        article = page[page.index('role="main"') : page.index("<footer")]
        here = Found(article).tags
        there = Found(MarkdownIt("gfm-like", {"linkify": False}).render(text)).tags

        assert {tag: here[tag] for tag in ALIKE} == {tag: there[tag] for tag in ALIKE}, path


def test_no_page_asks_another_host_for_anything(site: Path) -> None:
    fetched = [address for page in site.rglob("*.html") for address in Found(page.read_text(encoding="utf-8")).fetched]
    styled = [
        address
        for sheet in site.rglob("*.css")
        for address in re.findall(r"(?:url\(|@import\s+)[\"']?([^\"')\s;]+)", sheet.read_text(encoding="utf-8"))
    ]

    assert fetched
    assert [address for address in (*fetched, *styled) if re.match(r"(?:https?:)?//", address)] == []


def test_links_to_pages_at_the_top_lead_to_where_these_are_in_the_site() -> None:
    assert moved("[a](../README.md#x) [b](../app.yml)", from_top=False) == "[a](index.md#x) [b](app.yml)"
    assert moved("[a](docs/faq.md) [b](CHANGELOG.md)", from_top=True) == "[a](faq.md) [b](CHANGELOG.md)"


def test_lists_in_lists_are_as_deep_as_the_site_wants_them_and_code_is_left_alone() -> None:
    assert nested("1. a\n   - b\n```yaml\n  - c\n```\n") == "1. a\n    - b\n```yaml\n  - c\n```\n"

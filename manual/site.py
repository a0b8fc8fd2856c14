"""What `mkdocs build` needs to know: the pages at the repository's top belong to the site, and anchors are GitHub's.

Source: https://www.mkdocs.org/user-guide/configuration/#hooks
"""

import re
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from manual.links import ROOT, slug

FROM_THE_TOP = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "LICENSE": "LICENSE",
    "app.yml": "app.yml",
}
"""What is brought in from the repository's top, and where it then is."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make anchors as GitHub does."""
    toc: dict[str, Any] = config.mdx_configs.setdefault("toc", {})
    toc["slugify"] = slug
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Bring in what lies outside of docs/."""
    for found, name in FROM_THE_TOP.items():
        files.append(File.generated(config, name, content=(ROOT / found).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """Let links lead to where the pages are in the site, and lists be what they are on GitHub."""
    return nested(moved(markdown, from_top=page.file.src_uri in FROM_THE_TOP.values()))


def moved(markdown: str, *, from_top: bool) -> str:
    """The page with its links as they are in the site, where docs/ is the top."""
    markdown = re.sub(r"\]\((?:docs/|\./)", "](", markdown) if from_top else markdown.replace("](../", "](")
    return markdown.replace("](README.md", "](index.md")


def nested(markdown: str) -> str:
    """The page with lists in lists as Python-Markdown wants them: four spaces deep, where GitHub takes two or three."""
    lines, is_code = [], False
    for line in markdown.split("\n"):
        is_code ^= line.lstrip().startswith("```")
        lines.append(line if is_code else re.sub(r"^ {2,3}(?=- )", "    ", line))
    return "\n".join(lines)

"""Every link of README, docs/ and the pages at the top leads to a file that is there, and to a heading in it."""

import re
from pathlib import Path

from manual.links import ROOT, broken, headings, pages, slug


def test_no_link_of_ours_leads_nowhere() -> None:
    found = pages()

    assert {"README.md", "CHANGELOG.md", "docs/operations.md"} <= set(found)
    assert broken(found) == []


def test_every_module_that_the_architecture_names_is_there() -> None:
    named = set(re.findall(r"[\w/]+\.(?:py|cjs|js|css|html|sh)\b", pages()["docs/architecture.md"]))
    there = [
        f"/{path.relative_to(ROOT)}"
        for room in ("bot", "sandbox", "tests", "manual")
        for path in (ROOT / room).rglob("*.*")
    ]

    assert "runs/workflow.py" in named
    assert [name for name in sorted(named) if not any(path.endswith(f"/{name}") for path in there)] == []


def test_a_link_that_leads_nowhere_is_named_with_its_page(tmp_path: Path) -> None:
    texts = {
        "README.md": "[a](docs/a.md#there) [b](docs/b.md) [c](docs/a.md#gone) [d](#nor-here) ![e](e.png)",
        "docs/a.md": "# There\n\n[up](../README.md) [out](https://example.com/#x) [far](../../x.md)",
    }
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)

    assert broken(texts, root=tmp_path) == [
        "README.md: docs/b.md",
        "README.md: docs/a.md#gone",
        "README.md: #nor-here",
        "README.md: e.png",
        "docs/a.md: ../../x.md",
    ]


def test_a_link_in_code_is_none() -> None:
    assert broken({"a.md": "`[x](gone.md)`\n\n```\n[y](gone.md)\n```\n"}) == []


def test_anchors_are_githubs() -> None:
    assert slug("`.github/selfcode.yml`".replace("`", "")) == "githubselfcodeyml"
    assert list(headings("# What's new?\n\n## `a` and *b*\n\n## a and b\n")) == ["whats-new", "a-and-b", "a-and-b-1"]

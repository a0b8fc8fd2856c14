"""What a repository asks of those who contribute."""

from collections.abc import Mapping

from bot.repository import Entry
from bot.runs.wishes import WISH_SHOWN, WISHES_SHOWN, wishes_of


def wishes(files: Mapping[str, bytes], *, links: tuple[str, ...] = ()) -> dict[str, str]:
    entries = {
        path: Entry("120000" if path in links else "100644", str(hash(data)), len(data)) for path, data in files.items()
    }
    return dict(wishes_of(entries, files.get))


def test_the_usual_files_are_found_wherever_they_may_stand_in_any_letter_case() -> None:
    files = {
        "docs/CONTRIBUTING.md": b"Write tests.",
        "AGENTS.md": b"Use tabs.",
        "CLAUDE.md": b"Use spaces.",
        ".github/copilot-instructions.md": b"Be brief.",
        ".github/Pull_Request_Template.md": b"## Why",
        "src/AGENTS.md": b"not the repository's",
        "README.md": b"no wish",
    }

    assert list(wishes(files).values()) == ["Write tests.", "Use tabs.", "Use spaces.", "Be brief.", "## Why"]


def test_the_same_text_is_shown_once_and_a_link_leads_nowhere() -> None:
    files = {"AGENTS.md": b"Use tabs.", "CLAUDE.md": b"Use tabs.", "CONTRIBUTING.md": b"../../etc/passwd"}

    assert wishes(files, links=("CONTRIBUTING.md",)) == {"AGENTS.md": "Use tabs."}


def test_they_are_bounded_and_without_what_nobody_sees() -> None:
    long = b"x" * 300_000
    many = {
        "CONTRIBUTING.md": b"a" * (WISH_SHOWN + 1),
        "AGENTS.md": b"b\xff<!-- secret -->" + b"b" * 3990,
        "CLAUDE.md": b"c" * 3990,
        ".github/copilot-instructions.md": b"d" * 3990,
        ".github/pull_request_template.md": long,
    }

    found = wishes(many)

    assert found["CONTRIBUTING.md"].endswith("a\n[… cut …]")
    assert found["AGENTS.md"].startswith("b\ufffdb")
    assert ".github/pull_request_template.md" not in found
    assert sum(map(len, found.values())) <= WISHES_SHOWN + 4 * len("\n[… cut …]")

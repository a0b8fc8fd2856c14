import re

import pytest

from bot.writing.document import LIMIT
from tests.writing.gallery import PAGES, RUN, pieces
from tests.writing.look import page
from tests.writing.rendering import foreign_html, is_closed, live

PIECES = pieces()
WITHOUT_A_MARKER = tuple(name for name in PIECES if name.startswith("check-"))


@pytest.mark.parametrize("name", PIECES)
def test_what_people_read_is_whole_and_has_no_html_but_ours(name: str) -> None:
    text = PIECES[name]

    assert is_closed(text)
    assert foreign_html(text) == []
    assert len(text) <= LIMIT
    assert text.count("<!-- selfcode:") == (0 if name in WITHOUT_A_MARKER else 1)
    assert "\n\n\n" not in text


@pytest.mark.parametrize("name", PIECES)
def test_what_people_read_links_its_issue_its_pull_request_its_run_and_its_logs_alone(name: str) -> None:
    found = [each for each in live(PIECES[name]) if each not in ("#7", "#12", f"{PAGES}/runs/{RUN}")]

    assert all("#issuecomment-" in each for each in found)


@pytest.mark.parametrize("name", PIECES)
def test_commands_are_shown_as_inline_code_so_that_no_comment_of_ours_gives_one(name: str) -> None:
    assert not any(line.lstrip("> -").startswith("/selfcode") for line in PIECES[name].splitlines())


def test_all_of_it_can_be_looked_at_on_one_page_that_needs_no_network() -> None:
    shown = page()

    assert all(f"<h2>{name}</h2>" in shown for name in PIECES)
    assert shown.count("<article") == 4 * len(PIECES)
    assert (
        re.findall(
            r"""(?:src|href)=["']?(?!#|https://github\.com/octo/|https://bot\.example\.com/runs/)[^"'>]+""", shown
        )
        == []
    )

"""What the demo prints, and the pages that it serves."""

import io

import pytest
import requests

from bot.demo.markup import markdown
from bot.demo.telling import Teller, clean, folded
from tests.demo.clients import Scene


def test_what_is_folded_away_is_shown_by_its_summary() -> None:
    inner = "<details><summary>inner</summary>x</details>"
    text = f"<details><summary>Log <b>1</b></summary>\n\nlong\n{inner}\n</details>"

    assert folded(f"Before\n\n{text}\n\nAfter") == "Before\n\n▸ Log 1\n\nAfter"


def test_hidden_comments_are_not_shown() -> None:
    assert folded("A<!-- selfcode:progress 1 -->\n") == "A"


def test_foreign_text_cannot_steer_the_terminal() -> None:
    assert clean("a\x1b[2Jb\x9b1mc\u202ed\r\n") == "a[2Jb1mcd\n"


def test_markup_in_foreign_text_is_text() -> None:
    stream = io.StringIO()

    Teller(stream).say("[red]not red[/red]")

    assert stream.getvalue() == "[red]not red[/red]\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_at_a_terminal_what_goes_on_just_now_is_shown_below_the_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    teller = Teller(stream)

    with teller.showing("the bot starts"):
        teller.happened(1.0, "iteration 1 [bold]")

    shown = stream.getvalue()
    assert "the bot starts" in shown
    assert shown.count("iteration 1 [bold]") > 1
    assert shown.endswith("\x1b[2K")


def test_where_there_is_no_terminal_lines_are_all_there_is() -> None:
    stream = io.StringIO()
    teller = Teller(stream)

    with teller.showing("the bot starts"):
        teller.happened(1.0, "iteration 1")

    assert stream.getvalue() == "   1.0 s  iteration 1\n"


def test_a_line_to_paste_is_never_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()

    Teller(stream).verbatim("export " + "x" * 30 + " " + "y" * 30)

    assert stream.getvalue().count("\n") == 1


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<script>alert(1)</script>", "&lt;script&gt;"),
        ("<img src=x onerror=alert(1)>", "&lt;img"),
        ("<details open onclick=alert(1)>x</details>", "&lt;details open onclick"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        ("<details>\n<summary>More</summary>\n\nx\n\n</details>", "<details>\n<summary>More</summary>"),
        ("| a |\n|---|\n| b |", "<td>b</td>"),
    ],
)
def test_pages_keep_folding_and_tables_and_show_other_html_as_text(written: str, shown: str) -> None:
    assert shown in markdown(written)


def test_an_issues_page_shows_what_was_written_and_runs_nothing(scene: Scene) -> None:
    issue = scene.repository.open_issue("A <b>title</b>", "It *subtracts*. <script>x</script>", by="ada")
    issue.comment("Me too", by="mona")

    page = requests.get(issue.url, timeout=10)

    assert "A &lt;b&gt;title&lt;/b&gt;" in page.text
    assert "It <em>subtracts</em>." in page.text
    assert "<script" not in page.text
    assert "Me too" in page.text
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_a_pull_requests_page_shows_commits_and_changes(scene: Scene) -> None:
    sha = scene.pushed_branch()
    scene.bot().post("/repos/octo/adder/pulls", {"title": "Add", "head": "selfcode/issue-1", "base": "main"})
    [pull] = scene.repository.pulls

    page = requests.get(pull.url, timeout=10).text

    assert sha[:10] in page
    assert "<ins>+    return a + b</ins>" in page
    assert requests.get(f"{pull.url}.diff", timeout=10).text == pull.diff


def test_private_repositories_have_no_pages(scene: Scene) -> None:
    scene.hub.create_repository("octo/secret", {"a": "1\n"}, private=True)

    assert requests.get(f"{scene.hub.base_url}/octo/secret", timeout=10).status_code == 404
    assert "secret" not in requests.get(scene.hub.base_url, timeout=10).text


def test_the_front_page_leads_to_repositories_and_their_files(scene: Scene) -> None:
    base = scene.hub.base_url

    assert 'href="/octo/adder"' in requests.get(base, timeout=10).text
    assert "/octo/adder/blob/main/adder.py" in requests.get(f"{base}/octo/adder", timeout=10).text
    assert "return a - b" in requests.get(f"{base}/octo/adder/blob/main/adder.py", timeout=10).text

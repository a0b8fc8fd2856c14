"""Names made of strangers' words."""

import subprocess
from contextlib import AbstractContextManager, nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import Refused
from bot.repository import branch_for, title_for
from bot.repository.naming import ref_for

HOSTILE = [
    "admin/invoices/failed/",
    "fix: a..b ~^: [x] .lock",
    "-rf",
    "--upload-pack=x",
    "@{",
    'x"; touch $HOME/pwned; echo "$GITHUB_TOKEN',
    "$(id)",
]


def git_takes(ref: str) -> bool:
    return subprocess.run(["git", "check-ref-format", ref], check=False).returncode == 0


def test_the_branch_is_the_issues_number_and_a_name_that_git_takes() -> None:
    assert branch_for(7) == "selfcode/issue-7"
    done = subprocess.run(["git", "check-ref-format", "--branch", branch_for(7)], capture_output=True, check=True)
    assert done.stdout == b"selfcode/issue-7\n"


@pytest.mark.parametrize("title", HOSTILE)
def test_a_title_appears_literally_with_the_issues_number(title: str) -> None:
    assert title_for(title, 7) == f"{title} (#7)"


@pytest.mark.parametrize("title", ["", "   ", "\r\n", "\u200b\u202e", "\0"])
def test_an_issue_whose_title_shows_nothing_is_called_by_its_number(title: str) -> None:
    assert title_for(title, 7) == "Issue (#7)"


def test_a_title_is_one_line_without_invisible_characters() -> None:
    assert title_for("a\r\nb\u2028c\td\x1b[31m \u202ee\u200b\ufeff", 7) == "a b c d [31m e (#7)"


def test_a_title_of_three_hundred_emoji_is_cut() -> None:
    title = title_for("😊" * 300, 7)

    assert title.endswith("😊… (#7)")
    assert len(title) == 125


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Closes #5", "Closes 5 (#7)"),
        ("this fixes: #5, resolved acme/tool#6", "this fixes: 5, resolved acme/tool6 (#7)"),
        ("Crash after #5", "Crash after #5 (#7)"),
    ],
)
def test_a_title_can_not_close_another_issue(title: str, shown: str) -> None:
    assert title_for(title, 7) == shown


def test_a_task_without_an_issue_has_a_title_without_a_number() -> None:
    assert title_for("Fix it", None) == "Fix it"
    assert title_for("", None) == "Issue"


@settings(max_examples=300, derandomize=True)
@given(st.text())
def test_any_title_becomes_one_short_line(title: str) -> None:
    shown = title_for(title, 12345)

    assert shown.endswith("(#12345)")
    assert len(shown.splitlines()) == 1
    assert len(shown) <= 130
    assert shown.encode().decode() == shown


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.text(alphabet="a./@{~^:?*[\\ -\x7f\t_é", min_size=1, max_size=8).filter(lambda name: not name.startswith("-"))
)
def test_a_branchs_name_is_judged_as_git_judges_it(name: str) -> None:
    expected: AbstractContextManager[object] = (
        nullcontext() if git_takes(f"refs/heads/{name}") and name != "@" else pytest.raises(Refused)
    )

    with expected:
        assert ref_for(name) == f"refs/heads/{name}"


@pytest.mark.parametrize("name", ["", "-x", "--all", "a b", "a..b", "x.lock", "a:b", "HEAD~1"])
def test_what_could_pass_for_an_option_or_a_revision_is_no_branch(name: str) -> None:
    with pytest.raises(Refused):
        ref_for(name)

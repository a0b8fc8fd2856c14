"""Names of branches."""

import subprocess
from contextlib import AbstractContextManager, nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import Refused
from bot.repository import branch_for
from bot.repository.naming import ref_for


def git_takes(ref: str) -> bool:
    return subprocess.run(["git", "check-ref-format", ref], check=False).returncode == 0


def test_the_branch_is_the_issues_number_and_a_name_that_git_takes() -> None:
    assert branch_for(7) == "selfcode/issue-7"
    done = subprocess.run(["git", "check-ref-format", "--branch", branch_for(7)], capture_output=True, check=True)
    assert done.stdout == b"selfcode/issue-7\n"
    assert branch_for(7, 2) == "selfcode/issue-7-2"


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

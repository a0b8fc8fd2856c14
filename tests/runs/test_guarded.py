"""What keeps a write from being sent, and what does not."""

from inspect import signature

import pytest

from bot.records import GitHub
from bot.runs.guarded import READS, guarded
from bot.runs.leases import LeaseLost
from tests.github.fake import FakeGitHub

CALLS = sorted(name for name in vars(GitHub) if not name.startswith("_"))


def lost() -> None:
    raise LeaseLost("run")


@pytest.mark.parametrize("name", [name for name in CALLS if name not in READS])
def test_who_has_lost_a_run_sends_no_write_and_gets_no_token(name: str) -> None:
    call = getattr(guarded(FakeGitHub(), lost), name)

    with pytest.raises(LeaseLost):
        call(*[None] * (len(signature(getattr(GitHub, name)).parameters) - 1))


def test_who_has_lost_a_run_may_look() -> None:
    github = FakeGitHub()
    made = github.add_repository("octo/cat")

    assert guarded(github, lost).repository(made.ref).ref == made.ref


def test_who_holds_a_run_writes_as_ever() -> None:
    github = FakeGitHub()
    issue = github.open_issue(github.add_repository("octo/cat").ref)

    guarded(github, lambda: None).post_comment(issue, "Begun.", marker="Begun")

    assert [said.body for said in github._thread(issue).comments] == ["Begun."]


def test_everything_that_only_reads_is_named_as_it_is() -> None:
    assert set(CALLS) >= READS

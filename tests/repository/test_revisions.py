"""Ranges as people type them, in real repositories."""

from pathlib import Path

import pytest

from bot.errors import Refused
from bot.repository import Mirror
from bot.repository.revisions import Range, range_of, span_of
from tests.history import History


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History.begun(tmp_path / "repository", {"a": "1"})


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("main..fix", Range("main", "fix")),
        ("main...fix", Range("main", "fix", from_fork=True)),
        ("v1.0..v1.1", Range("v1.0", "v1.1")),
        ("main..", Range("main", "HEAD")),
        ("..fix", Range("HEAD", "fix")),
    ],
)
def test_a_range_is_named_as_for_git(text: str, meant: Range) -> None:
    assert range_of(text) == meant


@pytest.mark.parametrize("text", ["main", "", "..", "...", "a..b..c", "a....b", "a.b"])
def test_what_is_no_range_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(Refused, match=r"BASE\.\.HEAD"):
        range_of(text)


def test_an_end_is_a_branch_a_tag_a_commit_or_whatever_git_finds_by_it(history: History) -> None:
    first = history.git("rev-parse", "HEAD")
    history.git("tag", "-a", "v1", "-m", "one")
    second = history.commit({"a": "2"})

    for base, head in (("v1", "main"), (first, second), (first[:8], "HEAD"), ("HEAD~1", "main@{0}")):
        span = span_of(history.folder, Range(base, head))
        assert (span.base, span.head, span.is_ahead) == (first, second, True)


def test_three_dots_begin_where_the_two_parted(history: History) -> None:
    fork = history.git("rev-parse", "HEAD")
    history.git("checkout", "--quiet", "-b", "fix")
    head = history.commit({"a": "2"})
    history.git("checkout", "--quiet", "main")
    newer = history.commit({"b": "1"})

    two, three = (span_of(history.folder, range_of(text)) for text in ("main..fix", "main...fix"))

    assert (two.base, two.head, two.is_ahead) == (newer, head, False)
    assert (three.base, three.head, three.is_ahead) == (fork, head, True)


def test_one_may_stand_in_any_folder_of_a_checkout_a_work_tree_or_a_bare_repository(
    history: History, tmp_path: Path
) -> None:
    head = history.commit({"deep/down/b": "1"})
    history.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "tree"), "HEAD~1")
    history.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))

    for folder in (history.folder / "deep" / "down", tmp_path / "tree", tmp_path / "bare.git"):
        assert span_of(folder, Range("main~1", "main")).head == head
    with pytest.raises(Refused, match="both ends"):
        span_of(tmp_path / "tree", Range("main~1", "HEAD"))


def test_a_commit_that_is_not_there_is_named_and_what_was_probably_meant(history: History) -> None:
    history.git("branch", "feature/totals")

    with pytest.raises(Refused, match=r"no commit `featur/totals`.*Did you mean `feature/totals`"):
        span_of(history.folder, Range("main", "featur/totals"))
    with pytest.raises(Refused, match=r"no commit `--all`"):
        span_of(history.folder, Range("--all", "main"))


def test_a_shallow_clone_is_told_as_the_reason(history: History, tmp_path: Path) -> None:
    history.commit({"a": "2"})
    history.git("clone", "--quiet", "--depth=1", f"file://{history.folder}", str(tmp_path / "shallow"))

    with pytest.raises(Refused, match="shallow clone"):
        span_of(tmp_path / "shallow", Range("HEAD~1", "HEAD"))


@pytest.mark.parametrize("text", ["main..main", "HEAD..main", "main...main~1"])
def test_a_range_that_holds_nothing_is_refused(history: History, text: str) -> None:
    history.commit({"a": "2"})

    with pytest.raises(Refused, match="There is nothing in"):
        span_of(history.folder, range_of(text))


def test_commits_that_change_no_file_in_the_end_are_nothing(history: History) -> None:
    history.commit({"a": "2"})
    history.commit({"a": "1"})

    with pytest.raises(Refused, match="hold the same files"):
        span_of(history.folder, range_of("HEAD~2..HEAD"))


def test_histories_with_nothing_in_common_have_no_fork(history: History) -> None:
    history.git("checkout", "--quiet", "--orphan", "alone")
    history.commit({"c": "1"})

    with pytest.raises(Refused, match="no commit in common"):
        span_of(history.folder, range_of("main...alone"))


def test_a_repository_whose_commits_are_named_by_sha256_is_refused_as_such(tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    folder.mkdir()
    history = History(folder)
    history.git("init", "--quiet", "--object-format=sha256")
    history.commit({"a": "1"})
    history.commit({"a": "2"})

    with pytest.raises(Refused, match="by SHA-256"):
        span_of(folder, range_of("HEAD~1..HEAD"))
    with pytest.raises(Refused, match="by SHA-256"):
        Mirror(tmp_path / "mirror").fetch_branch(str(folder), "HEAD")


def test_a_folder_outside_of_any_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="not in a git repository"):
        span_of(tmp_path, range_of("main..fix"))

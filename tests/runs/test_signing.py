"""Commits that GitHub writes for a run, so that they are verified: the same change, and nothing left behind."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from bot.errors import Refused, Stopped, Unavailable
from bot.records import Outcome, RepositoryRef, TriggerKind
from bot.repository.git import run_git
from bot.runs.chapter import Chapter
from bot.runs.signing import Signing
from tests.runs.builders import a_database
from tests.runs.workshop import CONFIGURATION, FILES, Turn, Workshop

CALC = FILES["calc.py"]
THREE = {"calc.py": CALC.replace(b"three = 3", b"three = 33"), "tests/test_calc.py": b"assert three == 33\n"}
FOUR = {"calc.py": CALC.replace(b"four = 4", b"four = 44")}


class Killed(BaseException):
    """The worker is gone, in the middle of a step."""


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    with a_database(tmp_path) as database:
        yield Workshop(tmp_path, database)


def committers(workshop: Workshop, branch: str = "selfcode/issue-1") -> list[str]:
    """Who committed what the branch has and main has not, oldest first."""
    span = ["--reverse", "--topo-order", "--format=%cn", workshop.head(branch), "--not", "main"]
    return run_git(["log", *span], repository=workshop.origin.path).decode().split("\n")[:-1]


def refs(workshop: Workshop) -> set[str]:
    told = run_git(["for-each-ref", "--format=%(refname)"], repository=workshop.origin.path)
    return set(told.decode().split())


def test_the_commits_are_githubs_and_all_that_is_said_names_them(workshop: Workshop) -> None:
    run = workshop.run(Turn(THREE))

    assert run.outcome is Outcome.UNPROVEN, run.reason
    head = workshop.head()
    assert committers(workshop) == ["GitHub", "GitHub"]
    assert workshop.message(head).splitlines()[0] == "Three is wrong (#1)"
    assert "Co-authored-by: " in workshop.message(head)
    proof = workshop.known(run.id).proof
    assert proof is not None
    assert proof.provenance is not None
    assert proof.provenance.head == workshop.known(run.id).facts["head_sha"] == head
    assert workshop.repository.checks[-1].head_sha == head
    assert head in workshop.pull.text.body
    assert "not verified" not in workshop.pull.text.body
    assert refs(workshop) == {"refs/heads/main", "refs/heads/selfcode/issue-1"}


def test_they_count_as_ours_in_the_next_run(workshop: Workshop) -> None:
    workshop.run(Turn(THREE))
    first = workshop.head()

    workshop.run(Turn({"calc.py": THREE["calc.py"] + b"five = 5\n"}), kind=TriggerKind.RETRY)

    assert workshop.parents(workshop.head()) == [first]
    assert committers(workshop) == ["GitHub"] * 3
    assert "by people" not in workshop.pull.text.body


def test_merges_of_ours_are_githubs_and_peoples_commits_are_kept(workshop: Workshop) -> None:
    ours = workshop.worked({"other.py": b"x\n"})
    moved = workshop.push({"base.py": b"y\n"}, branch="main")
    theirs: list[str] = []

    run = workshop.run(
        Turn(THREE, meanwhile=lambda: theirs.append(workshop.push(FOUR))),
        kind=TriggerKind.RETRY,
    )

    assert run.outcome is Outcome.UNPROVEN, run.reason
    assert sorted(committers(workshop)) == ["Ann"] * 2 + ["GitHub"] * 4
    first, second = workshop.parents(workshop.head())
    assert first == theirs[0]
    (tests,) = workshop.parents(second)
    (merge,) = workshop.parents(tests)
    assert workshop.parents(merge) == [ours, moved]
    assert theirs[0] in workshop.pull.text.body
    assert refs(workshop) == {"refs/heads/main", "refs/heads/selfcode/issue-1"}


def test_a_repository_may_want_none_of_it(workshop: Workshop) -> None:
    workshop.push({".github/selfcode.yml": CONFIGURATION + b"verified_commits: false\n"}, branch="main")

    workshop.run(Turn(THREE))

    assert committers(workshop) == [workshop.house.author.name] * 2
    assert "create_commit" not in workshop.hub.calls
    assert "not verified" not in workshop.pull.text.body


def unsigned(workshop: Workshop) -> None:
    workshop.hub.signs = False


def refused(workshop: Workshop) -> None:
    workshop.hub.fail_next("create_commit", Refused("GitHub does not let the App write the commit: Not today"))


def without_refs(workshop: Workshop) -> None:
    workshop.origin.hook("update", 'case "$1" in refs/heads/*) exit 0;; esac; echo "no such refs here" >&2; exit 1')


@pytest.mark.parametrize("hinder", [unsigned, refused, without_refs])
def test_where_github_does_not_sign_them_ours_are_pushed_as_they_are(
    workshop: Workshop, hinder: Callable[[Workshop], None], caplog: pytest.LogCaptureFixture
) -> None:
    hinder(workshop)

    run = workshop.run(Turn(THREE))

    assert run.outcome is Outcome.UNPROVEN, run.reason
    assert committers(workshop) == [workshop.house.author.name] * 2
    assert workshop.known(run.id).facts["head_sha"] == workshop.head()
    assert refs(workshop) == {"refs/heads/main", "refs/heads/selfcode/issue-1"}
    assert [said for said in caplog.messages if "pushed unsigned" in said]
    assert "The commits are not verified: " in workshop.pull.text.body


@pytest.mark.parametrize("error", [Killed(), Unavailable("GitHub is away")])
def test_what_was_cut_off_between_two_commits_goes_on_with_the_second(workshop: Workshop, error: BaseException) -> None:
    chapter = workshop.chapter(_about_to_push(workshop))
    written = workshop.hub.written_commit
    made: list[str] = []

    def once(ref: RepositoryRef, tree: str, parents: Sequence[str], message: str) -> str:
        if len(made) == 1:
            made.append("")
            raise error
        made.append(written(ref, tree, parents, message))
        return made[-1]

    workshop.hub.written_commit = once  # type: ignore[method-assign]
    with pytest.raises(type(error)):
        chapter.push()

    assert chapter.push()

    assert workshop.head() == made[-1]
    assert workshop.parents(workshop.head()) == [made[0]]
    assert len(made) == 3
    assert refs(workshop) == {"refs/heads/main", "refs/heads/selfcode/issue-1"}


def test_what_was_cut_off_behind_the_push_is_found_done(workshop: Workshop) -> None:
    chapter = workshop.chapter(_about_to_push(workshop))
    chapter.push()
    head = workshop.head()

    assert chapter.push()

    assert workshop.head() == head
    assert workshop.hub.calls.count("create_commit") == 2


def test_a_worker_without_the_mirror_finds_githubs_commits_again(workshop: Workshop) -> None:
    chapter = workshop.chapter(_about_to_push(workshop))
    chapter.push()
    head, mirror = workshop.head(), chapter.known.mirror
    mirror.path.rename(mirror.path.with_name("lost"))
    mirror.update(str(workshop.origin.path))

    assert chapter.push()

    assert workshop.head() == chapter.known.facts["head_sha"] == head
    assert workshop.hub.calls.count("create_commit") == 2


def _pushes_again(_: Workshop, chapter: Chapter) -> None:
    chapter.push()


def _meets_a_closed_issue(workshop: Workshop, chapter: Chapter) -> None:
    workshop.hub.change_issue(workshop.issue, is_open=False)
    with pytest.raises(Stopped):
        chapter.push()


def _ends(_: Workshop, chapter: Chapter) -> None:
    dict(chapter.last_words(Outcome.STOPPED, ""))["ref"]()


@pytest.mark.parametrize("goes_on", [_pushes_again, _meets_a_closed_issue, _ends])
def test_a_ref_that_a_kill_has_left_is_taken_away(
    workshop: Workshop, goes_on: Callable[[Workshop, Chapter], None]
) -> None:
    run_id = _about_to_push(workshop)
    chapter = workshop.chapter(run_id)
    chapter.known.learn(staged=True)
    run_git(["update-ref", f"refs/selfcode/{run_id}", workshop.head("main")], repository=workshop.origin.path)

    goes_on(workshop, chapter)

    assert f"refs/selfcode/{run_id}" not in refs(workshop)


def test_a_server_that_does_not_let_a_ref_go_keeps_nobody_waiting_for_long(workshop: Workshop) -> None:
    run_id = _about_to_push(workshop)
    known, stop = workshop.known(run_id), workshop.chapter(run_id).stop
    known.learn(staged=True)
    run_git(["update-ref", f"refs/selfcode/{run_id}", workshop.head("main")], repository=workshop.origin.path)
    workshop.origin.hook("update", "sleep 600")

    with pytest.raises(Unavailable, match="did not let the run's ref go"):
        Signing(known, stop, tidy_s=0.0).tidy()

    workshop.origin.hook("update", "exit 0")
    Signing(known, stop).tidy()
    assert f"refs/selfcode/{run_id}" not in refs(workshop)


def _about_to_push(workshop: Workshop) -> str:
    """A run whose work is done and proven."""
    run_id = workshop.begun()
    workshop.agent.turns = [Turn(THREE)]
    chapter = workshop.chapter(run_id)
    chapter.admit()
    chapter.fetch()
    chapter.prepare_environment()
    chapter.take_baseline()
    chapter.iterate(1)
    chapter.take_proof()
    return run_id

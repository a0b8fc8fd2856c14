"""The issue's branch between runs: it is built on, brought up to its base, and never put aside."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.records import Outcome, TriggerKind, Verdict
from bot.runs.branch import Footing
from bot.runs.commits import words_of
from bot.runs.known import Known
from tests.runs.builders import MAINTAINER, a_database
from tests.runs.workshop import BRANCH, CONFIGURATION, FILES, Turn, Workshop

CALC = FILES["calc.py"]
THREE = {"calc.py": CALC.replace(b"three = 3", b"three = 33")}
FOUR = {"calc.py": CALC.replace(b"four = 4", b"four = 44")}
BOTH = CALC.replace(b"three = 3", b"three = 33").replace(b"four = 4", b"four = 44")
AGAINST = {"calc.py": CALC.replace(b"three = 3", b"three = 34")}


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    with a_database(tmp_path) as database:
        yield Workshop(tmp_path, database)


def starts_with(known: Known) -> bytes:
    return known.mirror.read(known.footing.start, "calc.py") or b""


def configured(workshop: Workshop, setting: bytes) -> None:
    workshop.push({".github/selfcode.yml": CONFIGURATION + setting}, branch="main")


def test_the_first_run_makes_the_branch_from_the_base_and_asks_github_nothing_about_it(workshop: Workshop) -> None:
    base = workshop.head("main")

    known = workshop.settled(TriggerKind.START)

    assert known.footing == Footing(BRANCH, base=base, onto=base)
    assert known.progress.start.is_empty
    assert "pull_request" not in workshop.hub.calls


def test_a_branch_is_gone_on_from_with_peoples_commits_on_it(workshop: Workshop) -> None:
    workshop.worked(THREE)
    theirs = workshop.push({"notes.md": b"by hand\n"})

    known = workshop.settled()

    assert known.footing == Footing(
        BRANCH, base=workshop.head("main"), onto=theirs, head=theirs, by_people=(theirs,), pull_request=2
    )
    assert known.progress.start.paths == ("calc.py", "notes.md")


def test_whose_commit_it_is_is_known_by_what_was_pushed_and_not_by_a_name(workshop: Workshop) -> None:
    ours = workshop.worked(THREE)
    forged = workshop.origin.commit({"x.py": b"x\n"}, branch=BRANCH, email=workshop.house.author.email)

    assert workshop.settled().footing.by_people == (forged,)
    assert ours != forged


def test_a_base_that_moved_on_is_merged_into_the_branch(workshop: Workshop) -> None:
    ours = workshop.worked(THREE)
    newest = workshop.push(FOUR, branch="main")

    known = workshop.settled()

    assert (known.base, known.footing.head) == (newest, ours)
    assert [commit.parents for commit in known.mirror.commits(newest, known.footing.onto)] == [
        (known.mirror.merge_base(ours, newest),),
        (ours, newest),
    ]
    assert starts_with(known) == BOTH


def test_a_base_that_a_person_merged_in_is_the_base_and_its_commits_are_nobodys_work_on_the_branch(
    workshop: Workshop,
) -> None:
    workshop.worked(THREE)
    newest = workshop.push({"other.py": b"o\n"}, branch="main")
    merged = workshop.update_branch()

    known = workshop.settled()

    assert (known.base, known.footing.onto, known.footing.by_people) == (newest, merged, (merged,))
    assert known.progress.start.paths == ("calc.py",)


def test_a_base_that_a_person_merged_in_a_while_ago_is_where_the_branch_left_it(workshop: Workshop) -> None:
    workshop.worked(THREE)
    left = workshop.push({"other.py": b"o\n"}, branch="main")
    merged = workshop.update_branch()
    workshop.push({".github/selfcode.yml": CONFIGURATION + b"update: off\n"}, branch="main")

    known = workshop.settled()

    assert (known.base, known.footing.by_people) == (left, (merged,))
    assert known.progress.start.paths == ("calc.py",)


def test_a_branch_that_a_person_rebased_is_theirs_from_there_on_and_no_more_of_it(workshop: Workshop) -> None:
    workshop.worked(THREE)
    newest = workshop.push({"other.py": b"o\n"}, branch="main")
    workshop.update_branch()
    rebased = workshop.rebase_branch()

    known = workshop.settled()

    assert (known.base, known.footing.onto, known.footing.by_people) == (newest, rebased, (rebased,))
    assert known.progress.start.paths == ("calc.py",)


def test_the_same_run_makes_the_same_merge_again(workshop: Workshop) -> None:
    workshop.worked(THREE)
    workshop.push(FOUR, branch="main")
    known = workshop.settled()
    first = known.footing

    workshop.chapter(known.run_id).fetch()

    assert known.footing == first


def test_where_it_is_set_so_our_own_commits_are_made_anew_on_the_base(workshop: Workshop) -> None:
    ours = workshop.worked(THREE)
    configured(workshop, b"update: rebase\n")
    newest = workshop.push(FOUR, branch="main")

    footing = workshop.settled().footing

    assert (footing.onto, footing.base, footing.head, footing.was_rebased) == (newest, newest, ours, True)


def test_a_branch_with_a_persons_commit_is_never_rebased(workshop: Workshop) -> None:
    workshop.worked(THREE)
    theirs = workshop.push({"notes.md": b"by hand\n"})
    configured(workshop, b"update: rebase\n")

    known = workshop.settled()

    assert not known.footing.was_rebased
    assert known.mirror.is_ancestor(theirs, known.footing.onto)


def test_where_it_is_set_so_the_base_stays_where_the_branch_left_it(workshop: Workshop) -> None:
    before = workshop.head("main")
    ours = workshop.worked(THREE)
    configured(workshop, b"update: off\n")

    footing = workshop.settled().footing

    assert (footing.base, footing.onto) == (before, ours)


def test_a_person_who_asks_has_conflicts_solved(workshop: Workshop) -> None:
    ours = workshop.worked(THREE)
    newest = workshop.push(AGAINST, branch="main")

    known = workshop.settled()

    assert (known.footing.onto, known.base, known.task.conflicts) == (ours, newest, ("calc.py",))
    assert b"<<<<<<< " in starts_with(known)


@pytest.mark.parametrize("kind", [TriggerKind.START, TriggerKind.ANSWER])
def test_nobody_elses_run_solves_conflicts_and_they_are_named(workshop: Workshop, kind: TriggerKind) -> None:
    before = workshop.head("main")
    ours = workshop.worked(THREE)
    workshop.push(AGAINST, branch="main")

    footing = workshop.settled(kind).footing

    assert (footing.onto, footing.base, footing.unmerged, footing.conflicts) == (ours, before, ("calc.py",), ())


def test_a_branch_that_was_merged_is_left_alone_and_the_next_one_begins(workshop: Workshop) -> None:
    merged = workshop.worked(THREE)
    workshop.pull.state = "merged"

    footing = workshop.settled().footing

    assert (footing.branch, footing.head, footing.pull_request) == (f"{BRANCH}-2", None, None)
    assert workshop.head() == merged


def test_a_branch_whose_pull_request_was_closed_is_gone_on_from_in_another_one(workshop: Workshop) -> None:
    ours = workshop.worked(THREE)
    workshop.pull.state = "closed"

    footing = workshop.settled().footing

    assert (footing.branch, footing.onto, footing.pull_request) == (BRANCH, ours, None)


def test_a_branch_that_was_deleted_is_made_anew(workshop: Workshop) -> None:
    workshop.worked(THREE)
    workshop.origin.delete(BRANCH)
    workshop.pull.state = "closed"

    footing = workshop.settled().footing

    assert (footing.branch, footing.head, footing.onto) == (BRANCH, None, workshop.head("main"))


def test_a_branch_of_that_name_which_somebody_else_made_is_left_to_them(workshop: Workshop) -> None:
    workshop.origin.commit(THREE, branch=BRANCH, onto=workshop.head("main"))
    unrelated = workshop.origin.commit({"odd.py": b"x\n"}, branch="other")
    workshop.origin.commit({"more.py": b"x\n"}, branch=f"{BRANCH}-2", onto=unrelated)

    assert workshop.settled(TriggerKind.START).footing.branch == f"{BRANCH}-3"


def test_a_branch_whose_work_is_on_the_base_already_begins_there(workshop: Workshop) -> None:
    ours = workshop.worked(THREE)
    newest = workshop.origin.commit({"new.py": b"n\n"}, branch="main", onto=ours)

    known = workshop.settled()

    assert known.footing == replace(known.footing, head=ours, onto=newest, base=newest)
    assert known.progress.start.is_empty


# --- Whole runs


def test_a_second_attempt_adds_its_commits_to_the_same_pull_request(workshop: Workshop) -> None:
    base = workshop.head("main")
    workshop.run(Turn(THREE))
    first = workshop.head()
    theirs = workshop.push({"notes.md": b"by hand\n"})

    run = workshop.run(Turn({"calc.py": BOTH}), kind=TriggerKind.RETRY, because="/selfcode retry")

    assert run.outcome is Outcome.UNPROVEN, run.reason
    assert workshop.parents(first) == [base]
    assert workshop.message(first) == (
        f"Three is wrong (#1)\n\nCo-authored-by: {MAINTAINER.login} <{MAINTAINER.login}@users.noreply.github.com>"
    )
    assert workshop.agent.began_with[-1]["notes.md"] == b"by hand\n"
    assert workshop.parents(workshop.head()) == [theirs]
    assert len(workshop.repository.pulls) == 1
    assert workshop.settled().footing.by_people == (theirs,)
    assert all(part in workshop.pull.text.body for part in ("**Attempts**", first, theirs, workshop.head()))


def test_conflicts_are_solved_in_the_merge_itself_and_no_marker_is_pushed(workshop: Workshop) -> None:
    ours = workshop.worked(THREE)
    newest = workshop.push(AGAINST, branch="main")
    solved = Turn({"calc.py": CALC.replace(b"three = 3", b"three = 3334")})

    run = workshop.run(Turn(verdict=None), solved, kind=TriggerKind.RETRY)

    assert run.outcome is Outcome.UNPROVEN, run.reason
    assert "Conflict markers are left in calc.py" in workshop.agent.objections[0]
    assert workshop.parents(workshop.head()) == [ours, newest]
    assert workshop.message(workshop.head()).startswith(f"Merge main into {BRANCH}")
    assert workshop.read("calc.py") == solved.writes["calc.py"]


def test_a_file_that_the_base_deleted_is_decided_by_the_run_and_the_pull_request_says_how(workshop: Workshop) -> None:
    workshop.push({"old.py": b"old = 1\n", "older.py": b"older = 1\n"}, branch="main")
    workshop.worked({"old.py": b"old = 2\n", "older.py": b"older = 2\n"})
    workshop.push({"old.py": None, "older.py": None}, branch="main")
    decided = Turn({"old.py": None, "older.py": b"older = 2\n"})

    run = workshop.run(Turn(verdict=None), decided, kind=TriggerKind.RETRY)

    assert run.outcome is Outcome.UNPROVEN, run.reason
    assert "Conflict markers are left in old.py, older.py" in workshop.agent.objections[0]
    assert (workshop.read("old.py"), workshop.read("older.py")) == (None, b"older = 2\n")
    body = workshop.pull.text.body
    assert "`old.py`: deleted, as on the base" in body
    assert "`older.py`: as on this branch, and not as on the base" in body


def test_a_file_that_the_base_deleted_is_not_brought_back_unseen(workshop: Workshop) -> None:
    workshop.push({"old.py": b"old = 1\n"}, branch="main")
    ours = workshop.worked({"old.py": b"old = 2\n"})
    workshop.push({"old.py": None}, branch="main")

    run = workshop.run(Turn(THREE), kind=TriggerKind.RETRY)

    assert run.outcome is Outcome.REFUSED
    assert "leaves conflict markers in `old.py`" in (run.reason or "")
    assert workshop.head() == ours


def test_a_conflict_that_no_text_can_show_is_for_a_person(workshop: Workshop) -> None:
    workshop.push({"logo.png": b"\0\1"}, branch="main")
    ours = workshop.worked({"logo.png": b"\0\2"})
    workshop.push({"logo.png": b"\0\3"}, branch="main")

    run = workshop.run(kind=TriggerKind.RETRY)

    assert run.outcome is Outcome.REFUSED
    assert "have changed `logo.png` in two ways" in (run.reason or "")
    assert workshop.head() == ours


def test_the_answer_to_a_run_that_solved_conflicts_has_them_solved_too(workshop: Workshop) -> None:
    ours = workshop.worked(THREE)
    workshop.push(AGAINST, branch="main")
    workshop.run(Turn(verdict=Verdict.QUESTION, why="Which three?"), kind=TriggerKind.RETRY)

    footing = workshop.settled(TriggerKind.ANSWER, text="34.").footing

    assert (footing.onto, footing.conflicts, footing.carried) == (ours, ("calc.py",), "")


def test_a_change_with_conflict_markers_is_refused_whatever_the_agent_says(workshop: Workshop) -> None:
    ours = workshop.worked(THREE)
    workshop.push(AGAINST, branch="main")

    run = workshop.run(Turn(), kind=TriggerKind.RETRY)

    assert run.outcome is Outcome.REFUSED
    assert "leaves conflict markers in `calc.py`" in (run.reason or "")
    assert workshop.head() == ours


def test_what_a_person_did_to_tests_and_protected_files_on_the_branch_stands_and_is_not_the_runs_doing(
    workshop: Workshop,
) -> None:
    workshop.push({"test_old.py": b"def test_old():\n    assert 1\n"}, branch="main")
    workshop.worked(THREE)
    workshop.push({"test_old.py": b"def test_old():\n    pass\n", ".github/workflows/ci.yml": b"on: push\n"})

    run = workshop.run(Turn({"calc.py": BOTH}), kind=TriggerKind.RETRY)

    assert run.outcome is Outcome.UNPROVEN, run.reason
    assert "altered" not in workshop.agent.objections[0]
    assert workshop.read(".github/workflows/ci.yml") == b"on: push\n"


def test_a_run_may_touch_no_protected_file_on_the_branch_either(workshop: Workshop) -> None:
    ours = workshop.worked(THREE)

    run = workshop.run(Turn({".github/workflows/ci.yml": b"on: push\n"}), kind=TriggerKind.RETRY)

    assert run.outcome is Outcome.REFUSED
    assert workshop.head() == ours


def test_no_secret_of_the_issues_title_gets_into_a_commit(workshop: Workshop) -> None:
    token = "ghp_" + "a1B2" * 9
    workshop.hub.change_issue(workshop.issue, title=f"The token {token} is refused")

    assert token not in words_of(workshop.settled(TriggerKind.START)).of_change


def test_a_run_that_goes_on_in_another_home_stands_on_the_same_as_before(workshop: Workshop) -> None:
    workshop.worked(THREE)
    workshop.push({"other.py": b"o\n"}, branch="main")
    known = workshop.settled()
    before = known.footing
    workshop.push({"later.py": b"l\n"}, branch="main")
    workshop.push({"theirs.py": b"t\n"})

    workshop.moves_on()

    assert known.footing == before
    assert known.mirror.has(before.onto)
    assert known.base == before.base


def test_what_a_run_may_cost_is_told_when_its_mirror_is_gone(workshop: Workshop) -> None:
    known = workshop.settled(TriggerKind.START)
    known.learn(base="f" * 40)
    shutil.rmtree(known.mirror.path)

    assert known.shown_caps == workshop.house.caps


def test_a_repository_that_was_renamed_before_it_was_fetched_is_fetched_from_where_it_is(workshop: Workshop) -> None:
    chapter, base = workshop.chapter(workshop.begun()), workshop.head("main")
    chapter.admit()
    moved = workshop.origin.path.rename(workshop.home / "renamed.git")
    workshop.hub.origins[workshop.repository.ref.id] = replace(workshop.origin, path=moved, url=str(moved))

    chapter.fetch()

    assert (chapter.known.base, chapter.known.info.clone_url) == (base, str(moved))

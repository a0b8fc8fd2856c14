"""A colleague on a pull request: reviews, people's commits, a base that moves, questions, and few requests."""

import pytest

from bot.demo.handles import IssueHandle, PullHandle, RepositoryHandle
from bot.demo.recorded import Recording
from bot.records import Outcome, TriggerKind
from bot.runs.store import RunRow
from tests.story import recordings
from tests.story.conftest import Case
from tests.story.town import BOT, Town

CALLS_AT_MOST = 40
"""Requests to GitHub's API for a whole run of five iterations."""

Proven = tuple[RepositoryHandle, IssueHandle, PullHandle]


@pytest.fixture
def proven(shared_town: Town, a_case: Case) -> Proven:
    """An issue whose pull request is proven."""
    repository, issue = a_case()
    issue.label("selfcode", by="ada")
    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (pull,) = repository.pulls
    return repository, issue, pull


def test_a_review_is_one_run_and_each_of_its_threads_is_answered(shared_town: Town, proven: Proven) -> None:
    repository, issue, pull = proven
    first = pull.head_sha
    asked = f"{repository.full_name}: say what it does"
    words = "ANSWER 1: done - it has a docstring now.\nANSWER 2: not done - the name is used elsewhere."
    shared_town.will_reply(f"{recordings.DOCUMENTED}\n{recordings.finish('It says it.')}\n{words}", to=asked)

    review = pull.review(by="ada", comments=[("calc.py", 2, asked), ("calc.py", 1, "Another name?")])

    run = shared_town.wait_for_end(repository, issue, runs=2)
    assert run.outcome is Outcome.PROVEN, f"{run.reason}\n{shared_town.log()[-4000:]}"
    assert [commit.message.splitlines()[0] for commit in pull.commits][-1].startswith("Review by ada: ")
    assert pull.commits[-1].parents == (first,)
    answers = [(thread.is_resolved, thread.said[-1]) for thread in pull.threads]
    assert [(resolved, by) for resolved, (by, _) in answers] == [(True, BOT), (False, BOT)]
    assert answers[0][1][1].startswith(f"✅ Done in {pull.head_sha}.")
    assert "it has a docstring now" in answers[0][1][1]
    assert "ada" in pull.reviewers
    assert (BOT, "eyes") in review.reactions
    assert "**Attempts**" in pull.body
    assert pull.body.count("[log](") == 2
    assert "Your review is asked for again." in pull.comments_by(BOT)[-1].body
    assert pull.checks[-1].conclusion == "success"


def test_what_was_ready_is_a_draft_again_while_what_it_holds_is_not_proven(shared_town: Town, proven: Proven) -> None:
    repository, issue, pull = proven
    words = f"{repository.full_name}: two and one, too"
    loosened = recordings.TESTS.decode().replace("== 3", ">= 3")
    change = f"{recordings.DOCUMENTED}\n```python path=test_calc.py\n{loosened}```\n{recordings.finish('Looser.')}"
    shared_town.will_reply(change, to=words)
    was_draft = pull.is_draft

    pull.comment(f"/selfcode retry {words}", by="ada")

    run = shared_town.wait_for_end(repository, issue, runs=2)
    assert run.outcome is Outcome.UNPROVEN, f"{run.reason}\n{shared_town.log()[-4000:]}"
    assert (was_draft, pull.is_draft) == (False, True)
    assert "**A draft again**" in pull.body
    assert f"A draft again: #{pull.number}" in shared_town.said(issue)[-1].body

    pull.comment("/selfcode accept-tests", by="ada")

    run = shared_town.wait_for_end(repository, issue, runs=3)
    assert run.outcome is Outcome.PROVEN, f"{run.reason}\n{shared_town.log()[-4000:]}"
    assert not pull.is_draft
    assert "A draft again" not in pull.body


def test_a_retry_builds_on_a_persons_commit_and_solves_what_the_base_has_come_to(
    shared_town: Town, proven: Proven
) -> None:
    repository, issue, pull = proven
    theirs = repository.commit({"notes.md": "by hand\n"}, branch=pull.head, parent=pull.head_sha, by="ada")
    shared_town.wait_for_end(repository, issue, runs=2)
    newer = b"def add(a, b):\n    return abs(a) + b if a < 0 else b + a\n"
    moved = repository.commit({"calc.py": newer}, branch="main", parent=repository.head(), by="ada")
    conflicted = pull.has_conflicts
    words = f"{repository.full_name}: keep the order of main"
    solved = recordings.RIGHT_FIX.replace("a + b", "b + a")
    shared_town.will_reply(f"{solved}\n{recordings.finish('In the order of main.')}", to=words)

    pull.comment(f"/selfcode retry {words}", by="ada")

    run = shared_town.wait_for_end(repository, issue, runs=3)
    assert run.outcome is Outcome.PROVEN, f"{run.reason}\n{shared_town.log()[-4000:]}"
    assert (conflicted, pull.has_conflicts) == (True, False)
    assert pull.file("calc.py") == b"def add(a, b):\n    return b + a\n"
    assert pull.file("notes.md") == b"by hand\n"
    assert (theirs, moved) in {tuple(commit.parents) for commit in pull.commits}
    assert f"Built on 1 commit by people** on this branch, all kept as they are: {theirs}" in pull.body


def test_a_base_that_a_person_brings_in_while_a_run_works_is_nobodys_change(shared_town: Town, proven: Proven) -> None:
    repository, issue, pull = proven
    words = f"{repository.full_name}: say what it does"
    answered = "ANSWER 1: done - it has."
    shared_town.will_reply(f"{recordings.DOCUMENTED}\n{recordings.finish('It says it.')}\n{answered}", to=words)
    calls = len(shared_town.model.calls)
    shared_town.model.hold()
    pull.review(by="ada", comments=[("calc.py", 1, words)])
    try:
        assert shared_town.model.wait_for_calls(calls + 1, timeout_s=120), shared_town.log()[-4000:]
        test = "from mul import mul\n\n\ndef test_mul():\n    assert mul(2, 3) == 6\n"
        mains = {"mul.py": "def mul(a, b):\n    return a * b\n", "test_mul.py": test}
        repository.commit(mains, branch="main", parent=repository.head(), by="ada")
        loosened = recordings.TESTS.decode().replace("== 3", ">= 3")
        repository.commit({"test_calc.py": loosened}, branch="main", parent=repository.head(), by="ada")
        merged = pull.update_branch(by="ada")
    finally:
        shared_town.model.release()

    shared_town.wait_for_end(repository, issue, runs=2)
    (run,) = (run for run in shared_town.runs(repository, issue) if run.trigger.kind is TriggerKind.REVIEW)
    assert run.outcome is Outcome.PROVEN, f"{run.reason}\n{shared_town.log()[-4000:]}"
    assert pull.commits[-1].parents[0] == merged
    assert "1 test fails without this change" in pull.body
    assert f"Built on 1 commit by people** on this branch, all kept as they are: {merged}" in pull.body
    assert "mul" not in pull.body


def test_a_question_waits_for_someone_who_may_answer_it(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case(
        lambda match: recordings.recording(
            ("```read\ncalc.py\n```\n", "```ask\nIs the sign of zero to be kept?\n```\n"), match=match
        )
    )
    issue.label("selfcode", by="ada")
    run = shared_town.wait_for_outcome(repository, issue, Outcome.NEEDS_INFORMATION)
    assert "Is the sign of zero to be kept?" in shared_town.said(issue)[0].body
    words = f"{repository.full_name}: no, zero has none."
    shared_town.will_reply(
        f"{recordings.NEW_TEST}\n{recordings.finish('A test.')}",
        f"{recordings.RIGHT_FIX}\n{recordings.finish('add() adds.')}",
        to=words,
    )

    issue.comment("What would I know?", by="tom")
    issue.comment(words, by="ada")

    run = shared_town.wait_for_end(repository, issue, runs=2)
    assert run.outcome is Outcome.PROVEN, f"{run.reason}\n{shared_town.log()[-4000:]}"
    prompts = str(shared_town.model.calls[-1].request["messages"])
    assert "Is the sign of zero to be kept?" in prompts
    assert "What would I know?" not in prompts


def test_a_whole_run_of_five_iterations_asks_little_of_github(shared_town: Town, a_case: Case) -> None:
    def at_last(match: str) -> Recording:
        wrong = [
            f"```python path=calc.py\ndef add(a, b):\n    return a + b + {n}\n```\n{recordings.finish(f'try {n}')}"
            for n in range(3, 6)
        ]
        return recordings.recording(
            f"{recordings.NEW_TEST}\n{recordings.finish('A test.')}",
            f"{recordings.WRONG_FIX}\n{recordings.finish('first try')}",
            *wrong,
            f"{recordings.RIGHT_FIX}\n{recordings.finish('add() adds.')}",
            match=match,
        )

    repository, issue = a_case(at_last)
    before = len(shared_town.hub.requests)

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    assert "6 iterations" in repository.pulls[0].comments_by(BOT)[-1].body
    asked = [str(request) for request in shared_town.hub.requests[before:]]
    assert len(asked) <= CALLS_AT_MOST, "\n".join([f"{len(asked)} requests:", *asked])


def test_a_check_of_the_repositorys_own_that_fails_is_mended_once_and_then_told(
    shared_town: Town, a_case: Case
) -> None:
    wishing = {".github/selfcode.yml": recordings.CONFIGURATION + b"on_failed_checks: fix\n"}
    repository, issue = a_case(files=recordings.files() | wishing)
    issue.label("selfcode", by="ada")
    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (pull,) = repository.pulls
    words = f"{repository.full_name}: add() lacks a docstring"
    shared_town.will_reply(f"{recordings.DOCUMENTED}\n{recordings.finish('It has one.')}", to=words)

    repository.check(pull.head_sha, "lint", log=f"calc.py:1: {words}\n")

    def mending() -> list[RunRow]:
        return [run for run in shared_town.runs(repository, issue) if run.trigger.kind is TriggerKind.MEND]

    shared_town.wait_for("the run that mends", lambda: mending() and mending()[0].is_finished)
    (run,) = mending()
    assert run.outcome is Outcome.PROVEN, f"{run.reason}\n{shared_town.log()[-4000:]}"
    assert pull.commits[-1].message.startswith("Failed checks: ")
    assert "`lint`" not in pull.body

    repository.check(pull.head_sha, "lint", log="another complaint")

    shared_town.wait_for("the line", lambda: "`lint` fails on this commit" in pull.body)
    shared_town.wait_for_end(repository, issue)
    assert mending() == [run]

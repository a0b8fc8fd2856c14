"""What runs owe is said once it can be: after an outage, a restart, a suspension. Words are of a fake GitHub."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine as Database

from bot.errors import Gone, Refused, Unavailable
from bot.records import IssueRef, Outcome, Progress, RepositoryInfo, Task, TriggerKind
from bot.runs.house import House
from bot.runs.known import Known
from bot.runs.late_words import GIVEN_UP_S, LateWords
from bot.runs.owed import OWED, Owed, Owing
from bot.runs.store import SqlInbox, Store
from tests.github.fake import FakeGitHub
from tests.runs.builders import a_database, a_house, a_trigger, an_iteration

AWAY = Unavailable("no answer")
SUSPENDED = Gone("GitHub can't edit the comment: This installation has been suspended")


@dataclass
class Afterwards:
    """Ended runs that owe words, and whoever says them."""

    database: Database
    house: House
    github: FakeGitHub
    owed: Owed = field(init=False)

    def __post_init__(self) -> None:
        self.owed = Owed(self.database)

    @property
    def store(self) -> Store:
        return self.house.store

    def an_issue(self, name: str = "octo/cat") -> IssueRef:
        repository = self.github.add_repository(name, installation_id=next(self.github.ids))
        return self.github.open_issue(repository.ref)

    def ended(self, at: IssueRef, owed: dict[str, Owing], kind: TriggerKind = TriggerKind.START, **facts: Any) -> str:
        """A run that was admitted, said that it works, and ended; what it owes is due."""
        SqlInbox(self.database).accept(a_trigger(kind, issue=at))
        run_id = self.store.begin_run(self.store.waiting()[-1])
        said = self.github.post_comment(at, "working…", marker=f"<!-- {run_id} -->")
        info = RepositoryInfo(at.repository, "main", f"https://github.invalid/{at.repository.full_name}.git")
        Known(self.house, run_id).learn(task=Task("It breaks", ""), info=info, comment_id=said, **facts)
        self.store.finish(run_id, Outcome.UNSOLVED, "nothing worked")
        self.owed.put_off(run_id, owed, wait_s=0.0, why="no answer")
        return run_id

    def turn(self, **changed: Any) -> None:
        replace(LateWords(self.house, self.owed), **changed).turn()

    def due_again(self, run_id: str) -> None:
        owed = {name: Owing(state) for name, state in self.store.facts(run_id)[OWED].items()}
        self.owed.put_off(run_id, owed, wait_s=0.0, why="")

    def said(self, at: IssueRef) -> list[str]:
        comments = self.github.repositories[at.repository.id].issues[at.number].comments
        return [comment.body.split("\n<!--")[0] for comment in comments]

    def is_owing(self, run_id: str) -> bool:
        return self.store.run(run_id).resumes_at is not None


@pytest.fixture
def afterwards(tmp_path: Path) -> Iterator[Afterwards]:
    with a_database(tmp_path) as database:
        github = FakeGitHub()
        yield Afterwards(database, a_house(Store(database), github, tmp_path), github)


RESULT = {"result": Owing.UNSAID}


def is_result(body: str) -> bool:
    return "nothing worked" in body


def test_the_result_that_was_owed_takes_the_place_of_working(afterwards: Afterwards) -> None:
    at = afterwards.an_issue()
    run_id = afterwards.ended(at, RESULT)

    afterwards.turn()

    (said,) = afterwards.said(at)
    assert is_result(said)
    assert not afterwards.is_owing(run_id)


@pytest.mark.parametrize("problem", [AWAY, SUSPENDED])
def test_what_can_not_be_said_yet_stays_owed_and_is_said_later(afterwards: Afterwards, problem: Exception) -> None:
    at = afterwards.an_issue()
    run_id = afterwards.ended(at, RESULT)
    for call in ("edit_comment", "post_comment"):
        afterwards.github.fail_next(call, problem)

    afterwards.turn()
    assert (afterwards.said(at), afterwards.store.run(run_id).waits_for) == (["working…"], str(problem))
    afterwards.turn()
    assert afterwards.said(at) == ["working…"]
    afterwards.due_again(run_id)
    afterwards.turn()

    assert is_result(afterwards.said(at)[0])
    assert not afterwards.is_owing(run_id)


def test_an_account_that_can_not_be_reached_is_asked_once_in_a_turn_and_keeps_no_other_waiting(
    afterwards: Afterwards,
) -> None:
    sick = afterwards.an_issue("octo/sick")
    also_sick = afterwards.github.open_issue(sick.repository)
    well = afterwards.an_issue("octo/well")
    for at in (sick, also_sick, well):
        afterwards.ended(at, RESULT)
    afterwards.github.fail_next("edit_comment", AWAY)

    afterwards.turn()

    assert (afterwards.said(sick), afterwards.said(also_sick)) == (["working…"], ["working…"])
    assert is_result(afterwards.said(well)[0])


def test_what_stands_before_the_result_is_said_before_it_or_the_result_once_more(afterwards: Afterwards) -> None:
    at, iteration = afterwards.an_issue(), an_iteration()
    run_id = afterwards.ended(at, {"log": Owing.UNSAID, "result": Owing.UNSAID})
    afterwards.store.keep_progress(run_id, Progress((iteration,), iteration.spend))
    afterwards.github.fail_next("post_comment", AWAY)

    afterwards.turn()
    assert is_result(afterwards.said(at)[0])
    assert afterwards.store.facts(run_id)[OWED] == {"log": "unsaid", "result": "again"}
    afterwards.due_again(run_id)
    afterwards.turn()

    assert len(afterwards.said(at)) == 2
    assert afterwards.github.calls.count("edit_comment") == 2
    assert not afterwards.is_owing(run_id)


@pytest.mark.parametrize("problem", [Refused("the conversation is locked"), ZeroDivisionError()])
def test_what_can_never_be_said_is_not_tried_for_ever(afterwards: Afterwards, problem: Exception) -> None:
    run_id = afterwards.ended(afterwards.an_issue(), RESULT)
    afterwards.github.fail_next("edit_comment", problem)

    afterwards.turn()

    assert not afterwards.is_owing(run_id)


def test_nobody_waits_for_words_after_a_month(afterwards: Afterwards) -> None:
    run_id = afterwards.ended(afterwards.an_issue(), RESULT)
    for call in ("edit_comment", "post_comment"):
        afterwards.github.fail_next(call, SUSPENDED)
    ended_at = afterwards.store.run(run_id).finished_at or 0.0

    afterwards.turn(now=lambda: ended_at + GIVEN_UP_S + 1)

    assert not afterwards.is_owing(run_id)


def test_an_older_result_does_not_take_the_place_of_a_newer_one(afterwards: Afterwards) -> None:
    at = afterwards.an_issue()
    run_id = afterwards.ended(at, RESULT)
    SqlInbox(afterwards.database).accept(a_trigger(TriggerKind.RENEW, issue=at))
    later = afterwards.store.begin_run(afterwards.store.waiting()[-1])

    afterwards.turn()
    assert afterwards.said(at) == ["working…"]
    assert afterwards.is_owing(run_id)
    afterwards.store.finish(later, Outcome.PROVEN, "")
    afterwards.due_again(run_id)
    afterwards.turn()

    assert afterwards.said(at) == ["working…"]
    assert not afterwards.is_owing(run_id)


def test_one_worker_speaks_for_all(afterwards: Afterwards) -> None:
    at = afterwards.an_issue()
    run_id = afterwards.ended(at, RESULT)

    afterwards.turn(hold=lambda: None)

    assert afterwards.said(at) == ["working…"]
    assert afterwards.is_owing(run_id)

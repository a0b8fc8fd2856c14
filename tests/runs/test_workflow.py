"""How a run begins, and that it ends whatever happens. It never gets as far as the network: stories do that."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine as Database

from bot.errors import Refused, Unavailable
from bot.records import Health, IssueRef, Outcome, Person, Progress, Spend, TriggerKind
from bot.runs.engine import Engine
from bot.runs.forgetting import Whole
from bot.runs.known import Known
from bot.runs.late_words import LateWords
from bot.runs.leases import Lease
from bot.runs.owed import Owed, Owing
from bot.runs.patience import WAITED_AT_MOST_S, Outage
from bot.runs.store import RunRow, SqlInbox, Store
from bot.runs.viewing import SqlViewing
from bot.runs.workflow import NOT_KEPT, iteration_in, tell
from bot.seen.figures import Figures
from bot.seen.lines import TextLines
from tests.github.fake import FakeGitHub, FakeRepository
from tests.runs.builders import MAINTAINER, STRANGER, a_database, a_house, a_trigger, an_iteration

PROMPT_S = 30.0
LONG_AWAY = Unavailable("a secondary rate limit", 900.0)


class Picky(Store):
    """A database that does not take one reason, as each has characters that it refuses."""

    def __init__(self, database: Database, refuses: str) -> None:
        super().__init__(database)
        self._refuses = refuses

    def finish(self, run_id: str, outcome: Outcome | Health, reason: str) -> None:
        if reason == self._refuses:
            raise ValueError("a text with such characters is not taken")
        super().finish(run_id, outcome, reason)


@dataclass
class Scene:
    """One repository on a fake GitHub, and a durable engine that tells what is started."""

    home: Path
    database: Database
    refused_reason: str | None = None
    figures: Figures = field(default_factory=Figures)
    github: FakeGitHub = field(default_factory=FakeGitHub)
    repository: FakeRepository = field(init=False)
    issue: IssueRef = field(init=False)
    engine: Engine = field(init=False)

    def __post_init__(self) -> None:
        self.engine = Engine(f"sqlite:///{self.home / 'steps.sqlite'}", "worker", lambda lease: self.tell(lease.run_id))
        self.begin_anew()

    def begin_anew(self) -> None:
        """Another repository and issue: the engine is one for all tests, they are not."""
        self.refused_reason = None
        self.figures = Figures()
        self.github.failing.clear()
        self.repository = self.github.add_repository("octo/cat", installation_id=next(self.github.ids))
        self.repository.roles[MAINTAINER.login] = "write"
        self.repository.is_archived = True
        self.issue = self.github.open_issue(self.repository.ref, labels=("selfcode",))

    @property
    def store(self) -> Store:
        return Store(self.database) if self.refused_reason is None else Picky(self.database, self.refused_reason)

    def tell(self, run_id: str) -> None:
        tell(
            run_id,
            replace(
                a_house(self.store, self.github, self.home),
                label="Selfcode",
                day_usd_repository=5.0,
                counts=self.figures,
            ),
        )

    def run(self, kind: TriggerKind = TriggerKind.START, by: Person = MAINTAINER, **changed: Any) -> RunRow:
        """A run from its trigger to its end."""
        return self.told(self.begun(kind, by, **changed))

    def begun(self, kind: TriggerKind = TriggerKind.START, by: Person = MAINTAINER, **changed: Any) -> str:
        """A run that nobody works on yet."""
        SqlInbox(self.database).accept(a_trigger(kind, issue=self.issue, sender=by, **changed))
        return self.store.begin_run(self.store.waiting()[-1])

    def told(self, run_id: str) -> RunRow:
        """A run that has begun, at its end."""
        return self._told_until(run_id, lambda: self.store.run(run_id).is_finished)

    def left(self, run_id: str) -> RunRow:
        """A run that has begun, once it has left its place."""
        return self._told_until(run_id, lambda: self.store.run(run_id).resumes_at is not None)

    def _told_until(self, run_id: str, is_so: Callable[[], bool]) -> RunRow:
        self.engine.start(Lease(run_id, fence=self.store.run(run_id).fence + 1))
        until = time.monotonic() + PROMPT_S
        while not is_so() and time.monotonic() < until:
            time.sleep(0.05)
        return self.store.run(run_id)

    @property
    def answers(self) -> Sequence[str]:
        comments = self.repository.issues[self.issue.number].comments
        return [comment.body for comment in comments if comment.author.login == self.github.login]

    @property
    def reactions(self) -> Sequence[str]:
        return [content for _, content in self.repository.issues[self.issue.number].reactions]


@pytest.fixture(scope="module")
def shared_scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    home = tmp_path_factory.mktemp("home")
    with a_database(home) as database:
        scene = Scene(home, database)
        with scene.engine:
            yield scene


@pytest.fixture
def scene(shared_scene: Scene) -> Scene:
    """Its repository is archived: an admitted run is refused right behind the door."""
    shared_scene.begin_anew()
    return shared_scene


def test_an_admitted_run_is_seen_to_be_at_work_and_ends_with_one_comment(scene: Scene) -> None:
    run = scene.run()

    assert run.outcome is Outcome.REFUSED
    assert scene.reactions == ["eyes"]
    assert len(scene.answers) == 1
    assert "archived" in scene.answers[0]


def test_whoever_looks_on_is_told_of_its_steps_and_of_its_end(scene: Scene) -> None:
    run_id = scene.begun()

    def told() -> list[tuple[str, str]]:
        happened = SqlViewing(scene.database).news({run_id: 0}).get(run_id, ())
        return [(str(each.kind), each.text) for each in happened]

    scene._told_until(run_id, lambda: ("ended", "refused") in told())

    assert told()[:2] == [("began", "admit"), ("done", "admit")]
    assert ("began", "result") in told()
    assert ("ended", "refused") in told()


@pytest.mark.parametrize("role", ["none", "read", "triage"])
def test_a_run_asked_for_by_someone_without_write_access_is_refused_without_a_comment(scene: Scene, role: str) -> None:
    scene.repository.roles[STRANGER.login] = role

    run = scene.run(TriggerKind.RETRY, by=STRANGER)

    assert run.outcome is Outcome.REFUSED
    assert scene.reactions == ["-1"]
    assert scene.answers == []


def test_access_is_what_it_is_now_and_not_what_it_was(scene: Scene) -> None:
    scene.repository.roles[MAINTAINER.login] = "read"

    assert scene.run().reason == "grace has less than write access"


@pytest.mark.parametrize("kind", [TriggerKind.START, TriggerKind.RETRY])
def test_nothing_runs_for_an_issue_that_was_closed_meanwhile(scene: Scene, kind: TriggerKind) -> None:
    scene.github.change_issue(scene.issue, is_open=False)

    run = scene.run(kind)

    assert (run.outcome, run.reason) == (Outcome.STOPPED, "the issue is closed")
    assert scene.answers == []


def test_nothing_runs_for_a_label_that_was_taken_off_again(scene: Scene) -> None:
    scene.github.change_issue(scene.issue, labels=("bug",))

    run = scene.run()

    assert run.outcome is Outcome.STOPPED
    assert scene.answers == []


def test_a_retry_needs_no_label(scene: Scene) -> None:
    scene.github.change_issue(scene.issue, labels=())

    assert scene.run(TriggerKind.RETRY).outcome is Outcome.REFUSED
    assert "archived" in scene.answers[0]


def test_an_issue_that_is_gone_ends_the_run(scene: Scene) -> None:
    scene.repository.is_gone = True

    assert scene.run().outcome is Outcome.STOPPED


def test_a_spent_day_is_said_and_costs_nothing_more(scene: Scene) -> None:
    scene.repository.is_archived = False
    SqlInbox(scene.database).accept(a_trigger(issue=scene.issue))
    earlier = scene.store.begin_run(scene.store.waiting()[-1])
    iteration = an_iteration(spend=Spend(1, 1, 1, 5.0))
    scene.store.keep_progress(earlier, Progress((iteration,), iteration.spend))

    run = scene.run()

    assert run.outcome is Outcome.REFUSED
    assert "budget of a day" in scene.answers[0]


def test_a_locked_issue_ends_the_run_as_it_would_have_ended(scene: Scene) -> None:
    scene.github.change_issue(scene.issue, is_locked=True)

    run = scene.run()

    assert run.outcome is Outcome.REFUSED
    assert run.reason
    assert "archived" in run.reason
    assert scene.answers == []


def test_a_reaction_that_github_does_not_take_is_not_needed(scene: Scene) -> None:
    scene.github.fail_next("react", Refused("Resource not accessible by integration"))

    assert "archived" in (scene.run().reason or "")


def test_github_away_for_a_moment_costs_only_time(scene: Scene) -> None:
    scene.github.fail_next("issue", Unavailable("no answer"))

    assert "archived" in (scene.run().reason or "")


def test_a_bug_of_ours_ends_the_run_and_says_so(scene: Scene) -> None:
    scene.github.fail_next("comments", ZeroDivisionError())

    run = scene.run()

    assert (run.outcome, run.reason) == (Outcome.ERROR, "selfcode itself failed.")


def test_a_bug_in_the_last_words_leaves_no_run_at_work_for_ever(scene: Scene) -> None:
    scene.github.fail_next("edit_comment", ZeroDivisionError())

    run = scene.run()

    assert run.is_finished
    assert run.outcome is Outcome.REFUSED


@pytest.mark.parametrize("kind", [TriggerKind.START, TriggerKind.DOCTOR, TriggerKind.ACCEPT, TriggerKind.MOVED])
def test_a_run_ends_though_its_reason_can_not_be_kept(scene: Scene, kind: TriggerKind) -> None:
    scene.github.fail_next("repository", ZeroDivisionError())
    scene.github.fail_next("issue", ZeroDivisionError())
    scene.refused_reason = "selfcode itself failed."

    run = scene.run(kind)

    assert run.is_finished
    assert run.reason == NOT_KEPT


def test_the_last_words_of_a_stopped_run_wait_for_github_like_any_other(scene: Scene) -> None:
    run_id = scene.begun()
    scene.store.request_stop_of_all(Whole(scene.repository.ref.id), "label removed")
    scene.github.fail_next("edit_comment", Unavailable("no answer"))

    scene.told(run_id)

    assert "archived" in scene.answers[0]


# --- Services that are away


def test_a_run_whose_github_is_away_for_long_leaves_its_place_and_goes_on_later(scene: Scene) -> None:
    run_id = scene.begun()
    scene.github.fail_next("issue", LONG_AWAY)

    waiting = scene.left(run_id)
    run = scene.told(run_id)

    assert (waiting.is_finished, waiting.waits_for) == (False, "a secondary rate limit")
    assert "archived" in (run.reason or "")
    assert (run.resumes_at, run.waits_for) == (None, None)


def test_people_are_told_once_what_a_run_waits_for_and_a_stop_ends_the_waiting(scene: Scene) -> None:
    scene.repository.is_archived = False
    run_id = scene.begun()
    scene.github.fail_next("git_token", LONG_AWAY)

    scene.left(run_id)
    (told,) = scene.answers
    scene.store.request_stop_of_all(Whole(scene.repository.ref.id), "label removed")
    run = scene.told(run_id)

    assert "Held up" in told
    assert "a secondary rate limit" in told
    assert (run.outcome, run.reason) == (Outcome.STOPPED, "label removed")
    assert "Held up" not in scene.answers[0]


def test_an_examination_says_what_it_waits_for(scene: Scene) -> None:
    comment_id = scene.github.say(scene.issue, "/selfcode doctor", by=MAINTAINER.login)
    run_id = scene.begun(TriggerKind.DOCTOR, comment_id=comment_id)
    scene.github.fail_next("git_token", LONG_AWAY)

    scene.left(run_id)

    assert "a secondary rate limit" in scene.answers[0]


def test_a_run_that_waited_for_a_day_ends_and_does_not_vanish_without_a_word(scene: Scene) -> None:
    run_id = scene.begun()
    scene.store.talk.keep_asked(scene.store.run(run_id).trigger, is_let_in=True, at=time.time())
    outage = Outage("admit", "no answer", time.time() - WAITED_AT_MOST_S, times=290)
    Known(a_house(scene.store, scene.github, scene.home), run_id).learn(outage=outage)
    scene.github.fail_next("repository", Unavailable("no answer"))

    run = scene.told(run_id)

    assert run.outcome is Outcome.ERROR
    assert "waited for a day" in scene.answers[0]


def test_last_words_that_github_does_not_take_are_owed_and_said_later(scene: Scene) -> None:
    scene.github.fail_next("edit_comment", LONG_AWAY)

    run = scene.run()
    assert "archived" not in scene.answers[0]
    assert run.resumes_at is not None
    owed = Owed(scene.database)
    owed.put_off(run.id, {"result": Owing.UNSAID}, wait_s=0.0, why="")
    LateWords(a_house(scene.store, scene.github, scene.home), owed).turn()

    assert "archived" in scene.answers[0]
    assert scene.store.run(run.id).resumes_at is None


# --- Proofs of pull requests that are there already


def test_a_word_on_tests_without_a_pull_request_is_answered_in_a_line_once(scene: Scene) -> None:
    comment_id = scene.github.say(scene.issue, "/selfcode accept-tests", by=MAINTAINER.login)

    run = scene.run(TriggerKind.ACCEPT, comment_id=comment_id)
    scene.told(run.id)

    assert run.outcome is Outcome.REFUSED
    (answer,) = scene.answers
    assert answer.splitlines()[0] == "There is no open pull request of selfcode's for this issue."


def test_re_run_by_a_stranger_is_refused_without_a_word(scene: Scene) -> None:
    run = scene.run(TriggerKind.RENEW, by=STRANGER)

    assert run.outcome is Outcome.REFUSED
    assert scene.answers == []
    assert scene.reactions == []


def test_a_push_that_hits_no_proof_of_ours_is_nothing_to_do(scene: Scene) -> None:
    run = scene.run(TriggerKind.MOVED, by=STRANGER)

    assert run.outcome is Outcome.NOTHING_TO_DO
    assert scene.answers == []


@pytest.mark.parametrize("kind", [TriggerKind.ACCEPT, TriggerKind.RENEW, TriggerKind.MOVED])
def test_a_bug_in_a_proof_taken_again_ends_it_too(scene: Scene, kind: TriggerKind) -> None:
    scene.github.fail_next("repository", ZeroDivisionError("by zero"))

    assert scene.run(kind).outcome is Outcome.ERROR


# --- What operators see of it


def test_a_run_is_counted_at_its_end_with_the_time_of_its_steps(scene: Scene) -> None:
    scene.run()

    figures = scene.figures.text()[0].decode()

    assert 'selfcode_runs_ended_total{kind="start",outcome="refused"} 1.0' in figures
    assert 'selfcode_step_seconds_count{step="admit"} 1.0' in figures
    assert 'selfcode_step_seconds_count{step="result"} 1.0' in figures


def test_every_line_about_a_run_names_it_and_what_it_is_for(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    caplog.handler.setFormatter(TextLines(lambda text: text))

    run = scene.run(delivery_id="d-7")

    ref = scene.repository.ref
    named = (
        f"[delivery=d-7 installation={ref.installation_id} repository=octo/cat issue={scene.issue.number} run={run.id}]"
    )
    lines = [line for line in caplog.text.splitlines() if run.id in line]
    assert len(lines) > 2
    assert [line for line in lines if named not in line] == []


@pytest.mark.parametrize(("step", "number"), [("iteration 12", 12), ("push 2", None), ("admit", None)])
def test_the_lines_of_an_iteration_name_its_number(step: str, number: int | None) -> None:
    assert iteration_in(step) == number

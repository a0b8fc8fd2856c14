"""What is said and done at once: notes, status, help, and that nothing is answered twice."""

from dataclasses import replace

import pytest

from bot.errors import Unavailable
from bot.records import (
    IssueRef,
    Outcome,
    Progress,
    PullState,
    PullTurn,
    ReviewState,
    RunChoice,
    Subject,
    SubjectKind,
    Trigger,
    TriggerKind,
    Verdict,
)
from bot.runs.acting import NOBODY_LISTENS
from bot.runs.reception import ANSWERS_IN_A_THREAD
from bot.runs.store import run_id_for
from bot.runs.viewing import SqlViewing
from tests.runs.builders import MAINTAINER, STRANGER, an_issue_ref, an_iteration, at
from tests.runs.desk import Desk

START, RETRY, STOP, DOCTOR = TriggerKind.START, TriggerKind.RETRY, TriggerKind.STOP, TriggerKind.DOCTOR
NOTE, STATUS, HELP, ANSWER, REVIEW = (
    TriggerKind.NOTE,
    TriggerKind.STATUS,
    TriggerKind.HELP,
    TriggerKind.ANSWER,
    TriggerKind.REVIEW,
)


def notes_of(desk: Desk, run_id: str) -> list[tuple[str, str]]:
    return [(note.author, note.text) for note in desk.store.notes_since(run_id)]


# --- Notes


def test_a_note_reaches_the_run_at_work(desk: Desk) -> None:
    (run,) = desk.runs()
    first, second = desk.comments(NOTE, text="keep the API"), desk.comments(NOTE, text="and the tests")

    desk.turn(2)

    assert notes_of(desk, run) == [("grace", "keep the API"), ("grace", "and the tests")]
    assert [desk.reactions_on(note) for note in (first, second)] == [["eyes"], ["eyes"]]
    assert desk.answers == []


def test_a_note_is_kept_for_a_run_that_waits_for_its_turn(desk: Desk) -> None:
    (run,) = desk.runs()
    retry = desk.comments(RETRY, occurred_at=at(5))
    desk.turn()
    desk.comments(NOTE, text="keep the API")
    desk.turn()
    desk.ends(run)
    desk.turn()

    assert notes_of(desk, run_id_for(retry)) == [("grace", "keep the API")]


def test_a_run_hears_no_note_of_before_it_was_asked_for(desk: Desk) -> None:
    (run,) = desk.runs()
    desk.comments(NOTE, text="keep the API")
    desk.turn()
    desk.ends(run)
    retry = desk.comments(RETRY, occurred_at=at(5))
    desk.turn()

    assert notes_of(desk, run_id_for(retry)) == []
    assert notes_of(desk, run) == [("grace", "keep the API")]


def test_a_note_where_nothing_works_or_waits_says_what_to_do_instead(desk: Desk) -> None:
    note = desk.comments(NOTE, text="keep the API")

    desk.turn(3)

    assert desk.reactions_on(note) == ["confused"]
    (answer,) = desk.answers
    assert answer.startswith(NOBODY_LISTENS)


@pytest.mark.parametrize("kind", [DOCTOR, TriggerKind.RENEW])
def test_what_asks_no_model_hears_no_note(desk: Desk, kind: TriggerKind) -> None:
    desk.asks(kind)
    desk.turn()
    note = desk.comments(NOTE, text="keep the API")

    desk.turn()

    assert desk.reactions_on(note) == ["confused"]


def test_a_run_that_is_told_to_stop_hears_no_note_any_more(desk: Desk) -> None:
    desk.runs()
    desk.comments(STOP, occurred_at=at(5))
    desk.turn()
    note = desk.comments(NOTE, text="keep the API", occurred_at=at(6))

    desk.turn()

    assert desk.reactions_on(note) == ["confused"]


def test_a_run_whose_model_has_finished_hears_no_note_any_more(desk: Desk) -> None:
    (run,) = desk.runs()
    desk.store.keep_progress(run, Progress((an_iteration(1),), verdict=Verdict.SOLVED))
    note = desk.comments(NOTE, text="keep the API")

    desk.turn()

    assert (desk.reactions_on(note), notes_of(desk, run)) == (["confused"], [])


def test_a_note_to_another_issue_is_not_for_this_one(desk: Desk) -> None:
    (run,) = desk.runs()
    other = desk.github.open_issue(desk.repository.ref)
    note = desk.comments(NOTE, issue=other, text="keep the API")

    desk.turn()

    assert (notes_of(desk, run), desk.reactions_on(note)) == ([], ["confused"])


def test_a_note_on_our_pull_request_is_for_the_work_on_its_issue(desk: Desk) -> None:
    pull = desk.publishes()
    (run,) = desk.runs(desk.asks(RETRY, occurred_at=at(5)))
    desk.comments(NOTE, issue=pull, pull_request=pull.number, text="keep the API")

    desk.turn()

    assert notes_of(desk, run) == [("grace", "keep the API")]


def test_a_note_acts_while_all_places_are_taken(desk: Desk) -> None:
    (run,) = desk.runs()
    for number in (8, 9, 10):
        desk.asks(START, issue=an_issue_ref(number))
    desk.comments(NOTE, text="keep the API")

    desk.turn()

    assert len(notes_of(desk, run)) == 1


# --- Status


def test_the_status_of_an_issue_that_nothing_ran_on_says_how_to_start(desk: Desk) -> None:
    status = desk.comments(STATUS)

    desk.turn(3)

    (answer,) = desk.answers
    assert answer.startswith("Nothing has run on this issue yet.")
    assert desk.reactions_on(status) == ["eyes"]


def test_the_status_of_a_run_at_work_tells_where_it_is_and_what_it_costs(desk: Desk) -> None:
    (run,) = desk.runs()
    first = an_iteration(1)
    desk.store.learn(run, plan="{}", baseline=None)
    desk.store.keep_progress(run, Progress((first,), first.spend))
    desk.comments(STATUS)

    desk.turn()

    (answer,) = desk.answers
    assert answer.startswith("🔧 **At work**: a run")
    assert "110 of 400,000 tokens, USD 0.25 of 3.00" in answer
    assert "1 failed" in answer
    assert run in answer


def test_the_status_leads_to_the_runs_page_where_there_is_one(desk: Desk) -> None:
    desk.pages = "https://bot.example.com"
    desk.dispatcher = desk.new_dispatcher()
    (run,) = desk.runs()
    desk.comments(STATUS)

    desk.turn()

    assert f"{desk.pages}/runs/{run}" in desk.answers[-1]


def test_the_status_of_a_run_that_ended_tells_how_and_how_to_go_on(desk: Desk) -> None:
    desk.publishes()
    desk.comments(STATUS)

    desk.turn()

    (answer,) = desk.answers
    assert answer.startswith("**Last run: Not solved**")
    assert "`/selfcode retry` with a hint" in answer


def test_the_status_names_the_place_in_the_queue(desk: Desk) -> None:
    desk.runs(*(desk.asks(START, issue=desk.another_issue()) for _ in range(2)))
    desk.asks(START, issue=desk.another_issue())
    desk.asks(START)
    desk.turn(4)
    desk.comments(STATUS)

    desk.turn()

    assert "⏳ **In the queue**: a run, number 2 of 2 to get a free place." in desk.answers[-1]


def test_the_status_of_a_retry_behind_the_run_at_work_says_so(desk: Desk) -> None:
    desk.runs()
    desk.comments(RETRY, occurred_at=at(5))
    desk.comments(STATUS)

    desk.turn()

    assert "⏳ **Waits**: a run, for what is at work on this issue." in desk.answers[-1]


def test_the_status_asked_on_our_pull_request_is_told_there(desk: Desk) -> None:
    pull = desk.publishes()
    desk.comments(STATUS, issue=pull, pull_request=pull.number)

    desk.turn()

    (answer,) = desk.said_on(pull)
    assert f"Pull request: #{pull.number}" in answer
    assert desk.answers == []


def test_an_answer_shows_no_secret_of_the_operator(desk: Desk) -> None:
    (run,) = desk.runs()
    desk.store.finish(run, Outcome.ERROR, "it said hush-hush-hush")
    desk.comments(STATUS)

    desk.turn()

    assert "hush-hush" not in desk.answers[0]


# --- A reaction at once, an answer at most once


@pytest.mark.parametrize("kind", [START, RETRY, DOCTOR, STOP, NOTE, STATUS, HELP])
def test_every_command_gets_one_reaction_in_the_next_turn(desk: Desk, kind: TriggerKind) -> None:
    command = desk.asks(kind) if kind is START else desk.comments(kind, text="x" if kind is NOTE else "")

    desk.turn()

    assert len(desk.reactions_on(command)) == 1


def test_who_asks_does_not_wait_until_a_large_account_has_its_labels(desk: Desk) -> None:
    for number in range(5):
        desk.asks(TriggerKind.INSTALLED, issue=replace(desk.issue, number=0), key=f"installed:{number}")
    status = desk.comments(STATUS)

    desk.turn()

    assert desk.reactions_on(status) == ["eyes"]


@pytest.mark.parametrize("kind", [NOTE, STATUS, HELP])
def test_what_was_answered_before_the_worker_died_is_not_answered_again(desk: Desk, kind: TriggerKind) -> None:
    desk.comments(kind, text="x")
    (waiting,) = desk.store.waiting()
    desk.turn()

    for _ in range(2):
        desk.new_dispatcher()._act(waiting)

    assert len(desk.answers) == 1


@pytest.mark.parametrize("kind", [NOTE, STATUS, HELP])
def test_a_worker_that_died_before_it_kept_that_it_answered_finds_its_answer(desk: Desk, kind: TriggerKind) -> None:
    command = desk.comments(kind, text="x")
    desk.turn()
    forgetful = desk.with_a_new_database()
    forgetful.inbox.accept(command)

    forgetful.turn(2)

    assert len(forgetful.answers) == 1


def test_an_answer_that_somebody_deleted_does_not_come_again(desk: Desk) -> None:
    desk.comments(HELP)
    (waiting,) = desk.store.waiting()
    desk.turn()
    desk.repository.issues[desk.issue.number].comments.clear()

    desk.new_dispatcher()._act(waiting)

    assert desk.answers == []


def test_two_that_answer_each_other_come_to_an_end(desk: Desk) -> None:
    commands = [desk.comments(HELP, text="There is no such command.") for _ in range(ANSWERS_IN_A_THREAD + 5)]

    desk.turn(len(commands) + 1)

    assert len(desk.answers) == ANSWERS_IN_A_THREAD
    assert desk.reactions_on(commands[-1]) == ["confused"]
    assert desk.store.waiting() == []


def test_a_thread_that_had_enough_is_answered_again_an_hour_later(desk: Desk) -> None:
    for _ in range(ANSWERS_IN_A_THREAD):
        desk.comments(HELP)
    desk.turn(ANSWERS_IN_A_THREAD)
    desk.now.now += 3600

    desk.comments(HELP)
    desk.turn()

    assert len(desk.answers) == ANSWERS_IN_A_THREAD + 1


def test_an_answer_that_github_did_not_take_is_given_later(desk: Desk) -> None:
    desk.comments(STATUS)
    desk.github.fail_next("post_comment", Unavailable("rate limit", retry_after_s=20))

    desk.turn()
    desk.clock.now += 20
    desk.turn()

    assert len(desk.answers) == 1


# --- Retries on what is closed


@pytest.mark.parametrize("times", [1, 2])
def test_a_retry_on_a_closed_issue_runs_nothing_and_is_answered_once(desk: Desk, times: int) -> None:
    desk.github.change_issue(desk.issue, is_open=False)
    retry = desk.comments(RETRY)
    waiting = desk.store.waiting()[0]

    desk.turn()
    for _ in range(times - 1):
        desk.new_dispatcher()._filling._begin(waiting)

    assert desk.started == []
    assert desk.reactions_on(retry) == ["confused"]
    (answer,) = desk.answers
    assert answer.startswith("This is closed, so that nothing runs.")


def test_a_retry_on_a_closed_pull_request_is_answered_there(desk: Desk) -> None:
    pull = desk.publishes()
    desk.github.change_issue(pull, is_open=False)
    before = list(desk.started)

    desk.comments(RETRY, issue=pull, pull_request=pull.number, occurred_at=at(9))
    desk.turn(2)

    assert desk.started == before
    assert len(desk.said_on(pull)) == 1


@pytest.mark.parametrize("closed_first", [True, False])
def test_a_retry_and_the_issues_end_in_one_second_come_to_no_run_that_goes_on(desk: Desk, closed_first: bool) -> None:
    desk.github.change_issue(desk.issue, is_open=False)

    def closes() -> Trigger:
        return desk.asks(STOP, because="issue closed", occurred_at=at(0))

    def retries() -> Trigger:
        return desk.comments(RETRY, occurred_at=at(0))

    for happens in (closes, retries) if closed_first else (retries, closes):
        happens()
        desk.turn()

    assert all(desk.store.stop_because(run) for run in desk.started)
    assert len(desk.started) + len(desk.answers) <= 1


def test_an_examination_of_a_closed_issue_is_made(desk: Desk) -> None:
    desk.github.change_issue(desk.issue, is_open=False)
    doctor = desk.comments(DOCTOR)

    desk.turn()

    assert desk.started == [run_id_for(doctor)]


# --- Answers to questions


def test_a_plain_comment_where_nobody_asked_is_settled_without_a_call(desk: Desk) -> None:
    desk.comments(ANSWER, text="thanks")
    desk.turn()
    (run,) = desk.runs()
    before = list(desk.github.calls)
    during = desk.comments(ANSWER, text="thanks", occurred_at=at(5))
    desk.turn()
    desk.ends(run)
    after = desk.comments(ANSWER, text="thanks", occurred_at=at(9))
    desk.turn()

    assert (desk.github.calls, desk.started, desk.store.waiting()) == (before, [run], [])
    assert [desk.reactions_on(comment) for comment in (during, after)] == [[], []]


def test_an_answer_goes_on_with_the_run_that_asked_and_what_is_added_reaches_it_too(desk: Desk) -> None:
    (run,) = desk.runs()
    desk.asks_a_question(run)

    answer = desk.comments(ANSWER, text="UTF-8", occurred_at=desk.today())
    second = desk.comments(ANSWER, text="and keep the BOM", occurred_at=desk.today())
    by_a_stranger = desk.comments(ANSWER, by=STRANGER, text="me too", occurred_at=desk.today())
    desk.turn(3)

    assert desk.started == [run, run_id_for(answer)]
    assert (desk.reactions_on(answer), desk.reactions_on(second)) == (["eyes"], ["eyes"])
    assert desk.reactions_on(by_a_stranger) == []
    assert [note.text for note in desk.store.notes_since(run_id_for(answer))] == ["and keep the BOM"]
    assert desk.store.waiting() == []


@pytest.mark.parametrize("kind", [TriggerKind.START, ANSWER])
def test_an_answer_in_the_moment_before_the_asking_run_is_at_its_end_is_seen_and_kept(
    desk: Desk, kind: TriggerKind
) -> None:
    (run,) = desk.runs()
    if kind is ANSWER:
        desk.asks_a_question(run)
        (run,) = desk.runs(desk.comments(ANSWER, text="UTF-8", occurred_at=desk.today()))
    desk.shows_a_question(run)

    answer = desk.comments(ANSWER, text="and with a BOM", occurred_at=desk.today())
    desk.turn(2)
    seen = desk.reactions_on(answer)
    desk.asks_a_question(run)
    desk.turn()

    assert seen == ["eyes"]
    assert desk.started[-1] == run_id_for(answer)
    assert list(desk.store.notes_since(run)) == []


# --- Reviews


def a_review(desk: Desk, pull: IssueRef, *, asked_in: SubjectKind = SubjectKind.REVIEW) -> Trigger:
    """A review of a pull request, as its own event tells of it or one of its comments."""
    review = desk.github.submit_review(
        pull.repository, pull.number, by=MAINTAINER.login, comments=[("a.py", 3, "@selfcode rename it")]
    )
    ids = {SubjectKind.REVIEW: review.id, SubjectKind.REVIEW_COMMENT: review.threads[0].comments[0].id}
    return desk.asks(
        REVIEW,
        key=f"review:{pull.repository.id}/{review.id}",
        issue=pull,
        pull_request=pull.number,
        subject=Subject(asked_in, ids[asked_in], "node"),
        review_id=review.id,
        because="review by grace",
        occurred_at=at(9),
    )


@pytest.mark.parametrize("asked_in", [SubjectKind.REVIEW, SubjectKind.REVIEW_COMMENT])
def test_a_review_of_our_pull_request_is_a_run_of_its_issue(desk: Desk, asked_in: SubjectKind) -> None:
    pull = desk.publishes()
    review = a_review(desk, pull, asked_in=asked_in)

    desk.turn()

    run = desk.store.run(run_id_for(review))
    assert (run.trigger.issue, run.trigger.asked_at) == (desk.issue, pull)
    assert desk.reactions_on(review) == ["eyes"]


def test_a_review_of_a_pull_request_that_is_not_known_is_settled_without_a_word(desk: Desk) -> None:
    pull = desk.pulls()
    a_review(desk, pull)
    desk.github.calls.clear()

    desk.turn(2)

    assert (desk.started, desk.github.calls, desk.store.waiting()) == ([], [], [])


def test_a_review_during_a_run_waits_for_its_end_and_is_seen_at_once(desk: Desk) -> None:
    pull = desk.publishes()
    (run,) = desk.runs(desk.asks(RETRY, occurred_at=at(5)))
    review = a_review(desk, pull)

    desk.turn()
    meanwhile = desk.started[-1], desk.reactions_on(review)
    desk.ends(run)
    desk.turn()

    assert meanwhile == (run, ["eyes"])
    assert desk.started[-1] == run_id_for(review)


def test_a_command_on_lines_is_answered_in_its_thread(desk: Desk) -> None:
    pull = desk.publishes()
    review = desk.github.submit_review(
        pull.repository,
        pull.number,
        by=MAINTAINER.login,
        state=ReviewState.COMMENTED,
        comments=[("a.py", 3, "/selfcode status")],
    )
    comment_id = review.threads[0].comments[0].id
    subject = Subject(SubjectKind.REVIEW_COMMENT, comment_id, "node")
    status = desk.asks(STATUS, issue=pull, pull_request=pull.number, subject=subject)

    desk.turn(2)

    (thread,) = desk.repository.pulls[0].review_threads
    assert "**Last run" in thread.comments[-1].body
    assert len(thread.comments) == 2
    assert desk.reactions_on(status) == ["eyes"]
    assert desk.said_on(pull) == []


def test_a_second_event_of_the_same_review_is_no_second_run(desk: Desk) -> None:
    pull = desk.publishes()
    review = a_review(desk, pull)
    desk.inbox.accept(replace(review, subject=Subject(SubjectKind.REVIEW_COMMENT, 5), because="again"))
    desk.turn()
    desk.ends(run_id_for(review))
    desk.turn()

    assert desk.started.count(run_id_for(review)) == 1
    assert len(desk.started) == 2


def test_a_run_that_has_decided_is_said_to_be_proven_next(desk: Desk) -> None:
    (run,) = desk.runs()
    first = an_iteration(1)
    desk.store.keep_progress(run, Progress((first,), first.spend, Verdict.SOLVED, ""))
    desk.comments(STATUS)

    desk.turn()

    assert "a run, whose change is being proven." in desk.answers[0]


def test_a_note_beside_what_only_a_stranger_waits_for_is_not_lost_behind_eyes(desk: Desk) -> None:
    desk.places = 0
    desk.dispatcher = desk.new_dispatcher()
    desk.comments(RETRY, by=STRANGER)
    note = desk.comments(NOTE, text="keep the API")

    desk.turn(2)

    assert desk.reactions_on(note) == ["confused"]
    assert NOBODY_LISTENS.partition(":")[0] in desk.answers[0]


def test_a_note_that_comes_with_the_retry_of_the_same_person_is_for_it(desk: Desk) -> None:
    desk.comments(RETRY, occurred_at=at(5))
    note = desk.comments(NOTE, text="keep the API")

    desk.turn()

    assert desk.reactions_on(note) == ["eyes"]
    assert notes_of(desk, desk.started[0]) == [("grace", "keep the API")]


# --- What is closed


@pytest.fixture
def pull(desk: Desk) -> IssueRef:
    return desk.publishes()


def reviews(desk: Desk, pull: IssueRef, kind: TriggerKind) -> Trigger:
    """Somebody asks for something on the pull request."""
    return desk.comments(kind, issue=pull, pull_request=pull.number, occurred_at=at(20))


@pytest.mark.parametrize("kind", [RETRY, REVIEW])
def test_where_the_issue_of_a_pull_request_is_closed_whoever_asks_there_is_told_so(
    desk: Desk, pull: IssueRef, kind: TriggerKind
) -> None:
    desk.github.change_issue(desk.issue, is_open=False)
    before = list(desk.started)
    asked = reviews(desk, pull, kind)

    desk.turn(2)

    (said,) = desk.said_on(pull)
    assert said.startswith("The issue of this pull request is closed, so that nothing runs.")
    assert (desk.reactions_on(asked), desk.started) == (["confused"], before)


@pytest.mark.parametrize("kind", [RETRY, REVIEW])
def test_on_a_pull_request_that_is_closed_whoever_asks_is_told_so(
    desk: Desk, pull: IssueRef, kind: TriggerKind
) -> None:
    desk.github.change_issue(pull, is_open=False)
    before = list(desk.started)
    asked = reviews(desk, pull, kind)

    desk.turn(2)

    (said,) = desk.said_on(pull)
    assert said.startswith("This is closed, so that nothing runs.")
    assert (desk.reactions_on(asked), desk.started) == (["confused"], before)


def test_a_last_word_on_an_issue_that_is_then_closed_gets_neither_word_nor_reaction(desk: Desk) -> None:
    (run,) = desk.runs()
    desk.asks_a_question(run)
    desk.github.change_issue(desk.issue, is_open=False)
    comment = desk.comments(ANSWER, text="Never mind.", occurred_at=desk.today())

    desk.turn(2)

    assert (desk.reactions_on(comment), desk.answers, desk.store.waiting()) == ([], [], [])


def test_a_plain_comment_on_a_pull_request_that_nothing_is_known_of_gets_no_word(desk: Desk) -> None:
    pull = desk.pulls()
    comment = desk.comments(ANSWER, issue=pull, pull_request=pull.number, text="Nice.")

    desk.turn(2)

    assert (desk.reactions_on(comment), desk.said_on(pull), desk.store.waiting()) == ([], [], [])


# --- What became of pull requests


@pytest.mark.parametrize("state", [PullState.MERGED, PullState.CLOSED])
def test_what_became_of_a_pull_request_is_kept_with_its_runs(desk: Desk, state: PullState) -> None:
    pull = desk.publishes()

    desk.asks(STOP, because=f"pull request #{pull.number} closed", pull_turn=PullTurn(pull.number, state))
    desk.turn()

    [run] = SqlViewing(desk.store._engine).runs(RunChoice()).runs
    assert (run.pull_request, run.pull_state) == (pull.number, state)


def test_a_pull_request_that_is_opened_again_is_known_to_be_open_and_starts_nothing(desk: Desk) -> None:
    pull = desk.publishes()
    desk.asks(STOP, pull_turn=PullTurn(pull.number, PullState.CLOSED), occurred_at=at(10))
    desk.turn()

    desk.asks(TriggerKind.REOPENED, pull_turn=PullTurn(pull.number, PullState.OPEN), occurred_at=at(20))
    desk.turn(2)

    [run] = SqlViewing(desk.store._engine).runs(RunChoice()).runs
    assert (run.pull_state, desk.store.waiting(), desk.store.unfinished()) == (PullState.OPEN, [], [])
    assert desk.answers == []


def test_a_closing_that_is_told_late_stops_nothing_that_was_asked_for_after_the_pull_request_was_opened_again(
    desk: Desk,
) -> None:
    pull = desk.publishes()
    desk.asks(TriggerKind.REOPENED, pull_turn=PullTurn(pull.number, PullState.OPEN), occurred_at=at(20))
    later = desk.asks(RETRY, occurred_at=at(30))
    desk.runs(later)

    desk.asks(STOP, pull_turn=PullTurn(pull.number, PullState.CLOSED), occurred_at=at(10))
    desk.turn(2)

    assert desk.store.stop_because(run_id_for(later)) is None
    assert SqlViewing(desk.store._engine).runs(RunChoice()).runs[-1].pull_state is PullState.OPEN

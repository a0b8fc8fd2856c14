"""People at the wheel: stop, retry, help."""

import time
from collections.abc import Callable, Iterator

import pytest

from bot.demo.handles import IssueHandle, RepositoryHandle
from bot.records import Outcome
from tests.story import recordings
from tests.story.conftest import Case
from tests.story.town import BOT, Town, town

AT_ONCE_S = 30.0
"""Far below what the reply (held) or the test (300 s) would have taken; `make bench` prints the figure itself."""

Ender = Callable[[IssueHandle], object]

WAYS = {
    "the command": lambda issue: issue.comment("/selfcode stop", by="ada"),
    "taking the label off": lambda issue: issue.unlabel("selfcode", by="ada"),
    "closing the issue": lambda issue: issue.close(by="ada"),
}


@pytest.fixture(scope="module")
def silent_town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A town whose model never answers."""
    with town(tmp_path_factory.mktemp("town"), recordings.right_at_once()) as built:
        built.model.hold()
        yield built


@pytest.mark.parametrize(("name", "end"), WAYS.items(), ids=WAYS.keys())
def test_a_run_in_the_middle_of_a_reply_is_stopped_at_once_by(silent_town: Town, name: str, end: Ender) -> None:
    repository = silent_town.repository(f"octo/{name.replace(' ', '-')}", recordings.files())
    issue = repository.open_issue(recordings.TITLE, recordings.BODY, by="ada")
    calls = len(silent_town.model.calls)
    issue.label("selfcode", by="ada")
    assert silent_town.model.wait_for_calls(calls + 1, timeout_s=90)

    seconds = _seconds_until_the_end(silent_town, repository, issue, end)

    assert seconds < AT_ONCE_S
    assert repository.pulls == ()
    assert "Stopped" in silent_town.said(issue)[0].body.splitlines()[0]


def test_a_run_in_the_middle_of_a_test_is_stopped_at_once(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case(files=recordings.files() | {"test_slow.py": recordings.NEVER_ENDS})
    issue.label("selfcode", by="ada")
    shared_town.wait_for("the baseline", lambda: [said for said in shared_town.said(issue) if "untouched" in said.body])
    time.sleep(2)

    seconds = _seconds_until_the_end(shared_town, repository, issue, WAYS["the command"])

    assert seconds < AT_ONCE_S
    assert shared_town.runs(repository, issue)[0].outcome is Outcome.STOPPED


def test_a_stop_by_a_stranger_stops_nothing(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case(recordings.wrong_then_right)
    issue.label("selfcode", by="ada")

    comment = issue.comment("/selfcode stop", by="eve")

    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    assert [(found.user.login, found.content) for found in comment.reactions] == [(BOT, "-1")]


def test_a_retry_with_a_hint_reaches_the_model_and_updates_the_same_pull_request(
    shared_town: Town, a_case: Case
) -> None:
    repository, issue = a_case()
    issue.label("selfcode", by="ada")
    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (before,) = repository.pulls

    hint = f"Please keep the API of {repository.full_name}."
    shared_town.will_reply(f"{recordings.DOCUMENTED}\n{recordings.finish('It says what it does.')}", to=hint)

    issue.comment(f"/selfcode retry\r\n{hint}\r\n", by="ada")

    run = shared_town.wait_for_end(repository, issue, runs=2)
    assert run.outcome is Outcome.PROVEN, run.reason
    (pull,) = repository.pulls
    assert pull.number == before.number
    assert hint in str(shared_town.model.calls[-1].request["messages"])
    assert len(shared_town.said(issue)) == 2


ONLY_LIKE_COMMANDS = (
    "```\n/selfcode retry\n```",
    "~~~\n/selfcode retry\n~~~",
    "`/selfcode retry`",
    "    /selfcode retry",
    "> /selfcode retry\n\nDid that work?",
    "<!-- /selfcode retry -->",
    "thanks",
)


def test_a_command_that_only_looks_like_one_is_not_run(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()

    comments = [issue.comment(body, by="ada") for body in ONLY_LIKE_COMMANDS]

    shared_town.hub.wait_for_deliveries()
    time.sleep(1)
    assert shared_town.runs(repository, issue) == []
    assert [found for comment in comments for found in comment.reactions] == []
    assert shared_town.said(issue) == ()


def test_help_and_a_command_that_is_none_are_answered_once(shared_town: Town, a_case: Case) -> None:
    _, issue = a_case()

    issue.comment("/selfcode frobnicate", by="ada")

    (answer,) = shared_town.wait_for("the answer", lambda: shared_town.said(issue))
    assert "frobnicate" in answer.body
    assert "`/selfcode retry [hint]`" in answer.body


def test_the_status_is_told_once_and_a_note_to_nobody_says_what_to_do(shared_town: Town, a_case: Case) -> None:
    _, issue = a_case()

    status = issue.comment("/selfcode status", by="ada")
    shared_town.wait_for("the status", lambda: shared_town.said(issue))
    note = issue.comment("/selfcode note keep the API", by="ada")
    shared_town.wait_for("the answer", lambda: len(shared_town.said(issue)) > 1)

    assert [found.content for comment in (status, note) for found in comment.reactions] == ["eyes", "confused"]
    told, answer = shared_town.said(issue)
    assert told.body.startswith("Nothing has run on this issue yet.")
    assert "`/selfcode retry <text>`" in answer.body


def test_a_retry_by_a_stranger_is_one_reaction(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()

    comment = issue.comment("/selfcode retry", by="eve")

    shared_town.wait_for("the reaction", lambda: comment.reactions)
    assert [(found.user.login, found.content) for found in comment.reactions] == [(BOT, "-1")]
    assert (shared_town.said(issue), shared_town.runs(repository, issue)) == ((), [])


def test_a_retry_on_a_closed_issue_starts_nothing(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()
    issue.close(by="ada")
    time.sleep(1.1)

    comment = issue.comment("/selfcode retry", by="ada")

    def answered() -> bool:  # where no place is free just then, the queue has a word of its own before
        return any(said.body.startswith("This is closed") for said in shared_town.said(issue))

    shared_town.wait_for("the answer", answered)
    assert [(found.user.login, found.content) for found in comment.reactions] == [(BOT, "confused")]
    assert shared_town.runs(repository, issue) == []


def _seconds_until_the_end(built: Town, repository: RepositoryHandle, issue: IssueHandle, end: Ender) -> float:
    """How long after `end` the run was over."""
    asked = time.time()
    end(issue)
    run = built.wait_for_outcome(repository, issue, Outcome.STOPPED)
    assert run.finished_at is not None
    return run.finished_at - asked

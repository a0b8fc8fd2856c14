"""What was accepted has its effect once, whatever dies in between."""

from collections import Counter
from pathlib import Path

from bot.records import Outcome
from tests.story import recordings
from tests.story.town import town

APART = ("web", "worker")


def test_a_label_waits_for_a_worker_and_a_run_whose_worker_was_killed_for_the_next(tmp_path: Path) -> None:
    with town(tmp_path, recordings.looks_first(), commands=APART) as built:
        built.bot.kill("worker")
        repository = built.repository("octo/calc", recordings.files())
        issue = repository.open_issue(recordings.TITLE, recordings.BODY, by="ada")
        built.model.hold(at=(2, 2))
        issue.label("selfcode", by="ada")
        built.hub.wait_for_deliveries()
        built.bot.start("worker")
        built.wait_for("the wrong fix", lambda: any(call.index == 2 for call in built.model.calls))

        built.bot.kill("worker")
        built.model.release()
        built.bot.start("worker")

        built.wait_for_outcome(repository, issue, Outcome.PROVEN)
        paid = Counter((call.iteration, call.index) for call in built.model.calls)
        assert paid == {(1, 0): 1, (2, 0): 1, (2, 1): 1, (2, 2): 2, (3, 0): 1}
        assert len(repository.pulls) == 1
        assert len(built.said(issue)) == 1
        assert len(repository.pulls[0].comments) == 1
        assert [commit.message.splitlines()[0][:5] for commit in repository.pulls[0].commits] == ["Test:", "add()"]


def test_a_token_that_expires_during_the_run_is_renewed_before_publishing(tmp_path: Path) -> None:
    with town(tmp_path, recordings.right_at_once()) as built:
        repository = built.repository("octo/calc", recordings.files())
        issue = repository.open_issue(recordings.TITLE, recordings.BODY, by="ada")
        built.model.hold()
        issue.label("selfcode", by="ada")
        assert built.model.wait_for_calls(1, timeout_s=90)

        built.hub.advance(minutes=61)
        built.model.release()

        built.wait_for_outcome(repository, issue, Outcome.PROVEN)
        assert len(repository.pulls) == 1


def test_web_processes_that_are_replaced_after_each_request_lose_nothing(tmp_path: Path) -> None:
    with town(tmp_path, recordings.right_at_once(), settings={"SELFCODE_WEB_MAX_REQUESTS": "1"}) as built:
        repository = built.repository("octo/calc", recordings.files())
        issue = repository.open_issue(recordings.TITLE, recordings.BODY, by="ada")

        issue.label("selfcode", by="ada")
        built.hub.wait_for_deliveries()
        labelled = [sent for sent in built.hub.deliveries if sent.action == "labeled"]
        built.hub.redeliver(labelled[-1])

        built.wait_for_outcome(repository, issue, Outcome.PROVEN)
        assert len(built.runs(repository, issue)) == 1

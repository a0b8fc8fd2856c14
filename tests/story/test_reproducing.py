"""A test first: with a person's word on it, in vain, and with tests that nobody sees."""

import json
from pathlib import Path

from bot.demo.recorded import Recording
from bot.records import Outcome
from tests.story import recordings
from tests.story.conftest import Case
from tests.story.town import Town, town

ASKED = recordings.files() | {".github/selfcode.yml": recordings.ASK}
HIDDEN = "from calc import add\n\n\ndef test_both_negative():\n    assert add(-3, -1) == -4, 'hidden words'\n"


def test_a_person_who_is_asked_about_the_test_lets_it_stand_by_a_retry(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case(files=ASKED)
    issue.label("selfcode", by="ada")
    shared_town.wait_for_outcome(repository, issue, Outcome.NEEDS_INFORMATION)
    (question, _) = shared_town.said(issue)
    assert "**Does this test say what the issue says?**" in question.body
    assert "assert add(-2, 1) == -1" in question.body
    assert repository.branches == ("main",)
    calls_before = len(shared_town.model.calls)

    issue.comment("/selfcode retry", by="ada")

    run = shared_town.wait_for_end(repository, issue, runs=2)
    assert run.outcome is Outcome.PROVEN, run.reason
    (pull,) = repository.pulls
    assert pull.file("test_negative.py") is not None
    assert [call.iteration for call in shared_town.model.calls[calls_before:]] == [2]


def test_a_hint_has_the_test_written_anew_and_asked_about_again(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case(files=ASKED)
    issue.label("selfcode", by="ada")
    shared_town.wait_for_outcome(repository, issue, Outcome.NEEDS_INFORMATION)

    issue.comment("/selfcode retry try add(-5, 2) too", by="ada")

    run = shared_town.wait_for_end(repository, issue, runs=2)
    assert run.outcome is Outcome.NEEDS_INFORMATION, run.reason
    told = json.dumps(shared_town.model.calls[-1].request["messages"])
    assert "try add(-5, 2) too" in told
    assert "a person did not accept it" in told


def test_an_issue_that_no_test_shows_is_not_reproduced_and_says_what_was_run(shared_town: Town, a_case: Case) -> None:
    def fine(match: str) -> Recording:
        code = "from calc import add\n\n\ndef test_{n}():\n    assert add({n}, 1) == {more}\n"
        tests = [f"```python path=test_fine_{n}.py\n{code.format(n=n, more=n + 1)}```" for n in (1, 2)]
        return recordings.recording(*[f"{test}\n{recordings.finish('a test')}" for test in tests], match=match)

    repository, issue = a_case(fine, files=recordings.files() | recordings.FOR_PYTEST)

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.NOT_REPRODUCED)
    assert repository.branches == ("main",)
    result, _ = shared_town.said(issue)
    assert "Not reproduced" in result.body.splitlines()[0]
    assert "python3 -m pytest -q" in result.body
    assert "`test_fine_2.py::test_2`" in result.body
    assert "assert add(2, 1) == 3" in result.body
    assert "`/selfcode retry" in result.body


def test_acceptance_tests_are_fed_back_and_shown_to_nobody(tmp_path: Path) -> None:
    kept = tmp_path / "acceptance" / "octo" / "calc"
    kept.mkdir(parents=True)
    (kept / "test_both.py").write_text(HIDDEN)
    partly = "```python path=calc.py\ndef add(a, b):\n    return a + b if a > -3 else 0\n```\n"
    played = recordings.recording(
        f"{recordings.NEW_TEST}\n{recordings.finish('a test')}",
        f"{partly}\n{recordings.finish('partly')}",
        f"{recordings.RIGHT_FIX}\n{recordings.finish('whole')}",
    )

    with town(tmp_path, played, settings={"SELFCODE_ACCEPTANCE_TESTS": str(tmp_path / "acceptance")}) as built:
        repository = built.repository("octo/calc", recordings.files() | recordings.FOR_PYTEST)
        issue = repository.open_issue(recordings.TITLE, recordings.BODY, by="ada")
        issue.label("selfcode", by="ada")

        built.wait_for_outcome(repository, issue, Outcome.PROVEN)
        (pull,) = repository.pulls
        asked = json.dumps([call.request for call in built.model.calls])
        said = [comment.body for at in (issue, pull) for comment in at.comments]
        log = built.log()

    assert "test_both.py::test_both_negative: AssertionError: hidden words" in asked
    everything = "\n".join([asked, *said, pull.body, pull.diff, log])
    assert [line for line in HIDDEN.splitlines()[-2:] if line.strip() in everything] == []
    assert pull.file("calc.py") == recordings.FIXED

"""Every way a run can end, as people see it on the issue."""

from pathlib import Path

from bot.demo.recorded import Recording
from bot.records import Outcome
from tests.story import recordings
from tests.story.conftest import Case
from tests.story.town import BOT, Town, town


def test_a_test_command_that_cannot_run_ends_the_run_before_a_token_is_spent(shared_town: Town, a_case: Case) -> None:
    broken = b'test: no-such-runner --all\nsetup: ""\n'
    repository, issue = a_case(files=recordings.files() | {".github/selfcode.yml": broken})
    calls_before = len(shared_town.model.calls)

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.BASELINE_BROKEN)
    (comment,) = shared_town.said(issue)
    assert "no-such-runner" in comment.body
    assert "test:" in comment.body
    assert ".github/selfcode.yml" in comment.body
    assert len(shared_town.model.calls) == calls_before
    assert repository.pulls == ()


def test_no_tests_at_all_is_said_and_never_green(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case(files=recordings.files(test_calc_py=None))

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.BASELINE_BROKEN)
    (comment,) = shared_town.said(issue)
    assert "nothing ran" in comment.body


def test_a_run_that_solves_nothing_opens_no_pull_request_and_says_what_was_tried(
    shared_town: Town, a_case: Case
) -> None:
    def never(match: str) -> Recording:
        tries = [
            f"{recordings.NEW_TEST}\n{recordings.finish('a test')}",
            f"{recordings.WRONG_FIX}\n{recordings.finish('first try')}",
        ]
        tries += [
            f"```python path=calc.py\ndef add(a, b):\n    return a + b + {n}\n```\n{recordings.finish(f'try {n}')}"
            for n in range(3, 8)
        ]
        return recordings.recording(*tries, match=match)

    repository, issue = a_case(never)

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.UNSOLVED)
    assert repository.pulls == ()
    assert repository.branches == ("main",)
    result, log = shared_town.said(issue)
    assert "Not solved" in result.body.splitlines()[0]
    assert "`/selfcode retry" in result.body
    assert "5 iterations" in log.body


def test_a_model_that_finds_nothing_to_change_opens_no_pull_request(shared_town: Town, a_case: Case) -> None:
    def idle(match: str) -> Recording:
        words = recordings.finish("add() does what its documentation says.")
        return recordings.recording([words, words], [words, words], match=match)

    repository, issue = a_case(idle)

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.NOTHING_TO_DO)
    assert repository.pulls == ()
    assert repository.branches == ("main",)
    assert "No change needed" in shared_town.said(issue)[0].body.splitlines()[0]


def test_a_change_that_bends_an_existing_test_is_a_draft_that_says_so(shared_town: Town, a_case: Case) -> None:
    def bends(match: str) -> Recording:
        test = recordings.TESTS.decode().replace("add(1, 2) == 3", "abs(add(1, 2)) < 1e9")
        bent = f"```python path=test_calc.py\n{test}```"
        return recordings.recording(
            *[f"{recordings.NEW_TEST}\n{bent}\n{recordings.RIGHT_FIX}\n{recordings.finish('fixed')}"] * 5, match=match
        )

    repository, issue = a_case(bends, files=recordings.files() | {".github/selfcode.yml": recordings.TOGETHER})

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.UNPROVEN)
    (pull,) = repository.pulls
    assert pull.is_draft
    assert "Unproven" in pull.body.splitlines()[0]
    assert "test_calc.py" in pull.body
    assert "test_add" in pull.body
    assert [check.conclusion for check in pull.checks] == ["neutral"]


def test_an_unrelated_test_that_fails_already_is_listed_and_is_no_obstacle(shared_town: Town, a_case: Case) -> None:
    failing = b"def test_other():\n    assert 1 == 2\n"
    repository, issue = a_case(files={**recordings.files(), **recordings.FOR_PYTEST, "test_other.py": failing})

    issue.label("selfcode", by="ada")

    run = shared_town.wait_for_end(repository, issue)
    assert run.outcome is Outcome.PROVEN, run.reason
    assert "test_other.py::test_other" in repository.pulls[0].body


def test_an_empty_repository_is_answered_with_one_clear_comment(shared_town: Town) -> None:
    repository = shared_town.repository("octo/empty", None)
    issue = repository.open_issue("Anything", by="ada")

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.REFUSED)
    (comment,) = shared_town.said(issue)
    assert "no commit" in comment.body
    assert repository.branches == ()
    assert repository.pulls == ()


def test_a_configuration_with_a_typing_error_is_refused_with_the_key_that_was_meant(
    shared_town: Town, a_case: Case
) -> None:
    repository, issue = a_case(files=recordings.files() | {".github/selfcode.yml": b"tets: pytest\n"})

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.REFUSED)
    (comment,) = shared_town.said(issue)
    assert "tets" in comment.body
    assert "test" in comment.body


def test_a_locked_issue_keeps_nobody_from_a_pull_request(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()
    issue.lock()

    issue.label("selfcode", by="ada")

    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    assert len(repository.pulls) == 1


def test_a_label_by_someone_without_write_access_starts_nothing(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()
    calls_before = len(shared_town.model.calls)

    issue.label("selfcode", by="tom")

    shared_town.wait_for("the reaction", lambda: issue.reactions)
    assert issue.reactions == ((BOT, "-1"),)
    assert shared_town.said(issue) == ()
    assert shared_town.runs(repository, issue) == []
    assert len(shared_town.model.calls) == calls_before


def test_an_owner_who_is_not_allowed_is_not_served(shared_town: Town) -> None:
    repository = shared_town.repository("stranger/theirs", recordings.files())
    issue = repository.open_issue(recordings.TITLE, by="ada")

    issue.label("selfcode", by="ada")

    shared_town.wait_for("the refusal", lambda: "stranger is not in SELFCODE_ALLOWED_OWNERS" in shared_town.log())
    assert shared_town.runs(repository, issue) == []
    assert issue.reactions == ()


def test_the_label_is_made_when_the_app_is_installed(shared_town: Town) -> None:
    repository = shared_town.repository("octo/labelled", recordings.files())

    shared_town.wait_for("the label", lambda: "selfcode" in repository.labels)


def test_without_an_engine_the_webhook_answers_and_the_run_ends_with_the_reason(tmp_path: Path) -> None:
    nowhere = {"DOCKER_HOST": "unix:///nonexistent.sock"}
    with town(tmp_path, recordings.right_at_once(), sandbox="docker", settings=nowhere) as built:
        repository = built.repository("octo/calc", recordings.files())
        issue = repository.open_issue(recordings.TITLE, recordings.BODY, by="ada")

        issue.label("selfcode", by="ada")

        run = built.wait_for_outcome(repository, issue, Outcome.ERROR)
        assert "Docker" in (run.reason or "")
        assert all(sent.status_code in (200, 202) for sent in built.hub.deliveries)


def test_a_dry_run_says_what_it_would_have_published(tmp_path: Path) -> None:
    dry = {"SELFCODE_DRY_RUN": "1"}
    with town(tmp_path, recordings.right_at_once(), settings=dry, commands=("serve",)) as built:
        repository = built.repository("octo/calc", recordings.files())
        issue = repository.open_issue(recordings.TITLE, recordings.BODY, by="ada")

        issue.label("selfcode", by="ada")

        built.wait_for_outcome(repository, issue, Outcome.PROVEN)
        assert repository.pulls == ()
        assert repository.branches == ("main",)
        assert "Proven" in built.said(issue)[0].body

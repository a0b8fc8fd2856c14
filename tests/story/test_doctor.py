"""`/selfcode doctor`: a comment goes in, a report comes out."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import docker
import pytest

from bot.demo.handles import IssueHandle, RepositoryHandle
from bot.records import Health, Outcome
from bot.repository.config import parse_config
from bot.runs.store import RunRow
from sandbox.setup.shelf import REPOSITORY_LABEL
from tests.story import recordings
from tests.story.conftest import Case
from tests.story.town import BOT, Town, town
from tests.writing.rendering import code_blocks, live, table_rows


def examined(built: Town, repository: RepositoryHandle, issue: IssueHandle, health: Health) -> str:
    """Ask for an examination, wait for its end. Returns the report."""
    issue.comment("/selfcode doctor", by="ada")
    run = built.wait_for_end(repository, issue)
    assert run.outcome is health, f"{run.outcome}: {run.reason}\n{built.log()[-4000:]}"
    (report,) = built.said(issue)
    return report.body


def test_a_healthy_repository_gets_a_report_in_one_comment_and_nothing_else(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()
    calls_before = len(shared_town.model.calls)

    comment = issue.comment("/selfcode doctor", by="ada")

    run = shared_town.wait_for_end(repository, issue)
    assert run.outcome is Health.HEALTHY, run.reason
    (report,) = shared_town.said(issue)
    assert "Healthy" in report.body.splitlines()[0]
    assert ["3", "1 passed"] in [row[:2] for row in table_rows(report.body)]
    assert "the one test noticed" in report.body
    assert len(shared_town.model.calls) == calls_before
    assert repository.branches == ("main",)
    assert [(found.user.login, found.content) for found in comment.reactions] == [(BOT, "eyes")]


def test_a_test_command_that_can_t_run_is_shown_with_what_would_mend_it(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case(files=recordings.files() | {".github/selfcode.yml": b"test: no-such-runner --all\n"})

    report = examined(shared_town, repository, issue, Health.UNHEALTHY)

    assert "command not found" in report.splitlines()[0]
    (configuration,) = [block for block in code_blocks(report) if "setup:" in block]
    assert parse_config(configuration.encode()).setup
    assert any("no-such-runner" in block for block in code_blocks(report))


def test_what_is_flaky_and_what_wants_the_network_is_named(shared_town: Town, a_case: Case, place: Path) -> None:
    counter = place / "counter"
    tests = (
        "import pathlib, urllib.request\n\n\ndef test_odd():\n"
        f"    counter = pathlib.Path({str(counter)!r})\n    counter.open('a').write('x')\n"
        "    assert len(counter.read_text()) % 2 == 0\n\n\n"
        "def test_site():\n    urllib.request.urlopen('https://site.example.invalid/a')\n"
    )
    repository, issue = a_case(files={**recordings.files(), **recordings.FOR_PYTEST, "test_more.py": tests.encode()})

    report = examined(shared_town, repository, issue, Health.HEALTHY)

    assert "**Flaky**\n\n- `test_more.py::test_odd`" in report
    assert "**Wanted the network**\n\n- `test_more.py::test_site` (`site.example.invalid`)" in report
    assert live(report) == []


@pytest.fixture
def images_go(docker_client: docker.DockerClient) -> Iterator[Callable[[int], None]]:
    """Says of which repositories the prepared images are gone afterwards."""
    numbers: list[int] = []
    yield numbers.append
    for number in numbers:
        for image in docker_client.images.list(filters={"label": f"{REPOSITORY_LABEL}={number}"}):
            docker_client.images.remove(str(image.id), force=True)


def test_tests_of_an_installed_copy_are_found_out_offline(tmp_path: Path, images_go: Callable[[int], None]) -> None:
    configuration = b"setup: cp src/calc.py /usr/lib/python3/dist-packages/\ntest: python3 -m pytest -q\n"
    tests = (
        recordings.TESTS + b"\n\ndef test_site():\n    import socket\n    socket.create_connection(('192.0.2.1', 80))\n"
    )
    files = {"src/calc.py": recordings.CODE, "tests/test_calc.py": tests, ".github/selfcode.yml": configuration}
    with town(tmp_path, sandbox="docker") as built:
        repository = built.repository("octo/copied", files)
        images_go(repository.id)
        issue = repository.open_issue("Does it work here?", by="ada")

        report = examined(built, repository, issue, Health.UNHEALTHY)

        assert "The tests don't run the workspace's own code" in report.splitlines()[0]
        assert "editable" in report.splitlines()[0]
        assert "- `tests/test_calc.py::test_site`" in report
        assert "Network is unreachable" in report


def test_a_worker_killed_in_the_middle_is_followed_by_one_that_finishes_the_report(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    tests = (
        "import time\nfrom unittest import TestCase\n\n\nclass TestSlow(TestCase):\n    def test_slow(self):\n"
        f"        with open({str(counter)!r}, 'a') as counter:\n            counter.write('x')\n        time.sleep(1)\n"
    )
    with town(tmp_path, commands=("web", "worker")) as built:
        repository = built.repository("octo/calc", recordings.files() | {"test_calc.py": tests.encode()})
        issue = repository.open_issue("Does it work here?", by="ada")
        issue.comment("/selfcode doctor", by="ada")
        built.wait_for("the second run", lambda: counter.exists() and len(counter.read_text()) == 2)

        built.bot.kill("worker")
        built.bot.start("worker")

        run = built.wait_for_end(repository, issue)
        assert run.outcome in (Health.HEALTHY, Health.UNHEALTHY), run.reason
        (report,) = built.said(issue)
        assert [row[1] for row in table_rows(report.body) if row[0] in ("1", "2", "3")] == ["1 passed"] * 3
        assert len(counter.read_text()) <= 5


def test_an_examination_is_stopped_at_once_and_says_how_far_it_came(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case(files=recordings.files() | {"test_slow.py": recordings.NEVER_ENDS})
    issue.comment("/selfcode doctor", by="ada")
    shared_town.wait_for("the tests", lambda: [said for said in shared_town.said(issue) if "time 1 of 3" in said.body])
    time.sleep(1)

    issue.comment("/selfcode stop", by="ada")

    run = shared_town.wait_for_end(repository, issue)
    assert run.outcome is Outcome.STOPPED
    (said,) = shared_town.said(issue)
    assert "ended early" in said.body.splitlines()[0]
    assert "/selfcode stop" in said.body.splitlines()[0]


def test_an_examination_by_a_stranger_is_one_reaction(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()

    comment = issue.comment("/selfcode doctor", by="eve")

    shared_town.wait_for("the reaction", lambda: comment.reactions)
    assert [(found.user.login, found.content) for found in comment.reactions] == [(BOT, "-1")]
    assert (shared_town.said(issue), shared_town.runs(repository, issue)) == ((), [])


def test_an_empty_repository_is_unhealthy_and_says_why(shared_town: Town) -> None:
    repository = shared_town.repository("octo/nothing-yet", None)
    issue = repository.open_issue("Anything", by="ada")

    report = examined(shared_town, repository, issue, Health.UNHEALTHY)

    assert "no commit" in report.splitlines()[0]


def test_an_examination_leaves_the_work_on_its_issue_as_it_is(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()
    issue.comment("/selfcode doctor", by="ada")
    issue.label("selfcode", by="ada")

    shared_town.wait_for("both", lambda: len(_finished(shared_town, repository, issue)) == 2)

    outcomes = {run.outcome for run in _finished(shared_town, repository, issue)}
    assert outcomes == {Health.HEALTHY, Outcome.PROVEN}
    assert len(repository.pulls) == 1


def _finished(built: Town, repository: RepositoryHandle, issue: IssueHandle) -> list[RunRow]:
    return [run for run in built.runs(repository, issue) if run.is_finished]

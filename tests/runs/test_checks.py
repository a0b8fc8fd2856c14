"""Checks of the repository's own that fail on a change whose proof was green."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine as Database

from bot.records import FailedCheck, TriggerKind, dump
from bot.repository.git import EMPTY_TREE
from bot.runs.checks import Checks, may_concern
from bot.runs.known import Known
from bot.runs.stopping import StopFlag
from sandbox.contract import File
from tests.runs.builders import a_database
from tests.runs.test_renewal import BEFORE, HELD, PROVEN, PUSHED, UNPROVEN, Scene
from tests.runs.workshop import Workshop
from tests.writing.builders import a_provenance

LINT = FailedCheck("lint", "https://ci.example.com/1", "2 problems")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with a_database(tmp_path) as opened:
        yield opened


@pytest.fixture
def scene(tmp_path: Path, database: Database) -> Scene:
    """A pull request that is proven, and a check that failed on it."""
    made = Scene(tmp_path, database, proof=HELD)
    made.repository.failed_checks[PROVEN] = [LINT]
    return made


def told(scene: Scene, head: str = PROVEN) -> Checks:
    run_id = scene.begun(TriggerKind.CHECKS, head_sha=head)
    checks = Checks(Known(scene.house, run_id), StopFlag(scene.house.store, run_id))
    if checks.look():
        checks.update_pull_request()
        checks.ask_to_mend()
    return checks


def mending(scene: Scene, setting: bytes = b"on_failed_checks: fix\n") -> list[str]:
    """Which commits are to be mended, where the repository's configuration says so."""
    mirror = Known(scene.house, scene.origin).mirror
    tree = mirror.tree_with(EMPTY_TREE, {".github/selfcode.yml": File(setting)})
    base = mirror.commit(
        tree, parents=[], message="x", author_name="x", author_email="x@example.com", when=datetime.now(UTC)
    )
    made = scene.proof.provenance
    assert made is not None
    scene.house.store.learn(scene.origin, proof=dump(replace(scene.proof, provenance=replace(made, base=base))))
    told(scene)
    told(scene)
    return [each.trigger.head_sha for each in scene.house.store.waiting() if each.trigger.kind is TriggerKind.MEND]


def test_a_failed_check_is_told_in_the_pull_request(scene: Scene) -> None:
    told(scene)

    assert "`lint` fails on this commit" in scene.pull.text.body
    assert "2 problems" in scene.pull.text.body


def test_checks_may_concern_what_a_run_of_ours_has_pushed_or_judged_and_nothing_else(scene: Scene) -> None:
    scene.house.store.learn(scene.begun(TriggerKind.RENEW), judged=PUSHED)
    scene.begun(TriggerKind.CHECKS, head_sha="f0" * 20)

    concerned = [may_concern(scene.house.store, scene.issue, head) for head in (PROVEN, PUSHED, "f0" * 20, "")]

    assert concerned == [True, True, False, False]


def test_what_was_told_of_a_commit_is_not_told_again(scene: Scene) -> None:
    told(scene)
    scene.github.calls.clear()

    told(scene)

    assert "describe_pull_request" not in scene.github.calls


def test_a_check_that_passes_by_now_is_not_told(scene: Scene) -> None:
    scene.repository.failed_checks.clear()

    assert told(scene).look() == ""
    assert scene.pull.text.body == BEFORE


def test_checks_that_pass_after_they_were_told_to_fail_are_told_once_more(scene: Scene) -> None:
    told(scene)
    scene.repository.failed_checks.clear()

    told(scene)

    assert "fails on this commit" not in scene.pull.text.body


def test_what_passes_by_now_is_not_to_be_mended(scene: Scene) -> None:
    assert mending(scene, b"on_failed_checks: tell\n") == []
    scene.repository.failed_checks.clear()

    assert mending(scene) == []


def test_what_was_not_proven_is_not_measured_by_checks(tmp_path: Path, database: Database) -> None:
    scene = Scene(tmp_path, database, proof=UNPROVEN)
    scene.repository.failed_checks[PROVEN] = [LINT]

    assert told(scene).look() == ""


def test_checks_of_a_commit_that_the_branch_has_left_are_old_news(scene: Scene) -> None:
    scene.repository.branches[scene.branch] = PUSHED

    assert told(scene).look() == ""


def test_one_run_is_to_mend_it_where_that_is_wished(scene: Scene) -> None:
    assert mending(scene) == [PROVEN]


@pytest.mark.parametrize("setting", [b"on_failed_checks: tell\n", b"on_failed_checks: [\n"])
def test_without_that_wish_it_is_only_told(scene: Scene, setting: bytes) -> None:
    assert mending(scene, setting) == []


def test_what_a_run_pushed_to_mend_it_is_left_to_people(scene: Scene) -> None:
    scene.house.store.learn(scene.begun(TriggerKind.MEND), head_sha=PROVEN)

    assert mending(scene) == []


def test_a_worker_in_another_home_brings_the_settings_there_before_it_reads_them(
    tmp_path: Path, database: Database
) -> None:
    workshop = Workshop(tmp_path, database)
    workshop.origin.commit({".github/selfcode.yml": b"on_failed_checks: fix\n"}, branch="main")
    head = workshop.worked({"calc.py": b"three = 33\n"})
    base = workshop.head("main")
    (worked,) = workshop.store.runs_of(workshop.repository.ref.id, workshop.issue.number)
    proof = dump(replace(HELD, provenance=a_provenance(base=base, head=head)))
    workshop.store.learn(worked.id, proof=proof, judged=head)
    workshop.repository.failed_checks[head] = [LINT]

    known = workshop.known(workshop.begun(TriggerKind.CHECKS, head_sha=head, pull_request=workshop.pull.number))
    told = Checks(known, StopFlag(workshop.store, known.run_id))

    assert not known.mirror.path.exists()
    assert told.look() == head
    assert told.ask_to_mend()

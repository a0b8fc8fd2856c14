"""Steps of a run on a real mirror and a real database; the sandbox alone forgets an image when it is told to."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.errors import Refused
from bot.records import ImageIdentity, Progress, StopCheck, TestPlan, Verdict
from bot.repository.git import EMPTY_TREE, run_git
from bot.runs.branch import Footing
from bot.runs.chapter import Chapter
from bot.runs.house import Prepared, Setup, SetupBroken
from bot.runs.known import Known
from bot.runs.stopping import StopFlag
from bot.runs.store import SqlInbox, Store
from sandbox import Limits, Workspace
from sandbox.contract import File, ImageGone
from sandbox.process import ProcessSandbox
from tests.github.fake import FakeGitHub
from tests.runs.builders import MAINTAINER, a_database, a_house, a_trigger, an_iteration


@dataclass(frozen=True)
class Engine(ProcessSandbox):
    """Has images as an engine has them: what is not there can't be opened."""

    images: set[str] = field(default_factory=set)

    def open(self, *, image: str | None = None, limits: Limits | None = None) -> AbstractContextManager[Workspace]:
        if image not in self.images:
            raise ImageGone(f"the image {image} is not there")
        return super().open(limits=limits)


@dataclass
class Preparer:
    """Makes an image on the engine each time that it is asked; `broken`: the set-up fails."""

    engine: Engine
    made: list[str] = field(default_factory=list)
    broken: bool = False

    def __call__(self, _setup: Setup, _stop: StopCheck) -> Prepared:
        if self.broken:
            raise SetupBroken("The set-up command failed: exit code 1")
        self.made.append(f"environment-{len(self.made) + 1}")
        self.engine.images.add(self.made[-1])
        return Prepared(self.made[-1], identity=ImageIdentity(self.made[-1], f"sha256:{len(self.made)}", "default"))


@pytest.fixture
def preparer() -> Preparer:
    return Preparer(Engine())


@pytest.fixture
def chapter(tmp_path: Path, preparer: Preparer) -> Iterator[Chapter]:
    """A run whose environment is prepared, and whose baseline is to be taken."""
    github = FakeGitHub()
    repository = github.add_repository("octo/cat", installation_id=1)
    repository.roles[MAINTAINER.login] = "write"
    issue = github.open_issue(repository.ref, labels=("selfcode",))
    with a_database(tmp_path) as database:
        store = Store(database)
        house = replace(
            a_house(store, github, tmp_path), sandbox=preparer.engine, prepare_image=preparer, image="default"
        )
        SqlInbox(database).accept(a_trigger(issue=issue, sender=MAINTAINER))
        known = Known(house, store.begin_run(store.waiting()[-1]))
        told = Chapter(known, StopFlag(store, known.run_id))
        told.admit()
        base = a_base(known)
        known.learn(
            base=base,
            footing=Footing("selfcode/issue-1", base=base, onto=base),
            plan=TestPlan("PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python -m pytest", setup="make it"),
        )
        assert told.prepare_environment() == ""
        yield told


def a_base(known: Known) -> str:
    path = str(known.mirror.path)
    run_git(["init", "--quiet", "--bare", "--template=", "--", path])
    run_git(["hash-object", "-t", "tree", "-w", "--stdin"], repository=known.mirror.path)
    tree = known.mirror.tree_with(EMPTY_TREE, {"test_it.py": File(b"def test_it():\n    pass\n")})
    return known.mirror.commit(
        tree, parents=[], message="x", author_name="x", author_email="x@example.com", when=datetime.now(UTC)
    )


def test_an_environment_that_had_to_make_room_for_others_is_prepared_again(
    chapter: Chapter, preparer: Preparer
) -> None:
    preparer.engine.images.clear()

    assert chapter.take_baseline() == ""

    assert preparer.made == ["environment-1", "environment-2"]
    assert chapter.known.baseline.report.is_green


def test_one_that_can_not_be_prepared_again_ends_the_run_with_the_reason(chapter: Chapter, preparer: Preparer) -> None:
    preparer.engine.images.clear()
    preparer.broken = True

    with pytest.raises(Refused, match="The set-up command failed"):
        chapter.take_baseline()


def test_a_proof_names_the_commit_that_is_pushed_and_the_image_that_was_there_in_the_end(
    chapter: Chapter, preparer: Preparer
) -> None:
    preparer.engine.images.clear()
    chapter.take_baseline()
    known = chapter.known
    change = {
        "halves.py": File(b"def half(a):\n    return a / 2\n"),
        "test_halves.py": File(b"from halves import half\n\n\ndef test_half():\n    assert half(4) == 2\n"),
    }
    tree = known.mirror.tree_with(known.base, change)
    worked = an_iteration(change=known.mirror.change(known.base, tree))
    chapter.house.store.keep_progress(chapter.run_id, Progress((worked,), verdict=Verdict.SOLVED))

    chapter.take_proof()

    assert known.proof is not None
    assert known.proof.holds, known.proof.missing
    made = known.proof.provenance
    assert made is not None
    assert known.mirror.tree_with(made.head, {}) == tree
    assert known.mirror.is_ancestor(known.base, made.head)
    assert (made.image, made.image_digest, made.base_image) == ("environment-2", "sha256:2", "default")
    assert set(made.versions) >= {"python", "pytest"}

"""What a run stands on: a base commit, how its tests are run, and clean workspaces made of both."""

import logging
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from bot.errors import Refused, Stopped, Unavailable
from bot.proof import Plant, place, run_tests
from bot.records import Change, ImageIdentity, StopCheck, TestPlan, TestReport
from bot.repository import Mirror
from bot.runs.lanes import Places
from sandbox import Limits, Sandbox, SandboxError, Workspace, WorkspaceFull
from sandbox.contract import MEBIBYTE, File, ImageGone

log = logging.getLogger(__name__)


class EnvironmentGone(Unavailable):
    """The prepared image had to make room for others: it has to be made again."""


@dataclass(frozen=True, slots=True)
class Ground:
    """Everything that stays the same through one run. `base` is a commit in the mirror; `image` a prepared one, which
    a proof names by its `identity`. In `places` its runs of tests are counted.
    """

    mirror: Mirror
    base: str
    plan: TestPlan
    sandbox: Sandbox
    image: str | None
    limits: Limits
    stop: StopCheck
    identity: ImageIdentity = field(default_factory=ImageIdentity)
    places: Places = field(default_factory=Places)

    @contextmanager
    def workspace(self, treeish: str, replaced: Mapping[str, File | None] | None = None) -> Iterator[Workspace]:
        """A fresh workspace that holds a tree, with some of its files replaced or (None) removed.

        Raises `Unavailable` when the sandbox fails, in the body too (`EnvironmentGone` where its image is not there any
        more); `Refused` where the files have no room in it.
        """
        try:
            with self.sandbox.open(image=self.image, limits=self.limits) as workspace:
                workspace.put(self.mirror.archive(treeish))
                place(workspace, replaced or {})
                yield workspace
        except WorkspaceFull as full:
            size = f"{self.limits.workspace_bytes // MEBIBYTE:,} MiB"
            raise Refused(
                f"The repository, with what the commands and tests wrote, is more than a workspace of {size} holds."
            ) from full
        except ImageGone as gone:
            raise EnvironmentGone(f"the sandbox failed: {gone}") from gone
        except SandboxError as failure:
            raise Unavailable(f"the sandbox failed: {failure}") from failure

    def tree(self, change: Change) -> str:
        """The tree that a change makes of the base."""
        return self.mirror.apply(self.base, change.patch) if change.patch else self.base

    def test(
        self,
        treeish: str,
        replaced: Mapping[str, File | None] | None = None,
        *,
        plant: Plant | None = None,
        options: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> TestReport:
        """Run the test command once, in a clean workspace; a plant goes in under a new name. `options` are pytest's.

        `timeout_s`: less time than the limits give.

        Raises `Stopped` when a person ended the run.
        """
        planted = plant.again(secrets.token_hex(8)) if plant else None
        with self.workspace(treeish, replaced) as workspace:
            return self.test_in(workspace, plant=planted, options=options, timeout_s=timeout_s)

    def test_in(
        self,
        workspace: Workspace,
        *,
        plant: Plant | None = None,
        options: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> TestReport:
        """Run the test command in an open workspace. Raises `Stopped` when a person ended the run."""
        wall_s = self.limits.wall_s if timeout_s is None else min(timeout_s, self.limits.wall_s)
        with self.places.own():
            report = run_tests(workspace, self.plan, timeout_s=wall_s, plant=plant, options=options, stop=self.stop)
        if self.stop():
            raise Stopped
        log.info("test command: %.2f s, %s", report.duration_s, report.counts)
        return report

"""What a run stands on."""

from pathlib import Path

import pytest

from bot.errors import Refused
from bot.records import TestPlan
from bot.repository import Mirror
from bot.repository.git import EMPTY_TREE, run_git
from bot.runs.ground import Ground
from sandbox import Limits
from sandbox.contract import MEBIBYTE
from sandbox.process import ProcessSandbox


def a_ground(folder: Path, *, workspace_bytes: int) -> Ground:
    run_git(["init", "--quiet", "--bare", "--template=", "--", str(folder)])
    run_git(["hash-object", "-t", "tree", "-w", "--stdin"], repository=folder)
    return Ground(
        mirror=Mirror(folder),
        base=EMPTY_TREE,
        plan=TestPlan("true"),
        sandbox=ProcessSandbox(),
        image=None,
        limits=Limits(workspace_bytes=workspace_bytes),
        stop=lambda: False,
    )


def test_a_workspace_that_was_filled_ends_the_run_and_is_not_tried_again(tmp_path: Path) -> None:
    ground = a_ground(tmp_path / "mirror.git", workspace_bytes=MEBIBYTE)

    with pytest.raises(Refused, match="more than a workspace of 1 MiB holds"):
        fill(ground)


def fill(ground: Ground) -> None:
    with ground.workspace(EMPTY_TREE) as workspace:
        workspace.run("head -c 2000000 /dev/zero >big")
        workspace.get()

"""A reply's edits in a real workspace, read back by git: what is not edited stays to the byte, the mode too."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.agent.actions import Action, Delete, Edit, Patch, Read, Write, asked
from bot.agent.hands import Done, carry_out
from bot.runs.workbench import Bench
from sandbox.contract import File
from tests.runs.builders import a_ground

MIXED = b"\xef\xbb\xbfa\r\nb\r\nc\rd\n"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    ground = a_ground(tmp_path, {"mixed.txt": MIXED})
    files = {
        "run.sh": File(b"echo one\n", executable=True),
        "src/a.py": File(b"x = 1\n"),
        "link.py": File(b"src/a.py", symlink=True),
        "folder": File(b"src", symlink=True),
        "outside": File(b"/etc", symlink=True),
        "picture.png": File(b"\x89PNG\0\1"),
    }
    tree = ground.mirror.tree_with(ground.base, files)
    base = ground.mirror.commit(
        tree, parents=[], message="x", author_name="x", author_email="x@example.com", when=datetime.now(UTC)
    )
    ground = replace(ground, base=base)
    with ground.workspace(base) as workspace:
        yield Bench(ground, workspace)


def do(bench: Bench, *actions: Action) -> Done:
    return carry_out(bench, [asked(action) for action in actions])


def test_one_changed_line_of_a_file_with_all_kinds_of_line_endings_counts_as_one(bench: Bench) -> None:
    do(bench, Edit("mixed.txt", "b\n", "B\n", whole_lines=True))

    change = bench.change()
    assert (change.paths, change.added_lines, change.removed_lines) == (("mixed.txt",), 1, 1)
    tree = bench.ground.mirror.apply(bench.ground.base, change.patch)
    assert bench.ground.mirror.read(tree, "mixed.txt") == MIXED.replace(b"b\r", b"B\r")


@pytest.mark.parametrize("action", [Edit("run.sh", "one", "two"), Write("run.sh", "echo two\n", fenced=True)])
def test_a_program_stays_executable(bench: Bench, action: Action) -> None:
    do(bench, action)

    tree = bench.ground.mirror.apply(bench.ground.base, bench.change().patch)
    assert bench.ground.mirror.entries(tree)["run.sh"].mode == "100755"
    assert bench.ground.mirror.read(tree, "run.sh") == b"echo two\n"


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Write("link.py", "x = 2\n"), "a link"),
        (Edit("link.py", "x = 1", "x = 2"), "a link"),
        (Write("folder/a.py", "x = 2\n"), "folder is a file or a link"),
        (Write("outside/selfcode", "x = 2\n"), "outside is a file or a link"),
        (Delete("link.py"), "a link"),
        (Read("outside/passwd"), "no such file"),
        (Read("link.py"), "a link"),
        (Write("src", "x\n"), "a folder"),
        (Read("src"), "a folder"),
        (Delete("src"), "a folder"),
        (Write("src/a.py/b.py", "x\n"), "src/a.py is a file"),
        (Write(".", "x\n"), "path of a file"),
        (Write(" /etc/selfcode", "x\n"), "relative to the repository"),
        (Write("n" * 300, "x\n"), "too long"),
        (Write("SRC/a.py", "x\n"), "there is src/a.py"),
        (Edit("picture.png", "P", "Q"), "binary"),
        (Patch("--- a/src/a.py\n+++ b/link.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"), "a link"),
    ],
)
def test_links_folders_and_paths_that_no_file_can_have_are_refused_and_end_nothing(
    bench: Bench, action: Action, words: str
) -> None:
    done = do(bench, action)

    assert words in done.actions[0].result
    assert not done.actions[0].ok
    assert bench.change().is_empty

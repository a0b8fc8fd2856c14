"""What the story of a run needs around it."""

from pathlib import Path

import pytest

from bot.repository import Mirror
from bot.repository.git import EMPTY_TREE, run_git
from bot.runs.house import declared_files, is_allowed
from sandbox.contract import File


@pytest.mark.parametrize(
    ("image", "allowed"),
    [
        ("selfcode-sandbox", True),
        ("python:3.13", True),
        ("python:3.13@sha256:0", True),
        ("python:2.7", False),
        ("evil/python:3.13", False),
        ("Python:3.13", False),
        ("", False),
    ],
)
def test_a_repository_chooses_among_the_images_that_the_operator_names(image: str, allowed: bool) -> None:
    assert is_allowed(image, ("selfcode-sandbox", "python:3.*")) is allowed


def test_a_prepared_image_depends_on_the_manifests_at_the_top_and_in_the_projects_folder(tmp_path: Path) -> None:
    folder = tmp_path / "mirror.git"
    run_git(["init", "--quiet", "--bare", "--template=", "--", str(folder)])
    run_git(["hash-object", "-t", "tree", "-w", "--stdin"], repository=folder)
    mirror = Mirror(folder)
    names = ("uv.lock", "a/pyproject.toml", "a/requirements/test.txt", "a/src/x.py", "a/test_x.py", "b/package.json")
    tree = mirror.tree_with(EMPTY_TREE, {name: File(name.encode()) for name in names})

    assert declared_files(mirror, tree, "a") == {
        name: name.encode() for name in ("uv.lock", "a/pyproject.toml", "a/requirements/test.txt")
    }
    assert set(declared_files(mirror, tree)) == {*names} - {"a/src/x.py", "a/test_x.py"}

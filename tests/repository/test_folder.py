from pathlib import Path

import pytest

from bot.errors import Refused
from bot.repository import Mirror
from bot.repository.folder import is_git_repository, take_in


def a_folder(place: Path) -> Path:
    folder = place / "shop-1.0"
    (folder / "shop").mkdir(parents=True)
    (folder / "shop" / "prices.py").write_bytes(b"x = 1\r\n")
    (folder / "run.sh").write_bytes(b"#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("shop/prices.py")
    return folder


def test_a_plain_folder_becomes_a_tree_of_its_exact_bytes(tmp_path: Path) -> None:
    mirror = Mirror(tmp_path / "mirror.git")

    taken = take_in(mirror, a_folder(tmp_path))

    assert {path: entry.mode for path, entry in mirror.entries(taken.tree).items()} == {
        "link": "120000",
        "run.sh": "100755",
        "shop/prices.py": "100644",
    }
    assert mirror.read(taken.tree, "shop/prices.py") == b"x = 1\r\n"
    assert mirror.read(taken.tree, "link") == b"shop/prices.py"
    assert taken.left_out == ()


def test_caches_are_left_out_and_what_was_built_on_purpose_is_kept(tmp_path: Path) -> None:
    folder = a_folder(tmp_path)
    for path in (
        "node_modules/x/a.js",
        "shop/__pycache__/a.pyc",
        ".git/config",
        "shop.egg-info/PKG-INFO",
        "dist/a.js",
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(b"")
    (folder / "pyproject.toml").write_bytes(b"")
    mirror = Mirror(tmp_path / "mirror.git")

    taken = take_in(mirror, folder)

    assert set(mirror.entries(taken.tree)) == {"dist/a.js", "link", "run.sh", "shop/prices.py", "pyproject.toml"}
    assert taken.left_out == ("shop.egg-info/: a cache or build output",)


def test_links_and_gits_own_settings_in_the_folder_are_never_followed(tmp_path: Path) -> None:
    folder = a_folder(tmp_path)
    (tmp_path / "secret").write_bytes(b"outside")
    (folder / "out").symlink_to(tmp_path)
    (folder / ".gitattributes").write_bytes(b"* filter=x\n")
    mirror = Mirror(tmp_path / "mirror.git")

    taken = take_in(mirror, folder)

    assert mirror.read(taken.tree, "out") == str(tmp_path).encode()
    assert mirror.read(taken.tree, "out/secret") is None
    assert mirror.read(taken.tree, "shop/prices.py") == b"x = 1\r\n"


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="can't be read"):
        take_in(Mirror(tmp_path / "mirror.git"), tmp_path / "nowhere")


def test_a_checkout_a_worktree_and_a_bare_repository_are_git_repositories(tmp_path: Path) -> None:
    (tmp_path / "checkout" / ".git").mkdir(parents=True)
    (tmp_path / "worktree").mkdir()
    (tmp_path / "worktree" / ".git").write_text("gitdir: elsewhere")
    (tmp_path / "bare" / "objects").mkdir(parents=True)
    (tmp_path / "bare" / "HEAD").write_text("ref: refs/heads/main")

    assert all(is_git_repository(tmp_path / name) for name in ("checkout", "worktree", "bare"))
    assert not is_git_repository(tmp_path)

"""What of this machine shows in a workspace without an image."""

import sys
from pathlib import Path

import pytest

from sandbox.contract import SandboxUnavailable
from sandbox.resident import host


def test_the_callers_python_shows_and_comes_first() -> None:
    found = host.view()

    assert found.path.split(":")[0] == str(Path(sys.executable).parent)
    assert any(Path(sys.base_prefix).resolve().is_relative_to(path) for path in found.shown)


def test_a_folder_shows_at_its_own_path_with_every_link_on_the_way(tmp_path: Path) -> None:
    (tmp_path / "real/tool").mkdir(parents=True)
    (tmp_path / "by").symlink_to("real")
    (tmp_path / "way").symlink_to(tmp_path / "by/tool")

    found = host.view([tmp_path / "way"])

    assert str(tmp_path / "real/tool") in found.shown
    assert found.links.items() >= {(str(tmp_path / "way"), f"{tmp_path}/by/tool"), (str(tmp_path / "by"), "real")}
    assert str(tmp_path) not in found.shown


def test_what_is_in_a_folder_that_shows_is_not_shown_twice(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)

    found = host.view([tmp_path / "a/b", tmp_path / "a"])

    assert str(tmp_path / "a") in found.shown
    assert str(tmp_path / "a/b") not in found.shown


def test_the_active_virtual_environment_shows_and_its_programs_are_on_the_path(tmp_path: Path) -> None:
    found = host.view(environment={"VIRTUAL_ENV": str(tmp_path)})

    assert str(tmp_path) in found.shown
    assert f"{tmp_path}/bin" in found.path.split(":")


def test_links_that_lead_in_a_circle_cannot_be_shown(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    with pytest.raises(SandboxUnavailable, match="can't be shown"):
        host.view([tmp_path / "a"])


def test_nothing_in_which_people_put_secrets_shows() -> None:
    shown = host.view(environment={}).shown

    assert not {"/etc", "/home", "/root", "/var", "/run", "/etc/shadow", "/etc/ssh", "/etc/ssl/private"} & set(shown)


def test_roots_own_folder_is_not_taken_where_the_code_in_the_sandbox_could_not_read_it(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir(mode=0o700)

    with pytest.raises(host.NotShown, match="for its owner alone"):
        host.view([tmp_path / "mine"], is_root=True)
    assert str(tmp_path / "mine") in host.view([tmp_path / "mine"], is_root=False).shown

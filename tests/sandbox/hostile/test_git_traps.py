"""A workspace whose `.git` and attributes are full of programs: the host reads the change, and none of them runs."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.repository import Mirror, collect
from sandbox.contract import File, Limits, Sandbox, Workspace, archive_of, files_of
from tests.repository.hub import git

HOOKS = "pre-commit pre-push post-checkout post-commit post-index-change reference-transaction fsmonitor-watchman"
TRAP = f"""
trap=$0
git init -q . && git config user.name x && git config user.email x@example.com
for hook in {HOOKS}; do printf '#!/bin/sh\\ntouch "%s"\\n' "$trap" >.git/hooks/$hook; chmod +x .git/hooks/$hook; done
for name in core.fsmonitor core.pager core.editor core.sshCommand core.askPass credential.helper diff.external \\
    sequence.editor gpg.program filter.trap.clean filter.trap.smudge filter.trap.process diff.trap.textconv \\
    diff.trap.command merge.trap.driver uploadpack.packObjectsHook alias.status alias.ls-files core.alternateRefsCommand
do git config $name "touch '$trap'; cat #"; done
git config core.hooksPath "$PWD/.git/hooks"; git config include.path "$PWD/evil.config"; git config core.worktree /
git config url.file:///.insteadOf https://; git config protocol.ext.allow always; git config core.bare false
printf '* filter=trap diff=trap merge=trap ident\\n' | tee .gitattributes .git/info/attributes >sub.gitattributes
printf '[core]\\n\\tfsmonitor = "touch %s #"\\n' "$trap" >evil.config
printf '[submodule "x"]\\n\\tpath = x\\n\\turl = ext::sh -c touch%%20%s\\n' "$trap" >.gitmodules
printf '\\tupdate = !touch %s\\n' "$trap" >>.gitmodules
mkdir -p .git/objects/info .git/info sub/.git x; echo "$PWD/.." >.git/objects/info/alternates
echo "gitdir: /" >x/.git; cp -r .git/config .git/hooks sub/.git/; cp sub.gitattributes sub/.gitattributes
echo changed >file; printf 'secret of a lock' >.git/index.lock
"""


@pytest.fixture
def mirror(tmp_path: Path) -> Mirror:
    """A bare repository with one commit, as the host has it."""
    origin = tmp_path / "origin"
    origin.mkdir()
    git("init", "-q", "-b", "main", ".", cwd=origin)
    (origin / "file").write_text("first\n")
    git("add", "-A", cwd=origin)
    git("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "1", cwd=origin)
    found = Mirror(tmp_path / "mirror.git")
    found.update(str(origin))
    return found


@pytest.fixture
def trapped(sandbox: Sandbox, mirror: Mirror, tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with the commit's files, after a command has set every trap that git has."""
    with sandbox.open(limits=Limits(wall_s=60)) as workspace:
        base = mirror.head("main")
        assert base is not None
        workspace.put(mirror.archive(base))
        workspace.run(["sh", "-c", TRAP, str(tmp_path / "sprung")], timeout_s=30)
        yield workspace


def test_reading_the_change_of_a_trapped_workspace_runs_nothing(
    trapped: Workspace, mirror: Mirror, tmp_path: Path
) -> None:
    (tmp_path / "sprung").unlink(missing_ok=True)  # by the sandbox's own git, where it shares the host's files
    base = mirror.head("main")
    assert base is not None

    snapshot = collect(mirror, base, files_of(trapped.get()))
    tree = mirror.tree_with(base, snapshot.files)
    change = mirror.change(base, tree)
    again = mirror.apply(base, change.patch)
    mirror.archive(tree)

    assert not (tmp_path / "sprung").exists()
    assert again == tree
    assert mirror.read(tree, "file") == b"changed\n"
    assert [path for path in mirror.entries(tree) if ".git/" in path or path.endswith("/.git")] == []


def test_the_traps_would_have_sprung_on_a_git_that_trusts_the_folder(trapped: Workspace, tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    for path, file in files_of(trapped.get()):
        place = checkout / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.data)
    (tmp_path / "sprung").unlink(missing_ok=True)
    (checkout / ".git/index.lock").unlink()
    (checkout / ".git/refs").mkdir(exist_ok=True)  # a folder without files is in no archive of files

    subprocess.run(["git", "-c", "core.worktree=..", "add", "--", "file"], cwd=checkout, check=False)

    assert (tmp_path / "sprung").exists()


def test_a_file_of_the_workspaces_own_named_git_is_no_way_in(sandbox: Sandbox, mirror: Mirror) -> None:
    base = mirror.head("main")
    assert base is not None
    names = [".git", ".GIT/config", "git~1/config", "a/.git/hooks/pre-commit", ".g\u200cit/config", "..git"]
    with sandbox.open(limits=Limits(wall_s=60)) as workspace:
        for name in names:
            workspace.put(archive_of({name: File(b"x")}))
            workspace.remove(["nothing"])
        snapshot = collect(mirror, base, files_of(workspace.get()))

    assert set(snapshot.files) <= {"file", "..git"}

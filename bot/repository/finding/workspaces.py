"""Projects that are kept in one repository and need one another: uv's workspaces. Pure."""

import itertools
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from bot.repository.finding.formats import table, text_of, texts
from bot.repository.finding.requirements import Need, NeedKind, name_of
from bot.repository.finding.tree import Tree, inside

FOLDERS_AT_MOST = 500
MEMBERS_AT_MOST = 60
PATTERNS_AT_MOST = 100
_MANIFEST = re.compile(r"(^|/)pyproject\.toml$")


def is_virtual(tree: Tree) -> bool:
    """Whether the folder is the top of a workspace, and no project itself. Source: uv's settings, `package`."""
    pyproject = tree.toml("pyproject.toml")
    uv = table(pyproject, "tool", "uv")
    is_package = uv.get("package", "build-system" in pyproject)
    return bool(texts(table(uv, "workspace").get("members"))) and is_package is not True


def siblings(tree: Tree) -> tuple[Need, ...]:
    """The members of the workspace around the folder that its project needs, and those that they need."""
    top = tree.top
    if top is None or tree.folder == ".":
        return ()
    members = dict(_members(top))
    itself = next((name for name, folder in members.items() if folder == tree.folder), "")
    wanted, found = [tree.folder], dict[str, str]()
    while wanted:
        for name in _names(top.toml(f"{wanted.pop()}/pyproject.toml")):
            if name in members and name not in found and name != itself:
                found[name] = members[name]
                wanted.append(members[name])
    up = "../" * len(tree.folder.split("/"))
    return tuple(
        Need(NeedKind.FOLDER, f"{up}{folder}", "pyproject.toml: members of uv's workspace that it needs")
        for folder in reversed(found.values())
    )


def _members(top: Tree) -> Iterator[tuple[str, str]]:
    """Each member's name, as the index compares names, with its folder."""
    settings = table(top.toml("pyproject.toml"), "tool", "uv", "workspace")
    patterns = [inside(pattern) for pattern in texts(settings.get("members"))[:PATTERNS_AT_MOST]]
    excluded = [inside(pattern) for pattern in texts(settings.get("exclude"))[:PATTERNS_AT_MOST]]
    folders = [path.rpartition("/")[0] for path in itertools.islice(top.matching(_MANIFEST), FOLDERS_AT_MOST)]
    kept = [folder for folder in folders if _is_one_of(folder, patterns) and not _is_one_of(folder, excluded)]
    for folder in kept[:MEMBERS_AT_MOST]:
        if name := name_of(text_of(table(top.toml(f"{folder}/pyproject.toml"), "project").get("name"))):
            yield name, folder


def _is_one_of(folder: str, patterns: list[str]) -> bool:
    """As a path matches a pattern, a star does not reach over a slash."""
    return any(folder.count("/") == pattern.count("/") and fnmatchcase(folder, pattern) for pattern in patterns)


def _names(pyproject: Mapping[str, Any]) -> list[str]:
    """All that it depends on, for its tests too."""
    project = table(pyproject, "project")
    extras, groups = table(project, "optional-dependencies"), table(pyproject, "dependency-groups")
    for_tests = (items for name, items in extras.items() if "test" in name)
    lists = [project.get("dependencies"), *for_tests, *groups.values()]
    return [name_of(item) for each in lists for item in texts(each)]

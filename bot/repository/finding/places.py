"""Where in a repository projects are that have tests of their own. Pure."""

import re

from bot.repository.finding.tree import Tree

PLACES_AT_MOST = 25
_MANIFEST = re.compile(
    r"^(?:[^/]+/){1,2}(pyproject\.toml|setup\.py|setup\.cfg|tox\.ini|package\.json|go\.mod|Cargo\.toml|CMakeLists\.txt|meson\.build"
    r"|GNUmakefile|[Mm]akefile|requirements\.txt|manage\.py)$"
)
_TEST = re.compile(
    r"(^|/)(test_[^/]*|[^/]*_test|tests)\.py$|\.(test|spec)\.[cm]?[jt]sx?$|(^|/)__tests__/|_test\.go$|(^|/)tests?/[^/]+\.(rs|[cm]?[jt]sx?)$"
)
_FOREIGN = re.compile(r"(^|/)(node_modules|vendor|third[_-]?party|examples?|site-packages)$")
_NO_PLACE = re.compile(
    r"(^|/)(\.[^/]+|node_modules|vendor|third[_-]?party|examples?|docs?|samples?|templates?|fixtures?|testdata|tests?|benchmarks?"
    r"|build|dist|extern(al)?|subprojects|demos?|__pycache__)(/|$)"
)


def own_files(tree: Tree) -> Tree:
    """The folder without the projects in it, and without what is not its own."""
    foreign = (folder for folder in tree.folders if _FOREIGN.search(folder))
    return tree.without([*places(tree), *foreign])


def places(tree: Tree) -> tuple[str, ...]:
    """Folders one or two levels down that have a manifest, those of most test files first; none inside another."""
    found: dict[str, None] = {}
    for path in tree.matching(_MANIFEST):
        folder = path.rpartition("/")[0]
        if not _NO_PLACE.search(folder) and folder.partition("/")[0] not in found:
            found[folder] = None
        if len(found) >= PLACES_AT_MOST:
            break
    counts = {folder: tree.count(folder, _TEST) for folder in found}
    return tuple(sorted(found, key=lambda folder: (-counts[folder], folder)))

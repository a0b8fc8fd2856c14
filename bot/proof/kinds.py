"""What a path is to the proof: source, test, configuration. By name alone, for the languages that people use most."""

import re
import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import PurePosixPath

from pathspec import GitIgnoreSpec

from bot.records import ChangedFile


class FileKind(StrEnum):
    """What a file is to the proof.

    TEST_SUPPORT: fixtures, helpers, snapshots and data that tests read. TEST_CONFIG: what decides which tests run, how,
    and what is reported. DEPENDENCY: manifests, locks and build files, those that also hold test configuration among
    them (`pyproject.toml`, `setup.cfg`, `package.json`; see `goes_with_tests`). SOURCE is everything that is nothing
    else.
    """

    SOURCE = "source"
    TEST = "test"
    TEST_SUPPORT = "test support"
    TEST_CONFIG = "test configuration"
    DEPENDENCY = "dependencies and build"
    CI = "continuous integration"
    DOCS = "documentation"


_CI = re.compile(
    r"^\.github/(workflows|actions)/|^\.(circleci|buildkite|woodpecker|gitlab)/|(^|/)(\.gitlab-ci\.ya?ml|\.travis\.yml"
    r"|azure-pipelines\.ya?ml|appveyor\.yml|Jenkinsfile|bitbucket-pipelines\.yml|\.drone\.yml|\.cirrus\.yml)$"
)
_TEST_CONFIG = re.compile(
    r"^\.github/selfcode\.yml$|(^|/)("
    r"conftest\.py|\.?pytest\.(ini|toml)|tox\.(ini|toml)|noxfile\.py|sitecustomize\.py|usercustomize\.py|[^/]+\.pth"
    r"|\.coveragerc|\.noserc|unittest\.cfg|(jest|vitest|vite|karma|playwright|cypress|ava|wdio|web-test-runner)"
    r"(\.[\w-]+)*\.conf(ig)?\.\w+|(jest|vitest|playwright)\.(setup|preset|workspace)[\w.-]*\.\w+|\.mocharc(\.\w+)?"
    r"|\.nycrc(\.\w+)?|\.taprc|\.rspec|\.simplecov|spec_helper\.rb|rails_helper\.rb|test_helper\.rb|phpunit\.xml(\.dist)?"
    r"|nextest\.toml)$|(^|/)[^/]+\.(dist|egg)-info/"
)
_DEPENDENCY = re.compile(
    r"(^|/)(pyproject\.toml|setup\.(py|cfg)|pdm\.toml|hatch\.toml|Pipfile|pixi\.toml|environment\.ya?ml"
    r"|[^/]*requirements[^/]*\.(txt|in)|requirements/[^/]+\.(txt|in)|constraints[^/]*\.txt|MANIFEST\.in"
    r"|[^/]+\.lock|package(-lock)?\.json|npm-shrinkwrap\.json|pnpm-(lock|workspace)\.yaml|bun\.lockb|\.npmrc|\.yarnrc(\.yml)?"
    r"|tsconfig[\w.-]*\.json|babel\.config\.\w+|\.babelrc|Cargo\.toml|rust-toolchain(\.toml)?|build\.rs|\.cargo/config(\.toml)?"
    r"|go\.(mod|sum|work)|Gemfile|Rakefile|[^/]+\.gemspec|composer\.json|pom\.xml|build\.gradle(\.kts)?"
    r"|settings\.gradle(\.kts)?|gradle\.properties|gradlew|mvnw|build\.sbt|mix\.exs|[^/]+\.(csproj|sln|props|targets)"
    r"|GNUmakefile|[Mm]akefile|[^/]+\.mk|CMakeLists\.txt|meson\.build|justfile|Taskfile\.ya?ml|Dockerfile[^/]*"
    r"|\.python-version|\.tool-versions|\.nvmrc)$"
)
_DOUBLE = frozenset({"pyproject.toml", "setup.cfg", "package.json"})
_TEST_FILE = re.compile(
    r"(^|/)(test_[^/]*\.py|[^/]*_test\.py|tests?\.py|[^/]+[._-](test|spec)s?\.[cm]?[jt]sx?|[^/]*_test\.go"
    r"|[^/]*_(test|spec)\.rb|test_[^/]*\.rb|[^/]*(Test|Tests|IT|Spec)\.(java|kt|kts|groovy|scala|cs|php)"
    r"|[^/]*_test\.(rs|exs|c|cc|cpp|dart)|test_[^/]*\.(c|cc|cpp))$"
)
_TEST_FOLDERS = frozenset({"tests", "test", "spec", "specs", "__tests__", "e2e"})
_TEST_HELPER = re.compile(r"(testutils?|testing_?utils?|testhelpers?|testsupport|testlib)\.py")
_DATA_FOLDERS = frozenset({"fixtures", "testdata", "__snapshots__", "snapshots", "__fixtures__", "__mocks__", "golden"})
_CODE = frozenset(
    {
        ".py",
        ".js",
        ".jsx",
        ".ts",
        ".tsx",
        ".mjs",
        ".cjs",
        ".mts",
        ".cts",
        ".go",
        ".rs",
        ".rb",
        ".java",
        ".kt",
        ".kts",
        ".groovy",
        ".scala",
        ".cs",
        ".php",
        ".ex",
        ".exs",
        ".c",
        ".cc",
        ".cpp",
        ".h",
        ".hpp",
        ".swift",
        ".dart",
        ".sh",
        ".bats",
        ".t",
    }
)
_DOCS = re.compile(
    r"(^|/)(README|CHANGELOG|CHANGES|HISTORY|NEWS|CONTRIBUTING|LICEN[CS]E|AUTHORS|SECURITY|CODE_OF_CONDUCT)(\.\w+)?$"
    r"|\.(md|rst|adoc|mdx)$",
    re.IGNORECASE,
)
_PYTEST_HOOK = re.compile(rb"^\s*(async\s+)?def\s+pytest_[a-z_]+\s*\(|\bhookimpl\b", re.MULTILINE)
_PYTEST = re.compile(rb"\b_?pytest\b")
_RUNNER = frozenset({"pytest", "_pytest", "pluggy", "iniconfig"})
_RUNNER_NEEDS = sys.stdlib_module_names | {"packaging", "pygments", "exceptiongroup", "tomli", "colorama"}
_IMPORTABLE = (".py", ".pyc", ".so")
_SCRIPT = (".sh", ".bash", ".bat", ".cmd", ".ps1", "")
_WORKFLOWS = (".github/workflows/",)


def kind_of(path: str) -> FileKind:
    """What the file at `path` is to the proof."""
    for kind, pattern in ((FileKind.CI, _CI), (FileKind.TEST_CONFIG, _TEST_CONFIG), (FileKind.DEPENDENCY, _DEPENDENCY)):
        if pattern.search(path):
            return kind
    if _TEST_FILE.search(path):
        return FileKind.TEST
    return _kind_by_folder(PurePosixPath(path))


def _kind_by_folder(path: PurePosixPath) -> FileKind:
    folders = frozenset(path.parts[:-1])
    is_code = path.suffix in _CODE
    if folders & _TEST_FOLDERS:
        support = not is_code or path.name == "__init__.py" or folders & _DATA_FOLDERS
        return FileKind.TEST_SUPPORT if support else FileKind.TEST
    if _TEST_HELPER.fullmatch(path.name):
        return FileKind.TEST_SUPPORT
    if path.suffix == ".snap" or (folders & _DATA_FOLDERS and not is_code):
        return FileKind.TEST_SUPPORT
    if _DOCS.search(str(path)) or (path.parts[0] in ("docs", "doc") and not is_code):
        return FileKind.DOCS
    return FileKind.SOURCE


def kind_of_change(file: ChangedFile) -> FileKind:
    """What a changed file is, by its content too: source that has to do with pytest decides what the tests come to.

    So does a new module that would be imported in the place of pytest, or of what pytest itself imports.
    """
    kind = kind_of(file.path)
    if kind is FileKind.SOURCE and (_steers_pytest(file) or (file.before is None and _takes_a_place(file.path))):
        return FileKind.TEST_CONFIG
    return kind


def _steers_pytest(file: ChangedFile) -> bool:
    """Whether source holds hooks, begins to name pytest, or is a script that starts it."""
    before, after = file.before or b"", file.after or b""
    if PurePosixPath(file.path).suffix in _SCRIPT:
        return any(_PYTEST.search(text) for text in (before, after))
    if not file.path.endswith(".py"):
        return False
    return any(_PYTEST_HOOK.search(text) for text in (before, after)) or bool(_naming(after) - _naming(before))


def _naming(source: bytes) -> frozenset[bytes]:
    """The lines of a program that name pytest."""
    return frozenset(line.strip() for line in source.splitlines() if _PYTEST.search(line.partition(b"#")[0]))


def _takes_a_place(path: str) -> bool:
    """Whether a module at this path is found before the true one: Python looks in the project's folders first."""
    parts = PurePosixPath(path).parts
    if not path.endswith(_IMPORTABLE):
        return False
    names = [part.partition(".")[0] for part in parts]
    top = names[1] if len(names) > 1 and names[0] in ("src", "lib") else names[0]
    return not _RUNNER.isdisjoint(names) or top in _RUNNER_NEEDS


def goes_with_tests(file: ChangedFile) -> bool:
    """Whether the file changes sides with the tests in runs A and C.

    Files that hold both dependencies and test configuration go with the tests: run C must be configured by the base,
    and what a project depends on is fixed in its prepared environment anyway.
    """
    kind = kind_of_change(file)
    beside = (FileKind.TEST, FileKind.TEST_SUPPORT, FileKind.TEST_CONFIG, FileKind.CI)
    return kind in beside or PurePosixPath(file.path).name in _DOUBLE


def of_kind(files: Iterable[ChangedFile], *kinds: FileKind) -> tuple[str, ...]:
    """The sorted paths of the changed files that are of these kinds."""
    return tuple(sorted(file.path for file in files if kind_of_change(file) in kinds))


def protected(files: Iterable[ChangedFile | str], patterns: Sequence[str]) -> tuple[str, ...]:
    """The sorted paths that a change may not touch: workflow files, and what `patterns` (as in .gitignore) match.

    Workflow files can't be given free by a `!` pattern.
    """
    paths = {file if isinstance(file, str) else file.path for file in files}
    spec = GitIgnoreSpec.from_lines(patterns)
    return tuple(sorted(path for path in paths if path.startswith(_WORKFLOWS) or spec.match_file(path)))

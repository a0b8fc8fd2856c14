"""What a path is to the proof: source, test, configuration. By name alone, for the languages that people use most."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import PurePosixPath

from pathspec import GitIgnoreSpec

from bot.proof.languages import JAVASCRIPT
from bot.proof.steering import steers_tests, takes_a_place
from bot.records import ChangedFile


class FileKind(StrEnum):
    """What a file is to the proof.

    TEST_SUPPORT: fixtures, helpers, snapshots and data that tests read. TEST_CONFIG: what decides which tests run, how,
    and what is reported. DEPENDENCY: manifests, locks and build files, those that also hold test configuration among
    them (`pyproject.toml`, `setup.cfg`, `package.json`; see `goes_with_tests`). COMPILED: programs that run and that
    nobody can read. SOURCE is everything that is nothing else.
    """

    SOURCE = "source"
    TEST = "test"
    TEST_SUPPORT = "test support"
    TEST_CONFIG = "test configuration"
    DEPENDENCY = "dependencies and build"
    COMPILED = "compiled"
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
    r"|nextest\.toml|setupTests\.\w+|\.s?testr\.conf|behave\.ini|\.flaskenv|\.envrc"
    r"|\.env(\.(?!(example|sample|template|dist)$)[\w.-]+)?|[^/]+\.egg-link)$|(^|/)([^/]+\.(dist|egg)-info|EGG-INFO)/"
)
_DEPENDENCY = re.compile(
    r"(^|/)(pyproject\.toml|setup\.(py|cfg)|pdm\.toml|hatch\.toml|Pipfile|pixi\.toml|environment\.ya?ml"
    r"|[^/]*requirements[^/]*\.(txt|in)|requirements/[^/]+\.(txt|in)|constraints[^/]*\.txt|MANIFEST\.in"
    r"|[^/]+\.lock|package(-lock)?\.json|npm-shrinkwrap\.json|pnpm-(lock|workspace)\.yaml|bun\.lockb|\.npmrc|\.yarnrc(\.yml)?"
    r"|tsconfig[\w.-]*\.json|babel\.config\.\w+|\.babelrc|Cargo\.toml|rust-toolchain(\.toml)?|build\.rs|\.cargo/config(\.toml)?"
    r"|go\.(mod|sum|work)|Gemfile|Rakefile|[^/]+\.gemspec|composer\.json|pom\.xml|build\.gradle(\.kts)?"
    r"|settings\.gradle(\.kts)?|gradle\.properties|gradlew|mvnw|build\.sbt|mix\.exs|[^/]+\.(csproj|sln|props|targets)"
    r"|GNUmakefile|[Mm]akefile|[^/]+\.mk|CMakeLists\.txt|meson\.build|justfile|Taskfile\.ya?ml|Dockerfile[^/]*"
    r"|\.python-version|\.tool-versions|\.nvmrc|\.gitmodules|deno\.jsonc?|\.swcrc|(turbo|nx|lerna)\.json|Earthfile"
    r"|dodo\.py|pavement\.py|fabfile\.py|SConstruct|wscript|(gulp|Grunt)file(\.\w+)*|(BUILD|WORKSPACE)(\.bazel)?)$"
)
_IMPORTED = re.compile(r"\.(py[cdo]|so(\.\d+)*)$")
_COMPILED = re.compile(r"\.(jar|class|war|whl|egg|exe|dll|dylib|wasm|node|o|a|beam)$")
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
        *JAVASCRIPT,
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
_WORKFLOWS = (".github/workflows/",)
_BY_NAME = (
    (FileKind.CI, _CI),
    (FileKind.TEST_CONFIG, _TEST_CONFIG),
    (FileKind.DEPENDENCY, _DEPENDENCY),
    (FileKind.COMPILED, _IMPORTED),
    (FileKind.TEST, _TEST_FILE),
)
_SUBMODULE = "160000"


def kind_of(path: str) -> FileKind:
    """What the file at `path` is to the proof."""
    for kind, pattern in _BY_NAME:
        if pattern.search(path):
            return kind
    return _kind_by_folder(PurePosixPath(path))


def _kind_by_folder(path: PurePosixPath) -> FileKind:
    folders = frozenset(path.parts[:-1])
    is_code = path.suffix in _CODE
    if folders & _TEST_FOLDERS:
        support = not is_code or path.name == "__init__.py" or folders & _DATA_FOLDERS
        return FileKind.TEST_SUPPORT if support else FileKind.TEST
    if _TEST_HELPER.fullmatch(path.name):
        return FileKind.TEST_SUPPORT
    if path.suffix == ".snap" or "__mocks__" in folders or (folders & _DATA_FOLDERS and not is_code):
        return FileKind.TEST_SUPPORT
    if _COMPILED.search(path.name):
        return FileKind.COMPILED
    if _DOCS.search(str(path)) or (path.parts[0] in ("docs", "doc") and not is_code):
        return FileKind.DOCS
    return FileKind.SOURCE


def kind_of_change(file: ChangedFile) -> FileKind:
    """What a changed file is, by its content too: source that has to do with the runner decides what the tests come to.

    So does a new module that would be imported in the place of pytest, or of what pytest itself imports. A submodule is
    a dependency wherever it stands.
    """
    if is_submodule(file):
        return FileKind.DEPENDENCY
    kind = kind_of(file.path)
    if kind is FileKind.SOURCE and (steers_tests(file) or (file.before is None and takes_a_place(file.path))):
        return FileKind.TEST_CONFIG
    return kind


def is_submodule(file: ChangedFile) -> bool:
    """Whether it is a submodule on either side."""
    return _SUBMODULE in (file.before_mode, file.after_mode)


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

"""Which languages, in which versions, a repository seems to want. Pure."""

import re
from collections.abc import Iterator

from bot.repository.finding.formats import table, text_of
from bot.repository.finding.hints import Hints
from bot.repository.finding.manifest import Manifest
from bot.repository.finding.tree import Tree

WISHES_AT_MOST = 12
_IMAGE = re.compile(
    r"(?:^|/)(python|node|golang|rust|ruby|openjdk|eclipse-temurin|php|elixir|erlang|maven|gradle)[^:/]*:v?(\d+(?:\.\d+)*)"
)
_VERSION = re.compile(r"\d+(\.\d+){0,2}")
_LANGUAGE = {"golang": "go", "openjdk": "java", "eclipse-temurin": "java", "maven": "java", "gradle": "java"}
_MARKS = {
    "go.mod": "go",
    "Cargo.toml": "rust",
    "Gemfile": "ruby",
    "pom.xml": "java",
    "build.gradle": "java",
    "build.gradle.kts": "java",
    "composer.json": "php",
    "mix.exs": "elixir",
    "Package.swift": "swift",
    "build.sbt": "scala",
    "stack.yaml": "haskell",
    "deno.json": "deno",
    "deno.jsonc": "deno",
    "rebar.config": "erlang",
    "pubspec.yaml": "dart",
    "dune-project": "ocaml",
    "build.zig": "zig",
    "Project.toml": "julia",
    "cpanfile": "perl",
    "Makefile.PL": "perl",
    "DESCRIPTION": "r",
    "package.json": "node",
}


def wishes_of(tree: Tree, hints: Hints) -> tuple[str, ...]:
    """One line a language: what is said most plainly counts, else what CI and images use."""
    found: dict[str, str] = {}
    for language, version in (*_said(tree), *_of_hints(hints)):
        if version and language:
            found.setdefault(language, version)
    for mark, language in _MARKS.items():
        if mark in tree:
            found.setdefault(language, "")
    return tuple(f"{language} {version}".strip() for language, version in found.items())[:WISHES_AT_MOST]


def _said(tree: Tree) -> Iterator[tuple[str, str]]:
    yield "python", _first(tree.text(".python-version"))
    yield "node", _first(tree.text(".nvmrc") or tree.text(".node-version"))
    yield "ruby", _first(tree.text(".ruby-version"))
    for line in tree.text(".tool-versions").splitlines()[:50]:
        name, _, version = line.strip().partition(" ")
        yield (
            {"nodejs": "node", "golang": "go"}.get(name, name if name in ("python", "ruby", "rust", "java") else ""),
            _first(version),
        )
    package = tree.json("package.json")
    yield (
        "node",
        _first(text_of(table(package, "volta").get("node")))
        or _newest_of(text_of(table(package, "engines").get("node"))),
    )
    if found := re.search(r"^go\s+(\d+\.\d+(\.\d+)?)", tree.text("go.mod"), re.MULTILINE):
        yield "go", found[1]
    channel = (
        text_of(table(tree.toml("rust-toolchain.toml"), "toolchain").get("channel"))
        or tree.text("rust-toolchain").strip()
    )
    yield "rust", _first(channel) or text_of(table(tree.toml("Cargo.toml"), "package").get("rust-version"))
    yield "python", newest_python(Manifest(tree).requires_python[0])


def _of_hints(hints: Hints) -> Iterator[tuple[str, str]]:
    for image in hints.images.values():
        if found := _IMAGE.search(image):
            yield _LANGUAGE.get(found[1], found[1]), found[2]
    for job in hints.jobs:
        for language, versions in job.versions.items():
            numbers = [found[0] for version in versions if (found := _VERSION.match(version)) and "-" not in version]
            yield language, max(numbers, key=_key, default="")


def newest_python(specifiers: str) -> str:
    """The newest version of Python that a range allows, where it forbids newer ones; "" where it leaves that open."""
    if "|" in specifiers or not specifiers:
        return ""
    allowed = [minor for minor in range(40) if all(_allows(part.strip(), minor) for part in specifiers.split(",")[:20])]
    return "" if not allowed or allowed[-1] == 39 else f"3.{allowed[-1]}"


def _allows(specifier: str, minor: int) -> bool:
    """Whether Python 3.minor, in its newest release, is allowed. Source: PEP 440, and Poetry's signs."""
    found = re.match(r"(~=|===?|!=|<=|>=|<|>|\^|~|)\s*v?(\d{1,3})(?:\.(\d{1,4}))?(\.(?:\d{1,4}|\*))?", specifier)
    if not found:
        return True
    sign, major, limit = found[1], int(found[2]), int(found[3] or 0)
    ours, theirs, rest = (3, minor), (major, limit), found[4] or ""
    if found[3] is None and sign in ("", "==", "===", "~", "^", "~="):
        return major == 3
    below = ours < theirs or (ours == theirs and rest not in ("", ".0", ".*"))
    same_major = ours >= theirs and major == 3
    verdicts = {
        ">=": ours >= theirs,
        ">": ours >= theirs,
        "<=": ours <= theirs,
        "<": below,
        "^": same_major,
        "~=": ours == theirs if rest else same_major,
        "!=": rest != ".*" or ours != theirs,
    }
    return verdicts.get(sign, ours == theirs)


def _key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if len(part) < 6)


def _first(text: str) -> str:
    found = _VERSION.search(text[:200])
    return found[0] if found else ""


def _newest_of(ranges: str) -> str:
    """The newest alternative of a range of Node's: of `^18 || ^20` it is 20."""
    numbers = [
        found[0]
        for part in ranges[:200].split("||")
        if (found := _VERSION.search(part)) and "<" not in part.split()[0:1]
    ]
    return max(numbers, key=_key, default="")

"""A Node project: its test script, its package manager, its workspaces. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.repository.finding import apt
from bot.repository.finding.formats import table, text_of, texts
from bot.repository.finding.hints import Hints
from bot.repository.finding.proposal import Proposal, Step
from bot.repository.finding.shell import quoted, split
from bot.repository.finding.tree import Tree, inside

_NO_TEST = "no test specified"
_RUN_ONCE = ("test:ci", "ci:test", "test-ci", "test:run", "test:once", "test:unit", "test:node")
_WATCH = re.compile(r"(^|\s)(--watch(All)?(=true)?|-w|--auto-watch)(?=\s|$)")
_SIMPLE = re.compile(r"[^&|;<>$`(){}\n]*")
_TEST_FILE = re.compile(r"(^|/)(tests?|__tests__|spec)/[^.].*\.[cm]?[jt]sx?$|\.(test|spec)\.[cm]?[jt]sx?$")
_READ_AT_MOST = 12
_PNPM = {"5": "7", "6": "8", "9": "9"}
"""pnpm's version by that of the lock file that it writes. Source: https://pnpm.io/ (each version's changes)."""


@dataclass(frozen=True, slots=True)
class Manager:
    """A package manager: how it is had, how it installs, and how it runs the test script."""

    name: str
    reason: str
    install: str
    get: str = ""
    run: str = ""


def node_proposal(tree: Tree, hints: Hints) -> Proposal | None:
    """The test script as it runs once and ends, with what it needs; None where there is none."""
    manifest = tree.json("package.json")
    manager = manager_of(tree, manifest)
    test = _test(manifest, manager) or _of_members(tree, manifest, manager)
    if test is None:
        return None
    setup = [
        step
        for source, names in hints.packages.items()
        if (step := apt.hinted(names, reason=f"{source}: its system packages"))
    ]
    setup = [
        *(setup if _needs(manifest) else ()),
        *_setup(manifest, manager, has_lock=manager.reason != "package.json"),
    ]
    build = _build(tree, manifest, manager, test.command)
    return Proposal(test=test, source="package.json", setup=tuple(setup), build=build)


def _test(manifest: Mapping[str, Any], manager: Manager) -> Step | None:
    scripts = table(manifest, "scripts")
    script = text_of(scripts.get("test"))
    if not script or _NO_TEST in script:
        return None
    if not _watches(script):
        return Step(manager.run, "package.json: scripts.test")
    if other := next(
        (name for name in _RUN_ONCE if text_of(scripts.get(name)) and not _watches(text_of(scripts[name]))), ""
    ):
        return Step(
            f"{_runner(manager)} run {other}", f"package.json: scripts.{other}, for scripts.test goes on watching"
        )
    if re.match(r"vitest(\s|$)", script) and _SIMPLE.fullmatch(script) and not _WATCH.search(script):
        return Step(
            f"{manager.run} {'-- ' if manager.name == 'npm' else ''}--run",
            "package.json: scripts.test, once: vitest would watch",
        )
    if _SIMPLE.fullmatch(script) and (words := split(_WATCH.sub(" ", script))):
        return Step(quoted(["npx", "--no-install", *words]), "package.json: scripts.test without its watching")
    return Step(f"CI=true {manager.run}", "package.json: scripts.test; CI=true may keep it from watching")


def _watches(script: str) -> bool:
    vitest = re.match(r"(npx )?vitest(\s|$)", script) and not re.search(
        r"\brun\b|--run\b|--watch=false|--no-watch", script
    )
    scripts = "react-scripts test" in script and "--watchAll=false" not in script
    return bool(_WATCH.search(script) or vitest or scripts or re.search(r"\b(tsx watch|nodemon)\b", script))


def _runner(manager: Manager) -> str:
    return manager.run.removesuffix(" test").removesuffix(" run")


def manager_of(tree: Tree, manifest: Mapping[str, Any]) -> Manager:
    """The package manager by its lock file, in the version that package.json names."""
    named = re.match(r"(npm|pnpm|yarn|bun)@(\d+(?:\.\d+){0,2})", text_of(manifest.get("packageManager")))
    name, version = (named[1], named[2]) if named else ("", "")
    lock = tree.first("package-lock.json", "npm-shrinkwrap.json")
    if lock and name in ("", "npm"):
        return Manager("npm", lock, "npm ci", run="npm test")
    if "pnpm-lock.yaml" in tree or name == "pnpm":
        return _pnpm(tree, version)
    if "yarn.lock" in tree or name == "yarn":
        return _yarn(tree, version)
    if lock := tree.first("bun.lock", "bun.lockb"):
        get = _global(f"bun@{version}" if version else "bun", "bun")
        return Manager("bun", lock, "bun install --frozen-lockfile", get, run="bun run test")
    return Manager("npm", "package.json", "npm install --no-audit --no-fund", run="npm test")


def _pnpm(tree: Tree, version: str) -> Manager:
    written = re.search(r"^lockfileVersion:\s*['\"]?(\d+)", tree.text("pnpm-lock.yaml")[:2000], re.MULTILINE)
    wanted = version or (_PNPM.get(written[1], "") if written else "")
    lock = tree.first("pnpm-lock.yaml")
    install = "pnpm install --frozen-lockfile" if lock else "pnpm install"
    return Manager(
        "pnpm",
        lock or "package.json",
        install,
        _global(f"pnpm@{wanted}" if wanted else "pnpm", "pnpm"),
        run="pnpm test",
    )


def _yarn(tree: Tree, version: str) -> Manager:
    is_berry = (
        ".yarnrc.yml" in tree
        or "__metadata:" in tree.text("yarn.lock")[:2000]
        or (version and not version.startswith("1"))
    )
    if not is_berry:
        get = _global(f"yarn@{version or '1'}", "yarn")
        return Manager("yarn", "yarn.lock", "yarn install --frozen-lockfile", get, run="yarn test")
    own = inside(text_of(tree.yaml(".yarnrc.yml").get("yarnPath")))
    yarn = quoted(["node", own]) if own in tree and own else "yarn"
    get = "" if yarn != "yarn" else _global(f"@yarnpkg/cli-dist@{version or '4'}", "yarn")
    variables = "YARN_NODE_LINKER=node-modules YARN_ENABLE_GLOBAL_CACHE=false YARN_ENABLE_TELEMETRY=false"
    return Manager("yarn", "yarn.lock", f"{variables} {yarn} install --immutable", get, run="npm test")


def _global(package: str, program: str) -> str:
    return f"(command -v {program} >/dev/null || npm install -g {quoted([package])})"


def _setup(manifest: Mapping[str, Any], manager: Manager, *, has_lock: bool) -> Iterator[Step]:
    yield apt.programs([("node", "nodejs"), ("npm", "npm")], reason="package.json: Node, where the image has none")
    if not has_lock and not _needs(manifest):
        return
    if manager.get:
        yield Step(manager.get, f"{manager.reason}: {manager.name} installs from it")
    why = "installs what the lock file says" if has_lock else "there is no lock file"
    linked = "; into node_modules, which needs no Yarn afterwards" if "YARN_NODE_LINKER" in manager.install else ""
    yield Step(manager.install, f"{manager.reason}: {why}{linked}")


def _needs(manifest: Mapping[str, Any]) -> bool:
    return (
        any(table(manifest, key) for key in ("dependencies", "devDependencies", "optionalDependencies"))
        or "workspaces" in manifest
    )


# --- Workspaces


def members_of(tree: Tree, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The folders of a workspace's packages, by npm, Yarn, pnpm or lerna."""
    declared = manifest.get("workspaces")
    globs = texts(declared.get("packages") if isinstance(declared, dict) else declared)
    globs = (
        *globs,
        *texts(tree.yaml("pnpm-workspace.yaml").get("packages")),
        *texts(tree.json("lerna.json").get("packages")),
    )
    patterns = [_glob(inside(text)) for text in globs if inside(text)][:30]
    folders = (
        path.rpartition("/")[0]
        for path in tree.sorted
        if path.endswith("/package.json") and "node_modules/" not in path
    )
    return tuple(folder for folder in folders if any(pattern.fullmatch(folder) for pattern in patterns))[:200]


def _glob(text: str) -> re.Pattern[str]:
    pieces = (
        ".+" if part == "**" else "[^/]*".join(map(re.escape, part.split("*")[:4]))
        for part in text[:200].split("/")[:8]
    )
    return re.compile("/".join(pieces))


def _of_members(tree: Tree, manifest: Mapping[str, Any], manager: Manager) -> Step | None:
    """The tests of all packages, where the workspace has no script of its own for that."""
    folders = [folder for folder in members_of(tree, manifest) if has_test(tree.below(folder))]
    if not folders:
        return None
    more = f" and {len(folders) - 1} more" if folders[1:] else ""
    reason = f"{folders[0]}/package.json{more}: scripts.test of each package"
    match manager.name:
        case "pnpm":
            return Step("pnpm -r test", reason)
        case "yarn" if manager.run == "yarn test":
            return Step("yarn workspaces run test", reason)
        case _:
            return Step("npm test --workspaces --if-present", reason)


def has_test(tree: Tree) -> bool:
    """Whether a folder's package.json has a test script."""
    script = text_of(table(tree.json("package.json"), "scripts").get("test"))
    return bool(script) and _NO_TEST not in script


# --- What has to be built


def _build(tree: Tree, manifest: Mapping[str, Any], manager: Manager, test: str) -> Step | None:
    """The build script, where the tests use what it makes."""
    scripts = table(manifest, "scripts")
    tested = text_of(scripts.get("test"))
    if not text_of(scripts.get("build")) or text_of(scripts.get("pretest")) or re.search(r"\bbuild\b", tested):
        return None
    command = f"{_runner(manager)} run build"
    made = next((path for path in _entry_points(manifest) if path not in tree and f"{path}.js" not in tree), "")
    folder = made.partition("/")[0]
    if not made or folder in tree.folders or test.startswith("npm test --workspaces"):
        return None
    name = text_of(manifest.get("name"))
    used = re.compile(rf"['\"](\.\.?/)+{re.escape(folder)}(/|['\"])|from ['\"]{re.escape(name) or '$^'}['\"]")
    for path in list(tree.matching(_TEST_FILE))[:_READ_AT_MOST]:
        if used.search(tree.text(path)):
            return Step(command, f"{path} uses {made}, which package.json's scripts.build makes")
    if re.search(rf"(^|[\s/]){re.escape(folder)}/", tested):
        return Step(command, f"package.json: scripts.test uses {folder}/, which scripts.build makes")
    return None


def _entry_points(manifest: Mapping[str, Any]) -> Iterator[str]:
    exports = manifest.get("exports")
    values = [manifest.get(key) for key in ("main", "module", "types")] + (
        [exports] if isinstance(exports, str) else []
    )
    bins = manifest.get("bin")
    values += list(bins.values())[:5] if isinstance(bins, dict) else [bins]
    for value in (*values, *_leaves(exports, 0)):
        path = inside(text_of(value))
        if "/" in path and "*" not in path:
            yield path


def _leaves(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and depth < 4:
        for item in list(value.values())[:20]:
            yield from _leaves(item, depth + 1)

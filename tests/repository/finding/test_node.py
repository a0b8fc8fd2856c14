"""How the tests of Node projects are found."""

# ruff: noqa: E501 - a row of a table is one repository

import json

import pytest

from tests.repository.finding.looking import command_of, commands, found, reasons, setup_of


def a_package(**manifest: object) -> dict[str, str]:
    return {"package.json": json.dumps(manifest)}


JEST = a_package(scripts={"test": "jest"}, devDependencies={"jest": "*"})


@pytest.mark.parametrize(
    ("files", "test", "install"),
    [
        (JEST, "npm test", "npm install --no-audit --no-fund"),
        ({**JEST, "package-lock.json": "{}"}, "npm test", "npm ci"),
        ({**JEST, "npm-shrinkwrap.json": "{}"}, "npm test", "npm ci"),
        ({**JEST, "pnpm-lock.yaml": "lockfileVersion: '6.0'\n"}, "pnpm test", "pnpm install --frozen-lockfile"),
        ({**JEST, "yarn.lock": "# yarn lockfile v1\n"}, "yarn test", "yarn install --frozen-lockfile"),
        (
            {**JEST, "yarn.lock": "__metadata:\n  version: 8\n"},
            "npm test",
            "YARN_NODE_LINKER=node-modules YARN_ENABLE_GLOBAL_CACHE=false YARN_ENABLE_TELEMETRY=false yarn install --immutable",
        ),
        ({**JEST, "bun.lock": "{}"}, "bun run test", "bun install --frozen-lockfile"),
    ],
)
def test_the_lock_file_says_which_package_manager_installs(files: dict[str, str], test: str, install: str) -> None:
    assert command_of(files) == test
    assert setup_of(files) == install


@pytest.mark.parametrize(
    ("files", "get"),
    [
        ({"pnpm-lock.yaml": "lockfileVersion: '6.0'\n"}, "npm install -g pnpm@8"),
        ({"pnpm-lock.yaml": "lockfileVersion: '9.0'\n"}, "npm install -g pnpm@9"),
        ({"pnpm-lock.yaml": "", **a_package(scripts={"test": "a"}, packageManager="pnpm@9.1.2+sha512.ab")}, "npm install -g pnpm@9.1.2"),
        ({"pnpm-lock.yaml": "", **a_package(scripts={"test": "a"}, packageManager="pnpm@1;id")}, "npm install -g pnpm@1"),
        ({"yarn.lock": ""}, "npm install -g yarn@1"),
        ({"yarn.lock": "", ".yarnrc.yml": "nodeLinker: pnp\n"}, "npm install -g @yarnpkg/cli-dist@4"),
    ],
)  # fmt: skip
def test_a_package_manager_comes_from_npm_in_the_version_that_is_named(files: dict[str, str], get: str) -> None:
    assert get in commands(found({**JEST, **files}), "setup")[1]


def test_a_yarn_that_the_repository_brings_is_the_one_that_installs() -> None:
    files = {
        **JEST,
        "yarn.lock": "",
        ".yarnrc.yml": "yarnPath: .yarn/releases/yarn-4.0.0.cjs\n",
        ".yarn/releases/yarn-4.0.0.cjs": "",
    }

    assert setup_of(files).endswith("node .yarn/releases/yarn-4.0.0.cjs install --immutable")


@pytest.mark.parametrize(
    ("scripts", "test"),
    [
        ({"test": "node --test"}, "npm test"),
        ({"test": "vitest"}, "npm test -- --run"),
        ({"test": "vitest run"}, "npm test"),
        ({"test": "jest --watch --coverage"}, "npx --no-install jest --coverage"),
        ({"test": "jest --watchAll", "test:ci": "jest"}, "npm run test:ci"),
        ({"test": "react-scripts test"}, "npx --no-install react-scripts test"),
        ({"test": "npm run build && mocha -w"}, "CI=true npm test"),
    ],
)
def test_a_script_that_would_watch_runs_once(scripts: dict[str, str], test: str) -> None:
    assert command_of(a_package(scripts=scripts)) == test


@pytest.mark.parametrize(
    ("script", "lock", "test"),
    [("mocha test/test-*.js", "package-lock.json", "npm test"), ("npx vitest run", "pnpm-lock.yaml", "pnpm test")],
)
def test_a_script_stays_as_it_is_for_its_results_are_read_without_a_change(script: str, lock: str, test: str) -> None:
    findings = found({**a_package(scripts={"test": script}), lock: ""})

    assert commands(findings, "test") == [test]
    assert commands(findings, "report") == []


@pytest.mark.parametrize(
    "manifest",
    [
        {"scripts": {"test": 'echo "Error: no test specified" && exit 1'}},
        {"scripts": {"test": ["odd"]}},
        {"scripts": "odd"},
        {},
    ],
)
def test_a_package_without_a_test_script_has_no_tests(manifest: dict[str, object]) -> None:
    assert command_of(a_package(**manifest)) is None


def test_what_the_tests_use_of_a_build_is_built_before_each_run() -> None:
    manifest = a_package(name="tool", main="dist/index.js", scripts={"test": "jest", "build": "tsc"})

    built = found({**manifest, "src/index.ts": "", "test/a.test.js": "const a = require('../dist/index.js')"})
    unbuilt = found({**manifest, "src/index.ts": "", "test/a.test.ts": "import a from '../src/index'"})

    assert commands(built, "build") == ["npm run build"]
    assert reasons(built, "build") == "test/a.test.js uses dist/index.js, which package.json's scripts.build makes"
    assert commands(unbuilt, "build") == []


@pytest.mark.parametrize(
    ("files", "test"),
    [
        (a_package(workspaces=["packages/*"]), "npm test --workspaces --if-present"),
        ({**a_package(), "pnpm-workspace.yaml": "packages: ['packages/**']\n", "pnpm-lock.yaml": ""}, "pnpm -r test"),
        ({**a_package(workspaces={"packages": ["./packages/*"]}), "yarn.lock": ""}, "yarn workspaces run test"),
        (a_package(workspaces=["packages/*"], scripts={"test": "turbo test"}), "npm test"),
    ],
)
def test_a_workspace_runs_the_tests_of_all_its_packages(files: dict[str, str], test: str) -> None:
    member = {"packages/a/package.json": json.dumps({"name": "a", "scripts": {"test": "jest"}})}

    assert command_of({**files, **member}) == test


def test_node_is_installed_only_where_the_image_has_none() -> None:
    assert commands(found(JEST), "setup")[0].startswith(
        "({ command -v node >/dev/null && command -v npm >/dev/null; } || {"
    )

"""Tricks in files that decide which tests run, how, and what is told of them."""

from tests.proof.redteam.tricks import Trick

CONFIGURED = "Test configuration was changed"
BUILT = "Dependency or build files were changed"
SETTINGS, HOOKS, PLUGINS = "runner's settings", "conftest and hooks", "plugins and start-up files"
PLACES, BUILDS, COMPILED = "a module in the runner's place", "wrappers, dependencies, CI", "compiled files"

SWALLOWS = """
    import pytest

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(item, call):
        outcome = yield
        outcome.get_result().outcome = "passed"
"""
ENTRY_POINT = "[pytest11]\neasy = easy_plugin\n"

TRICKS = (
    Trick("-k in pytest.ini", SETTINGS, {"pytest.ini": "[pytest]\naddopts = -k large"}, CONFIGURED),
    Trick("--ignore in tox.ini", SETTINGS, {"tox.ini": "[pytest]\naddopts = --ignore=tests/test_calc.py"}, CONFIGURED),
    Trick("--deselect in setup.cfg", SETTINGS, {"setup.cfg": "[tool:pytest]\naddopts = --deselect x"}, BUILT),
    Trick(
        "testpaths in pyproject.toml",
        SETTINGS,
        {"pyproject.toml": '[tool.pytest.ini_options]\ntestpaths = ["tests/test_large.py"]'},
        BUILT,
    ),
    Trick("python_functions in pytest.toml", SETTINGS, {"pytest.toml": 'python_functions = "test_l*"'}, CONFIGURED),
    Trick("python_files in .pytest.ini", SETTINGS, {".pytest.ini": "[pytest]\npython_files = test_l*"}, CONFIGURED),
    Trick("-p of a plugin in addopts", SETTINGS, {"pytest.ini": "[pytest]\naddopts = -p easy"}, CONFIGURED),
    Trick("bail in jest.config.js", SETTINGS, {"jest.config.js": "module.exports = {testMatch: []}"}, CONFIGURED),
    Trick("include in vitest.config.ts", SETTINGS, {"vitest.config.ts": "export default {}"}, CONFIGURED),
    Trick("the bot's own test command", SETTINGS, {".github/selfcode.yml": "test: 'true'"}, CONFIGURED),
    Trick("a hook that swallows failures", HOOKS, {"conftest.py": SWALLOWS}, CONFIGURED),
    Trick("collect_ignore", HOOKS, {"tests/conftest.py": "collect_ignore = ['test_calc.py']"}, CONFIGURED),
    Trick("sys.exit in conftest", HOOKS, {"conftest.py": "import sys\nsys.exit(0)"}, CONFIGURED),
    Trick("os._exit in conftest", HOOKS, {"conftest.py": "import os\nos._exit(0)"}, CONFIGURED),
    Trick("hooks in a module of the program", HOOKS, {"easy.py": SWALLOWS}, CONFIGURED),
    Trick("a set-up file of Jest", HOOKS, {"jest.setup.js": "global.expect = () => ({toBe() {}})"}, CONFIGURED),
    Trick("src/setupTests.ts", HOOKS, {"src/setupTests.ts": "window.fetch = undefined"}, CONFIGURED),
    Trick(
        "an entry point in a .dist-info",
        PLUGINS,
        {"easy-1.dist-info/entry_points.txt": ENTRY_POINT, "easy_plugin.py": "x = 1"},
        CONFIGURED,
    ),
    Trick("an entry point in an .egg-info", PLUGINS, {"easy.egg-info/entry_points.txt": ENTRY_POINT}, CONFIGURED),
    Trick("an .egg-link", PLUGINS, {"easy.egg-link": "/elsewhere"}, CONFIGURED),
    Trick("sitecustomize", PLUGINS, {"sitecustomize.py": "import builtins"}, CONFIGURED),
    Trick("usercustomize", PLUGINS, {"src/usercustomize.py": "import builtins"}, CONFIGURED),
    Trick("a .pth file", PLUGINS, {"easy.pth": "import os; os.abort()"}, CONFIGURED),
    Trick("an .env file", PLUGINS, {".env": "PYTEST_ADDOPTS=-k large"}, CONFIGURED),
    Trick("an .env.test file", PLUGINS, {".env.test": "FAST=1"}, CONFIGURED),
    Trick("json.py", PLACES, {"json.py": "loads = dumps = print"}, CONFIGURED),
    Trick(
        "a package pytest/", PLACES, {"pytest/__init__.py": "", "pytest/__main__.py": "print('1 passed')"}, CONFIGURED
    ),
    Trick("unittest.py below src", PLACES, {"src/unittest.py": "class TestCase: pass"}, CONFIGURED),
    Trick("_pytest/runner.py", PLACES, {"_pytest/runner.py": ""}, CONFIGURED),
    Trick(
        "make test || true",
        BUILDS,
        {"Makefile": "test:\n\tpytest || true"},
        BUILT,
        base={"Makefile": "test:\n\tpytest"},
    ),
    Trick(
        "a script that forgets the exit code",
        BUILDS,
        {"run_tests.sh": "pytest; exit 0"},
        CONFIGURED,
        base={"run_tests.sh": "pytest"},
    ),
    Trick(
        "a script without a suffix that starts nothing",
        BUILDS,
        {"scripts/check": "#!/bin/sh\nexit 0"},
        CONFIGURED,
        base={"scripts/check": "#!/bin/sh\nexec go test ./..."},
    ),
    Trick(
        "a task that starts nothing",
        BUILDS,
        {"tasks.py": "def test(c):\n    c.run('true')"},
        CONFIGURED,
        base={"tasks.py": "def test(c):\n    c.run('pytest')"},
    ),
    Trick("a script of package.json", BUILDS, {"package.json": '{"scripts": {"test": "true"}}'}, BUILT),
    Trick("a dependency that is a fork", BUILDS, {"requirements.txt": "calc @ git+https://example.org/fork"}, BUILT),
    Trick("a lock file", BUILDS, {"poetry.lock": "calc 2"}, BUILT),
    Trick("a session of nox", BUILDS, {"noxfile.py": "def tests(s): pass"}, CONFIGURED),
    Trick("a CI file", BUILDS, {".github/workflows/ci.yml": "on: never"}, "continuous integration were changed"),
    Trick("a submodule", BUILDS, {"vendor/calc": "0" * 40}, BUILT, modes={"vendor/calc": "160000"}),
    Trick("where a submodule comes from", BUILDS, {".gitmodules": "[submodule]"}, BUILT),
    Trick("stale bytecode", COMPILED, {"__pycache__/calc.cpython-311.pyc": "x"}, "nobody can read"),
    Trick("bytecode beside the tests", COMPILED, {"tests/__pycache__/helpers.cpython-311.pyc": "x"}, "nobody can read"),
    Trick("an extension before its source", COMPILED, {"calc.cpython-311-x86_64-linux-gnu.so": "x"}, "nobody can read"),
    Trick("an archive of classes", COMPILED, {"lib/calc.jar": "x"}, "nobody can read"),
)

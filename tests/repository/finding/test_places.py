"""Where in a repository a project with tests is."""

from tests.repository.finding.looking import commands, found, reasons

BACKEND = {
    "backend/setup.py": "setup(install_requires=['a'])",
    "backend/tests/test_a.py": "",
    "backend/tests/test_b.py": "",
}
FRONTEND = {"web/app/package.json": '{"scripts": {"test": "jest"}}', "web/app/a.test.js": ""}


def test_the_one_project_below_the_top_is_the_place() -> None:
    findings = found({"README.md": "", **BACKEND})

    assert findings.plan is not None
    assert (findings.plan.directory, findings.plan.test) == ("backend", "python3 -m pytest")
    assert findings.plan.guessed_from == "backend/tests/test_a.py"
    assert commands(findings, "directory") == ["backend"]
    assert findings.elsewhere == ()


def test_of_several_projects_the_one_with_most_tests_is_the_place_and_the_others_are_named() -> None:
    findings = found({**FRONTEND, **BACKEND})

    assert findings.plan is not None
    assert findings.plan.directory == "backend"
    assert findings.elsewhere == ("web/app",)


def test_a_project_at_the_top_is_the_place_and_others_are_named() -> None:
    findings = found({"setup.py": "", "tests/test_a.py": "", **FRONTEND})

    assert findings.plan is not None
    assert findings.plan.directory == "."
    assert findings.elsewhere == ("web/app",)


def test_a_folder_that_is_named_is_the_only_one_that_is_looked_at() -> None:
    findings = found({"setup.py": "", "tests/test_a.py": "", **FRONTEND}, directory="web/app")

    assert findings.plan is not None
    assert (findings.plan.directory, findings.plan.test) == ("web/app", "npm test")
    assert reasons(findings, "directory") == "it was asked for"
    assert found(FRONTEND, directory="nowhere").plan is None


def test_examples_and_vendored_projects_are_no_places() -> None:
    findings = found(
        {"vendor/a/setup.py": "", "vendor/a/test_a.py": "", "examples/b/package.json": '{"scripts": {"test": "a"}}'}
    )

    assert findings.plan is None
    assert findings.elsewhere == ()


def test_a_script_in_python_does_not_make_a_go_project_one() -> None:
    findings = found({"go.mod": "module a\n", "a_test.go": "", "tools/test_release.py": ""})

    assert findings.plan is not None
    assert findings.plan.test.endswith("go test ./...")

"""How the tests of a project are found that needs others of its repository."""

from tests.repository.finding.looking import commands, found, reasons

BUILT = "[build-system]\nrequires = ['hatchling']\nbuild-backend = 'hatchling.build'\n"
TOP = (
    "[project]\nname = 'all'\n[tool.uv]\npackage = false\n"
    "[tool.uv.workspace]\nmembers = ['api', 'parts/*']\nexclude = ['parts/old']\n"
)
MEMBERS = {
    "api/pyproject.toml": f"{BUILT}[project]\nname = 'our-api'\n",
    "parts/core/pyproject.toml": f"{BUILT}[project]\nname = 'our.core'\ndependencies = ['our_api == 2', 'idna']\n",
    "parts/tool/pyproject.toml": (
        f"{BUILT}[project]\nname = 'our-tool'\ndependencies = ['our-core', 'our-old']\n"
        "[project.optional-dependencies]\nmore = ['our-extra']\n"
    ),
    "parts/extra/pyproject.toml": f"{BUILT}[project]\nname = 'our-extra'\n",
    "parts/old/pyproject.toml": f"{BUILT}[project]\nname = 'our-old'\n",
    "parts/tool/tests/test_a.py": "",
    "parts/tool/tests/test_b.py": "",
    "parts/core/tests/test_a.py": "",
}


def test_the_top_of_a_workspace_is_no_project_where_it_says_so() -> None:
    findings = found({"pyproject.toml": TOP, "tox.ini": "[testenv]\ncommands = pytest parts\n", **MEMBERS})

    assert findings.plan is not None
    assert (findings.plan.directory, findings.elsewhere) == ("parts/tool", ("parts/core",))


def test_a_top_that_is_a_package_too_is_tested_itself() -> None:
    top = TOP.replace("package = false", "package = true") + BUILT

    findings = found({"pyproject.toml": top, "tests/test_all.py": "", **MEMBERS})

    assert findings.plan is not None
    assert findings.plan.directory == "."


def test_the_members_that_a_member_needs_are_installed_editable_with_those_that_they_need() -> None:
    findings = found({"pyproject.toml": TOP, **MEMBERS})

    assert commands(findings, "setup") == ["python3 -m pip install -e . -e ../../api -e ../../parts/core pytest"]
    assert "members of uv's workspace" in reasons(findings, "setup")


def test_a_requirements_file_that_names_folders_of_the_top_is_installed_there() -> None:
    files = {"pyproject.toml": TOP, **MEMBERS, "parts/tool/test-requirements.txt": "idna==3\n-e api\n-e parts/tool\n"}

    first, second = commands(found(files), "setup")

    assert first == "(cd ../../ && python3 -m pip install -r parts/tool/test-requirements.txt)"
    assert second.startswith("python3 -m pip install -e . ")


def test_an_extra_of_its_own_that_a_group_asks_for_is_installed_with_it() -> None:
    manifest = (
        f"{BUILT}[project]\nname = 'a'\n[project.optional-dependencies]\nsocks = ['PySocks']\n"
        "[dependency-groups]\ntest = ['A[socks]', 'pytest>=8']\n"
    )

    findings = found({"pyproject.toml": manifest, "tests/test_a.py": ""})

    assert commands(findings, "setup") == ["python3 -m pip install -e '.[socks]' 'pytest>=8'"]

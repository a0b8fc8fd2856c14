from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from bot.records import Examination, Fault, Finding, ReportState, SandboxFacts, TestPlan, TestReport, joined
from bot.repository.config import parse_config
from bot.writing.configuration import editable, is_complete, recommended
from tests.writing.builders import a_report
from tests.writing.foreign import foreign_text, patiently

PLAN = TestPlan(test="python -m pytest", setup="python -m pip install -e .", directory="packages/a", build="make")
FOUND = (
    Finding("directory", "packages/a", "given by --directory"),
    Finding("setup", "python -m pip install -e .", "pyproject.toml names packages"),
    Finding("build", "make", "Makefile: a C extension"),
    Finding("test", "python -m pytest", "tests/conftest.py"),
)


def an_examination(**changed: Any) -> Examination:
    whole = Examination(
        repository="octo/cat",
        sandbox=SandboxFacts("docker"),
        plan=PLAN,
        found=FOUND,
        runs=(a_report(),) * 3,
        fault=Fault(3, a_report(failing=("a",)), noticed=12, asked=12),
        prepared="image",
    )
    return replace(whole, **changed)


def test_what_was_found_is_written_with_its_reasons_and_can_be_read_back() -> None:
    text = recommended(an_examination())

    config = parse_config(text.encode())
    assert (config.test, config.setup, config.build, config.directory) == (
        PLAN.test,
        PLAN.setup,
        PLAN.build,
        PLAN.directory,
    )
    assert "# pyproject.toml names packages\nsetup: python -m pip install -e .\n" in text


def test_nothing_is_written_that_is_so_without_saying() -> None:
    text = recommended(an_examination(plan=TestPlan("make test"), found=(Finding("test", "make test", "Makefile"),)))

    assert text.splitlines()[1:] == ["# Makefile", "test: make test"]


def test_several_commands_of_one_set_up_are_a_list_each_with_its_reason() -> None:
    found = (Finding("setup", "a || b", "one"), Finding("setup", "c: d # e", "two"), Finding("test", "t", "x"))
    plan = TestPlan("t", setup=joined(["a || b", "c: d # e"]))

    text = recommended(an_examination(plan=plan, found=found))

    assert "setup:\n  # one\n  - a || b\n  # two\n  - 'c: d # e'\n# x\ntest: t\n" in text
    assert parse_config(text.encode()).setup == plan.setup


def test_a_set_up_that_was_changed_is_one_command() -> None:
    found = (Finding("setup", "a", "one"), Finding("setup", "pip install .", "two"), Finding("test", "t", "x"))
    unnoticed = Fault(3, a_report(), noticed=0, asked=12)

    text = recommended(an_examination(plan=TestPlan("t", setup="a && pip install ."), found=found, fault=unnoticed))

    assert "setup: a && pip install -e .\n" in text


def test_what_the_repository_says_already_stays_as_it_stands() -> None:
    configured = "# ours, by hand\nprotect: [migrations/]  # never\nlimits:\n  iterations: 3\n"

    text = recommended(an_examination(configured=configured))

    assert text.startswith(configured)
    config = parse_config(text.encode())
    assert (config.protect, config.limits.iterations, config.test) == (("migrations/",), 3, PLAN.test)


@pytest.mark.parametrize(
    "old",
    [
        "test: old\n",
        "test: |\n  old\n  older\n",
        "test:\n  - old\n  - older\n",
        '"test": "old"\n',
        "test: >-\n  old\n\n  x\n",
    ],
)
def test_what_has_to_be_mended_takes_the_place_of_what_was_said(old: str) -> None:
    configured = f"# head\nprotect: [a]\n{old}model: small\n"

    text = recommended(an_examination(configured=configured))

    config = parse_config(text.encode())
    assert (config.test, config.protect, config.model) == (PLAN.test, ("a",), "small")
    assert "old" not in text
    assert text.startswith("# head\nprotect: [a]\nmodel: small\n")


def test_a_file_that_says_all_of_it_is_complete() -> None:
    known = an_examination()
    known = replace(known, configured=recommended(known))

    assert is_complete(known)
    assert not is_complete(an_examination())


def test_a_list_of_commands_is_the_same_as_the_commands_joined() -> None:
    configured = "test: t\nsetup: [a, b]\n"

    assert is_complete(an_examination(plan=TestPlan("t", setup="a && b"), found=(), configured=configured))


def test_so_it_is_where_some_of_them_are_joined_in_braces() -> None:
    plan = TestPlan("t", setup=joined(["a; b", "c"]))

    assert is_complete(an_examination(plan=plan, found=(), configured="test: t\nsetup: [a; b, c]\n"))
    assert not is_complete(an_examination(plan=plan, found=(), configured="test: t\nsetup: [a; b]\n"))


def test_a_file_that_can_t_be_read_is_answered_with_a_whole_one() -> None:
    for broken in ("test: [", "- a\n- b\n", "{a: 1, b"):
        assert parse_config(recommended(an_examination(configured=broken)).encode()).test == PLAN.test


def test_a_file_written_in_braces_is_answered_with_a_whole_one() -> None:
    text = recommended(an_examination(configured="{test: old, protect: [a]}\n"))

    config = parse_config(text.encode())
    assert (config.test, config.protect) == (PLAN.test, ("a",))


def test_a_command_that_can_t_run_gets_what_would_mend_it() -> None:
    missing = TestReport("pytest", ReportState.COMMAND_NOT_FOUND, exit_code=127, output="sh: pytest: not found")
    plan = TestPlan("pytest", guessed_from="tests")

    text = recommended(
        an_examination(plan=plan, found=(Finding("test", "pytest", "tests"),), runs=(missing,), fault=None)
    )

    assert "pip install" in (parse_config(text.encode()).setup or "")
    assert "# a suggestion: " in text


@pytest.mark.parametrize("configured", ["", "setup: x\ntests: y\n"])
def test_where_nothing_was_found_or_the_file_is_refused_there_is_none_to_commit(configured: str) -> None:
    known = an_examination(plan=None, found=(), runs=(), fault=None, trouble="It can't be used.", configured=configured)

    assert recommended(known) == ""
    assert not is_complete(known)


def test_where_it_was_interrupted_there_is_none_to_commit() -> None:
    assert recommended(an_examination(is_interrupted=True)) == ""


def test_where_a_command_runs_no_tests_an_editable_copy_is_beside_the_point() -> None:
    found = (Finding("setup", "pip install .", "a"),)

    text = recommended(
        an_examination(plan=TestPlan("true", setup="pip install ."), found=found, fault=Fault(3, a_report()))
    )

    assert parse_config(text.encode()).setup == "pip install ."


@pytest.mark.parametrize(
    ("setup", "expected"),
    [
        ("python -m pip install .", "python -m pip install -e ."),
        ("pip install '.[test]' pytest", "pip install -e '.[test]' pytest"),
        ("pip install -e . pytest", "pip install -e . pytest"),
        ("pip install --editable .", "pip install --editable ."),
        ("npm ci && pip install ./", "npm ci && pip install -e ./"),
        ("pip install -r requirements.txt", "pip install -r requirements.txt"),
        ("cd . && pip install x", "cd . && pip install x"),
        ("cp -r . /opt", "cp -r . /opt"),
        ("", ""),
    ],
)
def test_an_installed_copy_becomes_editable(setup: str, expected: str) -> None:
    assert editable(setup) == expected


def test_where_the_tests_run_an_installed_copy_the_editable_one_is_suggested() -> None:
    unnoticed = Fault(3, a_report(), noticed=0, asked=12)
    plan = TestPlan("pytest", setup="pip install .")

    text = recommended(an_examination(plan=plan, found=(Finding("setup", "pip install .", "a"),), fault=unnoticed))

    assert parse_config(text.encode()).setup == "pip install -e ."


@patiently
@example(command="`\x850", reason="")
@given(command=foreign_text.filter(lambda text: text.strip() and len(text) < 3000), reason=foreign_text)
def test_whatever_a_command_or_a_reason_holds_the_file_can_be_read_and_says_it(command: str, reason: str) -> None:
    told = command.replace("\0", "").encode("utf-8", "replace").decode().strip()
    known = an_examination(plan=TestPlan(told or "x"), found=(Finding("test", told or "x", reason),))

    config = parse_config(recommended(known).encode())

    assert config.test == (told or "x").strip()


@given(st.text(alphabet="ab:-[]{}#'\"&*!|> \n", max_size=60))
@patiently
def test_whatever_the_repositorys_file_holds_what_is_recommended_says_how_the_tests_are_run(configured: str) -> None:
    text = recommended(an_examination(configured=configured))

    assert yaml.safe_load(text)["test"] == PLAN.test

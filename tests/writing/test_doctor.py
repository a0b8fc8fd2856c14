import json
from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import given

from bot.records import (
    Examination,
    Fault,
    Finding,
    Health,
    Offline,
    ReportState,
    SandboxFacts,
    TestCase,
    TestReport,
    TestStatus,
)
from bot.writing.doctor import examining_comment, report_comment, report_text, unfinished_comment, what_it_said
from bot.writing.doctor_terminal import summary, terminal_report
from bot.writing.document import LIMIT
from bot.writing.progress import progress_marker
from tests.writing.builders import a_plan, a_report
from tests.writing.foreign import PIECES, foreign_text, patiently
from tests.writing.rendering import code_blocks, foreign_html, is_closed, live, table_rows, visible

RUN = "r-1"


def an_examination(**changed: Any) -> Examination:
    whole = Examination(
        repository="octo/cat",
        sandbox=SandboxFacts("docker", "Docker 28 at unix:///var/run/docker.sock"),
        commit="2a9b" * 10,
        plan=a_plan(),
        found=(
            Finding("setup", "python -m pip install -e .", "pyproject.toml names packages"),
            Finding("test", "python -m pytest", "tests/conftest.py"),
        ),
        image="selfcode-sandbox",
        prepared="selfcode-environment:1",
        runs=(a_report(),) * 3,
        fault=Fault(3, a_report(passed=0, failing=("a",)), noticed=12, asked=12),
        seconds=(("environment", 61.0), ("tests, run 1", 2.4)),
    )
    return replace(whole, **changed)


def report(**changed: Any) -> str:
    return report_comment(an_examination(**changed), run_id=RUN)


# --- The report


def test_the_first_line_says_how_it_is_and_the_last_is_the_marker() -> None:
    lines = report().splitlines()

    assert lines[0].startswith("✅ **Healthy**: the tests run offline (12 passed, 3 times), and a fault")
    assert lines[-1] == progress_marker(RUN)


def test_an_unhealthy_repository_shows_the_first_obstacle_at_once_and_the_others_as_a_list() -> None:
    shown = report(obstacles=("The tests don't run the workspace's own code.", "More fail than pass."))

    assert shown.splitlines()[0] == "❌ **Unhealthy**: The tests don't run the workspace's own code."
    assert "- More fail than pass." in shown


def test_what_was_found_stands_with_its_reason_and_the_operators_image_too() -> None:
    rows = table_rows(report())

    assert ["`image`", "`selfcode-sandbox`", "the operator's"] in rows
    assert ["`test`", "`python -m pytest`", "tests/conftest.py"] in rows


def test_each_run_stands_with_its_result_and_its_time() -> None:
    rows = table_rows(report())

    assert ["1", "12 passed", "2.4 s"] in rows
    assert ["with a fault", "0 passed, 1 failed", "2.4 s"] in rows


def test_runs_that_differ_are_not_said_to_be_the_same() -> None:
    runs = (a_report(), a_report(failing=("x",)), a_report())

    assert "(the runs differ)" in report(runs=runs).splitlines()[0]


def test_runs_in_which_other_tests_pass_differ_by_so_many_flaky_ones() -> None:
    runs = (a_report(passed=11, failing=("x",)), a_report(), a_report())

    assert "(the runs differ: 1 flaky)" in report(runs=runs).splitlines()[0]


def test_what_fails_is_flaky_or_wanted_the_network_is_named() -> None:
    failing = a_report(failing=("t.py::test_wrong", "t.py::test_site"))
    flaky = a_report(passed=11, failing=("t.py::test_wrong", "t.py::test_site"))
    offline = (Offline("t.py::test_site", ("example.com",), "Could not resolve host: example.com"),)

    shown = visible(report(runs=(failing, flaky, failing), offline=offline))

    assert "Fail on the untouched source t.py::test_wrong : AssertionError: assert 3 == 6" in shown
    assert "Flaky tests/test_prices.py::test_11" in shown
    assert "Wanted the network t.py::test_site ( example.com ): Could not resolve host: example.com" in shown


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (
            Fault(3, a_report(), noticed=12, asked=12),
            "Yes: a fault was planted in 3 source files, and all 12 tests noticed.",
        ),
        (
            Fault(1, a_report(), noticed=2, asked=12),
            "Yes: a fault was planted in 1 source file, and 2 of 12 tests noticed.",
        ),
        (
            Fault(1, a_report(), noticed=1, asked=1),
            "Yes: a fault was planted in 1 source file, and the one test noticed.",
        ),
        (Fault(3, a_report(), noticed=0, asked=12), "No: a fault was planted in 3 source files, and no test noticed."),
        (
            Fault(3, a_report(cases=(), state=ReportState.FAILED)),
            "Yes: a fault was planted in 3 source files, and the command came to: failed.",
        ),
    ],
)
def test_whether_the_workspaces_own_code_is_tested_is_answered(fault: Fault, words: str) -> None:
    assert words in report(fault=fault)


def test_a_set_up_that_failed_shows_its_end_and_the_hosts_that_would_be_allowed() -> None:
    shown = report(
        runs=(),
        fault=None,
        trouble="The set-up command failed: exit code 1\nlooking for x\nno such host: files.example.com",
        obstacles=("The set-up command failed: exit code 1",),
        blocked=(
            "files.example.com:443 is not open (the operator's SELFCODE_SETUP_HOSTS=files.example.com would allow it)",
        ),
    )

    assert "no such host: files.example.com" in code_blocks(shown)[0]
    assert "SELFCODE\\_SETUP\\_HOSTS=files.example.com" in shown or "SELFCODE_SETUP_HOSTS=files.example.com" in shown


def test_a_command_that_can_t_run_shows_its_output_and_what_is_wrong_with_it() -> None:
    missing = TestReport("nope --all", ReportState.COMMAND_NOT_FOUND, exit_code=127, output="sh: 1: nope: not found")
    shown = report(runs=(missing,), fault=None, obstacles=("The test command can't be used: command not found.",))

    assert "`nope --all` ended with: command not found" in shown
    assert "sh: 1: nope: not found" in code_blocks(shown)[0]


def test_a_configuration_with_several_mistakes_shows_them_as_a_list() -> None:
    shown = report(
        trouble="`.github/selfcode.yml` can't be used:\n- line 1: `tets` is not a key\n- line 2: `x`", runs=()
    )

    assert "- line 1: `tets` is not a key" in shown


def test_the_configuration_to_commit_is_a_block_that_can_be_copied() -> None:
    (block,) = [block for block in code_blocks(report()) if "test:" in block]

    assert yaml.safe_load(block) == {"setup": "python -m pip install -e .", "test": "python -m pytest"}


def test_where_the_repository_says_it_all_there_is_nothing_to_commit() -> None:
    configured = "setup: python -m pip install -e .\ntest: python -m pytest\n"

    assert "there is nothing to commit" in report(configured=configured)


def test_what_the_sandbox_does_not_hold_is_listed() -> None:
    facts = SandboxFacts("process", unheld=(("no network, by no protocol", "your own rights"),), has_network=True)

    shown = report(sandbox=facts)

    assert "not held: no network, by no protocol (your own rights)" in shown
    assert "with the network at hand" in shown.splitlines()[0]


def test_what_a_sandbox_that_does_not_answer_holds_is_not_known() -> None:
    away = an_examination(sandbox=SandboxFacts("docker", unheld=None), trouble="no engine")

    assert "what it holds is not known" in terminal_report(away)
    assert "It holds all" not in terminal_report(away)
    assert summary(away)["sandbox"] == {"name": "docker", "about": "", "not_held": None}


@pytest.mark.parametrize(("image", "is_said"), [("python:3.11", True), ("selfcode-sandbox", False)])
def test_an_image_that_is_not_the_one_that_the_sandbox_names_is_said(image: str, is_said: bool) -> None:
    facts = SandboxFacts("docker", "Docker 28 at unix:///run/docker.sock, image selfcode-sandbox:latest (2a9b)")

    assert (f"; here the image is {image}" in terminal_report(an_examination(sandbox=facts, image=image))) is is_said


@pytest.mark.parametrize("health", Health)
def test_no_health_is_without_its_word(health: Health) -> None:
    obstacles = ("It can't run.",) if health is Health.UNHEALTHY else ()
    known = an_examination(obstacles=obstacles, is_interrupted=health is Health.INTERRUPTED)

    assert str(health).capitalize() in report_comment(known, run_id=RUN).splitlines()[0]
    assert terminal_report(known).startswith(f"{health.upper()}: ")
    assert summary(known)["outcome"] == str(health)


def test_the_line_of_a_failure_that_says_what_was_wrong_is_shown() -> None:
    message = ">       connect()\nE       socket.gaierror: [Errno -3] no\nE       + where x\n\nsocket.py:962: gaierror"

    assert what_it_said(TestCase("t", TestStatus.FAILED, message)) == "socket.gaierror: [Errno -3] no"
    assert what_it_said(TestCase("t", TestStatus.FAILED, "not ok\nError: no\n")) == "Error: no"
    assert what_it_said(TestCase("t", TestStatus.FAILED, "E   AssertionError: x\nE   }\n")) == "AssertionError: x"


# --- While it goes on, and where it is cut off


def test_while_it_goes_on_it_says_what_it_does_and_how_to_stop_it() -> None:
    shown = examining_comment(an_examination(runs=(a_report(),)), run_id=RUN, doing="running the tests, time 2 of 3")

    assert shown.splitlines()[0].endswith("running the tests, time 2 of 3.")
    assert "- Run 1: 12 passed" in shown
    assert "`/selfcode stop`" in shown
    assert shown.endswith(progress_marker(RUN))


def test_its_page_is_linked_where_there_is_one() -> None:
    pages, known = "https://bot.example.com", an_examination()
    linked = [
        report_comment(known, run_id=RUN, pages=pages),
        examining_comment(known, run_id=RUN, doing="tests", pages=pages),
        unfinished_comment(known, run_id=RUN, ended="stopped", pages=pages),
    ]

    assert [live(shown) for shown in linked] == [[f"{pages}/runs/{RUN}"]] * 3
    assert live(report_comment(known, run_id=RUN)) == []


def test_one_that_was_cut_off_says_how_and_what_is_known_by_then() -> None:
    shown = unfinished_comment(an_examination(fault=None), run_id=RUN, ended="stopped: /selfcode stop")

    assert "stopped: /selfcode stop" in shown.splitlines()[0]
    assert ["1", "12 passed", "2.4 s"] in table_rows(shown)
    assert shown.endswith(progress_marker(RUN))


# --- Foreign words, and any amount of them


@pytest.mark.parametrize("piece", PIECES)
def test_no_foreign_text_reaches_further_than_its_place(piece: str) -> None:
    known = a_foreign(piece)

    for shown in (
        report_comment(known, run_id=RUN),
        examining_comment(known, run_id=RUN, doing=piece),
        unfinished_comment(known, run_id=RUN, ended=piece),
    ):
        assert is_closed(shown)
        assert live(shown) == []
        assert foreign_html(shown) == []
        assert shown.count("<!-- selfcode:") == 1


def test_what_many_tests_say_alike_is_one_line_in_a_terminal() -> None:
    alike = [TestCase(f"bench::test_{number}", TestStatus.ERROR, "E  no fixture") for number in range(40)]
    one = TestCase("tests::test_a", TestStatus.FAILED, "E  assert 1 == 2")
    failing = a_report(state=ReportState.FAILED, cases=(*alike, one))

    lines = terminal_report(an_examination(runs=(failing,) * 3)).splitlines()

    assert [line.strip() for line in lines if "fails:" in line] == [
        "fails: 40 tests, such as bench::test_0: no fixture",
        "fails: tests::test_a: assert 1 == 2",
    ]


def test_a_terminal_is_told_which_tests_noticed_the_fault_and_how_long_each_part_took() -> None:
    lines = terminal_report(an_examination(seconds=(("environment", 3.0), ("tests, run 1", 2.0)))).splitlines()

    assert any(line.startswith("  fault in 3 files   all 12 tests noticed (") for line in lines)
    assert "  time: environment 3.0 s; tests, run 1 2.0 s" in lines


@patiently
@given(text=foreign_text)
def test_nor_does_any_mixture_of_it(text: str) -> None:
    shown = report_comment(a_foreign(text), run_id=RUN)

    assert is_closed(shown)
    assert live(shown) == []
    assert foreign_html(shown) == []
    assert shown.count("<!-- selfcode:") == 1


@patiently
@given(text=foreign_text)
def test_nothing_foreign_reaches_a_terminal_or_breaks_the_one_object(text: str) -> None:
    known = a_foreign(text)

    assert "\x1b" not in terminal_report(known)
    assert "\x00" not in terminal_report(known)
    assert json.loads(json.dumps(summary(known)))["outcome"] == "unhealthy"


def a_foreign(text: str) -> Examination:
    case = TestCase(text, TestStatus.FAILED, f"E  {text}\n{text}")
    failing = a_report(state=ReportState.FAILED, cases=(case,), output=text, command=text)
    return an_examination(
        repository=text,
        plan=a_plan(test=text or "x", guessed_from=text),
        found=(Finding("test", text or "x", text), Finding(text, text, text)),
        runs=(failing,) * 3,
        fault=Fault(1, failing, noticed=0, asked=1),
        offline=(Offline(text, (text,), text),),
        trouble=f"{text}\n{text}\n{text}",
        blocked=(text,),
        elsewhere=(text,),
        wishes=(text,),
        left_out=(text,),
        obstacles=(text, text),
        remarks=(text,),
        image=text,
        sandbox=SandboxFacts("docker", text, ((text, text),)),
    )


def test_any_amount_of_tests_and_output_fits() -> None:
    output = ("😀" * 50 + "```\n</details>\n") * 300
    words = output[:300]
    cases = tuple(TestCase(f"tests/{n}.py::test_{'x' * 150}", TestStatus.FAILED, output[:1000]) for n in range(3_000))
    failing = a_report(state=ReportState.FAILED, cases=cases, output=output)
    offline = tuple(Offline(case.id, ("example.com",) * 10, words) for case in cases)

    shown = report(
        runs=(failing,) * 3, offline=offline, trouble=f"x\n{output}", obstacles=(words,) * 50, blocked=(output,) * 50
    )

    assert len(shown) <= LIMIT
    assert is_closed(shown)
    assert shown.endswith(progress_marker(RUN))


# --- For a terminal and for programs


def test_a_terminal_sees_the_same_in_plain_lines() -> None:
    lines = terminal_report(an_examination(remarks=("1 test fails.",), wishes=("python 3.12",))).splitlines()

    assert lines[0].startswith("HEALTHY: the tests run offline")
    assert "  note: 1 test fails." in lines
    assert any(line.split() == ["run", "1", "12", "passed", "(2.4", "s)"] for line in lines)


def test_a_terminal_and_a_program_get_the_words_as_they_are() -> None:
    facts = SandboxFacts("docker", "Docker 28 at unix:///run/docker.sock", (("@ada's #1", "see https://example.com"),))
    known = an_examination(sandbox=facts, wishes=("npm i @ada/x",), obstacles=("No `@ada/x` at https://example.com.",))

    assert "\u200b" not in terminal_report(known)
    assert "unix:///run/docker.sock" in terminal_report(known)
    assert "\\u200b" not in json.dumps(summary(known))


def test_a_program_gets_everything_in_one_object() -> None:
    told = summary(an_examination(offline=(Offline("", ("example.com",), "no"),)))

    assert told["outcome"] == "healthy"
    assert told["fault"] == {"files": 3, "noticed": True, "tests_that_noticed": 12, "of": 12}
    assert told["wanted_network"] == [{"test": None, "hosts": ["example.com"]}]
    assert told["seconds"] == {"environment": 61.0, "tests, run 1": 2.4}
    assert "test: python -m pytest" in str(told["configuration"])


def test_the_report_as_a_document_holds_the_same_without_a_marker() -> None:
    assert "<!--" not in report_text(an_examination())
    assert "Healthy" in report_text(an_examination())

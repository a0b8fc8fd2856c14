from pathlib import Path

import pytest
import yaml

from bot.records import Offline, ReportState, TestCase, TestReport, TestStatus
from bot.runs.offline import HOSTS_AT_MOST, WORDS_AT_MOST, offline_in, offline_of

FAILURES = yaml.safe_load(Path(__file__).with_name("failures.yaml").read_text(encoding="utf-8"))
WANTED = {each["said by"]: (each["text"], tuple(each["hosts"])) for each in FAILURES["wanted the network"]}
OTHERWISE = {each["said by"]: each["text"] for each in FAILURES["did not"]}


@pytest.mark.parametrize(("text", "hosts"), WANTED.values(), ids=WANTED.keys())
def test_a_failure_that_says_so_wanted_the_network_and_names_the_host_where_it_does(
    text: str, hosts: tuple[str, ...]
) -> None:
    found = offline_of(text)

    assert found is not None
    assert found[0] == hosts
    assert found[1] in text


@pytest.mark.parametrize("text", OTHERWISE.values(), ids=OTHERWISE.keys())
def test_a_failure_that_speaks_of_this_machine_or_of_something_else_did_not(text: str) -> None:
    assert offline_of(text) is None


def test_what_is_said_of_a_failure_is_bounded() -> None:
    urls = " ".join(f"https://host-{n}.example.com/" for n in range(1000))

    found = offline_of(f"Name or service not known {urls}")

    assert found is not None
    assert len(found[0]) == HOSTS_AT_MOST
    assert len(found[1]) == WORDS_AT_MOST


def test_a_huge_output_is_read_in_a_moment() -> None:
    assert offline_of("a.b-" * 250_000) is None
    assert offline_of("lookup lookup " * 50_000) is None


def test_the_tests_are_named_each_once_however_often_they_ran() -> None:
    failing = TestCase("t.py::test_site", TestStatus.FAILED, "curl: (6) Could not resolve host: example.com")
    other = TestCase("t.py::test_sum", TestStatus.FAILED, "assert 1 == 2")
    report = TestReport("pytest", ReportState.FAILED, (failing, other), exit_code=1)

    assert offline_in([report, report]) == (
        Offline("t.py::test_site", ("example.com",), "curl: (6) Could not resolve host: example.com"),
    )


def test_a_host_that_a_bounded_message_no_longer_names_is_read_from_the_output_of_that_test() -> None:
    message = "E   urllib.error.URLError: <urlopen error [Errno -2] Name or service not known>"
    output = (
        "=== FAILURES ===\n___ TestSite.test_a[1] ___\n\n>       urlopen('https://a.example.com/')\n"
        f"# see https://docs.example.org/\n{message}\n"
        "___ ERROR at setup of test_b ___\n\n>       urlopen('https://b.example.com/')\n"
        "=== short test summary info ===\nFAILED https://c.example.com/\n"
    )
    cases = (
        TestCase("t.py::TestSite::test_a[1]", TestStatus.FAILED, message),
        TestCase("t.py::test_b", TestStatus.ERROR, message),
        TestCase("t.py::test_c", TestStatus.FAILED, message),
    )

    found = offline_in([TestReport("pytest", ReportState.FAILED, cases, exit_code=1, output=output)])

    assert [each.hosts for each in found] == [("a.example.com",), ("b.example.com",), ()]


def test_where_no_test_is_known_by_name_the_output_of_a_failing_command_tells() -> None:
    output = "not ok 3\nError: getaddrinfo ENOTFOUND api.example.com\n"

    failing = TestReport("npm test", ReportState.FAILED, exit_code=1, output=output)
    passing = TestReport("npm test", ReportState.PASSED, exit_code=0, output=output)

    assert [(each.test, each.hosts) for each in offline_in([failing])] == [("", ("api.example.com",))]
    assert offline_in([passing]) == ()

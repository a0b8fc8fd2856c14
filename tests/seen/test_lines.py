"""What a line of the log says, in both formats."""

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextvars import copy_context
from typing import Any

import pytest

from bot.cli.answering import lines_of
from bot.records import IssueRef, Person, RepositoryRef, Trigger, TriggerKind
from bot.seen.about import about, of_trigger
from bot.writing.masking import MASK

FORMATS = ["text", "json"]
SECRETS = ("my own key 0815", 'a "quoted" secret')


def a_record(message: str = "hello", *arguments: object, error: Exception | None = None) -> logging.LogRecord:
    traceback = None if error is None else (type(error), error, None)
    return logging.LogRecord("bot.runs.workflow", logging.INFO, "", 0, message, arguments, traceback)


def text(record: logging.LogRecord) -> str:
    return lines_of("text", SECRETS).format(record)


def as_json(record: logging.LogRecord) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(lines_of("json", SECRETS).format(record))
    return found


def test_a_line_says_what_it_is_about_in_both_formats() -> None:
    with about(delivery="d-1", installation=5, repository="octo/cat", issue=7), about(run="4f0c", iteration=2):
        line, object_ = text(a_record("%s tests", 3)), as_json(a_record("%s tests", 3))

    named = "[delivery=d-1 installation=5 repository=octo/cat issue=7 run=4f0c iteration=2]"
    assert line.endswith(f" INFO bot.runs.workflow {named}: 3 tests")
    assert {name: value for name, value in object_.items() if name != "time"} == {
        "level": "INFO",
        "logger": "bot.runs.workflow",
        "message": "3 tests",
        "delivery": "d-1",
        "installation": 5,
        "repository": "octo/cat",
        "issue": 7,
        "run": "4f0c",
        "iteration": 2,
    }


def test_the_moment_of_an_object_is_utc_as_programs_read_it() -> None:
    record = a_record()
    record.created = 0.25

    assert as_json(record)["time"] == "1970-01-01T00:00:00.250+00:00"


def test_what_is_over_is_not_named_any_more_and_what_is_around_it_is_again() -> None:
    with about(run="4f0c"):
        with about(iteration=1):
            pass
        after = text(a_record())

    assert "[run=4f0c]" in after
    assert "[" not in text(a_record())


def test_what_is_not_known_is_left_out() -> None:
    nowhere = IssueRef(RepositoryRef(5, 0, "octo", ""), 0)
    uninstalled = Trigger("k", TriggerKind.UNINSTALLED, nowhere, Person("ada"), "2026-05-04T12:00:00Z")

    with about(**of_trigger(uninstalled), run=None):
        assert "[installation=5]" in text(a_record())


def test_a_thread_names_what_it_works_on_where_it_runs_in_a_copy_of_the_context() -> None:
    said: list[str] = []

    with about(run="4f0c"):
        thread = threading.Thread(target=copy_context().run, args=(lambda: said.append(text(a_record())),))
        thread.start()
        thread.join()

    assert "[run=4f0c]" in said[0]


def test_a_value_from_outside_can_not_look_like_another() -> None:
    with about(delivery="x] run=of-another"):
        assert '[delivery="x] run=of-another"]' in text(a_record())


def test_what_a_stranger_says_begins_no_line_and_steers_no_terminal() -> None:
    forged = "/x\n2026-05-04 12:00:00,000 ERROR bot: all is lost\r\x1b[2J\x9b1m\u202e\u2028 and on"

    line = text(a_record("GET %s 404", forged))
    first, *below = text(a_record("failed", error=RuntimeError(forged))).split("\n")

    assert line.endswith(
        r": GET /x\n2026-05-04 12:00:00,000 ERROR bot: all is lost\r\x1b[2J\x9b1m\u202e\u2028 and on 404"
    )
    assert first.endswith(": failed")
    assert below == [
        "  RuntimeError: /x",
        r"  2026-05-04 12:00:00,000 ERROR bot: all is lost\r\x1b[2J\x9b1m\u202e\u2028 and on",
    ]


def test_a_secret_of_several_lines_is_masked_before_it_is_written_on_one() -> None:
    line = lines_of("text", ("first of the key\nand its second",)).format(
        a_record("sent %s", "first of the key\nand its second")
    )

    assert line.endswith(f": sent {MASK}")


@pytest.mark.parametrize("log_format", FORMATS)
def test_no_line_holds_a_secret_and_no_traceback_in_it(log_format: str) -> None:
    failed = RuntimeError('refused: my own key 0815, a "quoted" secret')
    record = a_record("sent %s", f"sk-{'a1B2' * 8}", error=failed)

    with about(delivery="my own key 0815"):
        line = lines_of(log_format, SECRETS).format(record)

    assert f"RuntimeError: refused: {MASK}, {MASK}" in line
    assert f"sent {MASK}" in line
    assert not [part for part in ("0815", "quoted", "a1B2") if part in line]


def test_a_line_is_one_object_whatever_stands_in_it() -> None:
    line = lines_of("json", SECRETS).format(a_record("two\nlines, “quotes” and half of \ud83d", error=KeyError("x")))

    assert "\n" not in line
    assert json.loads(line)["exception"] == "KeyError: 'x'"


SPEAKING = """
import logging, threading, warnings
from dbos._logger import init_logger
from bot.cli.answering import log_to_stderr
from bot.settings import read_settings

log_to_stderr(read_settings({"SELFCODE_LOG_FORMAT": "json", "OPENAI_API_KEY": "hush-hush-hush"}))
init_logger()
logging.getLogger("dbos").error("the engine says hush-hush-hush")
warnings.warn("a library warns of hush-hush-hush")
thread = threading.Thread(target=lambda: {}["in a thread"])
thread.start()
thread.join()
raise RuntimeError("at the end: hush-hush-hush")
"""

ENDING = """
from bot.cli.answering import answering_errors, log_to_stderr
from bot.errors import Unavailable
from bot.settings import read_settings

@answering_errors
def command():
    log_to_stderr(read_settings({"SELFCODE_LOG_FORMAT": "json", "OPENAI_API_KEY": "hush-hush-hush"}))
    raise Unavailable("no service takes hush-hush-hush")

command()
"""


def test_all_that_a_program_says_is_json_where_that_is_asked_for() -> None:
    command = [sys.executable, "-W", "always", "-c", SPEAKING]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

    said = [json.loads(line) for line in done.stderr.splitlines()]
    assert (done.returncode, done.stdout) == (1, "")
    assert [line["logger"] for line in said] == ["dbos", "py.warnings", "bot.cli.answering", "bot.cli.answering"]
    assert said[0]["message"] == f"the engine says {MASK}"
    assert f"UserWarning: a library warns of {MASK}" in said[1]["message"]
    assert "KeyError: 'in a thread'" in said[2]["exception"]
    assert f"RuntimeError: at the end: {MASK}" in said[3]["exception"]


def test_why_a_server_ends_is_a_line_of_its_log_too() -> None:
    done = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, timeout=120, check=False)

    assert done.returncode == 1
    assert json.loads(done.stderr)["message"] == f"no service takes {MASK}"

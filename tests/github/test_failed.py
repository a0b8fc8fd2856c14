"""What is kept of a job's log."""

import pytest

from bot.github.failed import LOG_LIMIT, end_of_log

STAMP = "2026-11-30T12:00:00.1234567Z "


@pytest.mark.parametrize(
    ("log", "kept"),
    [
        ("", ""),
        ("1 failed\n", "1 failed"),
        (f"{STAMP}one\n{STAMP}two\n", "one\ntwo"),
        ("\x1b[31;1mred\x1b[0m \x1b]8;;https://a.b\x07link\x1b]8;;\x07\n", "red link"),
        ("50%\r100%\r\ndone\x00\n", "50%100%\ndone"),
        ("##[error]first\nmore\n##[error]last\nPost job cleanup.\n", "##[error]first\nmore\n##[error]last"),
        ("no line end ##[error]x", "no line end ##[error]x"),
        ("2026-11-30 is no stamp\n", "2026-11-30 is no stamp"),
    ],
)
def test_a_log_is_kept_as_people_read_it(log: str, kept: str) -> None:
    assert end_of_log(log) == kept


def test_of_a_line_that_is_longer_than_all_that_is_kept_the_end_is_kept() -> None:
    found = end_of_log("x" * 1_000_000 + "END\n##[error]exit code 1\nbye")

    assert found.endswith("xEND\n##[error]exit code 1")
    assert len(found) == LOG_LIMIT + len("…\n")


def test_a_line_that_lost_its_beginning_is_left_out() -> None:
    found = end_of_log("".join(f"{number:09d}\n" for number in range(10_000)))

    assert [len(line) for line in found.splitlines()] == [1] + [9] * (len(found.splitlines()) - 1)

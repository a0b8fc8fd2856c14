"""How long a server asks to wait, by its headers."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from bot.agent.retry_after import LONGEST_S, seconds_in

NOW = datetime(2030, 1, 1, tzinfo=UTC)
LATER = int(NOW.timestamp()) + 90


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "Tue, 01 Jan 2030 00:01:30 GMT"}, 90),
        ({"retry-after": "Tue, 01 Jan 2030 00:01:30 GMT", "date": "Tue, 01 Jan 2030 00:01:00 GMT"}, 30),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"x-ratelimit-reset": str(LATER)}, 90),
        ({"x-ratelimit-reset": str(LATER * 1000)}, 90),
        ({"ratelimit-reset": "90"}, 90),
        ({"retry-after": "5", "x-ratelimit-reset": str(LATER)}, 5),
    ],
)
def test_a_wait_is_read_in_the_form_of_any_server(headers: Mapping[str, str], seconds: float) -> None:
    assert seconds_in(headers, now=NOW) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["1e9", "1000000000", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_an_absurd_wait_is_one_of_a_day(text: str) -> None:
    assert seconds_in({"retry-after": text}, now=NOW) == LONGEST_S


@pytest.mark.parametrize(
    "text", ["", "soon", "-5", "nan", "inf", "²", "9" * 400, "Fri, 31 Dec 99999 23:59:59 GMT", "1,2"]
)
def test_what_is_no_wait_says_nothing(text: str) -> None:
    assert seconds_in({"retry-after": text, "retry-after-ms": text, "x-ratelimit-reset": text}, now=NOW) is None

"""How long a server asks to wait, by the headers of its answer. Pure.

Source: RFC 9110 (`Retry-After`: seconds or a date), OpenAI and Azure (`retry-after-ms`), the rate-limit headers of
OpenRouter (`x-ratelimit-reset`, milliseconds since 1970), GitHub's models (seconds since 1970) and of RFC drafts
(`ratelimit-reset`, seconds).
"""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_S = 86_400.0
"""A server that asks for more is asked again after a day."""
_MOMENT_S = 1_000_000_000.0
"""From here on a number of seconds is a moment since 1970, and from a thousand times that on one in milliseconds."""


def seconds_in(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """How long to wait; None where the headers don't say. `now` counts where the server does not tell its own time."""
    asked = (_milliseconds(headers), _number(headers, "retry-after"), _until_date(headers, now), _reset(headers, now))
    found = next((seconds for seconds in asked if seconds is not None), None)
    return None if found is None else min(max(found, 0.0), LONGEST_S)


def _milliseconds(headers: Mapping[str, str]) -> float | None:
    found = _number(headers, "retry-after-ms")
    return None if found is None else found / 1000


def _number(headers: Mapping[str, str], name: str) -> float | None:
    try:
        found = float(headers.get(name, ""))
    except ValueError:
        return None
    return found if math.isfinite(found) and found >= 0 else None


def _until_date(headers: Mapping[str, str], now: datetime) -> float | None:
    until = _date(headers.get("retry-after", ""))
    return None if until is None else (until - (_date(headers.get("date", "")) or now)).total_seconds()


def _reset(headers: Mapping[str, str], now: datetime) -> float | None:
    found = _number(headers, "x-ratelimit-reset")
    found = _number(headers, "ratelimit-reset") if found is None else found
    if found is None or found < _MOMENT_S:
        return found
    moment = found / 1000 if found >= _MOMENT_S * 1000 else found
    return moment - (_date(headers.get("date", "")) or now).timestamp()


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)

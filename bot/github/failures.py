"""What GitHub's no means for us, in our own errors. Pure."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from bot.errors import Gone, Refused, Unavailable

SECONDARY_WAIT_S = 60.0
"""How long to wait where GitHub does not say.

Source: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""
LONGEST_WAIT_S = 3600.0
"""GitHub counts by the hour: longer waits are a mistake of somebody in between."""
WORDS_LIMIT = 500
_LACKS = "not accessible by integration"
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Moved(Exception):
    """What was asked for has another address: its repository was renamed, it was transferred, or it is kept elsewhere.

    `status` tells them apart: what is kept elsewhere, as logs are, is found (302).
    """

    def __init__(self, location: str, status: int = 301) -> None:
        super().__init__(location)
        self.location = location
        self.status = status


class Expired(Exception):
    """The token is no longer valid; a fresh one may be."""


class Limited(Unavailable):
    """GitHub has had too many requests of us; `retry_after_s` says how long it wants none."""

    @property
    def is_about_texts(self) -> bool:
        """Whether GitHub has shut us out of making content, and says so."""
        return "content creation" in self.reason.lower()


class Invalid(Refused):
    """422: GitHub understood and does not want it. The text is GitHub's own."""

    def says(self, words: str) -> bool:
        """Whether GitHub's text holds these words, in any letter case."""
        return words.lower() in str(self).lower()


def is_about_time(words: str) -> bool:
    """Whether GitHub says that a key was used by a clock that is wrong: that passes, as after a machine's start."""
    return "'issued at' claim" in words.lower() or "'expiration time' claim" in words.lower()


def understand(  # noqa: PLR0911 - one answer a case
    status: int, answer: Any, headers: Mapping[str, str], *, doing: str, needs: str, now_s: float
) -> Exception:
    """The error that an answer of 4xx or 5xx stands for.

    `headers` have names in lower case. `doing` completes “GitHub does not let us …”; `needs` names the permission that
    it takes, where GitHub does not. `now_s` is seconds since the epoch.
    """
    words = _words(status, answer)
    if status == 429 or (status == 403 and _is_rate_limit(words, headers)):
        return Limited(f"GitHub asks us to wait: {words}", _wait_s(headers, now_s))
    if status >= 500:
        return Unavailable(f"GitHub failed to {doing}: {words}", _told_wait_s(headers))
    match status:
        case 401:
            return Expired(words)
        case 404 | 410 | 451:
            return Gone(f"GitHub can't {doing}: {words}")
        case 403 if "suspended" in words.lower():
            return Gone(f"GitHub can't {doing}: {words}")
        case 403 if _LACKS in words.lower():
            return _lacking(headers.get("x-accepted-github-permissions", "").replace("=", ": ") or needs, doing=doing)
        case 422:
            return Invalid(f"GitHub does not let the App {doing}: {words}")
        case _:
            return Refused(f"GitHub does not let the App {doing}: {words}")


def understand_graph(
    errors: Sequence[tuple[str, str]],
    *,
    doing: str,
    needs: str = "",
    headers: Mapping[str, str] = _NO_HEADERS,
    now_s: float = 0.0,
) -> Exception:
    """The error that a GraphQL answer's errors, each as type and message, stand for. The rest is as in `understand`."""
    words = "; ".join(message or kind for kind, message in errors)[:WORDS_LIMIT]
    kinds = {kind for kind, _ in errors}
    if kinds & {"RATE_LIMITED", "RATE_LIMIT", "MAX_NODE_LIMIT_EXCEEDED"} or "rate limit" in words.lower():
        return Limited(f"GitHub asks us to wait: {words}", _wait_s(headers, now_s))
    if "NOT_FOUND" in kinds:
        return Gone(f"GitHub can't {doing}: {words}")
    if kinds & {"INTERNAL", "SERVICE_UNAVAILABLE"}:
        return Unavailable(f"GitHub failed to {doing}: {words}")
    if needs and _LACKS in words.lower():
        return _lacking(needs, doing=doing)
    return Refused(f"GitHub does not let the App {doing}: {words}")


def _lacking(permission: str, *, doing: str) -> Refused:
    return Refused(
        f"GitHub does not let the App {doing}: it lacks the permission `{permission}` here. "
        "The owner of the account can grant it in the App's installation settings."
    )


def _words(status: int, answer: Any) -> str:
    """GitHub's own text, with what it says of each field."""
    if not isinstance(answer, dict) or not answer.get("message"):
        return f"status {status}"
    errors = answer.get("errors")
    details = [_detail(error) for error in errors] if isinstance(errors, list) else []
    return ": ".join([str(answer["message"]), *filter(None, details)])[:WORDS_LIMIT]


def _detail(error: Any) -> str:
    if not isinstance(error, dict):
        return str(error)
    return str(error.get("message") or " ".join(str(error[key]) for key in ("field", "code") if error.get(key)))


def _is_rate_limit(words: str, headers: Mapping[str, str]) -> bool:
    told = any(phrase in words.lower() for phrase in ("rate limit", "abuse detection", "too many requests"))
    return told or "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"


def _wait_s(headers: Mapping[str, str], now_s: float) -> float:
    retry_after = _told_wait_s(headers)
    if retry_after is not None:
        return retry_after
    reset = _seconds(headers.get("x-ratelimit-reset"))
    if headers.get("x-ratelimit-remaining") == "0" and reset is not None:
        return min(max(reset - now_s, 0.0) + 1.0, LONGEST_WAIT_S)
    return SECONDARY_WAIT_S


def _told_wait_s(headers: Mapping[str, str]) -> float | None:
    found = _seconds(headers.get("retry-after"))
    return None if found is None else min(found, LONGEST_WAIT_S)


def _seconds(text: str | None) -> float | None:
    """A number of seconds; None where the text is none that one could wait for."""
    try:
        found = float(text) if text else -1.0
    except ValueError:
        return None
    return found if math.isfinite(found) and found >= 0 else None

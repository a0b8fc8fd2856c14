from typing import Any

import pytest

from bot.errors import Gone, Refused, Unavailable
from bot.github.failures import Expired, Invalid, understand, understand_graph

NOW_S = 1_000_000.0
TOO_FAST = "You have exceeded a secondary rate limit and have been temporarily blocked from content creation."


def understood(status: int, message: str = "Nope", *, errors: Any = None, **headers: str) -> Exception:
    answer = {"message": message} | ({"errors": errors} if errors is not None else {})
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return understand(status, answer, named, doing="comment", needs="issues: write", now_s=NOW_S)


@pytest.mark.parametrize(
    ("failure", "wait_s"),
    [
        (understood(403, TOO_FAST, retry_after="12"), 12),
        (understood(403, TOO_FAST), 60),
        (understood(429, "Too many requests"), 60),
        (understood(429, "whatever", retry_after="3"), 3),
        (understood(429, "whatever"), 60),
        (understood(403, "API rate limit exceeded", x_ratelimit_remaining="0", x_ratelimit_reset="1000900"), 901),
        (understood(403, "whatever", x_ratelimit_remaining="0", x_ratelimit_reset="999000"), 1),
        (understood(403, "You have triggered an abuse detection mechanism."), 60),
        (understood(403, TOO_FAST, retry_after="soon"), 60),
        (understood(403, TOO_FAST, retry_after="inf"), 60),
        (understood(403, TOO_FAST, retry_after="nan"), 60),
        (understood(403, TOO_FAST, retry_after="-5"), 60),
        (understood(403, TOO_FAST, retry_after="86400"), 3600),
        (understood(403, "API rate limit exceeded", x_ratelimit_remaining="0", x_ratelimit_reset="2000000"), 3600),
        (understand_graph([("RATE_LIMITED", "API rate limit exceeded")], doing="do it"), 60),
        (understand_graph([("", "You have exceeded a secondary rate limit")], doing="do it"), 60),
        (
            understand_graph(
                [("RATE_LIMIT", "API rate limit exceeded")],
                doing="do it",
                headers={"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000900"},
                now_s=NOW_S,
            ),
            901,
        ),
    ],
)
def test_a_rate_limit_is_for_time_to_mend_and_says_for_how_long(failure: Exception, wait_s: float) -> None:
    assert isinstance(failure, Unavailable)
    assert failure.retry_after_s == wait_s


def test_a_limit_that_is_not_used_up_explains_no_other_refusal() -> None:
    failure = understood(403, "Must have admin rights", x_ratelimit_remaining="4999", x_ratelimit_reset="1000900")

    assert isinstance(failure, Refused)


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_server_that_fails_is_unavailable(status: int) -> None:
    assert isinstance(understood(status), Unavailable)


@pytest.mark.parametrize("status", [404, 410, 451])
def test_what_is_not_there_is_gone(status: int) -> None:
    assert isinstance(understood(status), Gone)


def test_a_suspended_installation_is_gone() -> None:
    assert isinstance(understood(403, "This installation has been suspended"), Gone)


def test_an_expired_token_can_be_mended() -> None:
    assert isinstance(understood(401, "Bad credentials"), Expired)


def test_a_missing_permission_is_named_by_what_was_tried() -> None:
    failure = understood(403, "Resource not accessible by integration")

    assert isinstance(failure, Refused)
    assert "`issues: write`" in str(failure)
    assert "comment" in str(failure)


def test_a_missing_permission_is_named_as_github_names_it() -> None:
    failure = understood(
        403, "Resource not accessible by integration", x_accepted_github_permissions="issues=write; pull_requests=write"
    )

    assert "`issues: write; pull_requests: write`" in str(failure)


def test_any_other_refusal_is_told_in_githubs_words() -> None:
    failure = understood(403, "Repository was archived so is read-only.")

    assert isinstance(failure, Refused)
    assert "Repository was archived so is read-only." in str(failure)


@pytest.mark.parametrize(
    ("errors", "text"),
    [
        ([{"resource": "PullRequest", "code": "custom", "message": "It exists"}], "it exists"),
        ([{"resource": "Label", "code": "already_exists", "field": "name"}], "name already_exists"),
        (["Could not resolve to a node"], "Could not resolve to a node"),
        ("a text", "Validation Failed"),
        ([], "Validation Failed"),
    ],
)
def test_what_is_invalid_is_told_with_its_details(errors: Any, text: str) -> None:
    failure = understood(422, "Validation Failed", errors=errors)

    assert isinstance(failure, Invalid)
    assert failure.says(text.upper())


@pytest.mark.parametrize("answer", [None, "<html>", {"data": "<html>"}, [], {"message": ""}, {"message": None}])
def test_an_answer_that_says_nothing_is_told_by_its_status(answer: Any) -> None:
    failure = understand(400, answer, {}, doing="comment", needs="issues: write", now_s=NOW_S)

    assert isinstance(failure, Refused)
    assert "status 400" in str(failure)


def test_githubs_words_are_cut() -> None:
    assert len(str(understood(422, "x" * 10_000))) < 600

"""What git's words mean, where only time helps."""

import pytest

from bot.errors import Gone, Refused, Unavailable
from bot.repository.complaints import LIMITED_S, failure, rejection

UNABLE = "fatal: unable to access 'https://github.com/octo/cat.git/': The requested URL returned error: "
LIMITED = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


@pytest.mark.parametrize(
    "words", [f"{UNABLE}429", f"remote: {LIMITED}\n{UNABLE}403", f"remote: API rate limit exceeded for x\n{UNABLE}403"]
)
def test_a_server_that_has_had_too_many_requests_is_waited_for_long(words: str) -> None:
    error = failure("push", 128, b"", words)

    assert isinstance(error, Unavailable)
    assert error.retry_after_s == LIMITED_S


def test_a_push_that_is_refused_for_their_number_is_waited_for_as_well() -> None:
    error = rejection(
        "selfcode/issue-7", b"!\tHEAD:refs/heads/x\t[remote rejected] (pre-receive)\n", f"remote: {LIMITED}"
    )

    assert isinstance(error, Unavailable)
    assert error.retry_after_s == LIMITED_S


def test_any_other_403_is_a_repository_that_is_not_to_be_had() -> None:
    assert isinstance(failure("push", 128, b"", f"{UNABLE}403"), Gone)


def test_a_file_that_is_called_so_is_no_limit() -> None:
    said = "remote: error: GH013: docs/rate limit.md holds a secret"

    assert isinstance(rejection("x", b"!\tHEAD:refs/heads/x\t[remote rejected] (rule)\n", said), Refused)

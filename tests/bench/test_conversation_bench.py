"""The benchmark of the conversation: that its parts work. Its figures are for quiet machines."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.conversation import print_reactions, print_stops
from bench.conversation_parts import kinds_of, stories
from bot.demo.api import Recorded
from tests.story.town import Town, town

SECONDS = r" +\d+\.\d{2,3}"


@pytest.fixture
def built(tmp_path: Path) -> Iterator[Town]:
    with town(tmp_path, *stories(), commands=("web", "worker")) as made:
        yield made


def test_reactions_and_stops_are_timed_beside_their_aims(built: Town, capsys: pytest.CaptureFixture[str]) -> None:
    print_reactions(built, 6)
    print_stops(built, 1, has_containers=False)

    printed = capsys.readouterr().out
    assert re.search(rf"one answer of the stand-in(?:{SECONDS}){{3}}\n", printed)
    assert re.search(rf"delivery → 👀(?:{SECONDS}){{3}}  p50 < 1 s: (held|MISSED)\n", printed)
    for during in ("reply", "test"):
        assert re.search(rf"in mid-{during} → the end of the run(?:{SECONDS}){{2}}\n", printed)


def asked(method: str, path: str, query: str = "") -> Recorded:
    return Recorded(method, path, {}, {"query": query} if query else None, "selfcode[bot]", 200, None)


def test_requests_are_counted_by_what_they_are_for_wherever_they_go() -> None:
    mutation = "mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { clientMutationId } }"
    found = kinds_of(
        [
            asked("GET", "/repos/octo/cat/issues/1"),
            asked("GET", "/repos/octo/dog/issues/23"),
            asked("PATCH", "/repos/octo/cat/issues/comments/1001"),
            asked("GET", f"/repos/octo/cat/commits/{'0123456789abcdef' * 2}01234567/check-runs"),
            asked("GET", "/repositories/77"),
            asked("POST", "/app/installations/5/access_tokens"),
            asked("POST", "/api/graphql", mutation),
        ]
    )

    assert found == {
        "GET issues/N": 2,
        "PATCH issues/comments/N": 1,
        "GET commits/SHA/check-runs": 1,
        "GET the repository": 1,
        "POST /app/installations/N/access_tokens": 1,
        "POST graphql markPullRequestReadyForReview": 1,
    }

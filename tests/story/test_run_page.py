"""What is said on GitHub leads to the run's page, where that is public; and strangers learn nothing there."""

import re
from collections.abc import Iterator

import pytest
import requests

from bot.records import Outcome
from tests.story import recordings
from tests.story.town import Town, town

PUBLIC = "https://bot.example.com"


@pytest.fixture(scope="module")
def public_town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A town where people can sign in, at a public address."""
    settings = {
        "SELFCODE_PUBLIC_URL": PUBLIC,
        "SELFCODE_CLIENT_ID": "Iv23",
        "SELFCODE_CLIENT_SECRET": "a-secret-of-the-tests",
    }
    with town(tmp_path_factory.mktemp("town"), recordings.right_at_once(), settings=settings) as built:
        yield built


def seen_by_a_stranger(town: Town, path: str) -> tuple[int, str]:
    """What a page says to who has not signed in, but for where signing in leads to and the form's token."""
    answer = requests.get(f"{town.url}{path}", headers={"Host": "bot.example.com"}, timeout=30)
    return answer.status_code, re.sub(r'value="[^"]*"', "", answer.text)


def test_comments_pull_request_and_check_lead_to_the_runs_page_which_shows_strangers_nothing(public_town: Town) -> None:
    repository = public_town.repository("octo/public", recordings.files())
    issue = repository.open_issue(recordings.TITLE, recordings.BODY, by="ada", labels=("selfcode",))
    run = public_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    [pull] = repository.pulls
    link = f"[run page]({PUBLIC}/runs/{run.id}) (sign in with GitHub)"

    assert link in public_town.said(issue)[0].body
    assert link in pull.body
    assert [check.details_url for check in repository.check_runs] == [f"{PUBLIC}/runs/{run.id}"]
    there, nowhere = (seen_by_a_stranger(public_town, f"/runs/{run_id}") for run_id in (run.id, "0" * 16))
    assert there == nowhere
    assert (there[0], recordings.TITLE in there[1]) == (401, False)

"""A pull request that people close, open again and merge: what the numbers say of it, and that nothing else comes."""

import html
import re
from urllib.parse import urlencode

import requests

from bot.demo.handles import IssueHandle, RepositoryHandle
from bot.records import Outcome
from tests.story.conftest import Case
from tests.story.town import Town


def pull_requests(town: Town, repository: RepositoryHandle) -> str:
    """What the page of numbers says about the pull requests of a repository."""
    address = f"{town.url}/numbers?{urlencode({'repository': repository.full_name})}"
    page = requests.get(address, timeout=30)
    found = re.search(r"<dt>Pull requests</dt><dd>(.*?)</dd>", page.text)
    assert found, page.text
    return html.unescape(re.sub(r"<[^>]+>", " ", found[1]))


def test_a_pull_request_that_is_opened_again_counts_as_open_until_it_is_merged(shared_town: Town, a_case: Case) -> None:
    repository, issue = a_case()
    issue.label("selfcode", by="ada")
    shared_town.wait_for_outcome(repository, issue, Outcome.PROVEN)
    [pull] = repository.pulls

    def are(words: str) -> bool:
        return words in pull_requests(shared_town, repository)

    said = _told(shared_town, issue)
    pull.close(by="ada")
    shared_town.wait_for("that it is closed", lambda: are("0 merged, 0 open, 1 closed"))
    pull.reopen(by="ada")
    shared_town.wait_for("that it is open", lambda: are("0 merged, 1 open, 0 closed"))
    assert (len(shared_town.runs(repository, issue)), _told(shared_town, issue)) == (1, said)

    pull.merge(by="ada")
    shared_town.wait_for("that it is merged", lambda: are("1 merged, 0 open, 0 closed"))


def _told(town: Town, issue: IssueHandle) -> list[str]:
    return [comment.body for comment in town.said(issue)]

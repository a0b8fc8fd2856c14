"""The whole memory of the stand-in for GitHub, and how things are found in it."""

import itertools
import secrets
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.demo.answers import ApiError, Moved, not_found
from bot.demo.keys import key_pair
from bot.demo.people import Code, Refresh, Registration
from bot.demo.state import (
    Account,
    App,
    Comment,
    Delivery,
    Installation,
    Issue,
    PullRequest,
    Repository,
    Review,
    ReviewComment,
    Token,
)


class World:
    """The whole memory. `now()` is the clock of tokens and dates; `advance` moves it for tests.

    `signs_commits`: whether commits that an App has written by the API are signed; an Enterprise Server may not do so.
    `signed_in` is who looks at the pages about Apps. `new_keys` makes a private and a public key, PEM.
    `form_token` goes into the forms of the pages.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.lock = threading.RLock()
        self.base_url = ""
        self.accounts: dict[str, Account] = {}
        self.repositories: dict[int, Repository] = {}
        self.apps: dict[int, App] = {}
        self.installations: dict[int, Installation] = {}
        self.tokens: dict[str, Token] = {}
        self.deliveries: list[Delivery] = []
        self.registrations: dict[str, Registration] = {}
        self.codes: dict[str, Code] = {}
        self.refreshes: dict[str, Refresh] = {}
        self.signed_in: Account | None = None
        self.new_keys = key_pair
        self.form_token = secrets.token_urlsafe(32)
        self.signing_key = secrets.token_hex(32)
        self.signs_commits = True
        self._ids = itertools.count(1001)
        self._offset = timedelta()

    @property
    def api_url(self) -> str:
        return f"{self.base_url}/api/v3"

    def new_id(self) -> int:
        return next(self._ids)

    def now(self) -> datetime:
        return (datetime.now(UTC) + self._offset).replace(microsecond=0)

    def advance(self, span: timedelta) -> None:
        self._offset += span

    # --- Accounts and tokens

    def add_account(self, login: str, kind: str = "User") -> Account:
        account = Account(self.new_id(), login, kind, self.now())
        self.accounts[login.lower()] = account
        return account

    def account(self, login: str) -> Account:
        found = self.accounts.get(login.lower())
        if found is None:
            raise not_found()
        return found

    def add_token(self, token: Token) -> Token:
        self.tokens[token.value] = token
        return token

    def token_for(self, account: Account) -> Token:
        """A person's token, which does not expire."""
        return self.add_token(Token(f"ghp_{secrets.token_hex(18)}", user=account))

    # --- Repositories and issues

    def repository(self, owner: str, name: str) -> Repository:
        """A repository by its name, whatever its case. Raises `Moved` for a former name."""
        wanted = f"{owner}/{name}".lower()
        for repository in self.repositories.values():
            if repository.full_name.lower() == wanted:
                return repository
        for repository in self.repositories.values():
            if wanted in repository.former:
                raise Moved(f"{self.api_url}/repositories/{repository.id}")
        raise not_found()

    def issue(self, repository: Repository, number: int) -> Issue:
        """An issue or pull request. Raises 404, 410 for a deleted one, 301 for a transferred one."""
        issue = repository.issues.get(number)
        if issue is None:
            raise not_found()
        if issue.transferred_to is not None:
            there = issue.transferred_to
            raise Moved(f"{self.api_url}/repositories/{there.repository.id}/issues/{there.number}", whole=True)
        if issue.deleted:
            raise ApiError(410, "This issue was deleted")
        return issue

    def pull(self, repository: Repository, number: int) -> tuple[Issue, PullRequest]:
        issue = self.issue(repository, number)
        if issue.pull is None:
            raise not_found()
        return issue, issue.pull

    def comment(self, repository: Repository, comment_id: int) -> Comment:
        for issue in repository.issues.values():
            for comment in issue.comments:
                if comment.id == comment_id and not issue.deleted:
                    return comment
        raise not_found()

    def review(self, repository: Repository, number: int, review_id: int) -> tuple[Issue, Review]:
        issue, pull = self.pull(repository, number)
        found = next((review for review in pull.reviews if review.id == review_id), None)
        if found is None:
            raise not_found()
        return issue, found

    def review_comment(self, repository: Repository, comment_id: int) -> tuple[Issue, ReviewComment]:
        for issue in repository.issues.values():
            for thread in issue.pull.threads if issue.pull and not issue.deleted else ():
                for comment in thread.comments:
                    if comment.id == comment_id:
                        return issue, comment
        raise not_found()

    # --- Apps

    def installation(self, installation_id: int) -> Installation:
        found = self.installations.get(installation_id)
        if found is None:
            raise not_found()
        return found

    def installations_on(self, repository: Repository) -> list[Installation]:
        return [found for found in self.installations.values() if found.covers(repository)]

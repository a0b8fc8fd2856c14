"""Where something is, and who is there: repositories, issues, people and what they may do."""

from collections.abc import Collection
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RepositoryRef:
    """A repository as an installation sees it. `id` stays when it is renamed; owner and name are for reading."""

    installation_id: int
    id: int
    owner: str
    name: str

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True, slots=True)
class IssueRef:
    """An issue, or a pull request where `number` is one's."""

    repository: RepositoryRef
    number: int

    def __str__(self) -> str:
        return f"{self.repository.full_name}#{self.number}"


@dataclass(frozen=True, slots=True)
class Person:
    """Who did something. Bots are never trusted unless the operator lists them. `id` is GitHub's, where it is known."""

    login: str
    is_bot: bool = False
    id: int | None = field(default=None, compare=False)

    def is_bot_among(self, logins: Collection[str]) -> bool:
        """Whether this is one of these bots, each named with or without `[bot]`. A person of a bot's name is none."""
        return self.is_bot and _bot_name(self.login) in {_bot_name(login) for login in logins}


OPERATOR = Person("the operator")
"""Who runs selfcode. No account on GitHub can have this name, for it has a space in it."""


def _bot_name(login: str) -> str:
    return login.strip().casefold().removesuffix("[bot]")


PERMISSIONS = ("none", "read", "triage", "write", "maintain", "admin")
"""What a person may do in a repository, each more than the one before.

Source: https://docs.github.com/en/organizations/managing-user-access-to-your-organizations-repositories/managing-repository-roles/repository-roles-for-an-organization
"""

"""Where something is, and who is there: repositories, issues, people and what they may do."""

from dataclasses import dataclass


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
    """Who did something. Bots are never trusted unless the operator lists them."""

    login: str
    is_bot: bool = False


PERMISSIONS = ("none", "read", "triage", "write", "maintain", "admin")
"""What a person may do in a repository, each more than the one before.

Source: https://docs.github.com/en/organizations/managing-user-access-to-your-organizations-repositories/managing-repository-roles/repository-roles-for-an-organization
"""

"""The App comes and goes: installations and their repositories. Pure."""

from bot.records import IssueRef, RepositoryRef, Trigger, TriggerKind
from bot.triggers.answers import Accept, Ignore, Ours, person
from bot.triggers.events import InstallationEvent, InstallationRepositoriesEvent, iso
from bot.triggers.payloads import Repository

FOR_GOOD = f"App {TriggerKind.UNINSTALLED}"
"""Why an App sees a repository no more: not for the time of a suspension."""


def on_installation(event: InstallationEvent, ours: Ours) -> Accept | Ignore:
    """The App was installed on an account, or taken off it: for good, or until it is let in again.

    Nothing that is kept may be removed for a suspension.
    """
    account = Repository(id=0, full_name=f"{event.installation.account.login}/")
    match event.action:
        case "created" if event.repositories:
            return _of_repositories(event, TriggerKind.INSTALLED, event.repositories, ours)
        case "deleted":
            return _of_repositories(event, TriggerKind.UNINSTALLED, (account,), ours, because=FOR_GOOD)
        case "suspend":
            return _of_repositories(event, TriggerKind.UNINSTALLED, (account,), ours, because="App suspended")
        case "unsuspend":
            return _of_repositories(event, TriggerKind.INSTALLED, (account,), ours, because="App no longer suspended")
        case _:
            return Ignore(f"an installation that is {event.action} asks for nothing")


def on_repositories(event: InstallationRepositoriesEvent, ours: Ours) -> Accept | Ignore:
    """The App may see more repositories, or fewer."""
    match event.action:
        case "added" if event.repositories_added:
            return _of_repositories(event, TriggerKind.INSTALLED, event.repositories_added, ours)
        case "removed" if event.repositories_removed:
            return _of_repositories(event, TriggerKind.UNINSTALLED, event.repositories_removed, ours)
        case _:
            return Ignore("no repository was added or removed")


def _of_repositories(
    event: InstallationEvent | InstallationRepositoriesEvent,
    kind: TriggerKind,
    repositories: tuple[Repository, ...],
    ours: Ours,
    *,
    because: str = "",
) -> Accept:
    """One trigger for each repository; id 0 stands for the whole account.

    A repository may come, go and come again, and the payload has nothing to tell these apart by: hence the delivery in
    the key. What they ask for may safely be done twice.
    """
    installation = event.installation
    return Accept(
        tuple(
            Trigger(
                key=f"{kind}:{installation.id}/{repository.id}@{ours.delivery_id}",
                kind=kind,
                issue=IssueRef(RepositoryRef(installation.id, repository.id, repository.owner, repository.name), 0),
                sender=person(event.sender),
                occurred_at=iso(installation.updated_at),
                because=because or f"App {kind}",
                delivery_id=ours.delivery_id,
            )
            for repository in repositories
        )
    )

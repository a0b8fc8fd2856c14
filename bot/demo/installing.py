"""What can happen to an installation of an App, each with the deliveries that it causes."""

from typing import Any

from bot.demo import shapes
from bot.demo.changes import Changes
from bot.demo.state import Account, Installation, Repository


def install(changes: Changes, installation: Installation, by: Account) -> None:
    """Put an App on an account."""
    changes.world.installations[installation.id] = installation
    changes.courier.tell_app(installation, "installation", "created", _covered(changes, installation), sender=by)


def uninstall(changes: Changes, installation: Installation, by: Account) -> None:
    """Take an App off an account: its tokens are good for nothing any more."""
    fields = _covered(changes, installation)
    del changes.world.installations[installation.id]
    changes.courier.tell_app(installation, "installation", "deleted", fields, sender=by)


def suspend(changes: Changes, installation: Installation, by: Account) -> None:
    """Keep an App from acting and from hearing anything, for a while."""
    installation.suspended_at, installation.suspended_by = changes.world.now(), by
    installation.updated_at = changes.world.now()
    changes.courier.tell_app(installation, "installation", "suspend", _covered(changes, installation), sender=by)


def unsuspend(changes: Changes, installation: Installation, by: Account) -> None:
    """Let a suspended App act again."""
    installation.suspended_at = installation.suspended_by = None
    installation.updated_at = changes.world.now()
    changes.courier.tell_app(installation, "installation", "unsuspend", _covered(changes, installation), sender=by)


def allow(changes: Changes, installation: Installation, permissions: dict[str, str], by: Account) -> None:
    """Give an installation these permissions, and no others: as an owner does who accepts, or takes back."""
    installation.permissions = dict(permissions)
    installation.updated_at = changes.world.now()
    fields = _covered(changes, installation)
    changes.courier.tell_app(installation, "installation", "new_permissions_accepted", fields, sender=by)


def select(changes: Changes, installation: Installation, repository: Repository, by: Account, *, added: bool) -> None:
    """Add a repository to those that the installation covers, or take it away."""
    everything = {found.id for found in changes.world.repositories.values() if found.owner is installation.account}
    chosen = everything if installation.repository_ids is None else installation.repository_ids
    installation.repository_ids = chosen | {repository.id} if added else chosen - {repository.id}
    tell_of(changes, installation, repository, by, added=added)


def tell_of(changes: Changes, installation: Installation, repository: Repository, by: Account, *, added: bool) -> None:
    """Tell that an installation sees a repository more, or one less."""
    installation.updated_at = changes.world.now()
    short = [shapes.short_repository(repository)]
    fields = {
        "repository_selection": "all" if installation.repository_ids is None else "selected",
        "repositories_added": short if added else [],
        "repositories_removed": [] if added else short,
        "requester": None,
    }
    action = "added" if added else "removed"
    changes.courier.tell_app(installation, "installation_repositories", action, fields, sender=by)


def _covered(changes: Changes, installation: Installation) -> dict[str, Any]:
    covered = [found for found in changes.world.repositories.values() if installation.covers(found)]
    return {"repositories": [shapes.short_repository(found) for found in covered], "requester": None}

"""Accounts by their login."""

from bot.demo.changes import Changes
from bot.demo.state import Account, App


def account(changes: Changes, login: str) -> Account:
    """The account of that login, made where it is new."""
    world = changes.world
    return world.accounts.get(login.lower()) or world.add_account(login)


def other_app(changes: Changes, slug: str) -> App:
    """Another App that is on GitHub, such as `github-actions`, made where it is new. Nobody has installed it here."""
    world = changes.world
    found = next((app for app in world.apps.values() if app.slug == slug), None)
    if found is None:
        found = App(
            id=world.new_id(),
            slug=slug,
            owner=account(changes, "github"),
            bot=world.add_account(f"{slug}[bot]", "Bot"),
            private_key="",
            public_key="",
            webhook_secret="",
            webhook_url="",
            permissions={"checks": "write", "metadata": "read"},
            events=(),
            created_at=world.now(),
        )
        world.apps[found.id] = found
    return found

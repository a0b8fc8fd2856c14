"""What the worker is put together from."""

from collections.abc import Iterator

import pytest

from bot.demo import signing
from bot.demo.hub import Hub
from bot.demo.state import App
from bot.wire.service import author_of
from tests.github.stages import a_door


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    with Hub() as running:
        yield running


@pytest.fixture(scope="module")
def app(hub: Hub) -> App:
    return hub.create_app("selfcode")


def address_of(hub: Hub, app: App) -> str:
    author = author_of(a_door(hub, app, []), hub.world.base_url, lambda _: False)
    assert author.name == app.bot.login
    return author.email


def test_our_own_commits_are_by_the_account_that_github_writes_commits_by(hub: Hub, app: App) -> None:
    before_anybody_installs_it = address_of(hub, app)
    hub.install(app, "octo")

    assert before_anybody_installs_it == address_of(hub, app) == signing.address(hub.world, app.bot)


def test_where_github_does_not_tell_its_number_none_is_made_up(hub: Hub, app: App) -> None:
    hub.fail_next("GET", "/users/", 502, times=15)

    assert address_of(hub, app) == "selfcode[bot]@users.noreply.127.0.0.1"

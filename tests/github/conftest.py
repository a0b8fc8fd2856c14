from collections.abc import Iterator
from itertools import count

import pytest

from bot.demo.hub import Hub
from bot.demo.state import App
from tests.github.stages import FakeStage, HubStage, Stage

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def hub() -> Iterator[Hub]:
    with Hub() as running:
        yield running


@pytest.fixture(scope="session")
def app(hub: Hub) -> App:
    return hub.create_app("selfcode", owner="operator")


@pytest.fixture
def scene(hub: Hub, app: App) -> HubStage:
    """A repository of its own on the stand-in, with the App installed."""
    return HubStage(hub, app, f"owner-{next(_NUMBERS)}")


@pytest.fixture(params=["fake", "real"])
def stage(request: pytest.FixtureRequest) -> Stage:
    if request.param == "fake":
        return FakeStage()
    found: HubStage = request.getfixturevalue("scene")
    return found

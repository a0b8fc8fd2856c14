from collections.abc import Iterator

import pytest

from bot.demo.hub import Hub
from tests.demo.clients import Scene
from tests.demo.keys import Keys


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub(keys=Keys()) as running:
        yield running


@pytest.fixture
def scene(hub: Hub) -> Scene:
    """octo/adder with an App on it, mona with write access, and ada, a stranger."""
    return Scene.on(hub)

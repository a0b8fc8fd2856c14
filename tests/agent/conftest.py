from collections.abc import Iterator

import pytest

from tests.agent.openai_server import OpenAIServer, openai_server


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as served:
        yield served

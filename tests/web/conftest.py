import pytest
from flask.testing import FlaskClient

from tests.web.fakes import MemoryInbox, an_app


@pytest.fixture
def inbox() -> MemoryInbox:
    return MemoryInbox()


@pytest.fixture
def client(inbox: MemoryInbox) -> FlaskClient:
    return an_app(inbox).test_client()

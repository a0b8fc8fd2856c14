import pytest

from tests.web.fakes import Client, MemoryInbox, an_app


@pytest.fixture
def inbox() -> MemoryInbox:
    return MemoryInbox()


@pytest.fixture
def client(inbox: MemoryInbox) -> Client:
    return Client(an_app(inbox))

"""PyGithub's connections, as many as are in use at once."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from github.Requester import Requester


class Connections:
    """All connections with one set of credentials. Safe for any number of threads.

    One carries one request at a time: PyGithub keeps the request in the connection until it is sent, so that of two
    threads with one connection, both may send what the second wants.
    Source: github/Requester.py, HTTPSRequestsConnectionClass.
    """

    def __init__(self, make: Callable[[], Requester], installation_id: int | None = None) -> None:
        """`installation_id` is whose credentials they are; None for the App's own."""
        self._make = make
        self.installation_id = installation_id
        self._idle: deque[Requester] = deque([make()])
        self.graphql_url: str = self._idle[0].graphql_url

    @contextmanager
    def one(self) -> Iterator[Requester]:
        """One of them for oneself."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._make()
        try:
            yield connection
        finally:
            self._idle.append(connection)

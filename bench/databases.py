"""A PostgreSQL server of a benchmark's own."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.postgres.server import CannotStart, is_installed, private_server


@contextmanager
def postgresql() -> Iterator[str | None]:
    """A database of our own that keeps what it says it keeps; None, said aloud, where no server is installed."""
    if not is_installed():
        print("PostgreSQL IS LEFT OUT: it is not installed (Debian: postgresql)")
        yield None
        return
    try:
        with private_server(durable=True) as server:
            yield server.create("selfcode")
    except CannotStart as problem:
        print(f"PostgreSQL IS LEFT OUT: {problem}")
        yield None

"""Run a command with a PostgreSQL server for the tests: `python -m tests.postgres -- COMMAND…`.

Where it is not installed, INSTALL_POSTGRES=1 or CI have that done.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests import apt
from tests.postgres.server import ADDRESS, is_installed, private_server
from tests.providing import Provision, main


@contextmanager
def server(*, may_install: bool) -> Iterator[Mapping[str, str]]:
    """A server."""
    if not is_installed() and may_install:
        apt.install(["postgresql"], say=PROVISION.say)
    if is_installed() or may_install:
        with private_server() as started:
            yield {ADDRESS: str(started.folder)}
    else:
        PROVISION.say("PostgreSQL is not installed: ITS TESTS ARE LEFT OUT.")
        PROVISION.say("To have them: make test INSTALL_POSTGRES=1  (root on Debian or Ubuntu; installs postgresql)")
        yield {}


PROVISION = Provision("tests.postgres", "a PostgreSQL server to test on", "INSTALL_POSTGRES", server)

if __name__ == "__main__":
    main(PROVISION)

"""Run a command with Chromium for the tests: `python -m tests.browser -- COMMAND…`.

Where it is not installed, INSTALL_CHROMIUM=1 or CI have that done.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests import apt
from tests.browser.chromium import PROGRAM, program
from tests.providing import CannotProvide, Provision, main


@contextmanager
def browser(*, may_install: bool) -> Iterator[Mapping[str, str]]:
    """The program's path."""
    if program() is None and may_install:
        _install()
    if found := program():
        yield {PROGRAM: found}
    elif may_install:
        raise CannotProvide("apt-get has installed it, and it is not on the PATH")
    else:
        PROVISION.say("Chromium is not installed: THE TESTS IN A BROWSER ARE LEFT OUT.")
        PROVISION.say("To have them: make test INSTALL_CHROMIUM=1  (root on Debian or Ubuntu; installs chromium)")
        yield {}


def _install() -> None:
    """The one that needs no window; where a system has none such, the one that people have."""
    try:
        apt.install(["chromium-headless-shell"], say=PROVISION.say)
    except apt.CannotInstall as error:
        PROVISION.say(str(error))
        apt.install(["chromium"], say=PROVISION.say)


PROVISION = Provision("tests.browser", "Chromium to test in", "INSTALL_CHROMIUM", browser)

if __name__ == "__main__":
    main(PROVISION)

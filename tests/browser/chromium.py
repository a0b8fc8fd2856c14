"""The Chromium of this machine, without a window. Nothing is fetched for it, nor by it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

PROGRAM = "SELFCODE_TEST_CHROMIUM"
"""Names the program, where it has an unusual name or place."""

PUBLIC_HOST = "bot.localhost"
"""A name that leads browsers to this machine, and is not "this machine" to our pages. No other name leads anywhere."""

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The first is the same engine without the windows that the others make, unseen, for each tab, at a cost."""

_FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE {PUBLIC_HOST}",
)


def program() -> str | None:
    """Its path; None where there is none."""
    named = os.environ.get(PROGRAM)
    return next((found for name in ([named] if named else _NAMES) if (found := shutil.which(name))), None)


@contextmanager
def chromium(path: str) -> Iterator[Browser]:
    """A browser. While the context lasts, this thread can run no other event loop.

    It has no sandbox of its own, which root can't have: it shows nothing but our pages.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_FLAGS, chromium_sandbox=False)
        try:
            yield browser
        finally:
            browser.close()

"""Every page as a picture, to be looked at: bright and dark, wide and as on a phone.

python -m tests.browser.look [FOLDER]        # .cache/look/pages by default
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, ViewportSize

from tests.browser import shown
from tests.browser.chromium import chromium, program
from tests.browser.shown import PHONE
from tests.browser.site import WRITER, Site, a_site

WIDE: ViewportSize = {"width": 1280, "height": 900}
SCHEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")


def main(folder: Path) -> int:
    """Take the pictures; 1 where there is no browser."""
    path = program()
    if path is None:
        sys.stderr.write("no pictures of the pages: Chromium is not installed\n")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, chromium(path) as browser, a_site(Path(place)) as site:
        take(browser, site, folder)
    sys.stdout.write(f"{folder}\n")
    return 0


def take(browser: Browser, site: Site, folder: Path) -> None:
    """A picture of each page, whole, in each scheme and width."""
    addresses = shown.everything(site)
    for scheme in SCHEMES:
        for width, size in (("wide", WIDE), ("phone", PHONE)):
            tab = site.tab(browser, WRITER, color_scheme=scheme, viewport=size)
            for name, address in addresses.items():
                tab.open(address, status=404 if name == "nothing" else 200)
                tab.unfold()
                tab.page.screenshot(path=folder / f"{name.replace(' ', '-')}.{scheme}.{width}.png", full_page=True)
            tab.context.clear_cookies()
            tab.open("/", status=401).page.screenshot(path=folder / f"sign-in.{scheme}.{width}.png")
            tab.context.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.browser.look", description="Every page as a picture.")
    parser.add_argument("folder", type=Path, nargs="?", default=Path(".cache/look/pages"), help="where they are put")
    sys.exit(main(parser.parse_args().folder))

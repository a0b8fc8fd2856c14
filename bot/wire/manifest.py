"""app.yml, where it is: in the installed package, or at the top of a checkout."""

from pathlib import Path

import bot
from bot.triggers.manifest import Manifest, parse_manifest

FILE = "app.yml"


def app_manifest() -> Manifest:
    """What the App asks for."""
    package = Path(bot.__file__).parent
    found = next(path for path in (package / FILE, package.parent / FILE) if path.is_file())
    return parse_manifest(found.read_text(encoding="utf-8"))

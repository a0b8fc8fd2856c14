"""Demos that are kept running on this machine: where their bots have their homes."""

import os
import tempfile
from pathlib import Path

PREFIX = "selfcode-demo-"
HOME = "home"
"""The folder of the bot's own, in the demo's."""


def kept_homes() -> list[Path]:
    """The homes of this user's demos that are there still, the newest first."""
    found = [each for each in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{HOME}") if _is_ours(each)]
    return sorted(found, key=lambda each: each.stat().st_mtime, reverse=True)


def _is_ours(home: Path) -> bool:
    try:
        return home.stat().st_uid == os.getuid() and any(home.glob("*.sqlite"))
    except OSError:
        return False

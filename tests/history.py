"""A small project's history in a real repository: what tests of ranges and of their proofs stand on."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

TEST = "python3 -m unittest discover tests"
BROKEN = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return 2 * a\n"
FIXED = BROKEN.replace("a - b", "a + b")
DOUBLE_TEST = """\
from unittest import TestCase

from calc import double


class TestDouble(TestCase):
    def test_double(self):
        assert double(4) == 8
"""
ADD_TEST = """\
from unittest import TestCase

from calc import add


class TestAdd(TestCase):
    def test_add(self):
        assert add(1, 2) == 3
"""

BASE: Mapping[str, str] = {
    ".github/selfcode.yml": f'test: {TEST}\nsetup: ""\n',
    "calc.py": BROKEN,
    "tests/test_double.py": DOUBLE_TEST,
}
FIX: Mapping[str, str] = {"calc.py": FIXED, "tests/test_add.py": ADD_TEST}

_IDENTITY = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
} | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


@dataclass(frozen=True, slots=True)
class History:
    """A checkout whose commits a test makes one by one."""

    folder: Path

    @classmethod
    def begun(cls, folder: Path, files: Mapping[str, str] = BASE) -> Self:
        """A new one whose first commit holds these files."""
        folder.mkdir(parents=True)
        history = cls(folder)
        history.git("init", "--quiet", "--initial-branch=main")
        history.commit(files)
        return history

    def commit(self, files: Mapping[str, str | None], message: str = "Change") -> str:
        """Commit files on top of what is checked out; None deletes one. Returns the commit."""
        for path, text in files.items():
            file = self.folder / path
            if text is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=os.environ | _IDENTITY, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

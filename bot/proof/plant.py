"""The host's own failing test, as a value. Pure."""

import re
from collections import Counter
from dataclasses import dataclass, replace

_TOKEN = re.compile(r"[a-z0-9]{4,40}")
PYTHON_TEST = """\
import unittest


class TestZzSelfcode_{token}(unittest.TestCase):
    def test_zz_selfcode_{token}(self):
        self.fail("planted by selfcode: {token}")
"""


@dataclass(frozen=True, slots=True)
class Plant:
    """A test that must fail, in a file of its own. `path` is relative to the repository.

    `template` is the file's text with `{token}` where the token goes: the test's name must hold it, and so must the
    message of its failure, as in `said`. `positional`: the command names its test files, so the path is added to them.
    `injected`: the test program itself is made to run it last in each of its runs, beside the most tests, and to end as
    it would without it; no file is put into the repository.
    """

    path: str
    token: str
    positional: bool = False
    template: str = PYTHON_TEST
    injected: bool = False

    def __post_init__(self) -> None:
        if not _TOKEN.fullmatch(self.token):
            raise ValueError(f"a plant's token is small letters and digits, not {self.token!r}")

    @property
    def content(self) -> bytes:
        return self.template.replace("{token}", self.token).encode()

    @property
    def said(self) -> str:
        """What the failure's message must hold."""
        return f"planted by selfcode: {self.token}"

    def again(self, token: str) -> "Plant":
        """The same place under another name, for the next run."""
        return replace(self, path=self.path.replace(self.token, token), token=token)


def fullest(folders: Counter[str]) -> str:
    """The folder that most tests are in; of several the one that is least deep. There is at least one."""
    return min(folders, key=lambda name: (-folders[name], name.count("/"), name))

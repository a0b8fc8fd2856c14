"""A trick as data, and the two ways to try it: believed in every run, and in earnest."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.proof import A, B, C, prove
from bot.records import ChangedFile, Proof
from tests.proof.laboratory import BASE, PYTEST, SOLVED, Laboratory, Texts, a_report, changes

LARGE = "tests/test_large.py::test_large"
SMALL, ZERO = "tests/test_calc.py::test_small", "tests/test_calc.py::test_zero"


@dataclass(frozen=True)
class Trick:
    """A way to look proven without being right, or an honest change that must not be taken for one.

    `kind` is its row in docs/security.md, `says` a part of the reason that the report must give. `base` and `head` come
    over the laboratory's own, which are solved and tested; None there takes a file away. `modes` are git's, for what is
    no plain file. `by_turns`: its runs need not come to the same on the same files.
    """

    name: str
    kind: str
    head: Texts
    says: str = ""
    base: Texts = field(default_factory=dict)
    command: str = PYTEST
    modes: Mapping[str, str] = field(default_factory=dict)
    by_turns: bool = False

    @property
    def before(self) -> Texts:
        return {**BASE, **self.base}

    @property
    def after(self) -> Texts:
        return {**SOLVED, **self.head}

    @property
    def files(self) -> tuple[ChangedFile, ...]:
        return tuple(self._moded(file) for file in changes(self.before, self.after))

    def _moded(self, file: ChangedFile) -> ChangedFile:
        mode = self.modes.get(file.path)
        if mode is None or file.after is None:
            return file
        return ChangedFile(file.path, file.before, file.after, file.before_mode, mode)

    def believed(self) -> Proof:
        """Judged as if all that runs had been fooled: red without the change, green with it, nothing broke."""
        old = a_report(passed=[SMALL, ZERO])
        reports = {
            A: a_report(passed=[SMALL, ZERO], failed=[LARGE]),
            B: a_report(passed=[SMALL, ZERO, LARGE]),
            C: old,
        }
        return prove(self.files, old, reports.__getitem__)

    def in_earnest(self) -> Proof:
        """Judged by real runs."""
        return Laboratory(self.before, self.after, self.command, by_turns=self.by_turns).prove()


def lacks(proof: Proof, words: str) -> bool:
    """Whether the proof fails, and says so in a sentence with these words."""
    return not proof.holds and any(words in reason for reason in proof.missing)

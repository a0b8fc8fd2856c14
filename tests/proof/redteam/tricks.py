"""A trick as data, and the two ways to try it: believed in every run, and in earnest."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.proof import A, B, C, Plant, prove
from bot.records import ChangedFile, Proof, TestReport
from sandbox.contract import File
from tests.proof.laboratory import BASE, NEW_TEST, PYTEST, SOLVED, Laboratory, Texts, a_report, changes, text

_OLD = {path: text(content or "") for path, content in BASE.items()}
_NEW = _OLD | {"tests/test_large.py": text(NEW_TEST)}
LARGE = "tests/test_large.py::test_large"
SMALL, ZERO = "tests/test_calc.py::test_small", "tests/test_calc.py::test_zero"


@dataclass(frozen=True)
class Trick:
    """A way to look proven without being right, or an honest change that must not be taken for one.

    `kind` is its row in docs/security.md, `says` a part of the reason that the report must give. `base` and `head` come
    over the laboratory's own, which are solved and tested; None there takes a file away. `modes` are git's, for what is
    no plain file.
    """

    name: str
    kind: str
    head: Texts
    says: str = ""
    base: Texts = field(default_factory=dict)
    command: str = PYTEST
    modes: Mapping[str, str] = field(default_factory=dict)

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
        """Every run is a run."""
        return _Range(self.before, self.after, self.command).prove()


def lacks(proof: Proof, words: str) -> bool:
    """Whether the proof fails, and says so in a sentence with these words."""
    return not proof.holds and any(words in reason for reason in proof.missing)


_known: dict[tuple[object, ...], TestReport] = {}


class _Range(Laboratory):
    """A tree that all tricks share, of the base's own source, is run once for all of them."""

    def _run(self, files: Texts, replaced: Mapping[str, File | None], plant: Plant | None) -> TestReport:
        tree = {path: text(content) for path, content in files.items() if content is not None}
        tree = {path: data for path, data in tree.items() if path not in replaced}
        tree |= {path: file.data for path, file in replaced.items() if file is not None}
        if tree not in (_OLD, _NEW):
            return super()._run(files, replaced, plant)
        key = (frozenset(tree), self.command, plant is None, plant is not None and plant.positional)
        if key not in _known:
            _known[key] = super()._run(files, replaced, plant)
        return _known[key]

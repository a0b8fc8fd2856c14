"""The judge of a change: the fix's own tests, laid over what the bot left. Nothing that it says is ever fed back."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.backtest.sides import is_of_tests
from bot.errors import Refused
from bot.records import TestReport
from bot.repository import Mirror
from bot.runs.ground import Ground

WHOLE = "the test command"
"""What stands for all tests where the command tells none by name."""


def passed_in(report: TestReport) -> frozenset[str]:
    """The ids of the tests that passed."""
    return report.passed if report.cases else frozenset({WHOLE} if report.is_green else ())


def judged_tree(mirror: Mirror, base: str, head: str, tree: str, paths: Iterable[str]) -> str:
    """What is judged of a tree: its source on the base, with the base's tests and with the fix's over them.

    What it did to tests of whichever kind, or to how they are run, does not count.
    """
    laid_over = frozenset(paths)
    source = mirror.tree_of(base, tree, lambda path: path not in laid_over and not is_of_tests(path))
    changed = dict.fromkeys(laid_over)
    fixed = mirror.tree_of(base, head, lambda path: path in changed)
    return _joined(mirror, base, source, fixed)


def _joined(mirror: Mirror, base: str, one: str, other: str) -> str:
    """Both trees' differences from the base, which have no path in common."""
    files = {file.path for file in mirror.changed_files(base, other)}
    return mirror.tree_of(one, other, lambda path: path in files)


@dataclass(slots=True)
class Judge:
    """Says of trees whether they solve a fix. `ground` holds both sides of it, and the judge's own command.

    `judges` have to pass, and so has what passed on the base and passes with the fix (`kept`).
    """

    ground: Ground
    head: str
    paths: tuple[str, ...]
    judges: frozenset[str]
    kept: frozenset[str]
    _known: dict[str, bool] = field(default_factory=dict, init=False)

    def is_solved(self, patch: str) -> bool:
        """Whether what a patch makes of the base solves it; one that was seen is not run again.

        Raises: `Unavailable` where the sandbox fails, `Stopped`.
        """
        ground, mirror = self.ground, self.ground.mirror
        try:
            tree = mirror.apply(ground.base, patch) if patch else ground.base
        except Refused:  # what does not fit on the base was never in a workspace of ours
            return False
        judged = judged_tree(mirror, ground.base, self.head, tree, self.paths)
        if judged not in self._known:
            self._known[judged] = self._passes(judged)
        return self._known[judged]

    def _passes(self, tree: str) -> bool:
        """Whether it passes; where only something fails that has nothing to do with it, it may be by chance once."""
        try:
            first = passed_in(self.ground.test(tree))
            if not self.judges <= first:
                return False
            return self.kept <= first or self.judges | self.kept <= first | passed_in(self.ground.test(tree))
        except Refused:  # the workspace ran full
            return False

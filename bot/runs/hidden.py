"""Hidden tests: read from the operator's folder, and run where no command of the model's ever runs."""

import logging
from pathlib import Path

from bot.errors import Unavailable
from bot.proof import HiddenResults, HiddenTests, Plant, hidden_results, in_both
from bot.proof.acceptance import PYTEST_OPTIONS
from bot.runs.ground import Ground
from sandbox.contract import CACHES, File

log = logging.getLogger(__name__)

BYTES_AT_MOST = 16 * 1024 * 1024


def hidden_tests_in(folder: Path) -> HiddenTests | None:
    """Every file below a folder, by its path there; None where there is none. Raises `Unavailable`."""
    try:
        found = [path for path in sorted(folder.rglob("*")) if path.is_file() and not set(path.parts) & set(CACHES)]
        if sum(path.stat().st_size for path in found) > BYTES_AT_MOST:
            raise Unavailable(f"the hidden tests in {folder} are more than {BYTES_AT_MOST:,} bytes")
        files = {path.relative_to(folder).as_posix(): File(path.read_bytes()) for path in found}
    except OSError as problem:
        raise Unavailable(f"the hidden tests in {folder} can't be read: {problem}") from problem
    return HiddenTests(files) if files else None


def hidden_tests_for(folder: Path | None, repository: str) -> HiddenTests | None:
    """The acceptance tests that the operator keeps for OWNER/REPO, if any."""
    if folder is None or {"", ".", ".."} & set(repository.split("/")):
        return None
    return hidden_tests_in(folder / repository)


def run_hidden(ground: Ground, tree: str, tests: HiddenTests, *, plant: Plant | None = None) -> HiddenResults:
    """Run the test command on a tree with the hidden tests laid over it, in a clean workspace, gone afterwards.

    The report itself, which holds their source, is kept nowhere. What can't be told is logged for the operator.
    """
    report = ground.test(tree, tests.files, plant=plant, options=PYTEST_OPTIONS)
    results = hidden_results(tests, report)
    if results.unusable:
        log.warning("acceptance tests: %s", results.unusable)
    return results


def confirmed_hidden(ground: Ground, tree: str, tests: HiddenTests, *, plant: Plant | None = None) -> HiddenResults:
    """As `run_hidden`; where something fails it is run once more, and only what fails in both counts."""
    first = run_hidden(ground, tree, tests, plant=plant)
    return in_both(first, run_hidden(ground, tree, tests, plant=plant)) if first.failing else first

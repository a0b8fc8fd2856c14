"""pytest, wherever in the command it is started: its own JUnit XML, asked for by PYTEST_ADDOPTS. Pure."""

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from bot.proof.junit import read_junit
from bot.proof.kinds import FileKind, kind_of
from bot.proof.plant import Plant
from bot.proof.readers.reader import Left, Preparation, Scene
from bot.proof.results import Results
from bot.records import TestReport

_RESULTS = "pytest.xml"
_SESSION_ENDED = re.compile(
    r"^=*\s*(no tests ran|\d+ (passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?)\b.*) in [\d.]+s\b",
    re.MULTILINE,
)


class _Pytest:
    name = "pytest"
    reads_output = False
    takes_plants = True

    def prepare(self, scene: Scene) -> Preparation:
        """What makes pytest write its results, whoever starts it.

        `maxfail=0` undoes an `-x` of the project's settings: one failing test must not hide the others. A cache of its
        own, because `--last-failed` would leave out what passed before. tox hands the variable on when told to.
        One hash seed, so that sets have one order: tests that are parametrized from a set have ids by that order.
        """
        options = [
            f"--junitxml={scene.folder}/{_RESULTS}",
            "--continue-on-collection-errors",
            "--maxfail=0",
            *("-o", "junit_family=xunit1", "-o", "junit_logging=no", "-o", f"cache_dir={scene.folder}/cache"),
            *scene.options,
        ]
        if scene.plant is not None and scene.plant.positional:
            options.append(f"{scene.root}/{scene.plant.path}")
        return Preparation(
            {
                "PYTEST_ADDOPTS": shlex.join(options),
                "PYTHONHASHSEED": "0",
                "TOX_TESTENV_PASSENV": "PYTEST_ADDOPTS",
                "TOX_OVERRIDE": "testenv.pass_env+=PYTEST_ADDOPTS",
            }
        )

    def read(self, left: Left) -> Results | None:
        data = left.files.get(_RESULTS)
        results = None if data is None else read_junit(data, directory=left.directory)
        if results is not None and (sessions := sessions_in(left.stdout)) > 1:
            why = f"the command runs pytest {sessions} times, and only the last run's results can be read"
            return replace(results, contradiction=why)
        return results

    def plants(self, baseline: TestReport, token: str) -> Iterator[Plant]:
        plant = plant_for(baseline, token)
        yield plant
        yield replace(plant, positional=True)


PYTEST = _Pytest()


def sessions_in(output: str) -> int:
    """How often pytest has run to its end, by the last line that it writes. `-qq` writes none."""
    return len(_SESSION_ENDED.findall(output))


def plant_for(where: TestReport | Sequence[str], token: str) -> Plant:
    """A plant where the test command will most likely collect it: beside most of the tests, named as they are.

    `where` is the baseline report, or the paths of the repository. `token` is random, of small letters and digits.
    """
    files = _test_files(where)
    folders = Counter(str(PurePosixPath(file).parent) for file in files)
    folder = min(folders, key=lambda name: (-folders[name], name.count("/"), name), default=".")
    suffixed = sum(file.endswith("_test.py") for file in files) * 2 > len(files)
    stem = f"zz_selfcode_{token}"
    name = f"{stem}_test.py" if suffixed else f"test_{stem}.py"
    return Plant(path=name if folder == "." else f"{folder}/{name}", token=token)


def _test_files(where: TestReport | Sequence[str]) -> list[str]:
    if isinstance(where, TestReport):
        return sorted({case.file for case in where.cases if case.file and case.file.endswith(".py")})
    named = [path for path in where if path.endswith(".py") and kind_of(path) is FileKind.TEST]
    pattern = re.compile(r"(^|/)(test_[^/]*|[^/]*_test|tests)\.py$")
    return sorted(path for path in named if pattern.search(path)) or named

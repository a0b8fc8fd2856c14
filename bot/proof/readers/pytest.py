"""pytest, wherever in the command it is started: by the recorder, and where it can't get in by pytest's own JUnit XML.

The XML is asked for by PYTEST_ADDOPTS. Each run writes the same file: of several only the last can be read. Pure.
"""

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from bot.proof.junit import read_junit
from bot.proof.kinds import FileKind, kind_of
from bot.proof.plant import Plant, fullest
from bot.proof.readers.reader import Left, Preparation, Site
from bot.proof.readers.recorded import recorded, without_plant
from bot.proof.readers.recording import let_in
from bot.proof.results import Results, together
from bot.records import TestReport, TestStatus

_RESULTS = "pytest.xml"
_SESSION_ENDED = re.compile(
    r"^=*[ \t]*(no tests ran|\d+ (passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?)\b.*)"
    r" in [\d.]+s\b",
    re.MULTILINE,
)
_SAID_FAILED = re.compile(r"^=*[ \t]*(\d{1,9}) failed\b.* in [\d.]+s\b", re.MULTILINE)


class _Pytest:
    name = "pytest"
    reads_output = False
    takes_plants = True

    def prepare(self, site: Site) -> Preparation:
        """What makes pytest write its results, whoever starts it.

        `maxfail=0` undoes an `-x` of the project's settings: one failing test must not hide the others. A cache of its
        own, because `--last-failed` would leave out what passed before.
        One hash seed, so that sets have one order: tests that are parametrized from a set have ids by that order.
        """
        options = [
            f"--junitxml={site.folder}/{_RESULTS}",
            "--continue-on-collection-errors",
            "--maxfail=0",
            *("-o", "junit_family=xunit1", "-o", "junit_logging=no", "-o", f"cache_dir={site.folder}/cache"),
            *site.options,
        ]
        if site.plant is not None and site.plant.positional:
            options.append(f"{site.root}/{site.plant.path}")
        recorder = let_in(site)
        variables = {"PYTEST_ADDOPTS": shlex.join(options), "PYTHONHASHSEED": "0"}
        return Preparation({**recorder.variables, **variables}, recorder.files)

    def read(self, left: Left) -> Results | None:
        records = recorded(left, self.name)
        written = _written(left, beside=bool(records))
        runs = records if written is None else (*records, written)
        if not runs:
            return None
        results = together(runs)
        why = _failures_left_out(runs, left) or (_sessions_left_out(runs, left) if written else "")
        return replace(results, contradiction=results.contradiction or why)

    def plants(self, baseline: TestReport, token: str) -> Iterator[Plant]:
        plant = plant_for(baseline, token)
        yield replace(plant, injected=True)
        yield plant
        yield replace(plant, positional=True)


PYTEST = _Pytest()


def _written(left: Left, *, beside: bool) -> Results | None:
    """The results in pytest's own file. `beside` the records of other runs it must hold the plant by itself."""
    data = left.files.get(_RESULTS)
    results = None if data is None else read_junit(data, directory=left.directory)
    if results is None or results.contradiction or left.plant is None or not (beside or left.plant.injected):
        return results
    return replace(results, contradiction=without_plant(results, left.plant))


def _failures_left_out(runs: Sequence[Results], left: Left) -> str:
    """How the results say nothing of a failure that pytest itself told of, or "".

    What it has printed is out of its process's reach. Its count may be higher for a test that fails twice.
    """
    said = sum(int(count) for count in _SAID_FAILED.findall(left.stdout))
    failing = [case for run in runs for case in run.cases if case.status in (TestStatus.FAILED, TestStatus.ERROR)]
    others = [case for case in failing if "zz_selfcode" not in case.id]
    if others or said <= len(failing) or sessions_in(left.stdout) != len(runs):
        return ""
    return f"pytest told of {said} failed, and its results hold {len(failing)}"


def _sessions_left_out(runs: Sequence[Results], left: Left) -> str:
    sessions = sessions_in(left.stdout)
    if sessions <= len(runs):
        return ""
    return f"the command runs pytest {sessions} times, and only the last run's results can be read"


def sessions_in(output: str) -> int:
    """How often pytest has run to its end, by the last line that it writes. `-qq` writes none."""
    return len(_SESSION_ENDED.findall(output))


def plant_for(where: TestReport | Sequence[str], token: str) -> Plant:
    """A plant where the test command will most likely collect it: beside most of the tests, named as they are.

    `where` is the baseline report, or the paths of the repository. `token` is random, of small letters and digits.
    """
    files = _test_files(where)
    folders = Counter(str(PurePosixPath(file).parent) for file in files)
    folder = fullest(folders) if folders else "."
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

"""What a reader of test results is. A further one is one module here, and a line in `readers/__init__.py`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.proof.plant import Plant
from bot.proof.results import Results
from bot.records import TestReport


@dataclass(frozen=True, slots=True)
class Site:
    """Where the test command is about to run.

    `root` is the workspace's absolute path inside the sandbox, `directory` the command's folder relative to it,
    `folder` the absolute path of a hidden folder, of a name that nobody can know beforehand: what a reader puts is
    there, and what it has written there is read. `variables` are those of the sandbox's image that a reader may want to
    extend (`PYTHONPATH`, `NODE_OPTIONS`, `GOFLAGS`); `versions` are of programs that are there (`node`: "22.1.0").
    `options` are further ones for pytest.
    """

    root: str
    folder: str
    directory: str = "."
    variables: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    plant: Plant | None = None
    options: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Preparation:
    """What a reader adds before the command runs: variables of its environment, files in the hidden folder by name."""

    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Left:
    """What a run left behind. `files` are those of the hidden folder by their names in it; `report` is the results file
    that the plan names, None where there is none, and `further_reports` are those after the first where it names
    several. `truncated`: the middle of `stdout` or `stderr` is missing. `plant` is the one that the run was given.
    `exit_code` is the command's, None where it is not known.
    """

    files: Mapping[str, bytes]
    report: bytes | None
    stdout: str
    stderr: str
    truncated: bool
    root: str
    directory: str = "."
    plant: Plant | None = None
    further_reports: Sequence[bytes] = ()
    exit_code: int | None = None


OUTPUT_CUT = "the tests wrote more than is kept, and their results are part of it"
"""What contradicts results that are read from output whose middle is missing."""


class Reader(Protocol):
    """Results of one kind of test program, without touching the command that starts it. Pure: no I/O, no state.

    `name` is what a report calls it. `reads_output`: results come from what the command prints; asked only where
    nothing was written. `takes_plants`: `plants` may give some.
    """

    @property
    def name(self) -> str: ...

    @property
    def reads_output(self) -> bool: ...

    @property
    def takes_plants(self) -> bool: ...

    def prepare(self, site: Site) -> Preparation:
        """What to add so that the program writes its results; must disturb no command that does not start it."""
        ...

    def read(self, left: Left) -> Results | None:
        """The results, None where there are none of this kind. Never raises for what a run left."""
        ...

    def plants(self, baseline: TestReport, token: str) -> Iterator[Plant]:
        """Failing tests for the host to add, the likeliest to be collected first; none where none can be."""
        ...

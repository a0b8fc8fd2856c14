"""A results file in JUnit XML that the command writes by itself, named in the repository's configuration. Pure."""

from collections.abc import Iterator

from bot.proof.junit import read_junit
from bot.proof.plant import Plant
from bot.proof.readers.reader import Left, Preparation, Scene
from bot.proof.results import Results
from bot.records import TestReport


class _JunitFile:
    name = "junit"
    reads_output = False
    takes_plants = False

    def prepare(self, scene: Scene) -> Preparation:  # noqa: ARG002
        return Preparation()

    def read(self, left: Left) -> Results | None:
        return None if left.report is None else read_junit(left.report, directory=left.directory)

    def plants(self, baseline: TestReport, token: str) -> Iterator[Plant]:  # noqa: ARG002
        return iter(())


JUNIT_FILE = _JunitFile()

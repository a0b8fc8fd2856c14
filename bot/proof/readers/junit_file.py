"""Results in JUnit XML that the command writes by itself, where the repository's configuration says. Pure."""

from collections.abc import Iterator

from bot.proof.junit import read_junit
from bot.proof.plant import Plant
from bot.proof.readers.reader import Left, Preparation, Site
from bot.proof.results import Results, together
from bot.records import TestReport


class _JunitFile:
    name = "junit"
    reads_output = False
    takes_plants = False

    def prepare(self, site: Site) -> Preparation:  # noqa: ARG002
        return Preparation()

    def read(self, left: Left) -> Results | None:
        written = () if left.report is None else (left.report, *left.further_reports)
        found = [results for data in written if (results := read_junit(data, directory=left.directory)) is not None]
        return together(found) if found else None

    def plants(self, baseline: TestReport, token: str) -> Iterator[Plant]:  # noqa: ARG002
        return iter(())


JUNIT_FILE = _JunitFile()

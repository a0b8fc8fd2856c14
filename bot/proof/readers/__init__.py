"""Reading test results: one module for each kind of test program."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from bot.proof.plant import Plant
from bot.proof.readers.cargo import CARGO
from bot.proof.readers.go import GO
from bot.proof.readers.jest import JEST
from bot.proof.readers.junit_file import JUNIT_FILE
from bot.proof.readers.mocha import MOCHA
from bot.proof.readers.node_test import NODE_TEST
from bot.proof.readers.pytest import PYTEST
from bot.proof.readers.reader import Left, Preparation, Reader, Site
from bot.proof.readers.tap import TAP
from bot.proof.readers.tape import TAPE
from bot.proof.readers.unittest import UNITTEST
from bot.proof.readers.vitest import VITEST
from bot.proof.results import Results, together
from bot.records import TestReport

__all__ = [
    "EXIT_CODE",
    "READERS",
    "Left",
    "Preparation",
    "Reader",
    "Site",
    "can_be_planted",
    "plants_for",
    "prepared",
    "read",
]

READERS: tuple[Reader, ...] = (PYTEST, UNITTEST, JEST, VITEST, MOCHA, TAPE, NODE_TEST, GO, JUNIT_FILE, CARGO, TAP)
"""Every reader, those that know most first."""

EXIT_CODE = "exit code"
"""The reader's name where nothing more is known than how the command ended."""


def prepared(site: Site) -> Preparation:
    """What all readers together add before the command runs."""
    each = [reader.prepare(site) for reader in READERS]
    variables: dict[str, str] = {}
    files: dict[str, bytes] = {}
    for preparation in each:
        variables |= preparation.variables
        files |= preparation.files
    return Preparation(variables, files)


def read(left: Left) -> tuple[Results | None, str]:
    """What was found, and who wrote it (“pytest + jest” where a command starts both)."""
    written = {r.name: results for r in READERS if not r.reads_output and (results := r.read(left)) is not None}
    found = written or _first_in_the_output(left)
    return (_together(found), " + ".join(found)) if found else (None, EXIT_CODE)


def plants_for(baseline: TestReport, token: str) -> Iterator[Plant]:
    """Failing tests for the host to add to this command, the likeliest to be collected first."""
    for reader in READERS:
        if reader.name in baseline.reader.split(" + "):
            yield from reader.plants(baseline, token)


def can_be_planted(reader: str) -> bool:
    """Whether the host can add a failing test of its own to a command whose results this reader reads."""
    return any(each.name in reader.split(" + ") and each.takes_plants for each in READERS)


def _first_in_the_output(left: Left) -> Mapping[str, Results]:
    for reader in READERS:
        if reader.reads_output and (results := reader.read(left)) is not None:
            return {reader.name: results}
    return {}


def _together(found: Mapping[str, Results]) -> Results:
    if len(found) == 1:
        return next(iter(found.values()))
    named = (
        replace(results, contradiction=results.contradiction and f"{name}: {results.contradiction}")
        for name, results in found.items()
    )
    return together(named)

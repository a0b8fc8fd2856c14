"""`cargo test`: what Rust's test programs print. Pure."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath

from bot.proof.plant import Plant, fullest
from bot.proof.readers.cargo.output import read_output
from bot.proof.readers.reader import Left, Preparation, Site
from bot.proof.results import Results
from bot.records import TestReport

_SCRIPT = "for-cargo"
_RUNNERS = tuple(
    f"CARGO_TARGET_{machine}_UNKNOWN_LINUX_{library}_RUNNER"
    for machine in ("X86_64", "AARCH64")
    for library in ("GNU", "MUSL")
)
TEST = """\
#[test]
fn zz_selfcode_{token}() {
    panic!("planted by selfcode: {token}");
}
"""


class _Cargo:
    name = "cargo"
    reads_output = True
    takes_plants = True

    def prepare(self, site: Site) -> Preparation:
        """At the first test program that fails cargo ends, so the plant's own must not fail: only with a plant.

        Source: https://doc.rust-lang.org/cargo/reference/config.html#targettriplerunner.
        """
        if site.plant is None or not site.plant.path.endswith(".rs"):
            return Preparation()
        return Preparation(dict.fromkeys(_RUNNERS, f"{site.folder}/{_SCRIPT}"), {_SCRIPT: _script()})

    def read(self, left: Left) -> Results | None:
        return read_output(left)

    def plants(self, baseline: TestReport, token: str) -> Iterator[Plant]:
        """An integration test of the crate that has most tests."""
        crates = Counter(crate for case in baseline.cases if case.file and (crate := _crate_of(case.file)))
        if crates:
            crate = fullest(crates)
            path = PurePosixPath(crate) / "tests" / f"zz_selfcode_{token}.rs"
            yield Plant(str(path), token, template=TEST)


CARGO = _Cargo()


def _crate_of(file: str) -> str:
    """The folder of the crate that a source file is part of, "" where that can't be told."""
    parts = PurePosixPath(file).parts
    places = [parts.index(name) for name in ("src", "tests") if name in parts]
    return str(PurePosixPath(*parts[: min(places)])) if places else ""


@cache
def _script() -> bytes:
    return files(__package__).joinpath("runner.sh").read_bytes()

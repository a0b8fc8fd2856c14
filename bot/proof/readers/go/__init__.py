"""`go test`, wherever in the command it is started: its test programs are started by a script of ours. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from os.path import commonpath
from pathlib import PurePosixPath

from bot.proof.plant import Plant, fullest
from bot.proof.readers.go.output import Program, broken_packages, cases_of
from bot.proof.readers.reader import Left, Preparation, Site
from bot.proof.results import Results, results_of
from bot.records import TestCase, TestReport

_SCRIPT = "for-go"
_NO_TESTS = "testing: warning: no tests to run"
TEST = """\
package {package}

import "testing"

func TestZzSelfcode_{token}(t *testing.T) {
	t.Fatal("planted by selfcode: {token}")
}
"""
_NAME = re.compile(r"[a-z_][a-z0-9_]*")


class _Go:
    name = "go"
    reads_output = False
    takes_plants = True

    def prepare(self, site: Site) -> Preparation:
        """By `-exec`, which each go command that does not know it passes over. `-json` would change what `go list` and
        `go env` print. `-count=1`: a cached result starts no program.

        Source: https://pkg.go.dev/cmd/go (GOFLAGS, go test -exec).
        """
        flags = site.variables.get("GOFLAGS", "")
        if not site.versions.get("go") or "-exec" in flags or " " in site.folder:
            return Preparation()
        ours = f"-exec={site.folder}/{_SCRIPT} -count=1"
        return Preparation({"GOFLAGS": f"{flags} {ours}".strip()}, {_SCRIPT: _script()})

    def read(self, left: Left) -> Results | None:
        """None as well where programs of the project's own making told of no test: then their exit code counts."""
        programs = list(_programs(left.files))
        broken = list(broken_packages(f"{left.stdout}\n{left.stderr}", left))
        if not programs and not broken:
            return None
        cases: list[TestCase] = []
        contradictions: list[str] = []
        for program in programs:
            found, contradiction = cases_of(program, left)
            cases += found
            contradictions += [contradiction] if contradiction else []
        if not (cases or broken or contradictions or all(_NO_TESTS in program.output for program in programs)):
            return None
        return results_of((*cases, *broken), contradiction="; ".join(dict.fromkeys(contradictions)))

    def plants(self, baseline: TestReport, token: str) -> Iterator[Plant]:
        """A package of its own, which `./...` collects, below all of them; else beside most tests, where the package
        may be named as its folder is.
        """
        folders = Counter(str(PurePosixPath(case.file).parent) for case in baseline.cases if case.file)
        if not folders:
            return
        most = fullest(folders)
        stem = f"zz_selfcode_{token}"
        for folder in dict.fromkeys((_above(list(folders)), most)):
            path = PurePosixPath(folder) / stem / f"{stem}_test.go"
            yield Plant(str(path), token, template=TEST.replace("{package}", "zz_selfcode_{token}"))
        package = PurePosixPath(most).name.removeprefix("go-").removesuffix("-go")
        if _NAME.fullmatch(package):
            yield Plant(f"{most}/{stem}_test.go", token, template=TEST.replace("{package}", package))


GO = _Go()


def _above(folders: Sequence[str]) -> str:
    return "." if "." in folders else commonpath(folders) or "."


def _programs(files: Mapping[str, bytes]) -> Iterator[Program]:
    for name in sorted(files):
        if name.startswith("go-") and name.endswith(".where"):
            stem = name.removesuffix(".where")
            yield Program(
                where=_text(files, name),
                output=_text(files, f"{stem}.output"),
                code=_text(files, f"{stem}.code").strip(),
            )


def _text(files: Mapping[str, bytes], name: str) -> str:
    return files.get(name, b"").decode("utf-8", "replace")


@cache
def _script() -> bytes:
    return files(__package__).joinpath("exec.sh").read_bytes()

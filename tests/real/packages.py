"""Three public packages as repositories in which one real function is broken, and the issues that a user would write.

Two breaks go unnoticed by the packages' own tests, so a fix has to bring a test of its own. The third is what
`test_partition_all` of toolz has guarded against since it happened there, so that test is red on the base.
"""

import io
import os
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

import pytest

from sandbox.contract import File
from tests.real.fetch import content, pins

RECORDINGS = Path(__file__).with_name("recordings")
CONFIGURATION = ".github/selfcode.yml"

# What building the distribution added to the source; everything else stays, odd as it may be.
_BUILT = ("PKG-INFO", "*.egg-info/*")


@dataclass(frozen=True, slots=True)
class Break:
    """One function's source text, as it is published and as it is broken."""

    path: str
    intact: str
    broken: str


@dataclass(frozen=True, slots=True)
class RealPackage:
    """A published package, what is broken in it, and what its users say.

    `red` are the pytest ids that a fix turns from failing on the base to passing: tests that the recorded model adds
    in `test_file`, or, where `fails_on_base`, tests that are there.
    """

    name: str
    test_command: str
    breakage: Break
    title: str
    body: str
    test_file: str
    red: tuple[str, ...]
    fails_on_base: bool = False

    @property
    def recording(self) -> Path:
        """What the recorded model replies: a test where there is none yet, then a wrong change, then the right one."""
        return RECORDINGS / f"{self.name}.json"

    @property
    def iterations(self) -> int:
        return 2 if self.fails_on_base else 3


def repository_files(package: RealPackage) -> Mapping[str, File]:
    """The broken package as a repository's files, by path; the test that asks is left out where it isn't fetched.

    Some files are ignored by the package's own `.gitignore` and yet needed (isodate's `version.py`): commit by force.
    """
    files = dict(unpack(require(package)))
    files[package.breakage.path] = _applied(package.breakage, files[package.breakage.path])
    files[CONFIGURATION] = File(f"test: {package.test_command}\nsetup: ''\n".encode())
    return files


def unpack(archive: bytes) -> Iterator[tuple[str, File]]:
    """The files of a source distribution, its top folder and what the build added left out.

    Nothing is written anywhere. Raises `ValueError` for links, devices, and paths that leave the folder.
    """
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as opened:
        for entry in opened:
            place = PurePosixPath(entry.name)
            if place.is_absolute() or ".." in place.parts or not (entry.isreg() or entry.isdir()):
                raise ValueError(f"{entry.name} is no plain file or folder below the archive's own")
            path = "/".join(place.parts[1:])
            reader = opened.extractfile(entry)
            if reader and not any(fnmatch(path, pattern) for pattern in _BUILT):
                yield path, File(reader.read(), executable=bool(entry.mode & 0o100))


def require(package: RealPackage) -> bytes:
    """The package's archive. Where it isn't there, the test that asks is left out aloud, or in CI fails."""
    pin = next(pin for pin in pins() if pin.name == package.name)
    archive = content(pin)
    if archive is None:
        reason = f"{pin.file_name} is not in .cache/sdists: python -m tests.real.fetch"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return archive


def _applied(breakage: Break, file: File) -> File:
    text = file.data.decode()
    assert text.count(breakage.intact) == 1, f"{breakage.path} holds the function {text.count(breakage.intact)} times"
    return File(text.replace(breakage.intact, breakage.broken).encode(), executable=file.executable)


ISODATE = RealPackage(
    name="isodate",
    test_command="PYTHONPATH=src python3 -m pytest -q",
    breakage=Break(
        path="src/isodate/isostrf.py",
        intact='ret.append(("%d.%06d" % (seconds, usecs)).rstrip("0"))',
        broken='ret.append(("%d.%d" % (seconds, usecs)).rstrip("0"))',
    ),
    title="duration_isoformat turns 5 milliseconds into half a second",
    body="""\
We store durations as ISO 8601 strings, and some came back a hundred times too long.

```python
>>> from datetime import timedelta
>>> import isodate
>>> isodate.duration_isoformat(timedelta(seconds=1, milliseconds=5))
'PT1.5S'
```

I expected `'PT1.005S'`. `timedelta(seconds=1, milliseconds=500)` gives `'PT1.5S'` as well, and that one is right.
Reading the string back with `parse_duration` gives 1.5 seconds, so the value is wrong on disk by then.
""",
    test_file="tests/test_duration_fractions.py",
    red=(
        "tests/test_duration_fractions.py::test_fractions_of_a_second_are_written_in_full[5000-PT1.005S]",
        "tests/test_duration_fractions.py::test_fractions_of_a_second_are_written_in_full[5-PT1.000005S]",
    ),
)

SQLPARSE = RealPackage(
    name="sqlparse",
    test_command="python3 -m pytest -q",
    breakage=Break(
        path="sqlparse/engine/statement_splitter.py",
        intact="""\
        elif unified == 'END WHILE':
            if self._block_stack and self._block_stack[-1] == 'WHILE':
                self._block_stack.pop()
                return -1
""",
        broken="",
    ),
    title="split() does not split after a procedure with a WHILE loop",
    body="""\
Everything that follows a MySQL procedure with a `WHILE … DO … END WHILE` loop in it stays glued to the procedure:

```python
import sqlparse

sql = '''
CREATE PROCEDURE fill()
BEGIN
  WHILE i < 10 DO
    INSERT INTO numbers VALUES (i);
  END WHILE;
END;
SELECT 1;
SELECT 2;
'''
print(len(sqlparse.split(sql)))
```

Expected: 3, the procedure and the two queries.
Actual: 1.

With a `LOOP … END LOOP` in place of the `WHILE` I get 3.
""",
    test_file="tests/test_split.py",
    red=("tests/test_split.py::test_split_procedural_while_end_while",),
)

TOOLZ = RealPackage(
    name="toolz",
    test_command="python3 -m pytest -q",
    breakage=Break(
        path="toolz/itertoolz.py",
        intact="""\
            # Get first index of no_pad without using .index()
            # https://github.com/pytoolz/toolz/issues/387
            # Binary search from CPython's bisect module,
            # modified for identity testing.
            lo, hi = 0, n
            while lo < hi:
                mid = (lo + hi) // 2
                if prev[mid] is no_pad:
                    hi = mid
                else:
                    lo = mid + 1
            yield prev[:lo]
""",
        broken="""\
            yield prev[:prev.index(no_pad)]
""",
    ),
    title="partition_all fails for items that don't like to be compared",
    body="""\
`partition_all` over a generator raises in the last, short chunk when the items' `==` raises, as that of arrays does:

```python
from toolz import partition_all

class Reading:
    def __eq__(self, other):
        raise ValueError("ambiguous")

r = Reading()
list(partition_all(2, iter([r, r, r])))
```

Expected: `[(r, r), (r,)]`, as for a list.
Actual: `ValueError: ambiguous`.

It should not compare what I give it at all. `test_partition_all` fails on main for the same reason; please make it
pass.
""",
    test_file="toolz/tests/test_itertoolz.py",
    red=("toolz/tests/test_itertoolz.py::test_partition_all",),
    fails_on_base=True,
)

PACKAGES = (ISODATE, SQLPARSE, TOOLZ)

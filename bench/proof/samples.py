"""Repositories to prove a change in: what they hold before and after it, and how their tests are run."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.records import TestPlan
from bot.repository import Mirror
from bot.repository.git import run_git
from bot.runs.ground import Ground
from sandbox import Limits, Sandbox
from sandbox.contract import File

FUNCTIONS = 4
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@dataclass(frozen=True, slots=True)
class Sample:
    """A repository of so many tests, each of which takes a while by waiting; its change has so many hunks."""

    name: str
    tests: int
    wait_s: float = 0.0

    @property
    def base(self) -> Mapping[str, str]:
        tests = {f"tests/test_{number}.py": self._tests(number) for number in range(max(1, self.tests // 100))}
        return {"numbers_.py": self._source(0), **tests}

    @property
    def head(self) -> Mapping[str, str]:
        """Each function does more, which one new test asks of all but the last."""
        asked = "".join(f"    assert numbers_.add_{each}(1) == {each + 2}\n" for each in range(FUNCTIONS - 1))
        new = f"import numbers_\n\n\ndef test_more():\n{asked}"
        return {**self.base, "numbers_.py": self._source(1), "tests/test_more.py": new}

    def _source(self, more: int) -> str:
        return "\n\n".join(f"def add_{each}(n):\n    return n + {each + more}\n" for each in range(FUNCTIONS))

    def _tests(self, number: int) -> str:
        count = min(self.tests, 100)
        wait = f"    time.sleep({self.wait_s})\n" if self.wait_s else ""
        cases = "\n\n".join(
            f"def test_{each}():\n{wait}    assert numbers_.add_0({each}) >= {each}\n" for each in range(count)
        )
        return f'"""Number {number}."""\n\nimport time\n\nimport numbers_\n\n\n{cases}'


SMALL = Sample("10 quick tests", tests=10)
MANY = Sample("1,000 quick tests", tests=1000)
SLOW = Sample("4 s of tests", tests=10, wait_s=0.4)


@contextmanager
def ground_of(sample: Sample, sandbox: Sandbox, plan: TestPlan) -> Iterator[tuple[Ground, str]]:
    """The sample's base as a ground to stand on, and its head's tree."""
    with tempfile.TemporaryDirectory(prefix="selfcode-bench-") as folder:
        path = Path(folder) / "mirror.git"
        run_git(["init", "--quiet", "--bare", "--template=", "--", str(path)])
        run_git(["hash-object", "-t", "tree", "-w", "--stdin"], repository=path)
        mirror = Mirror(path)
        tree, head = (
            mirror.tree_with(_EMPTY_TREE, {name: File(text.encode()) for name, text in side.items()})
            for side in (sample.base, sample.head)
        )
        who = {"author_name": "x", "author_email": "x@example.com"}
        base = mirror.commit(tree, parents=[], message="x", when=datetime.now(UTC), **who)
        yield Ground(mirror, base, plan, sandbox, None, Limits(), lambda: False), head

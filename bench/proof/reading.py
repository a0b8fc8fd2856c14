"""Reading what pytest left of many tests, in a process of its own: seconds, and the most memory that it ever had."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from bot.proof.readers import Left, read
from bot.proof.readers.recording import FOLDER

PER_FILE = 50
FAILING = 500
"""One test in so many fails."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading cost. `before_bytes` is the most memory that the process had before it read."""

    cases: int
    size_bytes: int
    duration_s: float
    cpu_s: float
    before_bytes: int
    peak_bytes: int


def measure(tests: int) -> Mapping[str, Reading]:
    """Read the report of so many tests, each as it may be left, in a fresh process each."""
    written = {
        f"{FOLDER}/pytest-1.jsonl": ("recorder", "\n".join(by_recorder(tests)) + "\n"),
        "pytest.xml": ("JUnit XML", "".join(by_pytest(tests))),
    }
    found = {}
    with tempfile.TemporaryDirectory(prefix="selfcode-bench-") as folder:
        path = Path(folder) / "left"
        for name, (kind, text) in written.items():
            path.write_text(text)
            command = [sys.executable, "-m", __spec__.name, name, str(path)]
            told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            found[kind] = Reading(**json.loads(told))
    return found


def by_recorder(tests: int) -> Iterator[str]:
    """As the recorder writes it."""
    yield json.dumps({"run": "pytest"})
    for number in range(tests):
        file, name = f"tests/test_{number // PER_FILE}.py", f"test_{number}[value-{number}]"
        yield json.dumps({"start": f"{file}::{name}"})
        case = {"case": f"{file}::{name}", "status": "passed", "message": "", "file": file, "line": 3}
        yield json.dumps(case if number % FAILING else {**case, "status": "failed", "message": failure(file)})
    yield json.dumps({"end": tests, "early": False})


def by_pytest(tests: int) -> Iterator[str]:
    """As pytest writes it."""
    failed = (tests + FAILING - 1) // FAILING
    yield f'<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="0" failures="{failed}" '
    yield f'skipped="0" tests="{tests}" time="60.0">'
    for number in range(tests):
        module = f"test_{number // PER_FILE}"
        yield f'<testcase classname="tests.{module}" name="test_{number}[value-{number}]" file="tests/{module}.py" '
        yield 'line="3" time="0.001"'
        if number % FAILING:
            yield " />"
        else:
            yield f'><failure message="assert 1 == 2">{failure(f"tests/{module}.py")}</failure></testcase>'
    yield "</testsuite></testsuites>"


def failure(file: str) -> str:
    """A traceback of usual length."""
    source = "    def test_it(value):\n" + "        assert value == 2\n" * 40
    return f"{source}E       assert 1 == 2\n\n{file}:3: AssertionError"


def main(name: str, path: Path) -> None:
    """In the fresh process: read, and print what it cost as JSON."""
    before = _most_memory()
    left = Left({name: path.read_bytes()}, None, "", "", truncated=False, root="/work")
    began, began_cpu = time.perf_counter(), time.process_time()
    results, _ = read(left)
    cost = Reading(
        cases=len(results.cases) if results and not results.contradiction else 0,
        size_bytes=path.stat().st_size,
        duration_s=time.perf_counter() - began,
        cpu_s=time.process_time() - began_cpu,
        before_bytes=before,
        peak_bytes=_most_memory(),
    )
    print(json.dumps(asdict(cost)))


def _most_memory() -> int:
    """Of this program alone: what `getrusage` tells begins with the process that started it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))

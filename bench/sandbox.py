"""What a workspace costs in each sandbox that answers, in milliseconds, and in memory.

    make bench                                  # every sandbox that answers, ten rounds
    python -m bench.sandbox --sandbox docker --sandbox bubblewrap --rounds 30

Each round takes every sandbox in turn, so that what else the machine does falls on all of them: medians over the
rounds, the slowest in brackets, and how many times the first sandbox's median. A workspace is ready when a tree of 200
files, 1 MB, is in it. "Cold" is the first one of its kind, connecting included; "with spare" one whose container was
made ready before; "at once" one that is opened as soon as another is closed.
"""

import argparse
import os
import random
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from sandbox import Limits, Sandbox, SandboxError, SandboxUnavailable, backends
from sandbox.backends import Options
from sandbox.contract import MEBIBYTE, File, archive_of
from sandbox.docker import DockerSandbox
from sandbox.environments import Environments
from sandbox.setup.way_out import WayOut

BACKENDS = ("docker", "bubblewrap", "process")
LIMITS = Limits(wall_s=60, workspace_bytes=256 * MEBIBYTE)
FLOOD = ["head", "-c", str(5_000_000_000), "/dev/zero"]
REPOSITORY = 987_654_321
SPARE_S = 1.5
"""How long a spare may take to be there."""

COLD, SPARE, AT_ONCE = "ready, cold", "ready, with spare", "ready, at once"
COMMAND, FAILING, OUT, CLOSED = "command", "command that fails", "1 MB out", "closed"
LARGE_IN, FOUND, REMOVED = "50 MB in", "environment found", "sandbox closed"
OWN_MEMORY, ALL_MEMORY = "5 GB: ours, MiB", "5 GB: machine's, MiB"
ROWS = (COLD, SPARE, AT_ONCE, COMMAND, FAILING, OUT, CLOSED, LARGE_IN, FOUND, REMOVED, OWN_MEMORY, ALL_MEMORY)
AIMS = {
    COLD: "docker 400, bubblewrap 60",
    SPARE: "docker 400",
    COMMAND: "100",
    LARGE_IN: "1000",
    FOUND: "50",
    OWN_MEMORY: "64 more",
    ALL_MEMORY: "64 more",
}


class Figures:
    """What was measured in one sandbox, by row."""

    def __init__(self) -> None:
        self.rows: dict[str, list[float]] = {}

    def add(self, row: str, value: float) -> None:
        self.rows.setdefault(row, []).append(value)

    @contextmanager
    def timed(self, row: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.add(row, 1000 * (time.perf_counter() - began))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.sandbox", description=__doc__.partition("\n")[0])
    parser.add_argument("--sandbox", action="append", choices=BACKENDS)
    parser.add_argument("--image", default=os.environ.get("SELFCODE_TEST_IMAGE", "selfcode-sandbox:test"))
    parser.add_argument("--rounds", type=int, default=10)
    chosen = parser.parse_args(arguments)
    options = Options(owner=f"selfcode-bench-{os.getpid()}", image=chosen.image)
    measured = {name: Figures() for name in answering(chosen.sandbox or BACKENDS, options)}
    tree, large = archive(files=200, size_bytes=5_000), archive(files=4_000, size_bytes=12_500)
    for _ in range(chosen.rounds):
        for name, figures in list(measured.items()):
            try:
                with closing(backends.make(name, options), figures) as sandbox:
                    one_round(sandbox, options, tree, large, figures)
            except SandboxError as problem:
                print(f"{name} is left out: {problem}")
                del measured[name]
    if "docker" in measured:
        forget_environment(options)
    print(f"workspaces: medians of {chosen.rounds} rounds, the slowest in brackets; milliseconds where nothing is said")
    show(measured)


def answering(names: Sequence[str], options: Options) -> Sequence[str]:
    """Those sandboxes that work here; why another doesn't is said."""
    found = []
    for name in names:
        try:
            with closing(backends.make(name, options), Figures()) as sandbox:
                sandbox.check()
        except SandboxUnavailable as problem:
            print(f"{name} is left out: {problem}")
        else:
            found.append(name)
    return found


def one_round(sandbox: Sandbox, options: Options, tree: bytes, large: bytes, figures: Figures) -> None:
    """Everything once, in one sandbox."""
    one_life(sandbox, COLD, tree, figures)
    if isinstance(sandbox, DockerSandbox):
        one_life(sandbox, "", tree, Figures())  # from the second on there are spares
        time.sleep(SPARE_S)
        one_life(sandbox, SPARE, tree, figures)
        one_life(sandbox, AT_ONCE, tree, figures)
        find_environment(sandbox, options, figures)
    with sandbox.open(limits=LIMITS) as workspace:
        with figures.timed(LARGE_IN):
            workspace.put(large)
        workspace.remove(["."])
        before = memory()
        with watched(memory) as most:
            workspace.run(FLOOD)
        figures.add(OWN_MEMORY, most()[0] - before[0])
        figures.add(ALL_MEMORY, most()[1] - before[1])


def one_life(sandbox: Sandbox, ready: str, tree: bytes, figures: Figures) -> None:
    """A workspace as most are: files in, commands, files out."""
    began = time.perf_counter()
    with sandbox.open(limits=LIMITS) as workspace:
        workspace.put(tree)
        figures.add(ready, 1000 * (time.perf_counter() - began))
        for row, command in ((COMMAND, ["true"]), (FAILING, ["false"])):
            with figures.timed(row):
                workspace.run(command)
        with figures.timed(OUT):
            workspace.get()
        began = time.perf_counter()
    figures.add(CLOSED, 1000 * (time.perf_counter() - began))


def find_environment(sandbox: DockerSandbox, options: Options, figures: Figures) -> None:
    """How long until a prepared image is known to be there."""
    environments = Environments(sandbox, way_out=WayOut())

    def prepare() -> None:
        environments.prepare(
            base_image=options.image,
            repository_id=REPOSITORY,
            setup="true",
            archive=archive_of({"pyproject.toml": File(b"")}),
            declared={"pyproject.toml": b""},
            limits=LIMITS,
        )

    prepare()  # makes it, in the first round
    with figures.timed(FOUND):
        prepare()


def forget_environment(options: Options) -> None:
    """Leave no prepared image of ours."""
    with closing(backends.make("docker", options), Figures()) as sandbox:
        assert isinstance(sandbox, DockerSandbox)
        Environments(sandbox, way_out=WayOut()).remove_repository(REPOSITORY)


def archive(*, files: int, size_bytes: int) -> bytes:
    """A tree whose bytes can't be packed any smaller."""
    chance = random.Random(1)  # noqa: S311 - nobody is to be kept from guessing it
    return archive_of({f"d{number % 200}/f{number}": File(chance.randbytes(size_bytes)) for number in range(files)})


def memory() -> tuple[float, float]:
    """What this process and the whole machine use, in MiB."""
    own = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    machine = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    used = int(machine["MemTotal"].split()[0]) - int(machine["MemAvailable"].split()[0])
    return int(own["VmRSS"].split()[0]) / 1024, used / 1024


@contextmanager
def watched(look: Callable[[], tuple[float, float]]) -> Iterator[Callable[[], tuple[float, float]]]:
    """Look many times a second, and say the most of each that was seen."""
    seen = [look()]
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(0.02):
            seen.append(look())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield lambda: (max(own for own, _ in seen), max(every for _, every in seen))
    finally:
        is_over.set()
        thread.join()


@contextmanager
def closing(sandbox: Sandbox, figures: Figures) -> Iterator[Sandbox]:
    """Nothing of a sandbox is left at the end."""
    try:
        yield sandbox
    finally:
        if isinstance(sandbox, DockerSandbox):
            with figures.timed(REMOVED):
                sandbox.close()


def show(measured: Mapping[str, Figures]) -> None:
    """Print the table."""
    print(f"{'':22}" + "".join(f"{name:>26}" for name in measured) + "   aim")
    first = next(iter(measured.values()), Figures()).rows
    for row in ROWS:
        cells = [cell(figures.rows.get(row), first.get(row)) for figures in measured.values()]
        print(f"{row:22}" + "".join(f"{text:>26}" for text in cells) + f"   {AIMS.get(row, '')}")


def cell(values: Sequence[float] | None, first: Sequence[float] | None) -> str:
    """Median, slowest, and the ratio to the first sandbox's median."""
    if not values:
        return "-"
    median = statistics.median(values)
    ratio = f" {median / statistics.median(first):5.2f}x" if first and statistics.median(first) > 0 else ""
    return f"{median:8.1f} ({max(values):6.0f}){ratio}"


if __name__ == "__main__":
    main()
